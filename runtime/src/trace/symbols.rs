//! What an address in the program's code means: function, source file and line.
//!
//! Read in the process itself, from the files it was loaded from, once for each construct and only while
//! tracing (docs/decisions/010-names-in-traces.md).
#![allow(unsafe_code)]

use crate::process_lock::ProcessLock;
use addr2line::Loader;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Where a function is from.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    pub function: String,
    pub file: String,
    pub line: Option<u32>,
}

/// Where an address lies: a file, and what was added to the file's addresses when it was loaded.
struct Module {
    file: PathBuf,
    bias: usize,
}

/// Debug information by file; `None` where there is none to be read.
pub(crate) static LOADED: ProcessLock<Option<Loaders>> = ProcessLock::new(None);

pub(crate) type Loaders = HashMap<PathBuf, Option<Box<Sendable>>>;

/// A loader that one thread at a time uses, under the lock.
pub(crate) struct Sendable(Loader);
// SAFETY: it is reached through a mutex alone, and has no ties to the thread that made it.
unsafe impl Send for Sendable {}

/// The best that can be said of the function at `address`.
pub fn look_up(address: usize) -> Place {
    let Some(module) = module_of(address) else {
        return Place { function: format!("{address:#x}"), file: String::new(), line: None };
    };
    let offset = address - module.bias;
    let mut loaded = LOADED.lock();
    let open = || Loader::new(&module.file).ok().map(|loader| Box::new(Sendable(loader)));
    let loader = loaded.get_or_insert_default().entry(module.file.clone()).or_insert_with(open);
    let loader = loader.as_ref().map(|loader| &loader.0);
    let location = loader.and_then(|loader| loader.find_location(offset as u64).ok().flatten());
    let symbol = loader.and_then(|loader| loader.find_symbol(offset as u64));
    let place = || format!("{}+{offset:#x}", file_name(&module.file));
    let function = loader
        .and_then(|loader| enclosing(loader, offset as u64))
        .or_else(|| symbol.map(str::to_owned))
        .or_else(|| exported(address))
        .unwrap_or_else(place);
    let file = location.as_ref().and_then(|location| location.file).unwrap_or_default().to_owned();
    let line = location.and_then(|location| location.line).filter(|&line| line > 0);
    Place { function, file, line }
}

/// The name that debug information has for the function.
fn enclosing(loader: &Loader, offset: u64) -> Option<String> {
    let mut frames = loader.find_frames(offset).ok()?;
    let frame = frames.next().ok()??;
    frame.function?.raw_name().ok().map(|name| name.into_owned())
}

/// What the loader calls the function: all that is known of code that no file holds, as that of OpenCL kernels, of which
/// the kernel's own name counts (docs/kernel-abi.md).
fn exported(address: usize) -> Option<String> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked about; the names it gives live as long as the object is loaded, and end with a zero.
    let name = unsafe {
        if libc::dladdr(address as *const libc::c_void, info.as_mut_ptr()) == 0 {
            return None;
        }
        let name = info.assume_init().dli_sname;
        if name.is_null() { None } else { Some(std::ffi::CStr::from_ptr(name)) }
    };
    let name = name?.to_string_lossy().into_owned();
    Some(name.strip_prefix("vicinity_kernel_").map(str::to_owned).unwrap_or(name))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The file of the program or library that `address` lies in.
fn module_of(address: usize) -> Option<Module> {
    struct Search {
        address: usize,
        found: Option<Module>,
    }
    unsafe extern "C" fn look(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        search: *mut libc::c_void,
    ) -> i32 {
        // SAFETY: the loader's description of an object, and the search that was handed to it below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        let bias = info.dlpi_addr as usize;
        // SAFETY: the loader says how many headers there are.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let holds = |header: &libc::Elf64_Phdr| {
            let start = bias.wrapping_add(header.p_vaddr as usize);
            header.p_type == libc::PT_LOAD
                && search.address.wrapping_sub(start) < header.p_memsz as usize
        };
        if !headers.iter().any(holds) {
            return 0;
        }
        // SAFETY: null, or a name that ends with a zero.
        let name = unsafe {
            (!info.dlpi_name.is_null()).then(|| std::ffi::CStr::from_ptr(info.dlpi_name))
        };
        let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // The program itself has no name here.
        let file = if name.is_empty() { std::env::current_exe().ok() } else { Some(name.into()) };
        search.found = file.map(|file| Module { file, bias });
        1
    }
    let mut search = Search { address, found: None };
    // SAFETY: the callback gets what it expects, and is done when the call returns.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn this_test_finds_itself() {
        let place = look_up(this_test_finds_itself as *const () as usize);
        assert!(place.function.contains("this_test_finds_itself"), "{place:?}");
        assert!(place.file.ends_with("symbols.rs") && place.line.is_some(), "{place:?}");
    }

    #[test]
    fn an_address_in_no_file_is_a_number() {
        assert_eq!(look_up(16), Place { function: "0x10".into(), file: "".into(), line: None });
    }
}
