//! Whether one task descends from another: asked of each task that a thread finds while it waits for certain ones.
//!
//! The way up is as long as the tree of tasks is deep there. A chain in which each task creates the next is as deep as it is long,
//! so all its ways together would grow with the square of its length. So a task whose way was long notes where it led, before it
//! runs; a way that comes by takes the note in place of the parents between.
//!
//! Whoever looks into another's queue asks it of a *glimpse*: a task that is in the queue, or was a moment ago, so that its
//! record may be another task's by now. What such a look finds counts only if the task is still in the queue afterwards. Then it
//! was there all the time, and its ancestors live for as long as it does.
//!
//! Invariants: 1. A note names an ancestor, which lives for as long as the task, and is made before the task has descendants.
//! 2. A record's memory stays a record's (`slab`, `large`), and an implicit task's stays that. So from a glimpse `parent` leads
//! from record to record, wherever that is.
#![allow(unsafe_code)]

use super::record::{Task, TaskRef};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// A task's parent. Creator: sets it. Relaxed: others read it after the hand-over, or as a glimpse.
#[derive(Default)]
pub struct Parent(AtomicPtr<Task>);

impl Parent {
    #[inline(always)]
    pub fn get(&self) -> Option<TaskRef> {
        let parent = self.0.load(Ordering::Relaxed);
        // SAFETY: what `set` stored. It lives for as long as the task, or is read as a glimpse, which takes that into account.
        NonNull::new(parent).map(|parent| unsafe { TaskRef::from_ptr(parent.as_ptr()) })
    }

    #[inline(always)]
    pub fn set(&self, parent: Option<TaskRef>) {
        self.0.store(parent.map_or(null_mut(), TaskRef::as_ptr), Ordering::Relaxed);
    }
}

/// How deep a task is below its implicit task. Creator: sets it. Relaxed: as for `Parent`.
#[derive(Default)]
pub struct Depth(AtomicU32);

impl Depth {
    #[inline(always)]
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub fn set(&self, depth: u32) {
        self.0.store(depth, Ordering::Relaxed);
    }
}

/// A task that is in a queue, or was a moment ago.
#[derive(Clone, Copy)]
pub struct Glimpse(NonNull<Task>);

/// A passing look follows a glimpse no further than this.
const FARTHEST: u32 = 1024;

impl Glimpse {
    /// `task` was read from a queue.
    pub fn of(task: NonNull<Task>) -> Glimpse {
        Glimpse(task)
    }

    /// Whether it descends from `ancestor`, which is the calling thread's. None if that is too far up for a passing look.
    pub fn descends_from(self, ancestor: TaskRef) -> Option<bool> {
        let depth = ancestor.depth.get();
        (self.depth().saturating_sub(depth) <= FARTHEST).then(|| self.is_below(ancestor, depth))
    }

    /// The same, however far that is.
    pub fn surely_descends_from(self, ancestor: TaskRef) -> bool {
        self.is_below(ancestor, ancestor.depth.get())
    }

    /// So many steps lead to the ancestor, if it is one. The record of a task that is gone may lead anywhere, but no further.
    fn is_below(self, ancestor: TaskRef, depth: u32) -> bool {
        let steps = self.depth().saturating_sub(depth);
        self.leads_to(ancestor.as_ptr(), steps)
    }

    /// Whether one of the next so many parents is this.
    fn leads_to(self, ancestor: *mut Task, steps: u32) -> bool {
        let mut parents = std::iter::successors(self.parent(), |task| task.parent());
        (0..steps).map_while(|_| parents.next()).any(|task| task.0.as_ptr() == ancestor)
    }

    fn depth(self) -> u32 {
        // SAFETY: invariant 2; the field is atomic.
        unsafe { &(*self.0.as_ptr()).depth }.get()
    }

    fn parent(self) -> Option<Glimpse> {
        // SAFETY: as above.
        let parent = unsafe { &(*self.0.as_ptr()).parent };
        NonNull::new(parent.0.load(Ordering::Relaxed)).map(Glimpse)
    }
}

/// The task that a sleeping thread waits in; null if it may run any. Owner: sets it before it announces that it sleeps. Relaxed:
/// others read it after they saw that, ordered by the fences of `team::idle`.
#[derive(Default)]
pub struct Awaited(AtomicPtr<Task>);

impl Awaited {
    pub fn set(&self, task: Option<TaskRef>) {
        self.0.store(task.map_or(null_mut(), TaskRef::as_ptr), Ordering::Relaxed);
    }

    /// Whether a queued task descends from it. Also true where that is too far up for a passing look.
    pub fn is_above(&self, task: Glimpse) -> bool {
        let awaited = self.0.load(Ordering::Relaxed);
        let steps = task.depth();
        !awaited.is_null() && (task.leads_to(awaited, steps.min(FARTHEST)) || steps > FARTHEST)
    }
}

/// A task that is more steps below another than this notes that one.
const FAR: u32 = 32;

impl TaskRef {
    /// Whether `self` is `ancestor` or one of its descendants; by a thread that has taken the task out of its queue, or has that
    /// queue's lock.
    #[inline(always)]
    pub fn descends_from(self, ancestor: TaskRef) -> bool {
        self.parent.get() == Some(ancestor) || self.is_below(ancestor)
    }

    #[inline(never)]
    fn is_below(self, ancestor: TaskRef) -> bool {
        let depth = ancestor.depth.get();
        let (mut task, mut steps) = (self, 0);
        while task.depth.get() > depth {
            let Some(next) = task.noted(depth).or_else(|| task.parent.get()) else {
                return false;
            };
            (task, steps) = (next, steps + 1);
        }
        if steps > FAR {
            self.make_extra().note_ancestor(task);
        }
        task == ancestor
    }

    /// The ancestor that is noted, if it is at this depth or below.
    fn noted(self, depth: u32) -> Option<TaskRef> {
        let ancestor = self.extra_so_far()?.ancestor()?;
        (ancestor.depth.get() >= depth).then_some(ancestor)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::thread;

    /// Each task of a chain is asked for its ancestors when it is found, and is then the parent of the next.
    #[test]
    fn ancestors_of_a_long_chain_are_found_in_few_steps() {
        const LENGTH: usize = 2000;
        let thread = thread::current();
        let root = thread.task();
        let mut chain = vec![root];
        for _ in 0..LENGTH {
            let parent = *chain.last().unwrap();
            let task = TaskRef::allocate(thread, parent, 0, 0);
            assert!(task.descends_from(root));
            chain.push(task);
        }
        let noted = chain.iter().filter(|task| task.extra_so_far().is_some()).count();
        assert!((LENGTH / 40..LENGTH / 20).contains(&noted), "{noted} noted their ancestor");
        let last = chain[LENGTH];
        for depth in [0, 1, 31, 33, 500, LENGTH - 1, LENGTH] {
            assert!(last.descends_from(chain[depth]), "{depth}");
            assert!(!chain[depth].descends_from(last) || depth == LENGTH);
        }
        let beside = TaskRef::allocate(thread, root, 0, 0);
        assert!(!last.descends_from(beside));
        let (glimpse, awaited) = (Glimpse::of(last.as_non_null()), Awaited::default());
        assert!(!awaited.is_above(glimpse), "nothing is awaited");
        let near = Glimpse::of(chain[900].as_non_null());
        for depth in [0, 1, 500, LENGTH - 1] {
            let far = LENGTH - depth > FARTHEST as usize;
            assert_eq!(glimpse.descends_from(chain[depth]), (!far).then_some(true), "{depth}");
            assert!(glimpse.surely_descends_from(chain[depth]), "{depth}");
            awaited.set(Some(chain[depth]));
            assert!(awaited.is_above(glimpse), "{depth}");
        }
        for other in [last, beside] {
            assert!(!glimpse.surely_descends_from(other));
            awaited.set(Some(other));
            assert!(!awaited.is_above(near) && awaited.is_above(glimpse), "too far to be told");
        }
        chain[1..].iter().chain([&beside]).for_each(|task| {
            // SAFETY: nobody else knew of it.
            #[allow(unsafe_code)]
            unsafe {
                task.free(thread)
            }
        });
    }
}
