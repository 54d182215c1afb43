//! libomp's calls that do little or nothing here, and what `ident_t` tells.
//!
//! Source: the calls clang and flang 19 make; libomp's `kmp.h` for `ident_t`.
#![allow(unsafe_code)]

use crate::handle::Pointer;
use libc::{c_char, c_int};
use std::ffi::CStr;
use std::sync::atomic::{Ordering, fence};
use vicinity_runtime::clause::THREAD_LIMIT;
use vicinity_runtime::settings::TargetOffload;
use vicinity_runtime::team::region;
use vicinity_runtime::{device, global, icv, report, thread, tool};

/// Where in the program a call comes from.
#[repr(C)]
pub struct Location {
    _reserved: i32,
    pub flags: i32,
    _more: [i32; 2],
    /// `;file;function;line;column;;`, or null.
    source: *const c_char,
}

impl Location {
    /// `file:line`, as far as it is known.
    pub fn describe(&self) -> String {
        if self.source.is_null() {
            return "unknown place".into();
        }
        // SAFETY: the compiler's string constant.
        let source = unsafe { CStr::from_ptr(self.source) }.to_string_lossy();
        let mut parts = source.split(';').skip(1);
        let (file, _function, line) = (parts.next(), parts.next(), parts.next());
        format!("{}:{}", file.unwrap_or("unknown file"), line.unwrap_or("?"))
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_begin(_location: Pointer, _flags: c_int) {
    global::start();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end(_location: Pointer) {}

/// Whether regions may have more than one thread here.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_ok_to_fork(_location: Pointer) -> c_int {
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_flush(_location: Pointer) {
    // SeqCst: a flush without a list orders all of the thread's accesses (OpenMP 5.2, 15.8.5).
    fence(Ordering::SeqCst);
    if tool::is_on() {
        tool::sync::flush();
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_scope(_location: Pointer, _gtid: c_int, _reserved: Pointer) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_scope(_location: Pointer, _gtid: c_int, _reserved: Pointer) {}

/// The error directive with `at(execution)`; `severity` is 1 for a warning, 2 for a fatal error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_error(
    location: *const Location,
    severity: c_int,
    message: *const c_char,
) {
    // SAFETY: null, or the compiler's location.
    let place = unsafe { location.as_ref() }.map_or("unknown place".into(), Location::describe);
    let text = if message.is_null() {
        "no message".into()
    } else {
        // SAFETY: the compiler's string.
        unsafe { CStr::from_ptr(message) }.to_string_lossy()
    };
    thread::current();
    tool::error(severity, text.as_bytes());
    report::warn(&format!("{place}: error directive: {text}"));
    if severity == 2 {
        std::process::exit(1);
    }
}

/// The thread_limit clause of a target construct.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_set_thread_limit(_location: Pointer, _gtid: c_int, limit: c_int) {
    let limit = THREAD_LIMIT.of(limit);
    if limit > 0 {
        icv::update(|icvs| icvs.thread_limit = limit);
    }
}

/// target-offload-var, as libomp numbers it.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_get_target_offload() -> c_int {
    match global::settings().target_offload {
        TargetOffload::Disabled => 0,
        TargetOffload::Default => 1,
        TargetOffload::Mandatory => 2,
    }
}

/// The clause was taken by the region it was pushed for.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_pop_num_threads(_location: Pointer, _gtid: c_int) {}

/// `level` is 1 for a soft pause, 2 for a hard one. Not 0 if the resources cannot be given up.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_pause_resource(_level: c_int) -> c_int {
    (!device::pause()).into()
}

/// A barrier that the master leaves first, with 1, to do something the others wait for; they get 0.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_barrier_master(location: Pointer, gtid: c_int) -> c_int {
    region::barrier();
    let is_master = thread::current().member().num == 0;
    if !is_master {
        __kmpc_end_barrier_master(location, gtid);
    }
    is_master.into()
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_barrier_master(_location: Pointer, _gtid: c_int) {
    region::barrier();
}
