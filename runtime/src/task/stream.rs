//! Streams: tasks that any thread creates at any time, and that the open team runs without anybody waiting.
//!
//! Terms: a stream's *root* is the task that all its tasks are children of, so that dependences hold among them. It has
//! no body and no executor.
//!
//! Protocol: whoever creates a task holds the one lock of all streams, and owns the root's private fields for that moment. It
//! sits where it sits, and its queue is its own: what is to be known of the open team, the task says. Tasks start in the team's
//! shared queues.
//!
//! Invariant: streams are never deallocated; one that is given up is used again when its last task is gone.

use super::children::Until;
use super::deps::{self, Dependence};
use super::record::{Task, TaskRef};
use super::run;
use crate::private::Private;
use crate::process_lock::ProcessLock;
use crate::team::{Team, open};
use crate::thread::{self, Thread};

pub struct Stream {
    root: Task,
    /// Lock's holder: the open team of the last task; another one only in a forked child.
    team: Private<Option<&'static Team>>,
}

// SAFETY: all but the root's shared words is touched by the lock's holder alone.
#[allow(unsafe_code)]
unsafe impl Sync for Stream {}

/// Streams that were given up; and the lock of all streams.
pub(crate) static STREAMS: ProcessLock<Vec<&'static Stream>> = ProcessLock::new(Vec::new());

impl Stream {
    pub fn create() -> &'static Stream {
        let icvs = crate::global::initial_icvs();
        let mut spare = STREAMS.lock();
        match spare.iter().position(|stream| stream.is_empty()) {
            Some(index) => spare.swap_remove(index),
            None => Box::leak(Box::new(Stream {
                root: Task::new_implicit(icvs),
                team: Private::default(),
            })),
        }
    }

    /// Gives the stream up; its unfinished tasks go on.
    pub fn retire(&'static self) {
        STREAMS.lock().push(self);
    }

    /// Lock's holder: whether no task is left.
    fn is_empty(&self) -> bool {
        self.root.own.awaited(&self.root.remote, Until::Gone) == 0
    }

    /// Creates a task: `allocate` makes a record as a child of the task it gets, with all that is known of it.
    pub fn submit(
        &'static self,
        dependences: &[Dependence],
        allocate: impl FnOnce(&'static Thread, TaskRef) -> TaskRef,
    ) {
        let thread = thread::current();
        let _lock = STREAMS.lock();
        thread.submits.set(true);
        let team = open::get().unwrap_or_else(|| open::found(thread));
        let root = self.root_in(team);
        let task = allocate(thread, root);
        run::count_child(task, root);
        let ready = dependences.is_empty() || {
            deps::init(task);
            deps::register(thread, root, task, dependences)
        };
        thread.submits.set(false);
        if ready {
            run::enqueue_shared(thread, task);
        }
    }

    /// Lock's holder: the root, as a task of this team.
    fn root_in(&'static self, team: &'static Team) -> TaskRef {
        let root = &self.root;
        match self.team.replace(Some(team)) {
            Some(before) if std::ptr::eq(before, team) => (),
            before => {
                if before.is_some() {
                    // A forked child: what was unfinished is the parent's, and nobody's here.
                    root.abandon_extra();
                    root.own.reset();
                    root.remote.reset();
                }
                root.team.set(Some(team));
            }
        }
        TaskRef::implicit(root)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::wait;
    use crate::team::until_there_is_memory;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Where memory is short, a thread runs other tasks; these may make tasks for streams themselves.
    #[test]
    fn no_task_runs_while_the_lock_of_the_streams_is_held() {
        static RAN: AtomicBool = AtomicBool::new(false);
        extern "C" fn run(_data: *mut libc::c_void) {
            RAN.store(true, Ordering::Relaxed);
        }
        let thread = thread::current();
        let deferred = TaskRef::allocate(thread, thread.task(), 0, 0);
        deferred.set_entry(run as *const () as usize);
        run::defer(thread, deferred, thread.task());
        Stream::create().submit(&[], |thread, root| {
            until_there_is_memory(1, || Some(()));
            assert!(!RAN.load(Ordering::Relaxed));
            TaskRef::allocate(thread, root, 0, 0)
        });
        until_there_is_memory(1, || Some(()));
        assert!(RAN.load(Ordering::Relaxed));
        wait::taskwait();
    }
}
