//! `Extra`: what few tasks need, allocated on first use so that the others stay small.
//!
//! Access: the task's owner alone reaches `own`. Any thread that fulfills the task's event reads `event`, which the task's creator
//! makes before anybody else knows the task. Any thread that looks for a descendant's ancestors reads `ancestor`.
#![allow(unsafe_code)]

use super::deps::{self, Edge};
use super::detach::Event;
use super::exclusive::Lock;
use super::record::{Task, TaskRef};
use crate::icv::Icvs;
use crate::locality::dealing::Placement;
use crate::private::Private;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

#[derive(Default)]
pub struct Extra {
    /// What a detachable task waits for besides its body; null until it is made. Relaxed: made before the hand-over.
    event: AtomicPtr<Event>,
    /// One of the task's ancestors, far above it; null if none is noted. Relaxed: noted before the task runs, and so before it has
    /// descendants.
    ancestor: AtomicPtr<Task>,
    pub own: Private<OwnExtra>,
}

impl Extra {
    pub fn ancestor(&self) -> Option<TaskRef> {
        let ancestor = self.ancestor.load(Ordering::Relaxed);
        // SAFETY: null, or what `note_ancestor` got: a task that lives for as long as this one.
        (!ancestor.is_null()).then(|| unsafe { TaskRef::from_ptr(ancestor) })
    }

    /// Whoever has taken the task to run it, or has its queue's lock.
    pub fn note_ancestor(&self, ancestor: TaskRef) {
        self.ancestor.store(ancestor.as_ptr(), Ordering::Relaxed);
    }

    pub fn event(&self) -> Option<&Event> {
        // SAFETY: null, or what `make_event` leaked; it lives until it is taken.
        unsafe { self.event.load(Ordering::Relaxed).as_ref() }
    }

    /// Creator: the task has none yet.
    pub fn make_event(&self, event: Event) -> &Event {
        let event = Box::into_raw(Box::new(event));
        self.event.store(event, Ordering::Relaxed);
        // SAFETY: as in `event`.
        unsafe { &*event }
    }

    /// Owner, where nobody but those that it tells looks for the event any more.
    pub fn take_event(&self) -> Option<Box<Event>> {
        let event = self.event.swap(std::ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: null, or what `make_event` leaked, once.
        (!event.is_null()).then(|| unsafe { Box::from_raw(event) })
    }
}

impl Drop for Extra {
    fn drop(&mut self) {
        drop(self.take_event());
    }
}

/// The part that belongs to the task's owner.
#[derive(Default)]
pub struct OwnExtra {
    /// Dependences among this task's children.
    pub map: deps::Map,
    /// Edges from predecessors beyond those that the record holds.
    pub edges: Vec<Box<Edge>>,
    /// `mutexinoutset` locks to take before the body, in address order.
    pub locks: Vec<Arc<Lock>>,
    /// How many of `locks` it has, or waits for.
    pub locks_taken: usize,
    /// The data environment's ICVs, once this task has changed one.
    pub icvs: Option<Box<Icvs>>,
    /// Where the data lies, where its alignment exceeds the record's.
    pub data: usize,
    /// What is known of its data, where that could matter.
    pub placement: Option<Box<Placement>>,
}
