//! `Group`: one taskgroup region.
//!
//! A group counts the children its owner (the task that opened it) creates while it is open; it ends
//! when all of them are gone, so descendants need no count of their own. Deeper descendants
//! inherit the group for cancellation and reductions alone.
//!
//! Invariant: a group lives from `begin` to the end of `end`; tasks that mention it are gone by then.
//! Source: OpenMP 5.2 section 15.4 (taskgroup), 11.2.2 (cancellation of a taskgroup).
#![allow(unsafe_code)]

use super::children::{OwnCount, RemoteCount};
use super::record::TaskRef;
use crate::private::Private;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub struct Group {
    /// Owner task's executor.
    pub own: OwnCount,
    /// Everybody.
    pub remote: RemoteCount,
    cancelled: AtomicBool,
    pub outer: Option<&'static Group>,
    /// The task that opened it.
    pub owner: Option<TaskRef>,
    /// Task reductions of this group, in the form the ABI that registered them uses.
    pub reductions: Private<super::reduction::Reductions>,
}

impl Group {
    /// Opens a group in `task`, the thread's current task.
    pub fn begin(task: TaskRef) -> &'static Group {
        let group = Box::leak(Box::new(Group {
            outer: task.group.get(),
            owner: Some(task),
            ..Group::default()
        }));
        task.group.set(Some(group));
        group
    }

    /// Closes the innermost group of `task`. All its tasks are gone.
    pub fn end(task: TaskRef) {
        if let Some(group) = task.group.get() {
            task.group.set(group.outer);
            // SAFETY: `begin` leaked it, and nobody mentions it any more (the module's invariant).
            drop(unsafe { Box::from_raw(std::ptr::from_ref(group).cast_mut()) });
        }
    }

    /// Relaxed both: cancellation takes effect at the next point where it is seen.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Whether this group or one around it was cancelled.
    pub fn any_cancelled(&self) -> bool {
        self.is_cancelled() || self.outer.is_some_and(Group::any_cancelled)
    }
}
