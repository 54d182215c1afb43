//! What compilers call for `allocate` directives and clauses: `GOMP_` from gcc, `__kmpc_` from clang.
//!
//! `__kmpc_` routines are the `omp_` ones with a thread number in front.
#![allow(unsafe_code)]

use super::omp;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use vicinity_alloc::engine;
use vicinity_alloc::traits::RawTrait;
use vicinity_runtime::report;
use vicinity_runtime::task::objects;

/// A variable of the program must get its memory: failing is fatal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_alloc(
    alignment: usize,
    size: usize,
    allocator: usize,
) -> *mut c_void {
    // SAFETY: the compiler passes the program's allocator, which exists.
    let block = unsafe { omp::omp_aligned_alloc(alignment, size, allocator) };
    if block.is_null() && size > 0 {
        report::fatal(&format!("out of memory allocating {size} bytes for a variable"));
    }
    block
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_free(block: *mut c_void, allocator: usize) {
    // SAFETY: the compiler passes what `GOMP_alloc` gave.
    unsafe { omp::omp_free(block, allocator) }
}

/// gfortran has allocated a variable with `GOMP_alloc`, which remembers that by itself.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_add_alloc(_block: *mut c_void) {}

/// Whether a variable that gfortran is about to free or resize is memory of an OpenMP routine rather than of `malloc`.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_is_alloc(block: *mut c_void) -> bool {
    NonNull::new(block.cast()).is_some_and(engine::is_ours)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_init_allocator(
    _thread: c_int,
    space: usize,
    count: c_int,
    traits: *const RawTrait,
) -> usize {
    // SAFETY: the compiler passes an array of `count` traits.
    unsafe { omp::omp_init_allocator(space, count, traits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_destroy_allocator(_thread: c_int, allocator: usize) {
    // SAFETY: the allocator is no longer used.
    unsafe { omp::omp_destroy_allocator(allocator) }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_set_default_allocator(_thread: c_int, allocator: usize) {
    omp::omp_set_default_allocator(allocator);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_get_default_allocator(_thread: c_int) -> usize {
    omp::omp_get_default_allocator()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_alloc(
    _thread: c_int,
    size: usize,
    allocator: usize,
) -> *mut c_void {
    // SAFETY: the compiler passes the program's allocator, which exists.
    let block = unsafe { omp::omp_alloc(size, allocator) };
    if allocator == 0 {
        objects::given(block.addr(), size);
    }
    block
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_aligned_alloc(
    _thread: c_int,
    alignment: usize,
    size: usize,
    allocator: usize,
) -> *mut c_void {
    // SAFETY: as above.
    unsafe { omp::omp_aligned_alloc(alignment, size, allocator) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_calloc(
    _thread: c_int,
    count: usize,
    size: usize,
    allocator: usize,
) -> *mut c_void {
    // SAFETY: as above.
    unsafe { omp::omp_calloc(count, size, allocator) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_realloc(
    _thread: c_int,
    block: *mut c_void,
    size: usize,
    allocator: usize,
    free_allocator: usize,
) -> *mut c_void {
    // SAFETY: as above, and `block` came from these routines.
    unsafe { omp::omp_realloc(block, size, allocator, free_allocator) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_free(_thread: c_int, block: *mut c_void, allocator: usize) {
    if allocator == 0 {
        objects::taken_back(block.addr());
    }
    // SAFETY: `block` came from these routines and is not used afterwards.
    unsafe { omp::omp_free(block, allocator) }
}
