//! `Series`: included tasks that follow each other in one record.
//!
//! A loop whose iterations are tasks that run at once needs a record for each, so that what a body does
//! as a task (create children, set ICVs) is its own. A body that does nothing of the kind leaves the record
//! as it was, and the next task takes it over.

use super::record::TaskRef;
use super::run;
use crate::thread::Thread;

pub struct Series {
    thread: &'static Thread,
    parent: TaskRef,
    flags: u32,
    /// A record as fresh as from the slab.
    record: Option<TaskRef>,
}

impl Series {
    /// Included tasks of the current task, all with these flags.
    pub fn new(thread: &'static Thread, flags: u32) -> Series {
        Series { thread, parent: thread.task(), flags, record: None }
    }

    /// Runs `body` as the next task.
    #[inline(always)]
    pub fn run(&mut self, body: impl FnOnce()) {
        let fresh = || TaskRef::allocate_included(self.thread, self.parent, self.flags, 0);
        let task = self.record.take().unwrap_or_else(fresh);
        run::enter(self.thread, task);
        body();
        if task.is_as_new() {
            self.thread.set_task(self.parent);
            self.parent.own.include();
            self.record = Some(task);
        } else {
            run::leave_included(self.thread, task, self.parent);
        }
    }
}

impl Drop for Series {
    fn drop(&mut self) {
        if let Some(task) = self.record.take() {
            // SAFETY: it has no descendants, and nobody else knows of it.
            #[allow(unsafe_code)]
            unsafe {
                task.free(self.thread);
            }
        }
    }
}
