//! libomp's dynamically dispatched loops and ordered regions.
//!
//! A loop is entered by `init` and left when `next` gives 0. Bounds are closed; `last` tells whether a chunk
//! holds the loop's final iteration, and keeps its value when there is no chunk. The `dist` form serves
//! the loop of one team within a distribute construct: the team's share of the iterations.
//! Sources: libomp's `kmp_dispatch.cpp` for what arguments mean; OpenMP 5.2, sections 11.5 and 15.10.2.
#![allow(unsafe_code)]

use super::dispatch_schedule;
use super::dispatch_variable::Variable;
use super::static_init_teams::team_share;
use crate::gomp::ordered;
use libc::c_void;
use vicinity_runtime::thread;

fn init<T: Variable>(schedule: i32, (first, last): (T, T), step: T::Step, chunk: T::Step) {
    let space = T::space(first, last, step);
    let plan = dispatch_schedule::plan(space, schedule, chunk.into());
    thread::seat().begin(&plan, |_| ());
}

/// # Safety
/// The pointers are the compiler's variables, or null.
unsafe fn next<T: Variable>(
    last: *mut i32,
    lower: *mut T,
    upper: *mut T,
    stride: *mut T::Step,
) -> i32 {
    let seat = thread::seat();
    let Some(chunk) = seat.next() else {
        seat.end();
        return 0;
    };
    let space = seat.space();
    let (low, high) = space.closed_bounds(chunk);
    // SAFETY: the caller's promise.
    unsafe {
        if !last.is_null() {
            *last = i32::from(chunk.end() == space.trips);
        }
        *lower = T::from_word(low);
        *upper = T::from_word(high);
        if !stride.is_null() {
            *stride = T::stride(space.step);
        }
    }
    1
}

/// The entry points for one type of induction variable.
macro_rules! loops {
    ($($type:ident $step:ident: $init:ident $next:ident $fini:ident $dist:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $init(
            _location: *const c_void,
            _thread: i32,
            schedule: i32,
            first: $type,
            last: $type,
            step: $step,
            chunk: $step,
        ) {
            init(schedule, (first, last), step, chunk);
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $next(
            _location: *const c_void,
            _thread: i32,
            last: *mut i32,
            lower: *mut $type,
            upper: *mut $type,
            stride: *mut $step,
        ) -> i32 {
            // SAFETY: the arguments are the compiler's.
            unsafe { next(last, lower, upper, stride) }
        }

        /// The end of an iteration of an ordered loop: the turn passes with its chunk instead.
        #[unsafe(no_mangle)]
        pub extern "C" fn $fini(_location: *const c_void, _thread: i32) {}

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dist(
            _location: *const c_void,
            _thread: i32,
            schedule: i32,
            last_flag: *mut i32,
            first: $type,
            last: $type,
            step: $step,
            chunk: $step,
        ) {
            let share = team_share((first, last), step);
            if !last_flag.is_null() {
                // SAFETY: the compiler's variable.
                unsafe { *last_flag = share.has_last.into() };
            }
            init(schedule, share.bounds, step, chunk);
        }
    )*};
}

loops! {
    i32 i32: __kmpc_dispatch_init_4 __kmpc_dispatch_next_4 __kmpc_dispatch_fini_4
        __kmpc_dist_dispatch_init_4;
    u32 i32: __kmpc_dispatch_init_4u __kmpc_dispatch_next_4u __kmpc_dispatch_fini_4u
        __kmpc_dist_dispatch_init_4u;
    i64 i64: __kmpc_dispatch_init_8 __kmpc_dispatch_next_8 __kmpc_dispatch_fini_8
        __kmpc_dist_dispatch_init_8;
    u64 i64: __kmpc_dispatch_init_8u __kmpc_dispatch_next_8u __kmpc_dispatch_fini_8u
        __kmpc_dist_dispatch_init_8u;
}

/// The end of the loop: only threads that left it by cancellation have anything to leave still.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_dispatch_deinit(_location: *const c_void, _thread: i32) {
    thread::seat().end();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_ordered(_location: *const c_void, _thread: i32) {
    ordered::start();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_ordered(_location: *const c_void, _thread: i32) {
    ordered::end();
}
