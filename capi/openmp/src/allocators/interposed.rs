//! What `libvicinity-place.so` calls for a program's large blocks (`capi/preload/place.h`).
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use vicinity_alloc::interposed;
use vicinity_runtime::{global, trace::memory};

/// Whether there is a choice of where memory goes, and somebody has chosen.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_is_wanted() -> c_int {
    global::start();
    c_int::from(interposed::is_wanted())
}

/// Whether a trace is to tell of the program's memory.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_is_heard() -> c_int {
    c_int::from(memory::is_on())
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_allocate(
    size: usize,
    alignment: usize,
    caller: *const c_void,
) -> *mut c_void {
    let Some(block) = interposed::allocate(size, alignment, caller as usize) else {
        return null_mut();
    };
    memory::allocated_for(block.as_ptr() as usize, size, caller as usize);
    block.as_ptr().cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_size_of(block: *const c_void) -> usize {
    interposed::size_of(block as usize)
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_release(block: *mut c_void) {
    memory::released(block as usize);
    interposed::release(block as usize);
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_resize(block: *mut c_void, size: usize) -> c_int {
    c_int::from(interposed::resize(block as usize, size))
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_mapping(start: *mut c_void, bytes: usize, caller: *const c_void) {
    interposed::place_mapping(start as usize, bytes, caller as usize);
    memory::allocated_for(start as usize, bytes, caller as usize);
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_variables(start: *mut c_void, bytes: usize) {
    interposed::place_variables(start as usize, bytes);
}

/// A large block of the allocator behind the preloaded library.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_allocated(
    block: *mut c_void,
    bytes: usize,
    caller: *const c_void,
) {
    memory::allocated_for(block as usize, bytes, caller as usize);
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_released(block: *mut c_void) {
    memory::released(block as usize);
}

/// A large file that the program mapped.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_mapped(start: *mut c_void, bytes: usize, caller: *const c_void) {
    memory::mapped_for(start as usize, bytes, caller as usize);
}

/// A small block of the allocator behind the preloaded library; how many bytes may go by until the next.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_row(
    block: *mut c_void,
    size: usize,
    stands_for: usize,
    caller: *const c_void,
) -> usize {
    memory::row_for(block as usize, size, stands_for, caller as usize)
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_place_row_released(block: *mut c_void) {
    memory::row_released(block as usize);
}
