//! Shared objects, loaded by file or from memory.
//!
//! Source: dlopen(3), dladdr(3), memfd_create(2).

use std::ffi::{CStr, CString, OsStr, c_void};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

/// A loaded object; unloaded when this is dropped.
pub struct Library(NonNull<c_void>);

// SAFETY: a token for functions that any thread may call.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// The error is the loader's, for people.
    pub fn open(path: &Path) -> Result<Library, String> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: a name that ends with a zero; initializers of the object run, as its maker wants.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        NonNull::new(handle).map(Library).ok_or_else(last_error)
    }

    /// Loads an object from its bytes. Each such is a copy of its own, with its own variables, and no file
    /// system has to allow that it is executed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Library, String> {
        // SAFETY: a name that ends with a zero.
        let descriptor =
            unsafe { libc::memfd_create(c"vicinity-kernels".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(std::io::Error::last_os_error().to_string());
        }
        // SAFETY: just made, and nobody else's.
        let mut file = unsafe { File::from_raw_fd(descriptor) };
        file.write_all(bytes).map_err(|error| error.to_string())?;
        Library::open(Path::new(&new_name(file.as_raw_fd())))
    }

    /// The address of a function or variable.
    pub fn symbol(&self, name: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the handle is of a loaded object, the name ends with a zero.
        NonNull::new(unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) })
    }

    /// Never unloads it.
    pub fn leak(self) -> &'static Library {
        Box::leak(Box::new(self))
    }
}

/// A path of an open file that no object was loaded by before: the loader takes an object of the same path for the
/// same. Its number is written in binary, in slashes with a dot and without.
fn new_name(descriptor: RawFd) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    // Relaxed: the number alone matters.
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let bits = (0..u32::BITS - number.leading_zeros()).map(|bit| number >> bit & 1);
    let detour: String = bits.map(|bit| if bit == 1 { "/." } else { "/" }).collect();
    format!("/proc/self/fd{detour}/{descriptor}")
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the handle is of `dlopen` and not used again.
        unsafe { libc::dlclose(self.0.as_ptr()) };
    }
}

fn last_error() -> String {
    // SAFETY: no preconditions.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error".to_owned();
    }
    // SAFETY: text that ends with a zero, good until this thread's next call of the loader.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The folder of the file that this code was loaded from.
pub fn own_folder() -> Option<PathBuf> {
    // SAFETY: all zeros is a valid value.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here = own_folder as fn() -> Option<PathBuf> as *const c_void;
    // SAFETY: an address, and a place for what is known of it.
    if unsafe { libc::dladdr(here, &raw mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's name of a loaded object, which ends with a zero.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    let path = Path::new(OsStr::from_bytes(name.to_bytes())).canonicalize().ok()?;
    path.parent().map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_is_an_error_with_a_reason() {
        assert!(Library::from_bytes(b"no object").is_err());
        assert!(Library::open(Path::new("/nowhere/x.so")).is_err());
    }

    #[test]
    fn names_of_the_same_file_differ() {
        let names: std::collections::BTreeSet<String> = (0..1000).map(|_| new_name(0)).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.iter().all(|name| Path::new(name).parent().unwrap().is_dir()));
    }

    #[test]
    fn own_folder_is_one() {
        assert!(own_folder().is_some_and(|folder| folder.is_dir()));
    }
}
