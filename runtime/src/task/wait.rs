//! Task scheduling points: taskwait, taskgroup, taskyield, and waiting for dependences.
//!
//! Source: OpenMP 5.2 sections 15.4 (taskgroup), 15.5 (taskwait), 12.7 (taskyield).

use super::children::Until;
use super::deps::{self, Dependence};
use super::exclusive;
use super::group::Group;
use super::record::{TaskRef, flag};
use super::run;
use crate::aside;
use crate::team::find::{self, Choice, Circle};
use crate::team::help::{Children, Goal, help};
use crate::thread::{self, Thread};
use crate::tool;
use crate::trace::{self, Wait};
use std::sync::atomic::Ordering;

/// Waits until the current task's children are finished.
#[inline]
pub fn taskwait() {
    let thread = thread::current();
    let task = thread.task();
    let created_any = task.own.created() != 0;
    if thread.recorder.get().is_some() {
        return recorded_taskwait(thread, task);
    }
    if !task.own.all_own(Until::Finished) {
        wait_for_children(thread, task);
    }
    if created_any {
        task.forget_dependences(thread);
    }
}

#[cold]
fn recorded_taskwait(thread: &'static Thread, task: TaskRef) {
    trace::waits(thread, Wait::Taskwait);
    if !task.own.all_own(Until::Finished) {
        wait_for_children(thread, task);
    }
    trace::goes_on(thread);
    trace::children_done(thread);
    task.forget_dependences(thread);
}

#[cold]
#[inline(never)]
fn wait_for_children(thread: &'static Thread, task: TaskRef) {
    let goal = Children { own: &task.own, remote: &task.remote, until: Until::Finished };
    help(thread, Choice::DescendantsOf(task), &goal);
}

/// Opens a taskgroup.
pub fn begin_group() -> &'static Group {
    let thread = thread::current();
    trace::group_begins(thread);
    Group::begin(thread.task())
}

/// Waits until all tasks of the innermost taskgroup are gone, and closes it.
pub fn end_group() {
    let thread = thread::current();
    let task = thread.task();
    if let Some(group) = task.group.get() {
        trace::waits(thread, Wait::Taskgroup);
        let goal = Children { own: &group.own, remote: &group.remote, until: Until::Gone };
        help(thread, Choice::DescendantsOf(task), &goal);
        trace::goes_on(thread);
        Group::end(task);
    }
}

/// Whether the current task has opened a taskgroup and created no task in it.
pub fn has_fresh_group(task: TaskRef) -> bool {
    task.group.get().is_some_and(|group| group.owner == Some(task) && group.own.created() == 0)
}

/// Runs another task now, if one may be run.
pub fn taskyield() {
    let thread = thread::current();
    if aside::is_on() {
        return aside::taskyield(thread);
    }
    let member = thread.member();
    if member.team().is_tasked()
        && let Some(task) =
            find::find(thread, member, Choice::DescendantsOf(thread.task()), Circle::Everybody)
    {
        yield_to(thread, task);
    }
}

fn yield_to(thread: &'static Thread, task: TaskRef) {
    if !tool::is_on() {
        return run::execute(thread, task);
    }
    tool::tasks::yields(thread, true);
    run::execute(thread, task);
    tool::tasks::yields(thread, false);
}

/// Waits until the predecessors that `dependences` name, among the current task's children, are finished.
pub fn wait_for_dependences(dependences: &[Dependence]) {
    let thread = thread::current();
    if !tool::is_on() || thread.recorder.get().is_none() {
        return meet(thread, dependences);
    }
    let facts = tool::TaskFacts::default();
    tool::tasks::wait_begins(thread, &facts, dependences);
    meet(thread, dependences);
    tool::tasks::wait_ended(thread, &facts);
}

/// The same for a task that its creator is about to run.
fn meet(thread: &'static Thread, dependences: &[Dependence]) {
    let parent = thread.task();
    if deps::all_met(parent, dependences) {
        return;
    }
    let waiter = TaskRef::allocate_included(thread, parent, flag::WAITER, 0);
    waiter.start_on(thread);
    deps::init(waiter);
    deps::link_waiter(parent, waiter, dependences);
    trace::waits(thread, Wait::Depend);
    help(thread, Choice::DescendantsOf(parent), &Predecessors(waiter));
    trace::goes_on(thread);
    // SAFETY: all predecessors are finished, and waiters are mentioned nowhere else.
    #[allow(unsafe_code)]
    unsafe {
        waiter.free(thread)
    };
}

/// Waits until `task`, which its creator has entered among its dependences and runs itself, may begin.
pub fn wait_to_begin(thread: &'static Thread, parent: TaskRef, task: TaskRef) {
    help(thread, Choice::DescendantsOf(parent), &Turn(task));
}

/// Runs `body` in place of an undeferred task with these dependences, when its predecessors are finished and
/// no task excludes it.
pub fn take_turn(dependences: &[Dependence], body: impl FnOnce(&'static Thread)) {
    let thread = thread::current();
    if dependences.is_empty() {
        return body(thread);
    }
    meet(thread, dependences);
    let parent = thread.task();
    let held = deps::locks(parent, dependences);
    help(thread, Choice::DescendantsOf(parent), &Locks(&held));
    body(thread);
    held.give_back(|ready| run::enqueue(thread, ready));
}

/// The task may begin: each look takes the locks that it can, in order.
struct Turn(TaskRef);

impl Goal for Turn {
    fn is_met(&self) -> bool {
        deps::may_begin(self.0)
    }

    fn can_wake(&self) -> bool {
        false
    }
}

/// All locks are this thread's: each look takes those that it can, in order.
struct Locks<'a>(&'a exclusive::Held);

impl Goal for Locks<'_> {
    fn is_met(&self) -> bool {
        self.0.try_all()
    }

    fn can_wake(&self) -> bool {
        false
    }
}

/// All predecessors of a waiter are finished.
struct Predecessors(TaskRef);

impl Goal for Predecessors {
    fn is_met(&self) -> bool {
        // Acquire: pairs with the AcqRel in `deps::release_successors`.
        self.0.unmet.load(Ordering::Acquire) == 0
    }
}
