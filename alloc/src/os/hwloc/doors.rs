//! Loads hwloc when it is needed first, and opens the doors to its functions that `build.rs` wrote.
//!
//! Terms: a *door* is a jump through a table; `vicinity_hwloc_doors` is the table, empty until hwloc is loaded.
//!
//! Invariant: nobody calls a function of hwloc before `open` has said `Ok`.
//!
//! Source: dlopen(3); decision 006.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A name a line: one text, so that the loader of programs has no addresses to fill in.
const NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/names.txt"));
const COUNT: usize = include!(concat!(env!("OUT_DIR"), "/count.rs"));

/// The library's name since hwloc 2.0.
const LIBRARY: &CStr = c"libhwloc.so.15";

unsafe extern "C" {
    /// One place for each of `NAMES`, in their order.
    static vicinity_hwloc_doors: [AtomicPtr<c_void>; COUNT];
}

/// Loads hwloc, unless that has been done. The error says why it cannot be.
pub fn open() -> Result<(), String> {
    static OPENED: OnceLock<Result<(), String>> = OnceLock::new();
    OPENED.get_or_init(load).clone()
}

fn load() -> Result<(), String> {
    let name = LIBRARY.to_string_lossy();
    // SAFETY: the name ends with a zero. What hwloc does as it is loaded is what it does in every program that
    // links it.
    let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(format!("{name} is needed for it, and cannot be loaded"));
    }
    let find = |function: &str| {
        let function = CString::new(function).unwrap_or_default();
        // SAFETY: the library is loaded, and stays so.
        let found = unsafe { libc::dlsym(library, function.as_ptr()) };
        if found.is_null() { Err(format!("{name} is too old")) } else { Ok(found) }
    };
    let found = NAMES.lines().map(find).collect::<Result<Vec<_>, _>>()?;
    // SAFETY: the assembly defines that many words, zero at first, which nobody else writes.
    let doors = unsafe { &vicinity_hwloc_doors };
    // Relaxed: callers of a door come from `open`, behind the once-lock that orders these stores.
    doors.iter().zip(found).for_each(|(door, found)| door.store(found, Ordering::Relaxed));
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn hwloc_is_loaded_when_it_is_needed() {
        assert_eq!(super::open(), Ok(()));
        assert!(super::COUNT > 100 && super::COUNT == super::NAMES.lines().count());
    }
}
