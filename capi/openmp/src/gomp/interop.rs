//! The interop construct, and device code that is called through pointers, where there is no device but the host.
//!
//! Source: OpenMP 5.2, section 14.1 (interop); the calls of gcc 15, as libgomp's `libgomp_g.h` declares them.
#![allow(unsafe_code)]

use super::depend;
use crate::handle::Pointer;
use libc::{c_char, c_int, c_uint};
use vicinity_runtime::task::wait;

/// Objects to make become `omp_interop_none`, and those to destroy too; the dependences are met first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_interop(
    _device: c_int,
    init_count: c_int,
    init: *const *mut Pointer,
    _target_targetsync: *const c_int,
    _preferences: *const *const c_char,
    _use_count: c_int,
    _used: *const Pointer,
    destroy_count: c_int,
    destroy: *const *mut Pointer,
    _flags: c_uint,
    depend: *const Pointer,
) {
    // SAFETY: the compiler's arrays, with as many elements as it says; the depend clause's, or null.
    unsafe {
        wait::wait_for_dependences(&depend::list(depend));
        clear(init_count, init);
        clear(destroy_count, destroy);
    }
}

/// # Safety
/// `objects` has `count` elements, each the address of an object of the program.
unsafe fn clear(count: c_int, objects: *const *mut Pointer) {
    for at in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: the caller's promise.
        unsafe { **objects.add(at) = std::ptr::null_mut() };
    }
}

/// Where a function lies on this device: where the program says.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_target_map_indirect_ptr(function: Pointer) -> Pointer {
    function
}
