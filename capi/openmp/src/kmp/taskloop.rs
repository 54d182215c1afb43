//! libomp's taskloop.
//!
//! The compiler allocates one task, the *pattern*, fills in what it captured, and says where in it the
//! bounds lie (both inclusive). Each share of the loop gets a duplicate of the pattern, with
//! bounds of its own; a function of the compiler's, if there is one, copies what does not copy by
//! bytes and notes whether the share is the last.
//! Source: the calls clang 19 makes; OpenMP 5.2 section 12.6.
#![allow(unsafe_code)]

use super::task_alloc::{KmpTask, duplicate, record};
use super::task_waits::{__kmpc_end_taskgroup, __kmpc_taskgroup};
use super::tasks::hand_over_share;
use crate::handle::Pointer;
use libc::c_int;
use vicinity_runtime::task::run;
use vicinity_runtime::task::taskloop::{Grain, Shares};
use vicinity_runtime::thread::{self, Thread};

/// Completes a duplicate: (duplicate, pattern, whether its share is the last).
type Complete = unsafe extern "C" fn(*mut KmpTask, *mut KmpTask, c_int);

struct Taskloop {
    pattern: *mut KmpTask,
    deferred: bool,
    /// Bytes from the start of a task to its bounds.
    lower_offset: usize,
    upper_offset: usize,
    start: u64,
    step: u64,
    trips: u64,
    grain: Grain,
    complete: Option<Complete>,
}

/// Iterations from `lower` to `upper`, both inclusive; the step of an upward loop is positive.
fn trips(lower: u64, upper: u64, step: i64) -> u64 {
    match step {
        1 => upper.wrapping_sub(lower).wrapping_add(1),
        _ if step < 0 => lower.wrapping_sub(upper) / step.unsigned_abs() + 1,
        _ => upper.wrapping_sub(lower) / step.unsigned_abs().max(1) + 1,
    }
}

impl Taskloop {
    fn create(&self, thread: &'static Thread) {
        let parent = thread.task();
        let shares = Shares::new(self.trips, self.grain, thread.member().team().size());
        let mut first = 0;
        for (share, iterations) in (0..).zip(shares.sizes()) {
            if run::discards(thread) {
                return;
            }
            let task = duplicate(thread, self.pattern);
            self.set_bounds(task, first, first + iterations - 1);
            first += iterations;
            if let Some(complete) = self.complete {
                // SAFETY: the compiler's function for such tasks.
                unsafe { complete(task, self.pattern, shares.is_last(share).into()) };
            }
            let task = record(task);
            if self.deferred {
                hand_over_share(thread, task, parent, share);
            } else {
                run::include_routine(thread, task);
            }
        }
    }

    fn set_bounds(&self, task: *mut KmpTask, first: u64, last: u64) {
        let value = |iteration: u64| self.start.wrapping_add(iteration.wrapping_mul(self.step));
        // SAFETY: the offsets are those of two words in the pattern, and so in its duplicates.
        unsafe {
            task.byte_add(self.lower_offset).cast::<u64>().write(value(first));
            task.byte_add(self.upper_offset).cast::<u64>().write(value(last));
        }
    }

    /// The pattern is no longer needed: ends what it captured, and gives it back.
    fn end_pattern(&self, thread: &'static Thread) {
        let pattern = record(self.pattern);
        run::destroy_copies(thread, pattern);
        // SAFETY: the pattern was never handed over, so nobody else knows of it.
        unsafe { pattern.free(thread) };
    }
}

/// `schedule` is 0 without a clause, 1 for grainsize and 2 for num_tasks.
fn grain(schedule: c_int, argument: u64, strict: bool) -> Grain {
    match schedule {
        1 => Grain::Size { iterations: argument, strict },
        2 => Grain::Tasks(argument),
        _ => Grain::Free,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskloop_5(
    location: Pointer,
    gtid: c_int,
    pattern: *mut KmpTask,
    if_clause: c_int,
    lower: *const u64,
    upper: *const u64,
    step: i64,
    nogroup: c_int,
    schedule: c_int,
    argument: u64,
    strict: c_int,
    complete: Option<Complete>,
) {
    // SAFETY: both are words of the pattern.
    let bounds = unsafe { (*lower, *upper) };
    let taskloop = Taskloop {
        pattern,
        deferred: if_clause != 0,
        lower_offset: lower as usize - pattern as usize,
        upper_offset: upper as usize - pattern as usize,
        start: bounds.0,
        step: step.cast_unsigned(),
        trips: trips(bounds.0, bounds.1, step),
        grain: grain(schedule, argument, strict != 0),
        complete,
    };
    let thread = thread::current();
    if nogroup == 0 {
        __kmpc_taskgroup(location, gtid);
    }
    if taskloop.trips > 0 {
        taskloop.create(thread);
    }
    taskloop.end_pattern(thread);
    if nogroup == 0 {
        __kmpc_end_taskgroup(location, gtid);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskloop(
    location: Pointer,
    gtid: c_int,
    pattern: *mut KmpTask,
    if_clause: c_int,
    lower: *const u64,
    upper: *const u64,
    step: i64,
    nogroup: c_int,
    schedule: c_int,
    argument: u64,
    complete: Option<Complete>,
) {
    // SAFETY: the caller's arguments, passed on.
    unsafe {
        __kmpc_taskloop_5(
            location, gtid, pattern, if_clause, lower, upper, step, nogroup, schedule, argument, 0,
            complete,
        );
    }
}
