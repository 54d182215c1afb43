//! Memory routines of OpenMP under the names of both ABIs, and the memory part of `vicinity.h`.
//!
//! The work is done by `vicinity_alloc`. Here null handles become the default allocator of the
//! calling task, and failures become null pointers or the end of the program.
//!
//! Source: OpenMP 5.2, section 18.13 (memory management routines).
#![allow(unsafe_code)]

mod compilers;
mod fortran;
mod kmp;
mod omp;
mod vicinity;

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use vicinity_alloc::engine::{self, Failure, Outcome, Request};
use vicinity_alloc::handle::{self, Handle};
use vicinity_alloc::traits::RawTrait;
use vicinity_runtime::{icv, report};

/// def-allocator-var of the calling task.
fn default_allocator() -> Handle {
    Handle(icv::current().default_allocator)
}

/// Sets def-allocator-var of the calling task; a null handle means default memory, as for libgomp.
fn set_default_allocator(handle: Handle) {
    let handle = if handle == Handle::NULL { Handle::DEFAULT_MEMORY } else { handle };
    icv::update(|icvs| icvs.default_allocator = handle.0);
}

/// # Safety
/// `traits` points to `count` traits, unless `count` is 0 or less; allocators among them exist.
unsafe fn init(space: usize, count: i64, traits: *const RawTrait) -> usize {
    let traits = match usize::try_from(count) {
        // SAFETY: the caller's promise.
        Ok(count) if count > 0 => unsafe { std::slice::from_raw_parts(traits, count) },
        _ => &[],
    };
    // SAFETY: the caller's promise.
    unsafe { handle::init(space, traits) }.0
}

/// Memory for an `omp_` routine; `None` is a request that makes no sense (a size above the address
/// space, an alignment that is no power of two).
///
/// # Safety
/// `from` is null or exists.
unsafe fn allocate(from: usize, request: Option<Request>) -> *mut c_void {
    let Some(request) = request else { return null_mut() };
    // SAFETY: the caller's promise; the default allocator exists as long as it is the default.
    give(unsafe { engine::allocate(or_default(Handle(from)), request) }, request.size_bytes)
}

/// # Safety
/// As for [`engine::reallocate`], save that `block` may be null.
unsafe fn reallocate(block: *mut c_void, size: usize, to: usize, from: usize) -> *mut c_void {
    let (to, from) = (Handle(to), Handle(from));
    // SAFETY: the caller's promise; the default allocator exists as long as it is the default.
    let outcome = unsafe {
        match NonNull::new(block.cast()) {
            Some(block) => engine::reallocate(block, size, to, from),
            None => engine::allocate(or_default(to), Request::new(size)),
        }
    };
    give(outcome, size)
}

/// # Safety
/// `block` is null or came from this module, and is not used afterwards.
unsafe fn free(block: *mut c_void) {
    if let Some(block) = NonNull::new(block.cast()) {
        // SAFETY: the caller's promise.
        unsafe { engine::free(block) };
    }
}

fn or_default(handle: Handle) -> Handle {
    if handle == Handle::NULL { default_allocator() } else { handle }
}

/// What the program gets to see of an outcome.
fn give(outcome: Outcome, size: usize) -> *mut c_void {
    match outcome {
        Ok(block) => block.as_ptr().cast(),
        Err(Failure::Null) => null_mut(),
        Err(Failure::Abort) => report::fatal(&format!(
            "an allocator whose fallback is to abort could not provide {size} bytes"
        )),
    }
}
