//! `Series`: included tasks that follow each other in one record.
//!
//! A loop whose iterations are tasks that run at once needs a record for each, so that what a body does
//! as a task (create children, set ICVs) is its own. A body that does nothing of the kind leaves the record
//! as it was, and the next task takes it over.
//!
//! Terms: the series is *under way* while the record, not the creator, is the thread's current task: from one
//! task to the next that runs at once.
#![allow(unsafe_code)]

use super::record::TaskRef;
use super::run;
use crate::thread::Thread;

pub struct Series {
    thread: &'static Thread,
    parent: TaskRef,
    flags: u32,
    /// The program's function that the bodies call.
    function: usize,
    /// A record as fresh as from the slab, while under way.
    record: Option<TaskRef>,
    /// Tasks that ran and are not counted as the parent's children yet.
    ran: u32,
}

impl Series {
    /// Included tasks of the current task, all with these flags and the same function.
    pub fn new(thread: &'static Thread, function: usize, flags: u32) -> Series {
        Series { thread, parent: thread.task(), flags, function, record: None, ran: 0 }
    }

    /// Runs `body` as the next task.
    #[inline(always)]
    pub fn run(&mut self, body: impl FnOnce()) {
        if self.thread.recorder.get().is_some() {
            // A task that is traced has facts of its own.
            self.pause();
            return run::include(self.thread, self.function, self.flags, body);
        }
        let task = match self.record {
            Some(task) => task,
            None => self.begin(),
        };
        body();
        if task.is_as_new() {
            self.ran += 1;
        } else {
            self.record = None;
            self.parent.own.include(std::mem::take(&mut self.ran));
            run::leave_included(self.thread, task, self.parent);
        }
    }

    fn begin(&mut self) -> TaskRef {
        let task = TaskRef::allocate_included(self.thread, self.parent, self.flags, 0);
        self.record = Some(task);
        run::enter(self.thread, task);
        task
    }

    /// The creator goes on itself.
    pub fn pause(&mut self) {
        if let Some(task) = self.record.take() {
            self.thread.set_task(self.parent);
            self.parent.own.include(std::mem::take(&mut self.ran));
            // SAFETY: it has no descendants, and nobody else knows of it.
            unsafe { task.free(self.thread) };
        }
    }
}

impl Drop for Series {
    fn drop(&mut self) {
        self.pause();
    }
}
