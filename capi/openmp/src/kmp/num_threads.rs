//! num_threads as OpenMP 6.0 has it: a list, for the region and those nested in it, and the `strict` modifier, with which a
//! team smaller than asked for ends the program, or costs a warning.
//!
//! Newer compilers push both ahead of the region, with what the severity and message clauses say.
//! Sources: OpenMP 6.0 section 12.1.2 (num_threads), 10.3 and 10.4 (severity, message); the calls of clang 21.
#![allow(unsafe_code)]

use super::misc::Location;
use super::parallel::{__kmpc_push_num_threads, push};
use libc::{c_char, c_int};
use std::ffi::CStr;
use vicinity_runtime::clause::NUM_THREADS;
use vicinity_runtime::report;
use vicinity_runtime::thread::{Strict, Threads};

/// `severity`: 1 is a warning, 2 a fatal error.
const FATAL: c_int = 2;

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_threads_strict(
    location: *const Location,
    gtid: c_int,
    count: c_int,
    severity: c_int,
    message: *const c_char,
) {
    __kmpc_push_num_threads(location.cast_mut().cast(), gtid, count);
    push_strict(location, severity, message);
}

/// A list: the next region takes the first, regions within it the others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_num_threads_list(
    location: *const Location,
    gtid: c_int,
    length: u32,
    list: *const c_int,
) {
    if length > 0 {
        // SAFETY: the compiler's array with `length` elements.
        __kmpc_push_num_threads(location.cast_mut().cast(), gtid, unsafe { *list });
    }
    if length > 1 {
        push(|pushed| pushed.threads = Some(Threads { address: list.addr(), length }));
    }
}

/// The numbers of a list.
///
/// # Safety
/// The compiler has pushed it for the region that is about to start.
pub unsafe fn list(threads: Threads) -> Vec<u32> {
    // SAFETY: the compiler's array lives until the region has started.
    let list = unsafe {
        std::slice::from_raw_parts(threads.address as *const c_int, threads.length as usize)
    };
    list.iter().map(|&count| NUM_THREADS.of(count).max(1)).collect()
}

/// The same, strictly.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_num_threads_list_strict(
    location: *const Location,
    gtid: c_int,
    length: u32,
    list: *const c_int,
    severity: c_int,
    message: *const c_char,
) {
    // SAFETY: the caller's arguments, passed on.
    unsafe { __kmpc_push_num_threads_list(location, gtid, length, list) };
    push_strict(location, severity, message);
}

fn push_strict(location: *const Location, severity: c_int, message: *const c_char) {
    let is_fatal = severity == FATAL;
    let strict = Strict { location: location.addr(), message: message.addr(), is_fatal };
    push(|pushed| pushed.strict = Some(strict));
}

/// A region that asked for `asked` threads gets a team of `size`.
pub fn check(strict: &Strict, asked: u32, size: u32) {
    if size >= asked {
        return;
    }
    let location = strict.location as *const Location;
    let message = strict.message as *const c_char;
    // SAFETY: null, or the compiler's location.
    let place = unsafe { location.as_ref() }.map_or("unknown place".into(), Location::describe);
    // SAFETY: null, or the compiler's string.
    let said = (!message.is_null()).then(|| unsafe { CStr::from_ptr(message) }.to_string_lossy());
    let said = said.map_or(String::new(), |said| format!(": {said}"));
    report::warn(&format!("{place}: num_threads(strict: {asked}): the team has {size}{said}"));
    if strict.is_fatal {
        std::process::exit(1);
    }
}
