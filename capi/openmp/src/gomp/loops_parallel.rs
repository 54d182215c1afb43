//! libgomp's parallel loops: a region whose first construct is a loop laid down before the team starts,
//! so that its threads take chunks without entering it first.
//!
//! Sources: libgomp's `libgomp_g.h`; OpenMP 5.2, section 17.1.1 (parallel worksharing-loop).
#![allow(unsafe_code)]

use super::loops_meet::{runtime, schedule};
use super::parallel::request;
use libc::{c_long, c_uint, c_void};
use vicinity_runtime::task::record::Body;
use vicinity_runtime::team::region;
use vicinity_runtime::worksharing::plan::{Kind, Order, Plan, Schedule, Space};

fn plan(start: c_long, end: c_long, incr: c_long, schedule: Schedule) -> Plan {
    Plan::scheduled(Space::half_open_signed(start, end, incr), schedule, false)
}

/// Regions with a loop whose schedule is in the name.
macro_rules! regions {
    ($($name:ident: $kind:ident, $order:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            body: Body,
            data: *mut c_void,
            num_threads: c_uint,
            start: c_long,
            end: c_long,
            incr: c_long,
            chunk: c_long,
            flags: c_uint,
        ) {
            let plan = plan(start, end, incr, schedule(Kind::$kind, chunk, Order::$order));
            let request = request(num_threads, flags);
            region::parallel_with(body, data, request, |seat| seat.preset(&plan));
        }
    )*};
}

regions! {
    GOMP_parallel_loop_static: Static, Unspecified;
    GOMP_parallel_loop_dynamic: Dynamic, Monotonic;
    GOMP_parallel_loop_guided: Guided, Monotonic;
    GOMP_parallel_loop_nonmonotonic_dynamic: Dynamic, Nonmonotonic;
    GOMP_parallel_loop_nonmonotonic_guided: Guided, Nonmonotonic;
}

/// Regions with a loop under `schedule(runtime)`.
macro_rules! runtime_regions {
    ($($name:ident: $order:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            body: Body,
            data: *mut c_void,
            num_threads: c_uint,
            start: c_long,
            end: c_long,
            incr: c_long,
            flags: c_uint,
        ) {
            let plan = plan(start, end, incr, runtime(Order::$order));
            let request = request(num_threads, flags);
            region::parallel_with(body, data, request, |seat| seat.preset(&plan));
        }
    )*};
}

runtime_regions! {
    GOMP_parallel_loop_runtime: Monotonic;
    GOMP_parallel_loop_nonmonotonic_runtime: Nonmonotonic;
    GOMP_parallel_loop_maybe_nonmonotonic_runtime: Unspecified;
}

/// The form of old compilers: the caller runs the body itself and then calls `GOMP_parallel_end`.
macro_rules! region_starts {
    ($($name:ident: $kind:ident, $order:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            body: Body,
            data: *mut c_void,
            num_threads: c_uint,
            start: c_long,
            end: c_long,
            incr: c_long,
            chunk: c_long,
        ) {
            let plan = plan(start, end, incr, schedule(Kind::$kind, chunk, Order::$order));
            let request = request(num_threads, 0);
            region::start(body, data, request, |seat| seat.preset(&plan));
        }
    )*};
}

region_starts! {
    GOMP_parallel_loop_static_start: Static, Unspecified;
    GOMP_parallel_loop_dynamic_start: Dynamic, Monotonic;
    GOMP_parallel_loop_guided_start: Guided, Monotonic;
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_parallel_loop_runtime_start(
    body: Body,
    data: *mut c_void,
    num_threads: c_uint,
    start: c_long,
    end: c_long,
    incr: c_long,
) {
    let plan = plan(start, end, incr, runtime(Order::Monotonic));
    region::start(body, data, request(num_threads, 0), |seat| seat.preset(&plan));
}
