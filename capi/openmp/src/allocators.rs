//! Memory routines of OpenMP under the names of both ABIs, and the memory part of `vicinity.h`.
//!
//! The work is done by `vicinity_alloc`. Here null handles become the default allocator of the
//! calling task, and failures become null pointers or the end of the program.
//!
//! Source: OpenMP 5.2, section 18.13 (memory management routines).
#![allow(unsafe_code)]

mod compilers;
mod fortran;
mod interposed;
mod kmp;
mod omp;
mod spaces;
mod vicinity;

use std::ffi::c_void;
use std::fmt;
use std::ptr::{NonNull, null_mut};
use vicinity_alloc::engine::{self, Failure, Outcome, Request};
use vicinity_alloc::handle::{self, Handle};
use vicinity_alloc::placed::Misuse;
use vicinity_alloc::traits::RawTrait;
use vicinity_runtime::trace::memory;
use vicinity_runtime::{global, icv, report};

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
    let Some(request) = request else { return out_of_memory() };
    global::start();
    // SAFETY: the caller's promise; the default allocator exists as long as it is the default.
    let outcome = unsafe { engine::allocate(or_default(Handle(from)), request) };
    give("omp_alloc", None, outcome, request.size_bytes)
}

/// # Safety
/// As for [`engine::reallocate`], save that `block` may be null.
unsafe fn reallocate(block: *mut c_void, size: usize, to: usize, from: usize) -> *mut c_void {
    let (to, from) = (Handle(to), Handle(from));
    global::start();
    // SAFETY: the caller's promise; the default allocator exists as long as it is the default.
    let outcome = unsafe {
        match NonNull::new(block.cast()) {
            Some(block) => engine::reallocate(block, size, to, from),
            None => engine::allocate(or_default(to), Request::new(size)),
        }
    };
    give("omp_realloc", NonNull::new(block), outcome, size)
}

/// # Safety
/// If `block` came from this module, it is not used afterwards.
pub unsafe fn free(routine: &str, block: *mut c_void) {
    if let Some(block) = NonNull::new(block.cast()) {
        memory::released(block.as_ptr() as usize);
        // SAFETY: the caller's promise.
        if let Err(misuse) = unsafe { engine::free(block) } {
            report::warn(
                &Complaint { routine, block: block.as_ptr() as usize, misuse }.to_string(),
            );
        }
    }
}

fn or_default(handle: Handle) -> Handle {
    if handle == Handle::NULL { default_allocator() } else { handle }
}

/// What the program gets to see of an outcome.
fn give(
    routine: &str,
    block: Option<NonNull<c_void>>,
    outcome: Outcome,
    size: usize,
) -> *mut c_void {
    match outcome {
        Ok(block) => {
            memory::allocated(block.as_ptr() as usize, size);
            block.as_ptr().cast()
        }
        Err(Failure::Null) if size == 0 => null_mut(),
        Err(Failure::Null) => out_of_memory(),
        Err(Failure::Abort) => report::fatal(&format!(
            "an allocator whose fallback is to abort could not provide {size} bytes"
        )),
        Err(Failure::Misuse(misuse)) => {
            let block = block.map_or(0, |block| block.as_ptr() as usize);
            report::warn(&Complaint { routine, block, misuse }.to_string());
            null_mut()
        }
    }
}

/// As `malloc` says it.
fn out_of_memory() -> *mut c_void {
    // SAFETY: the calling thread's own variable.
    unsafe { *libc::__errno_location() = libc::ENOMEM };
    null_mut()
}

/// One line about memory that cannot be freed.
struct Complaint<'a> {
    routine: &'a str,
    block: usize,
    misuse: Misuse,
}

impl fmt::Display for Complaint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Complaint { routine, block, misuse } = self;
        let why = match misuse {
            Misuse::Foreign => "is not memory of an OpenMP allocation routine, or not any more",
            Misuse::Twice => "was freed before",
            Misuse::Inside => "is inside an allocation, not at its beginning",
        };
        write!(f, "{routine}: {block:#x} {why}; nothing was freed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_routine_and_address() {
        let line = Complaint { routine: "omp_free", block: 0x7f00, misuse: Misuse::Twice };
        assert_eq!(line.to_string(), "omp_free: 0x7f00 was freed before; nothing was freed");
    }
}
