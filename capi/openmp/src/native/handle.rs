//! `Handle`: what a program waits with.
//!
//! The program's pointer is one reference, each unfinished task holds another, so a handle may be given
//! up before its tasks are finished. A task counts itself out of its handles when its work is dropped
//! (`Tickets`): after it ran, or when a cancelled region discards it.
#![allow(unsafe_code)]

use super::batch;
use super::status::{Outcome, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vicinity_runtime::task::latch::Latch;
use vicinity_runtime::team::find::Choice;
use vicinity_runtime::team::open;
use vicinity_runtime::thread;

#[derive(Default)]
pub struct Handle {
    latch: Latch,
    /// The task that created all the tasks: its identity, `NOBODY` or `SEVERAL`.
    creator: AtomicUsize,
}

const NOBODY: usize = 0;
const SEVERAL: usize = usize::MAX;

impl Handle {
    /// Counts in a task that the calling thread is creating.
    pub fn add(&self) {
        let me = thread::current_task_id();
        // Relaxed: a waiter that is not the creator may see any value, and none equals its own.
        let creator = &self.creator;
        let (relaxed, seen) = (Ordering::Relaxed, creator.load(Ordering::Relaxed));
        if seen != me && creator.compare_exchange(NOBODY, me, relaxed, relaxed).is_err() {
            creator.store(SEVERAL, Ordering::Relaxed);
        }
        self.latch.add();
    }

    /// Counts in a task of a stream, which no thread's task has created.
    fn add_of_stream(&self) {
        // Relaxed: as in `add`.
        self.creator.store(SEVERAL, Ordering::Relaxed);
        self.latch.add();
    }

    pub fn is_finished(&self) -> bool {
        self.latch.is_open()
    }

    /// Waits for all tasks counted in. A thread outside of regions runs its batch first.
    ///
    /// The creator helps with its own tasks alone, so that recursion does not pile up strangers' tasks
    /// on its stack; others help with any, because nobody else might run the awaited one.
    pub fn wait(&self) {
        batch::run();
        let task = thread::current().task();
        let mine = self.creator.load(Ordering::Relaxed) == task.as_ptr() as usize;
        // Outside of regions what is left is other threads' work, most likely that of streams.
        let _guest = if !mine && batch::is_outside() { open::sit_down() } else { None };
        let task = thread::current().task();
        self.latch.wait(if mine { Choice::DescendantsOf(task) } else { Choice::Any });
    }

    /// The program's pointer.
    pub fn give(self: Arc<Handle>) -> *const Handle {
        Arc::into_raw(self)
    }

    /// Takes the program's pointer back.
    ///
    /// # Safety
    /// `pointer` is null or came from `give`, and is not used afterwards.
    pub unsafe fn take(pointer: *const Handle) -> Outcome<Arc<Handle>> {
        match pointer.is_null() {
            true => Err(Status::Argument),
            // SAFETY: the caller's promise.
            false => Ok(unsafe { Arc::from_raw(pointer) }),
        }
    }

    /// # Safety
    /// `pointer` is null or came from `give`, and is used during `'a`.
    pub unsafe fn borrow<'a>(pointer: *const Handle) -> Outcome<&'a Handle> {
        // SAFETY: the caller's promise.
        unsafe { pointer.as_ref() }.ok_or(Status::Argument)
    }

    /// Another reference to what the program's pointer refers to.
    ///
    /// # Safety
    /// `pointer` came from `give` and was not taken back.
    pub unsafe fn share(pointer: *const Handle) -> Arc<Handle> {
        // SAFETY: the caller's promise; the count is raised for the reference made.
        unsafe {
            Arc::increment_strong_count(pointer);
            Arc::from_raw(pointer)
        }
    }
}

/// A task's places in its handles, already counted in.
#[derive(Default)]
pub struct Tickets {
    task: Option<Arc<Handle>>,
    group: Option<Arc<Handle>>,
    /// All tasks of its stream.
    stream: Option<Arc<Handle>>,
}

impl Tickets {
    pub fn new(
        task: Option<Arc<Handle>>,
        group: Option<Arc<Handle>>,
        stream: Option<Arc<Handle>>,
    ) -> Tickets {
        let tickets = Tickets { task, group, stream };
        match tickets.stream {
            None => tickets.handles().for_each(|handle| handle.add()),
            Some(_) => tickets.handles().for_each(|handle| handle.add_of_stream()),
        }
        tickets
    }

    fn handles(&self) -> impl Iterator<Item = &Arc<Handle>> {
        self.task.iter().chain(&self.group).chain(&self.stream)
    }
}

impl Drop for Tickets {
    fn drop(&mut self) {
        self.handles().for_each(|handle| _ = handle.latch.finish());
    }
}
