//! The memory routines that Fortran calls by reference; the others are `bind(c)` and in `omp.rs`.
//!
//! `omp_init_allocator` is generic over the kind of its trait count: `_` takes a 4-byte integer, `_8_`
//! an 8-byte one (programs compiled with `-fdefault-integer-8`).
#![allow(unsafe_code)]

use vicinity_alloc::handle::{self, Handle};
use vicinity_alloc::traits::RawTrait;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_allocator_(
    space: *const usize,
    count: *const i32,
    traits: *const RawTrait,
) -> usize {
    // SAFETY: Fortran passes valid references and an array of `count` traits.
    unsafe { super::init(*space, i64::from(*count), traits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_allocator_8_(
    space: *const usize,
    count: *const i64,
    traits: *const RawTrait,
) -> usize {
    // SAFETY: Fortran passes valid references and an array of `count` traits.
    unsafe { super::init(*space, *count, traits) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_destroy_allocator_(allocator: *const usize) {
    // SAFETY: Fortran passes a valid reference; the program no longer uses the allocator.
    unsafe { handle::destroy(Handle(*allocator)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_set_default_allocator_(allocator: *const usize) {
    // SAFETY: Fortran passes a valid reference.
    super::set_default_allocator(Handle(unsafe { *allocator }));
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_default_allocator_() -> usize {
    super::default_allocator().0
}
