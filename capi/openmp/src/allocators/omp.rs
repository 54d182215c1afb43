//! The memory routines of OpenMP 5.2, section 18.13, as C and Fortran's `bind(c)` interfaces call them.
//!
//! Freeing and resizing find out by themselves where memory came from: the allocator that the program
//! names for that is not needed, or only a hint.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use vicinity_alloc::engine::Request;
use vicinity_alloc::handle::{self, Handle};
use vicinity_alloc::traits::RawTrait;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_allocator(
    space: usize,
    count: c_int,
    traits: *const RawTrait,
) -> usize {
    // SAFETY: the program passes an array of `count` traits that name live allocators.
    unsafe { super::init(space, count.into(), traits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_destroy_allocator(allocator: usize) {
    // SAFETY: the program no longer uses the allocator.
    unsafe { handle::destroy(Handle(allocator)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_set_default_allocator(allocator: usize) {
    super::set_default_allocator(Handle(allocator));
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_default_allocator() -> usize {
    super::default_allocator().0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_alloc(size: usize, allocator: usize) -> *mut c_void {
    // SAFETY: the program names an allocator that exists, or none.
    unsafe { super::allocate(allocator, Some(Request::new(size))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_aligned_alloc(
    alignment: usize,
    size: usize,
    allocator: usize,
) -> *mut c_void {
    // SAFETY: the program names an allocator that exists, or none.
    unsafe { super::allocate(allocator, Request::new(size).aligned(alignment)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_calloc(count: usize, size: usize, allocator: usize) -> *mut c_void {
    // SAFETY: the program names an allocator that exists, or none.
    unsafe { super::allocate(allocator, Request::zeroed(count, size)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_aligned_calloc(
    alignment: usize,
    count: usize,
    size: usize,
    allocator: usize,
) -> *mut c_void {
    let request = Request::zeroed(count, size).and_then(|request| request.aligned(alignment));
    // SAFETY: the program names an allocator that exists, or none.
    unsafe { super::allocate(allocator, request) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_realloc(
    block: *mut c_void,
    size: usize,
    allocator: usize,
    free_allocator: usize,
) -> *mut c_void {
    // SAFETY: the program passes memory of these routines and allocators that exist, or none.
    unsafe { super::reallocate(block, size, allocator, free_allocator) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_free(block: *mut c_void, _allocator: usize) {
    // SAFETY: the program passes memory of these routines for the last time.
    unsafe { super::free("omp_free", block) }
}
