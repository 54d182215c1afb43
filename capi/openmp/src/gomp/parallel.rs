//! libgomp's parallel regions and barriers.
//!
//! `flags` carries the proc_bind clause, as `omp_proc_bind_t` numbers it.
#![allow(unsafe_code)]

use libc::{c_int, c_uint, c_void};
use vicinity_runtime::clause::NUM_THREADS;
use vicinity_runtime::task::record::Body;
use vicinity_runtime::team::places::Clause;
use vicinity_runtime::team::region::{self, Request};
use vicinity_runtime::tool::abi::sync;
use vicinity_runtime::{thread, tool};

/// The clauses of a parallel construct.
pub fn request(num_threads: c_uint, flags: c_uint) -> Request {
    let proc_bind = (flags & 7 != 0).then_some(Clause { code: (flags & 7) as i32, stays: true });
    // A negative number that the program wrote arrives as a large one.
    Request { num_threads: NUM_THREADS.of(num_threads as i32), proc_bind }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_parallel(body: Body, data: *mut c_void, num_threads: c_uint, flags: c_uint) {
    region::parallel(body, data, request(num_threads, flags));
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_parallel_start(body: Body, data: *mut c_void, num_threads: c_uint) {
    region::start(body, data, request(num_threads, 0), |_| ());
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_parallel_end() {
    region::end();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_barrier() {
    region::barrier();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_barrier_cancel() -> bool {
    region::barrier()
}

/// gcc 17's barriers: `kind` tells tools whether it ends a region (0), a worksharing construct (1), or is a barrier
/// construct (2).
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_barrier_ext(kind: c_int) {
    GOMP_barrier_cancel_ext(kind);
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_barrier_cancel_ext(kind: c_int) -> bool {
    if tool::is_on() {
        tool::sync::next_barrier(match kind {
            0 => sync::BARRIER_PARALLEL,
            1 => sync::BARRIER_WORKSHARE,
            _ => sync::BARRIER_EXPLICIT,
        });
    }
    region::barrier()
}

/// Whether the calling thread is the one that a masked or master construct names.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_has_masked_thread_num(filter: c_int) -> bool {
    thread::current().member().num as c_int == filter
}

/// gcc's form for tools: the block was run.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_masked_end() {}
