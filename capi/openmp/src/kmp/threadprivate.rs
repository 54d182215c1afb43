//! libomp's threadprivate variables (`runtime::threadprivate`).
//!
//! Source: the calls clang and flang 19 make.
#![allow(unsafe_code)]

use crate::handle::Pointer;
use libc::{c_int, size_t};
use std::sync::atomic::{AtomicPtr, Ordering};
use vicinity_runtime::thread;
use vicinity_runtime::threadprivate::{
    self, Construct, ConstructVector, CopyConstruct, CopyConstructVector, Destroy, DestroyVector,
    Functions, Table,
};

/// The address of the calling thread's copy of the variable at `original`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_threadprivate_cached(
    _location: Pointer,
    _gtid: c_int,
    original: usize,
    bytes: size_t,
    cache: *const AtomicPtr<Table>,
) -> usize {
    let thread = thread::current();
    // SAFETY: the compiler's static variable, which starts as null.
    let cache = unsafe { &*cache };
    // Acquire: pairs with the Release in `remember`.
    // SAFETY: null, or a table that was leaked.
    let table = unsafe { cache.load(Ordering::Acquire).as_ref() };
    let known = table.map_or(0, |table| table.copy(thread.gtid));
    if known != 0 {
        return known;
    }
    let copy = threadprivate::find(thread, original, bytes);
    threadprivate::remember(cache, thread, original, copy);
    copy
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate(
    _location: Pointer,
    _gtid: c_int,
    original: usize,
    bytes: size_t,
) -> usize {
    threadprivate::find(thread::current(), original, bytes)
}

/// Names the functions for a variable's copies, before its first access.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate_register(
    _location: Pointer,
    original: usize,
    construct: Option<Construct>,
    copy_construct: Option<CopyConstruct>,
    destroy: Option<Destroy>,
) {
    threadprivate::register(original, Functions::Object(construct, copy_construct, destroy));
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate_register_vec(
    _location: Pointer,
    original: usize,
    construct: Option<ConstructVector>,
    copy_construct: Option<CopyConstructVector>,
    destroy: Option<DestroyVector>,
    count: size_t,
) {
    threadprivate::register(original, Functions::Vector(construct, copy_construct, destroy, count));
}
