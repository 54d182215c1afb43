//! libgomp's loops over `unsigned long long`.
//!
//! As `loops`, but for the direction, which `up` tells: a loop that runs down has the two's complement of
//! its stride as `incr`. Such loops are left through the functions in `loops`.
//! Sources: libgomp's `libgomp_g.h`; OpenMP 5.2, section 11.5.
#![allow(unsafe_code)]

use super::loops_meet::{self as meet, Extras, numbered, runtime, schedule};
use crate::handle::Flag;
use libc::{c_long, c_ulonglong, c_void};
use vicinity_runtime::thread;
use vicinity_runtime::worksharing::plan::{Kind, Order, Plan, Schedule, Space};

/// Enters a loop and takes the first chunk, unless the compiler computes chunks itself (`first` null).
unsafe fn start(
    space: Space,
    schedule: Schedule,
    ordered: bool,
    extras: Extras,
    (first, bound): (*mut c_ulonglong, *mut c_ulonglong),
) -> bool {
    let seat = thread::seat();
    // SAFETY: the arguments are the compiler's, as the callers got them.
    unsafe {
        meet::open(seat, &Plan::scheduled(space, schedule, ordered), extras);
        first.is_null() || meet::next_ull(first, bound)
    }
}

/// A chunk size, in the form `schedule` takes.
pub(super) fn size(chunk: c_ulonglong) -> c_long {
    chunk.try_into().unwrap_or(c_long::MAX)
}

/// Entry points of loops whose schedule is in the name.
macro_rules! starts {
    ($($name:ident: $kind:ident, $order:ident, $ordered:literal;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            up: Flag,
            start: c_ulonglong,
            end: c_ulonglong,
            incr: c_ulonglong,
            chunk: c_ulonglong,
            first: *mut c_ulonglong,
            bound: *mut c_ulonglong,
        ) -> bool {
            let space = Space::half_open_unsigned(up.is_set(), start, end, incr);
            let schedule = schedule(Kind::$kind, size(chunk), Order::$order);
            // SAFETY: the arguments are the compiler's.
            unsafe { self::start(space, schedule, $ordered, Extras::NONE, (first, bound)) }
        }
    )*};
}

starts! {
    GOMP_loop_ull_static_start: Static, Unspecified, false;
    GOMP_loop_ull_dynamic_start: Dynamic, Monotonic, false;
    GOMP_loop_ull_guided_start: Guided, Monotonic, false;
    GOMP_loop_ull_nonmonotonic_dynamic_start: Dynamic, Nonmonotonic, false;
    GOMP_loop_ull_nonmonotonic_guided_start: Guided, Nonmonotonic, false;
    GOMP_loop_ull_ordered_static_start: Static, Unspecified, true;
    GOMP_loop_ull_ordered_dynamic_start: Dynamic, Monotonic, true;
    GOMP_loop_ull_ordered_guided_start: Guided, Monotonic, true;
}

/// Entry points of loops with `schedule(runtime)`.
macro_rules! runtime_starts {
    ($($name:ident: $order:ident, $ordered:literal;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            up: Flag,
            start: c_ulonglong,
            end: c_ulonglong,
            incr: c_ulonglong,
            first: *mut c_ulonglong,
            bound: *mut c_ulonglong,
        ) -> bool {
            let space = Space::half_open_unsigned(up.is_set(), start, end, incr);
            let schedule = runtime(Order::$order);
            // SAFETY: the arguments are the compiler's.
            unsafe { self::start(space, schedule, $ordered, Extras::NONE, (first, bound)) }
        }
    )*};
}

runtime_starts! {
    GOMP_loop_ull_runtime_start: Monotonic, false;
    GOMP_loop_ull_nonmonotonic_runtime_start: Nonmonotonic, false;
    GOMP_loop_ull_maybe_nonmonotonic_runtime_start: Unspecified, false;
    GOMP_loop_ull_ordered_runtime_start: Monotonic, true;
}

/// Entry points of loops with extras; `sched` numbers the schedule.
macro_rules! extended_starts {
    ($($name:ident: $ordered:literal;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            up: Flag,
            start: c_ulonglong,
            end: c_ulonglong,
            incr: c_ulonglong,
            sched: c_long,
            chunk: c_ulonglong,
            first: *mut c_ulonglong,
            bound: *mut c_ulonglong,
            reductions: *mut usize,
            mem: *mut *mut c_void,
        ) -> bool {
            let space = Space::half_open_unsigned(up.is_set(), start, end, incr);
            let schedule = numbered(sched, size(chunk));
            let extras = Extras { reductions, mem };
            // SAFETY: the arguments are the compiler's.
            unsafe { self::start(space, schedule, $ordered, extras, (first, bound)) }
        }
    )*};
}

extended_starts! {
    GOMP_loop_ull_start: false;
    GOMP_loop_ull_ordered_start: true;
}

/// Entry points that take another chunk.
macro_rules! nexts {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            first: *mut c_ulonglong,
            bound: *mut c_ulonglong,
        ) -> bool {
            // SAFETY: the arguments are the compiler's.
            unsafe { meet::next_ull(first, bound) }
        }
    )*};
}

nexts! {
    GOMP_loop_ull_static_next
    GOMP_loop_ull_dynamic_next
    GOMP_loop_ull_guided_next
    GOMP_loop_ull_runtime_next
    GOMP_loop_ull_nonmonotonic_dynamic_next
    GOMP_loop_ull_nonmonotonic_guided_next
    GOMP_loop_ull_nonmonotonic_runtime_next
    GOMP_loop_ull_maybe_nonmonotonic_runtime_next
    GOMP_loop_ull_ordered_static_next
    GOMP_loop_ull_ordered_dynamic_next
    GOMP_loop_ull_ordered_guided_next
    GOMP_loop_ull_ordered_runtime_next
}
