//! libgomp's sections, and scopes with task reductions.
//!
//! Sections are numbered from 1; 0 means that none is left. A scope is a construct without work: its
//! threads only settle who registers the reductions first, and leave at once; the barrier at its end is
//! the compiler's own.
//! Sources: libgomp's `libgomp_g.h`; OpenMP 5.2, sections 11.2 (scope) and 11.3 (sections).
#![allow(unsafe_code)]

use super::loops_meet::{self as meet, Extras};
use super::parallel::request;
use libc::{c_uint, c_void};
use vicinity_runtime::task::record::Body;
use vicinity_runtime::team::region;
use vicinity_runtime::thread;
use vicinity_runtime::worksharing::plan::Plan;

fn plan(count: c_uint) -> Plan {
    Plan::sections(count.into())
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_sections_start(count: c_uint) -> c_uint {
    thread::seat().begin(&plan(count), |_| ());
    GOMP_sections_next()
}

/// `reductions` and `mem` as `loops_meet` describes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_sections2_start(
    count: c_uint,
    reductions: *mut usize,
    mem: *mut *mut c_void,
) -> c_uint {
    // SAFETY: the arguments are the compiler's.
    unsafe { meet::open(thread::seat(), &plan(count), Extras { reductions, mem }) };
    GOMP_sections_next()
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_sections_next() -> c_uint {
    thread::seat().next_section().map_or(0, |section| section as c_uint + 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_parallel_sections(
    body: Body,
    data: *mut c_void,
    num_threads: c_uint,
    count: c_uint,
    flags: c_uint,
) {
    let request = request(num_threads, flags);
    region::parallel_with(body, data, request, |seat| seat.preset(&plan(count)));
}

/// The form of old compilers: the caller runs the body itself and then calls `GOMP_parallel_end`.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_parallel_sections_start(
    body: Body,
    data: *mut c_void,
    num_threads: c_uint,
    count: c_uint,
) {
    region::start(body, data, request(num_threads, 0), |seat| seat.preset(&plan(count)));
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_sections_end() {
    meet::close();
    meet::barrier();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_sections_end_nowait() {
    meet::close();
}

/// True if the region was cancelled meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_sections_end_cancel() -> bool {
    meet::close();
    meet::barrier()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_scope_start(reductions: *mut usize) {
    let extras = Extras { reductions, ..Extras::NONE };
    // SAFETY: the descriptor is the compiler's.
    unsafe { meet::open(thread::seat(), &Plan::meeting(), extras) };
    meet::close();
}
