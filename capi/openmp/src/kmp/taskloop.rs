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
use std::ops::Range;
use vicinity_runtime::task::record::flag;
use vicinity_runtime::task::taskloop::{Grain, Shares};
use vicinity_runtime::task::{blocks, run, wait};
use vicinity_runtime::thread::{self, Thread};
use vicinity_runtime::tool;

/// Completes a duplicate: (duplicate, pattern, whether its share is the last).
type Complete = unsafe extern "C" fn(*mut KmpTask, *mut KmpTask, c_int);

/// Blocks of the loop are created by several threads, which read the pattern at the same time.
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

// SAFETY: it is written before the first task is created, and then only read; the compiler's function
// copies from the pattern, which for it is the original of a firstprivate variable.
unsafe impl Sync for Taskloop {}

impl Taskloop {
    /// Creates all tasks; with a taskgroup, waits for them.
    fn run(&self, thread: &'static Thread, grouped: bool) {
        let parent = thread.task();
        let shares = Shares::new(self.trips, self.grain, thread.member().team().size());
        let create = |thread, block| self.create_block(thread, &shares, block);
        // The function that completes duplicates may read original variables, which the last share writes back to.
        let plain =
            !record(self.pattern).is(flag::URGENT) && self.deferred && self.complete.is_none();
        // clang opens the loop's taskgroup itself, just before, and closes it just after: it may as well end in here.
        let spread = self.trips > 0
            && plain
            && (grouped || wait::has_fresh_group(parent))
            && blocks::are_spread(thread, parent, shares.tasks);
        let grouped = grouped || spread;
        if grouped {
            __kmpc_taskgroup(std::ptr::null_mut(), thread.gtid);
        }
        if tool::is_on() {
            tool::sync::taskloop(true, self.trips);
        }
        if self.trips == 0 {
            // Nothing to create.
        } else if spread {
            let function = record(self.pattern).entry();
            // SAFETY: the group ends below.
            unsafe { blocks::spread(thread, parent, function, shares.tasks, &create) };
        } else {
            create(thread, 0..shares.tasks);
        }
        if tool::is_on() {
            tool::sync::taskloop(false, self.trips);
        }
        if grouped {
            __kmpc_end_taskgroup(std::ptr::null_mut(), thread.gtid);
        }
        self.end_pattern(thread);
    }

    fn create_block(&self, thread: &'static Thread, shares: &Shares, block: Range<u64>) {
        let parent = thread.task();
        let mut first = shares.first(block.start);
        for (made, iterations) in (0..).zip(shares.sizes(block.clone())) {
            if run::discards(thread) {
                return;
            }
            let task = duplicate(thread, self.pattern);
            self.set_bounds(task, first, first + iterations - 1);
            if self.deferred && tool::is_on() {
                tool::tasks::is_share(record(task), first, iterations);
            }
            first += iterations;
            if let Some(complete) = self.complete {
                // SAFETY: the compiler's function for such tasks.
                unsafe { complete(task, self.pattern, shares.is_last(block.start + made).into()) };
            }
            let task = record(task);
            if self.deferred {
                hand_over_share(thread, task, parent, made);
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
    _location: Pointer,
    _gtid: c_int,
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
    taskloop.run(thread::current(), nogroup == 0);
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
