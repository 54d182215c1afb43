//! What follows when a task finishes: its successors, its parent and its group learn of it, and its record is
//! freed when nobody needs it any more.
//!
//! Invariant: whoever completes a child reads all it needs of the parent before it counts the child,
//! because the parent may be freed right after.
#![allow(unsafe_code)]

use super::children::{Then, Until};
use super::group::Group;
use super::record::{Task, TaskRef, flag};
use super::{deps, exclusive, run};
use crate::team::Team;
use crate::thread::Thread;
use crate::trace;
use std::sync::atomic::Ordering;

/// A deferred task is finished: tells successors and parent. Any thread may call it, wherever it is in the task tree, or none of
/// the team: what becomes ready goes to the team's shared queue.
pub fn complete(thread: &'static Thread, task: TaskRef) {
    finish(thread, task, |ready| {
        trace::ready(thread, ready, false);
        run::enqueue_shared(thread, ready);
    });
}

/// The same by the thread that has just run it. What becomes ready goes to its own queue; one of those it gives back, which is to be
/// run next: in the queue it would be carried off by threads that have nothing to do, and with it the data of a chain of tasks.
pub fn complete_own(thread: &'static Thread, task: TaskRef) -> Option<TaskRef> {
    let mut kept = None;
    let inherited = task.flags() & flag::STOLEN;
    finish(thread, task, |ready| {
        trace::ready(thread, ready, true);
        // Their common parent is another thread's.
        ready.add_flags(inherited);
        match run::is_next(thread, ready) {
            true => kept.replace(ready).into_iter().for_each(|older| run::enqueue(thread, older)),
            false => run::enqueue(thread, ready),
        }
    });
    kept
}

#[inline(always)]
fn finish(thread: &'static Thread, task: TaskRef, mut ready: impl FnMut(TaskRef)) {
    if task.is(flag::EXCLUSIVE) {
        exclusive::give_back(task, &mut ready);
    }
    if task.is(flag::DEPENDENT) {
        deps::release_successors(task, &mut ready);
    }
    let watch = Watch::of(task);
    if task.own.all_own(Until::Gone) {
        task.drop_hold(thread);
        watch.finish_and_depart(thread);
    } else {
        watch.finish(thread);
        close(thread, task);
    }
}

/// A finished task waits for its descendants: the last of them lets it go.
pub fn close(thread: &'static Thread, task: TaskRef) {
    task.leave();
    if let Some(own) = task.extra_if_any(|extra| extra.icvs.take()).flatten() {
        // Descendants may still point to its ICVs.
        task.team.get().map(|team| team.keep(own));
    }
    if task.own.begin_countdown(&task.remote, Until::Gone) {
        let_go(thread, task);
    }
}

/// `task` is gone: frees it and tells its parent, and so on upwards.
fn let_go(thread: &'static Thread, task: TaskRef) {
    let mut next = Some(task);
    while let Some(task) = next {
        let watch = Watch::of(task);
        task.forget_dependences(thread);
        task.drop_hold(thread);
        next = watch.depart(thread);
    }
}

/// What a completer needs of a child's parent and group (invariant above).
struct Watch {
    parent: TaskRef,
    group: Option<&'static Group>,
    /// Who sleeps if the parent waits; none if that may be anybody.
    sleeper: Option<&'static Thread>,
    team: Option<&'static Team>,
    parent_is_implicit: bool,
}

impl Watch {
    #[inline(always)]
    fn of(task: TaskRef) -> Watch {
        let Some(parent) = task.parent.get() else {
            crate::report::fatal("internal: a task without a parent has finished")
        };
        Watch {
            parent,
            group: task.birth_group.get(),
            sleeper: if parent.is(flag::EARLY) { None } else { parent.executor() },
            team: task.team.get(),
            parent_is_implicit: parent.is(flag::IMPLICIT),
        }
    }

    #[inline(always)]
    fn finish_and_depart(self, thread: &'static Thread) {
        if self.parent.runs_on(thread) {
            self.parent.own.finish();
            self.parent.own.depart();
            self.group.inspect(|group| group.own.depart());
            return;
        }
        let then = self.parent.remote.finish_and_depart();
        if let Some(parent) = self.after(then) {
            let_go(thread, parent);
        }
        self.depart_group();
    }

    fn finish(&self, thread: &'static Thread) {
        if self.parent.runs_on(thread) {
            self.parent.own.finish();
        } else {
            let then = self.parent.remote.finish();
            self.after(then);
        }
    }

    /// Returns the parent if it is gone with this child.
    fn depart(self, thread: &'static Thread) -> Option<TaskRef> {
        if self.parent.runs_on(thread) {
            self.parent.own.depart();
            self.group.inspect(|group| group.own.depart());
            return None;
        }
        let then = self.parent.remote.depart();
        let gone = self.after(then);
        self.depart_group();
        gone
    }

    fn depart_group(&self) {
        if let Some(group) = self.group
            && group.remote.depart() != Then::Nothing
        {
            self.wake();
        }
    }

    fn after(&self, then: Then) -> Option<TaskRef> {
        match then {
            Then::Nothing => None,
            Then::LastGone if !self.parent_is_implicit => Some(self.parent),
            Then::LastFinished | Then::LastGone => {
                self.wake();
                None
            }
        }
    }

    fn wake(&self) {
        match (self.team, self.sleeper) {
            (Some(team), Some(thread)) => team.idle.wake(&thread.parker),
            (Some(team), None) if team.idle.anyone() => team.idle.wake_all(team.parkers()),
            _ => (),
        }
    }
}

impl Task {
    /// Forgets the dependences among this task's children, all of which are finished.
    pub fn forget_dependences(&self, thread: &'static Thread) {
        self.extra_if_any(|extra| extra.map.clear(thread));
    }

    /// Lets the records of finished children go, where there is no memory for more. Not while a child is registered,
    /// which may make a task of its own.
    pub fn forget_finished(&self, thread: &'static Thread) {
        if !thread.registers.get() {
            self.extra_if_any(|extra| extra.map.forget_finished(thread));
        }
    }
}

impl TaskRef {
    /// The task itself no longer needs its record; a dependence map may.
    fn drop_hold(self, thread: &'static Thread) {
        // AcqRel: the last holder frees the record after everybody else's last access.
        if !self.is(flag::DEPENDENT) || self.holds.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: it is gone and nobody mentions it.
            unsafe { self.free(thread) };
        }
    }

    /// A dependence map no longer mentions the task (called by the map's owner, for all its entries).
    pub fn drop_mention(self, thread: &'static Thread) {
        let mentions = self.mentions.get() - 1;
        self.mentions.set(mentions);
        // AcqRel: as in `drop_hold`.
        if mentions == 0 && self.holds.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: as in `drop_hold`.
            unsafe { self.free(thread) };
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::run;
    use crate::team::find::Choice;
    use crate::team::help::{Children, help};
    use crate::team::region::{Request, parallel};
    use crate::thread;
    use std::sync::atomic::{AtomicBool, AtomicPtr};

    static BEGUN: AtomicPtr<Task> = AtomicPtr::new(std::ptr::null_mut());
    static WOKEN: AtomicBool = AtomicBool::new(false);

    /// A task waits for a child that its copy created. Who ended that looked for the task's executor before there was one.
    #[test]
    fn a_child_that_is_older_than_its_parents_body_wakes_it() {
        fn wait_for_child(parent: TaskRef) {
            let thread = thread::current();
            run::enter(thread, parent);
            let goal =
                Children { own: &parent.own, remote: &parent.remote, until: Until::Finished };
            help(thread, Choice::DescendantsOf(parent), &goal);
            WOKEN.store(true, Ordering::Relaxed);
            thread.set_task(TaskRef::implicit(&thread.member().implicit));
        }
        fn end_child(thread: &'static Thread, implicit: TaskRef) {
            let [parent, child] = [implicit; 2].map(|outer| TaskRef::allocate(thread, outer, 0, 0));
            child.parent.set(Some(parent));
            parent.add_flags(flag::EARLY);
            run::count_child(child, parent);
            let watch = Watch::of(child);
            BEGUN.store(parent.as_ptr(), Ordering::Release);
            let idle = &thread.member().team().idle;
            while idle.count() == 0 {
                std::thread::yield_now();
            }
            watch.finish_and_depart(thread);
            let woken = (0..100_000).any(|_| {
                std::thread::yield_now();
                WOKEN.load(Ordering::Relaxed)
            });
            idle.wake_all(thread.member().team().parkers());
            assert!(woken);
        }
        extern "C" fn region(_data: *mut libc::c_void) {
            let thread = thread::current();
            if thread.member().num == 0 {
                return end_child(thread, thread.task());
            }
            while BEGUN.load(Ordering::Acquire).is_null() {
                std::thread::yield_now();
            }
            // SAFETY: it was made for this, and is never freed.
            wait_for_child(unsafe { TaskRef::from_ptr(BEGUN.load(Ordering::Relaxed)) });
        }
        parallel(region, std::ptr::null_mut(), Request { num_threads: 2, proc_bind: None });
    }
}
