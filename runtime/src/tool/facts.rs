//! What a tool knows of a thread, a team and a task: its own eight bytes for each, and where a task is.
//!
//! `TaskFacts` of an explicit task lie behind its payload, before the facts of the trace; those of an implicit task in its
//! member. The owner is that of the record's private fields.
#![allow(unsafe_code)]

use super::abi::{self, Data, Frames, RUNTIME_FRAME, state};
use crate::private::Private;
use crate::task::deps::Dependence;
use crate::task::record::{TaskRef, flag};
use crate::team::Member;
use std::cell::UnsafeCell;
use std::ffi::c_int;

#[repr(C)]
#[derive(Default)]
pub struct TaskFacts {
    pub data: Data,
    frames: UnsafeCell<Frames>,
    /// `ompt_task_flag_t`.
    pub flags: Private<u32>,
    /// The tool was told that it was created.
    pub announced: Private<bool>,
    /// `ompt_sync_region_t` that it waits in; 0: it does not wait.
    pub waits_in: Private<c_int>,
    /// It is in a taskyield.
    pub yields: Private<bool>,
    /// It asked for its group's cancellation, or saw it, or was discarded.
    pub is_cancelled: Private<bool>,
    /// A taskloop's: the first of its iterations, and how many they are.
    pub share: Private<Option<(u64, u64)>>,
    /// The task that its thread ran before; null is none.
    pub prior: Private<usize>,
}

/// Bytes in front of the trace's facts.
pub const BYTES: usize = size_of::<TaskFacts>();
const _: () = assert!(BYTES.is_multiple_of(align_of::<usize>()));

// SAFETY: `frames` is written by the owner, as the private fields are; tools read it from the owner's thread.
unsafe impl Sync for TaskFacts {}

impl TaskFacts {
    /// A new task.
    pub fn begin(&self, flags: u32) {
        self.data.clear();
        self.frames_are(Frames::default());
        self.flags.set(flags);
        self.announced.set(false);
        self.waits_in.set(0);
        self.yields.set(false);
        self.is_cancelled.set(false);
        self.share.set(None);
        self.prior.set(0);
    }

    pub fn frames(&self) -> *mut Frames {
        self.frames.get()
    }

    fn frames_are(&self, frames: Frames) {
        // SAFETY: the owner's thread, and tools read on this one.
        unsafe { *self.frames.get() = frames };
    }

    /// The runtime is about to call the task's body from here.
    pub fn is_called(&self) {
        self.frames_are(Frames { exit: here(), exit_flags: RUNTIME_FRAME, ..Frames::default() });
    }

    /// The body of an implicit task is over, and it waits for the others.
    pub fn is_over(&self) {
        self.frames_are(Frames::default());
    }

    /// Where the entry of the task's body finds the frame that calls it, if it can tell: in place of `is_called`'s.
    pub fn exit(&self) -> *mut usize {
        // SAFETY: a field of the cell.
        unsafe { &raw mut (*self.frames.get()).exit }
    }

    /// Whether the task is in the runtime.
    pub fn is_in(&self) -> bool {
        // SAFETY: as in `frames_are`.
        unsafe { (*self.frames.get()).enter != 0 }
    }

    /// The task has come into the runtime, or goes on.
    pub fn is_inside(&self, inside: bool) {
        // SAFETY: as in `frames_are`.
        let frames = unsafe { &mut *self.frames.get() };
        if inside && frames.enter != 0 {
            return;
        }
        frames.enter = if inside { here() } else { 0 };
        frames.enter_flags = if inside { RUNTIME_FRAME } else { 0 };
    }

    /// The task that the thread of this one, which is explicit, ran before.
    pub fn below(&self) -> Option<TaskRef> {
        match self.prior.get() {
            0 => None,
            // SAFETY: it is on the stack below, so it is alive.
            prior => Some(unsafe { TaskRef::from_ptr(prior as *mut _) }),
        }
    }

    /// The facts of a task.
    pub fn of<'a>(task: TaskRef) -> &'a TaskFacts {
        if task.is(flag::IMPLICIT) {
            return &Member::of_implicit(task).tool;
        }
        // SAFETY: a tool is there, so the task was allocated with room for it, and `begin` has initialised it.
        unsafe { &*task.tool_tail().cast::<TaskFacts>() }
    }
}

/// An address of the current frame.
#[inline(never)]
fn here() -> usize {
    let place = 0u8;
    std::hint::black_box(&raw const place) as usize
}

/// A team's.
#[derive(Default)]
pub struct TeamFacts {
    pub parallel: Data,
    /// Master: its implicit task is that of a team of a league, which a tool knows of.
    pub in_league: Private<bool>,
}

/// A thread's.
#[derive(Default)]
pub struct ThreadFacts {
    pub data: Data,
    /// `ompt_state_t` while it waits for a lock; else what its task does says it.
    pub lock_state: Private<c_int>,
    /// What it waits for there.
    pub wait_id: Private<u64>,
    /// Kind of the next barrier, where that is no barrier construct.
    pub next_barrier: Private<c_int>,
    /// Work that it is in, by `ompt_work_t`; 0 is none.
    pub work: Private<c_int>,
    /// It runs the block of a single construct, whose end the compiler does not tell.
    pub in_single: Private<bool>,
    /// Stack addresses above are not of the program's frames.
    pub bottom: Private<usize>,
    /// What the next task that it creates depends on.
    pub pending: Private<Vec<Dependence>>,
    /// What the tool keeps of the tasks that the next task waits for.
    pub predecessors: Private<Vec<u64>>,
    /// Numbers handed out.
    pub numbers: Private<u64>,
}

/// What a thread does while its task is in such a region.
pub fn state_in(kind: c_int) -> c_int {
    match kind {
        abi::sync::BARRIER_PARALLEL => state::WAIT_BARRIER_PARALLEL,
        abi::sync::BARRIER_WORKSHARE => state::WAIT_BARRIER_WORKSHARE,
        abi::sync::TASKWAIT => state::WAIT_TASKWAIT,
        abi::sync::TASKGROUP => state::WAIT_TASKGROUP,
        _ => state::WAIT_BARRIER_EXPLICIT,
    }
}
