//! libgomp's loops over `long`: entering, taking chunks, leaving.
//!
//! `start` to `end` is half-open in the direction of `incr`. The entry points come in families that differ
//! by schedule alone; a loop entered by any of them takes its chunks through one function.
//! Sources: libgomp's `libgomp_g.h`; OpenMP 5.2, section 11.5.
#![allow(unsafe_code)]

use super::loops_meet::{self as meet, Extras, numbered, runtime, schedule};
use libc::{c_long, c_void};
use vicinity_runtime::thread;
use vicinity_runtime::worksharing::plan::{Kind, Order, Plan, Schedule, Space};

/// Enters a loop and takes the first chunk, unless the compiler computes chunks itself (`first` null).
unsafe fn start(
    space: Space,
    schedule: Schedule,
    ordered: bool,
    extras: Extras,
    (first, bound): (*mut c_long, *mut c_long),
) -> bool {
    let seat = thread::seat();
    // SAFETY: the arguments are the compiler's, as the callers got them.
    unsafe {
        meet::open(seat, &Plan::scheduled(space, schedule, ordered), extras);
        first.is_null() || meet::next(first, bound)
    }
}

/// Entry points of loops whose schedule is in the name.
macro_rules! starts {
    ($($name:ident: $kind:ident, $order:ident, $ordered:literal;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            start: c_long,
            end: c_long,
            incr: c_long,
            chunk: c_long,
            first: *mut c_long,
            bound: *mut c_long,
        ) -> bool {
            let space = Space::half_open_signed(start, end, incr);
            let schedule = schedule(Kind::$kind, chunk, Order::$order);
            // SAFETY: the arguments are the compiler's.
            unsafe { self::start(space, schedule, $ordered, Extras::NONE, (first, bound)) }
        }
    )*};
}

starts! {
    GOMP_loop_static_start: Static, Unspecified, false;
    GOMP_loop_dynamic_start: Dynamic, Monotonic, false;
    GOMP_loop_guided_start: Guided, Monotonic, false;
    GOMP_loop_nonmonotonic_dynamic_start: Dynamic, Nonmonotonic, false;
    GOMP_loop_nonmonotonic_guided_start: Guided, Nonmonotonic, false;
    GOMP_loop_ordered_static_start: Static, Unspecified, true;
    GOMP_loop_ordered_dynamic_start: Dynamic, Monotonic, true;
    GOMP_loop_ordered_guided_start: Guided, Monotonic, true;
}

/// Entry points of loops with `schedule(runtime)`.
macro_rules! runtime_starts {
    ($($name:ident: $order:ident, $ordered:literal;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            start: c_long,
            end: c_long,
            incr: c_long,
            first: *mut c_long,
            bound: *mut c_long,
        ) -> bool {
            let space = Space::half_open_signed(start, end, incr);
            let schedule = runtime(Order::$order);
            // SAFETY: the arguments are the compiler's.
            unsafe { self::start(space, schedule, $ordered, Extras::NONE, (first, bound)) }
        }
    )*};
}

runtime_starts! {
    GOMP_loop_runtime_start: Monotonic, false;
    GOMP_loop_nonmonotonic_runtime_start: Nonmonotonic, false;
    GOMP_loop_maybe_nonmonotonic_runtime_start: Unspecified, false;
    GOMP_loop_ordered_runtime_start: Monotonic, true;
}

/// Entry points of loops with extras; `sched` numbers the schedule.
macro_rules! extended_starts {
    ($($name:ident: $ordered:literal;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            start: c_long,
            end: c_long,
            incr: c_long,
            sched: c_long,
            chunk: c_long,
            first: *mut c_long,
            bound: *mut c_long,
            reductions: *mut usize,
            mem: *mut *mut c_void,
        ) -> bool {
            let space = Space::half_open_signed(start, end, incr);
            let extras = Extras { reductions, mem };
            // SAFETY: the arguments are the compiler's.
            unsafe { self::start(space, numbered(sched, chunk), $ordered, extras, (first, bound)) }
        }
    )*};
}

extended_starts! {
    GOMP_loop_start: false;
    GOMP_loop_ordered_start: true;
}

/// Entry points that take another chunk.
macro_rules! nexts {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(first: *mut c_long, bound: *mut c_long) -> bool {
            // SAFETY: the arguments are the compiler's.
            unsafe { meet::next(first, bound) }
        }
    )*};
}

nexts! {
    GOMP_loop_static_next
    GOMP_loop_dynamic_next
    GOMP_loop_guided_next
    GOMP_loop_runtime_next
    GOMP_loop_nonmonotonic_dynamic_next
    GOMP_loop_nonmonotonic_guided_next
    GOMP_loop_nonmonotonic_runtime_next
    GOMP_loop_maybe_nonmonotonic_runtime_next
    GOMP_loop_ordered_static_next
    GOMP_loop_ordered_dynamic_next
    GOMP_loop_ordered_guided_next
    GOMP_loop_ordered_runtime_next
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_loop_end() {
    meet::close();
    meet::barrier();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_loop_end_nowait() {
    meet::close();
}

/// True if the region was cancelled meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_loop_end_cancel() -> bool {
    meet::close();
    meet::barrier()
}
