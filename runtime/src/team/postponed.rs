//! `Postponed`: tasks that a waiting thread does not begin yet, because it has set very many aside and these would most likely
//! be set aside as well.
//!
//! Their thread goes on with the others of its queue: with what the messages that come make ready. A task of a function whose
//! tasks were set aside before is expected to be.
//!
//! Invariant: the tasks are postponed while their thread waits, which does not sleep while it has set tasks aside; then it
//! puts them back into its queue.

use super::Member;
use super::find;
use crate::task::record::TaskRef;
use crate::thread::Thread;
use std::collections::VecDeque;

#[derive(Default)]
pub(super) struct Postponed(VecDeque<TaskRef>);

impl Postponed {
    /// The newest task of the own queue that is not expected to be set aside; postpones those that are newer.
    pub(super) fn look_past(&mut self, thread: &Thread, member: &Member) -> Option<TaskRef> {
        while let Some(task) = member.deque.pop() {
            if !thread.aside.expects(task.entry()) {
                return Some(task);
            }
            self.0.push_front(task);
        }
        None
    }

    /// There is room for one: the oldest.
    pub(super) fn next(&mut self) -> Option<TaskRef> {
        self.0.pop_front()
    }

    /// The thread waits no longer.
    pub(super) fn put_back(&mut self, member: &Member) {
        self.0.drain(..).for_each(|task| find::put_back(member, task));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::run;
    use crate::team::region::{Request, barrier, parallel};
    use crate::thread;
    use std::sync::atomic::{AtomicU32, Ordering};

    static RUN: AtomicU32 = AtomicU32::new(0);

    extern "C" fn waits(_data: *mut libc::c_void) {
        RUN.fetch_add(1, Ordering::Relaxed);
    }

    extern "C" fn computes(_data: *mut libc::c_void) {
        RUN.fetch_add(10, Ordering::Relaxed);
    }

    extern "C" fn region(_data: *mut libc::c_void) {
        let thread = thread::current();
        let (member, implicit) = (thread.member(), thread.task());
        let [waits, computes] = [waits, computes].map(|body| body as *const () as usize);
        thread.aside.expect(waits);
        let made = [waits, computes, waits, waits].map(|function| {
            let task = TaskRef::allocate(thread, implicit, 0, 0);
            task.set_entry(function);
            run::defer(thread, task, implicit);
            task
        });
        let mut postponed = Postponed::default();
        let found = postponed.look_past(thread, member);
        assert!(found == Some(made[1]), "the newest that is not expected to wait");
        assert!(postponed.look_past(thread, member).is_none());
        assert!(postponed.next() == Some(made[0]), "the oldest");
        member.deque.push(made[0]);
        member.deque.push(made[1]);
        postponed.put_back(member);
        assert_eq!(member.deque.len(), made.len());
        barrier();
    }

    #[test]
    fn tasks_that_will_wait_let_others_pass() {
        parallel(region, std::ptr::null_mut(), Request { num_threads: 1, proc_bind: None });
        assert_eq!(RUN.load(Ordering::Relaxed), 13);
    }
}
