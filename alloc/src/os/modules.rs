//! The program and the libraries in this process: which addresses each has, and from which file it is.
//!
//! Terms: the *bias* is what was added to the addresses in a file when it was loaded.
//! Source: dl_iterate_phdr(3). Units: bytes.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

/// One object of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub file: String,
    pub bias: usize,
    pub addresses: Range<usize>,
    /// Its variables.
    pub data: Range<usize>,
}

/// All of them, the program first.
pub fn all() -> Vec<Module> {
    let mut found: Vec<Module> = Vec::new();
    // SAFETY: the callback gets a description of each object, and the list passed here.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut found).cast()) };
    if let Some(program) = found.first_mut().filter(|program| program.file.is_empty()) {
        let path = std::env::current_exe().unwrap_or_default();
        program.file = path.to_string_lossy().into_owned();
    }
    found
}

/// The name of a file without its folders.
pub fn file_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

unsafe extern "C" fn add(object: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader's description of an object, and the list that `all` passed; null, or a name that ends with a zero.
    let (object, found, name) = unsafe {
        let object = &*object;
        let name = (!object.dlpi_name.is_null()).then(|| CStr::from_ptr(object.dlpi_name));
        (object, &mut *found.cast::<Vec<Module>>(), name)
    };
    let bias = object.dlpi_addr as usize;
    let (mut first, mut last, mut data) = (usize::MAX, 0, 0..0);
    for at in 0..object.dlpi_phnum {
        // SAFETY: the object has so many headers.
        let header = unsafe { &*object.dlpi_phdr.add(usize::from(at)) };
        if header.p_type != libc::PT_LOAD {
            continue;
        }
        let start = bias.wrapping_add(header.p_vaddr as usize);
        let end = start.wrapping_add(header.p_memsz as usize);
        (first, last) = (first.min(start), last.max(end));
        if header.p_flags & libc::PF_W != 0 {
            data = start..end;
        }
    }
    let file = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    found.push(Module { file, bias, addresses: first..last, data });
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    static VARIABLE: AtomicU64 = AtomicU64::new(1);

    #[test]
    fn this_program_is_the_first() {
        let modules = all();
        let code = this_program_is_the_first as *const () as usize;
        assert!(modules[0].addresses.contains(&code));
        let data = (&raw const VARIABLE) as usize;
        assert!(modules[0].data.contains(&data), "{data:#x} {:?}", modules[0]);
        assert!(!file_name(&modules[0].file).is_empty() && modules.len() > 1);
    }
}
