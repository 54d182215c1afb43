//! What `libvicinity-place.so` calls for a program's large blocks (`capi/preload/place.h`).
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use vicinity_alloc::interposed;
use vicinity_runtime::global;

/// Whether there is a choice of where memory goes, and somebody has chosen.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_is_wanted() -> c_int {
    global::start();
    c_int::from(interposed::is_wanted())
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_allocate(size: usize, alignment: usize) -> *mut c_void {
    interposed::allocate(size, alignment).map_or(null_mut(), |block| block.as_ptr().cast())
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_size_of(block: *const c_void) -> usize {
    interposed::size_of(block as usize)
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_release(block: *mut c_void) {
    interposed::release(block as usize);
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_resize(block: *mut c_void, size: usize) -> c_int {
    c_int::from(interposed::resize(block as usize, size))
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_mapping(start: *mut c_void, bytes: usize) {
    interposed::place_mapping(start as usize, bytes);
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_variables(start: *mut c_void, bytes: usize) {
    interposed::place_variables(start as usize, bytes);
}
