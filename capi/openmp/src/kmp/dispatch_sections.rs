//! libomp's sections: threads take numbers from 0 until they reach the number of sections, which only
//! `next` is told.
//!
//! Source: OpenMP 5.2, section 11.3 (sections construct).
#![allow(unsafe_code)]

use libc::c_void;
use vicinity_runtime::thread;
use vicinity_runtime::worksharing::plan::Plan;

/// Enters a sections construct; every thread takes part.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_sections_init(_location: *const c_void, _thread: i32) -> i32 {
    thread::seat().begin(&Plan::sections(i32::MAX as u64), |_| ());
    1
}

/// The number of a section to run, or `sections` when none is left.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_next_section(
    _location: *const c_void,
    _thread: i32,
    sections: i32,
) -> i32 {
    let seat = thread::seat();
    match seat.next_section().and_then(|section| i32::try_from(section).ok()) {
        Some(section) if section < sections => section,
        _ => {
            seat.end();
            sections
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_sections(_location: *const c_void, _thread: i32) {
    thread::seat().end();
}
