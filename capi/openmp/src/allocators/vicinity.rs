//! The memory part of `vicinity.h`: memory by how it is distributed over the machine.
//!
//! Terms: *distribution* as in the design: standard (the kernel places pages at their first touch),
//! fine (pages over all locations in turn), coarse (whole allocations over locations in turn).
//!
//! All memory is placed by the kernel: a distribution is checked and asks for nothing more.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use vicinity_alloc::engine::Request;
use vicinity_alloc::handle::Handle;

/// `OMP_MALLOC_STANDARD`, the first of the three kinds of `vicinity.h`.
const STANDARD: c_int = 0;
/// `OMP_MALLOC_COARSE`, the last of them.
const COARSE: c_int = 2;

/// Memory distributed as `OMP_DATA_DISTRIBUTION` says. Null for no bytes or if there is too little.
#[unsafe(no_mangle)]
pub extern "C" fn omp_malloc(size: usize) -> *mut c_void {
    // SAFETY: default memory always exists.
    unsafe { super::allocate(Handle::DEFAULT_MEMORY.0, Some(Request::new(size))) }
}

/// Memory with a distribution of its own. Null also for a kind that does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn omp_malloc_specific(size: usize, kind: c_int) -> *mut c_void {
    if (STANDARD..=COARSE).contains(&kind) { omp_malloc(size) } else { null_mut() }
}

/// Frees memory of any `omp_` routine, as `omp_free(block, omp_null_allocator)` does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_free(block: *mut c_void) {
    // SAFETY: the program passes memory of these routines for the last time.
    unsafe { super::free(block) }
}
