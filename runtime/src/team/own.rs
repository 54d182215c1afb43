//! `OwnQueue`: a member's queue of deferred tasks, which its thread takes last in, first out; thieves take the oldest, where the
//! queue says.

use super::deque::{Deque, Steal};
use crate::task::ancestry::{Awaited, Glimpse};
use crate::task::record::{Task, TaskRef};
use std::ptr::NonNull;

#[derive(Default)]
pub struct OwnQueue(Deque<Task>);

/// Most tasks that a thief carries off in one go, beside the one that it runs.
const MOST_LOOT: usize = 31;

/// A task that was taken out of a queue is the taker's alone.
fn taken(task: NonNull<Task>) -> TaskRef {
    // SAFETY: it was put there as a task, which lives until it has run.
    #[allow(unsafe_code)]
    unsafe {
        TaskRef::from_ptr(task.as_ptr())
    }
}

/// For its thread alone.
impl OwnQueue {
    #[inline(always)]
    pub fn push(&self, task: TaskRef) {
        self.0.push(task.as_non_null());
    }

    #[inline(always)]
    pub fn pop(&self) -> Option<TaskRef> {
        self.0.pop().map(taken)
    }

    /// Whether the newest surely does not descend from `ancestor`.
    pub fn is_newest_beside(&self, ancestor: TaskRef) -> bool {
        self.0.newest().is_some_and(|task| Glimpse::of(task).descends_from(ancestor) == Some(false))
    }
}

/// For everybody.
impl OwnQueue {
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the oldest for `to`'s thread, and moves half of the others there.
    pub fn steal_half(&self, to: &OwnQueue) -> Steal<TaskRef> {
        self.0.steal_half(&to.0, MOST_LOOT).map(taken)
    }

    /// Takes the oldest, whatever it is.
    pub fn steal(&self) -> Steal<TaskRef> {
        self.0.steal(|_| true).map(taken)
    }

    /// Takes the oldest if it descends from `ancestor`, as far as a passing look shows.
    pub fn steal_below(&self, ancestor: TaskRef) -> Steal<TaskRef> {
        let descends = |task| Glimpse::of(task).descends_from(ancestor) == Some(true);
        self.0.steal(descends).map(taken)
    }

    /// Whether a thread that sleeps may run any of them.
    pub fn has_any_for(&self, awaited: &Awaited) -> bool {
        self.0.has_any(|task| awaited.is_above(Glimpse::of(task)))
    }

    /// Whether any task descends from `ancestor`.
    pub fn holds_below(&self, ancestor: TaskRef) -> bool {
        self.0.has_any(|task| Glimpse::of(task).surely_descends_from(ancestor))
    }
}
