//! libgomp's taskloop.
//!
//! The captured block starts with two words for the bounds of a task's share, the second behind its last
//! iteration; then, with reductions, the address of their descriptor. Signed and unsigned loops
//! differ in how iterations are counted, and agree in wrapping arithmetic.
//! Source: the calls gcc 12 makes; OpenMP 5.2 section 12.6.
#![allow(unsafe_code)]

use super::reduction::GOMP_taskgroup_reduction_register;
use super::tasks::{Captured, Copy, bits};
use libc::{c_int, c_long, c_uint, c_ulong, c_ulonglong, c_void};
use std::ops::Range;
use vicinity_runtime::task::admit::{self, Admission, Clauses, Spec, admit};
use vicinity_runtime::task::record::{Body, TaskRef, flag};
use vicinity_runtime::task::run;
use vicinity_runtime::task::series::Series;
use vicinity_runtime::task::taskloop::{Grain, Shares};
use vicinity_runtime::task::{blocks, wait};
use vicinity_runtime::thread::{self, Thread};
use vicinity_runtime::tool;

/// Bits of `flags` beside those of tasks.
mod loop_bits {
    pub const UP: u32 = 1 << 8;
    pub const GRAINSIZE: u32 = 1 << 9;
    pub const IF: u32 = 1 << 10;
    pub const NOGROUP: u32 = 1 << 11;
    pub const REDUCTION: u32 = 1 << 12;
    pub const STRICT: u32 = 1 << 14;
}

/// The iterations: `trips` of them, from `start`.
#[derive(Clone, Copy)]
struct Space {
    start: u64,
    step: u64,
    trips: u64,
}

struct Taskloop {
    captured: Captured,
    flags: u32,
    /// The argument of grainsize or num_tasks; 0 without either.
    grain: u64,
    priority: i32,
    space: Space,
}

// SAFETY: threads that create blocks of shares read it and the captured block alone.
unsafe impl Sync for Taskloop {}

impl Taskloop {
    fn has(&self, bit: u32) -> bool {
        self.flags & bit != 0
    }

    /// The descriptor of the reductions, if this construct has to register them.
    fn reductions(&self) -> Option<*mut usize> {
        // SAFETY: with this flag the third word of the block is the descriptor's address.
        (self.has(loop_bits::REDUCTION) && !self.has(loop_bits::NOGROUP))
            .then(|| unsafe { *self.captured.data.cast::<*mut usize>().add(2) })
    }

    fn run(&self) {
        let thread = thread::current();
        if self.space.trips == 0 || run::discards(thread) {
            if let Some(descriptor) = self.reductions() {
                // SAFETY: a memory address of 0 tells the compiler's code that nothing is registered.
                unsafe { *descriptor.add(2) = 0 };
            }
            return;
        }
        let grouped = !self.has(loop_bits::NOGROUP);
        if grouped {
            wait::begin_group();
        }
        if let Some(descriptor) = self.reductions() {
            GOMP_taskgroup_reduction_register(descriptor);
        }
        let parent = thread.task();
        let shares = self.shares(thread);
        let create = |thread, block| self.create_block(thread, &shares, block);
        // Where copying is a function of the compiler's, it reads the original variables, and has to before the last
        // share writes back to those that are lastprivate too: then shares are created in order, by one thread.
        let plain = self.has(loop_bits::IF)
            && self.clauses(parent).priority == 0
            && self.captured.copy.is_none();
        if tool::is_on() {
            tool::sync::taskloop(true, self.space.trips);
        }
        if grouped && plain && blocks::are_spread(thread, parent, shares.tasks) {
            // SAFETY: the group ends below.
            unsafe {
                let function = self.captured.body as usize;
                blocks::spread(thread, parent, function, shares.tasks, &create);
            }
        } else {
            self.create(thread, &self.captured, &shares, 0..shares.tasks);
        }
        if tool::is_on() {
            tool::sync::taskloop(false, self.space.trips);
        }
        if grouped {
            wait::end_group();
        }
    }

    fn shares(&self, thread: &Thread) -> Shares {
        let grain = match self.grain {
            0 => Grain::Free,
            iterations if self.has(loop_bits::GRAINSIZE) => {
                Grain::Size { iterations, strict: self.has(loop_bits::STRICT) }
            }
            tasks => Grain::Tasks(tasks),
        };
        Shares::new(self.space.trips, grain, thread.member().team().size())
    }

    fn clauses(&self, parent: TaskRef) -> Clauses {
        Clauses {
            undeferred: !self.has(loop_bits::IF) || parent.is(flag::FINAL),
            // 0 without the clause; gcc sets no flag for it here.
            priority: admit::priority(self.priority),
            ..Clauses::default()
        }
    }

    /// Creates a block of shares beside others that do the same, so on a copy of the captured block: a share that runs
    /// at once has its bounds in it.
    fn create_block(&self, thread: &'static Thread, shares: &Shares, block: Range<u64>) {
        self.captured.with_own_block(|captured| self.create(thread, captured, shares, block));
    }

    fn create(
        &self,
        thread: &'static Thread,
        captured: &Captured,
        shares: &Shares,
        block: Range<u64>,
    ) {
        let parent = thread.task();
        let clauses = self.clauses(parent);
        let final_flag = if self.has(bits::FINAL) { flag::FINAL } else { 0 };
        let flags = parent.inherited_flags() | final_flag;
        let mut series = Series::new(thread, captured.body as usize, flags);
        let skipped = shares.first(block.start).wrapping_mul(self.space.step);
        let mut start = self.space.start.wrapping_add(skipped);
        let mut next = shares.first(block.start);
        for (made, iterations) in (0..).zip(shares.sizes(block)) {
            let bounds = [start, start.wrapping_add(iterations.wrapping_mul(self.space.step))];
            start = bounds[1];
            let first = next;
            next += iterations;
            let spec = Spec { clauses, share: Some(made), ..Spec::default() };
            if admit(thread, parent, &spec) != Admission::Deferred {
                include(captured, &mut series, bounds);
            } else {
                series.pause();
                let task = captured.allocate(thread, parent, flags);
                task.priority.set(clauses.priority);
                let block = captured.store(thread, task);
                // SAFETY: the block starts with two words.
                unsafe { block.cast::<[u64; 2]>().write(bounds) };
                if tool::is_on() {
                    tool::tasks::is_share(task, first, iterations);
                }
                run::defer(thread, task, parent);
            }
            if run::discards(thread) {
                return;
            }
        }
    }
}

/// Runs one share at once; on the captured block itself where that is not to be copied.
fn include(captured: &Captured, series: &mut Series, bounds: [u64; 2]) {
    let Captured { body, data, copy: None, .. } = *captured else {
        return captured.on_copy(series, |block| {
            // SAFETY: the block starts with two words.
            unsafe { block.cast::<[u64; 2]>().write(bounds) };
        });
    };
    series.run(|| {
        // SAFETY: the block starts with two words, and the compiler made the body for it.
        unsafe {
            data.cast::<[u64; 2]>().write(bounds);
            body(data);
        }
    });
}

/// Iterations of a loop over signed numbers.
fn signed(start: c_long, end: c_long, step: c_long) -> Space {
    let trips = match step {
        _ if step > 0 && start < end => {
            (end.wrapping_sub(start).cast_unsigned() - 1) / step.cast_unsigned() + 1
        }
        _ if step < 0 && start > end => {
            (start.wrapping_sub(end).cast_unsigned() - 1) / step.unsigned_abs() + 1
        }
        _ => 0,
    };
    Space { start: start.cast_unsigned(), step: step.cast_unsigned(), trips }
}

/// Iterations of a loop over unsigned numbers, upwards or downwards by a wrapped step.
fn unsigned(up: bool, start: u64, end: u64, step: u64) -> Space {
    let trips = match up {
        true if start < end => (end - start - 1) / step + 1,
        false if start > end => (start - end - 1) / step.wrapping_neg() + 1,
        _ => 0,
    };
    Space { start, step, trips }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_taskloop(
    body: Body,
    data: *mut c_void,
    copy: Option<self::Copy>,
    size: c_long,
    align: c_long,
    flags: c_uint,
    grain: c_ulong,
    priority: c_int,
    start: c_long,
    end: c_long,
    step: c_long,
) {
    let captured = Captured { body, data, copy, size: size as usize, align: align as usize };
    let space = signed(start, end, step);
    Taskloop { captured, flags, grain, priority, space }.run();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_taskloop_ull(
    body: Body,
    data: *mut c_void,
    copy: Option<self::Copy>,
    size: c_long,
    align: c_long,
    flags: c_uint,
    grain: c_ulong,
    priority: c_int,
    start: c_ulonglong,
    end: c_ulonglong,
    step: c_ulonglong,
) {
    let captured = Captured { body, data, copy, size: size as usize, align: align as usize };
    let space = unsigned(flags & loop_bits::UP != 0, start, end, step);
    Taskloop { captured, flags, grain, priority, space }.run();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_counted_in_both_directions() {
        assert_eq!(signed(0, 10, 3).trips, 4);
        assert_eq!(signed(10, 0, -3).trips, 4);
        assert_eq!(signed(5, 5, 1).trips, 0);
        assert_eq!(signed(i64::MIN, i64::MAX, 1).trips, u64::MAX);
        assert_eq!(unsigned(true, 0, u64::MAX, 1).trips, u64::MAX);
        assert_eq!(unsigned(false, 10, 0, 3u64.wrapping_neg()).trips, 4);
    }
}
