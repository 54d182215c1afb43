//! Events of explicit tasks: creation, dependences, switching.
//!
//! The tool is told that a task was created when it is clear what becomes of it: when its dependences are known, when it is
//! deferred, or when it begins at once.

use super::abi::{self, Data, dependence, status, task as kind};
use super::{TaskFacts, callbacks, of_thread, sanitizer, sync};
use crate::task::deps::{Access, Dependence};
use crate::task::record::flag;
use crate::task::{TaskRef, detach};
use crate::thread::Thread;
use smallvec::SmallVec;
use std::ptr::null_mut;

/// A task of a cancelled taskgroup does not run.
const DISCARDED: i32 = abi::cancel::TASKGROUP | abi::cancel::DISCARDED;

/// A record was allocated.
pub fn created(task: TaskRef) {
    let mut flags = kind::EXPLICIT;
    if task.is(flag::FINAL) {
        flags |= kind::FINAL;
    }
    if task.is(flag::UNTIED) {
        flags |= kind::UNTIED;
    }
    TaskFacts::of(task).begin(flags);
    sanitizer::is_new(task);
}

/// What becomes of a task is clear.
pub fn announce(thread: &Thread, task: TaskRef, dependences: &[Dependence], is_deferred: bool) {
    let facts = TaskFacts::of(task);
    if facts.announced.replace(true) {
        return;
    }
    let undeferred = if is_deferred { 0 } else { kind::UNDEFERRED };
    let flags = (facts.flags.get() | undeferred) as i32;
    facts.flags.set(flags as u32);
    let predecessors = of_thread(thread).map(|facts| facts.predecessors.replace(Vec::new()));
    let predecessors = predecessors.unwrap_or_default();
    let creator = TaskFacts::of(thread.task());
    let (encountering, frame, new) =
        (creator.data.address(), creator.frames(), facts.data.address());
    let has_dependences = i32::from(!dependences.is_empty());
    let was_inside = creator.is_in();
    creator.is_inside(true);
    callbacks::task_create(encountering, frame, new, flags, has_dependences);
    // One that runs at once begins within the same call.
    creator.is_inside(was_inside || !is_deferred);
    tell_dependences(facts, dependences);
    for predecessor in predecessors {
        let before = Data::of(predecessor);
        callbacks::task_dependence(before.address(), facts.data.address());
    }
}

/// A task has to wait for another one, which may be over when the tool is told: when it knows of the first.
pub fn is_ordered(predecessor: TaskRef, successor: TaskRef) {
    let Some(thread) = super::here().and_then(of_thread) else { return };
    let (before, after) = (TaskFacts::of(predecessor), TaskFacts::of(successor));
    if !before.announced.get() {
        return;
    }
    if after.announced.get() {
        return callbacks::task_dependence(before.data.address(), after.data.address());
    }
    thread.predecessors.with(|list| list.push(before.data.value()));
}

fn tell_dependences(facts: &TaskFacts, dependences: &[Dependence]) {
    if dependences.is_empty() || !callbacks::wants(abi::event::DEPENDENCES) {
        return;
    }
    let list: SmallVec<[abi::Dependence; 8]> = dependences.iter().map(translated).collect();
    callbacks::dependences_of(facts.data.address(), list.as_ptr(), list.len() as i32);
}

fn translated(item: &Dependence) -> abi::Dependence {
    let kind = match (item.access, item.address) {
        (_, None) => dependence::OUT_ALL_MEMORY,
        (Access::In, _) => dependence::IN,
        (Access::Out, _) => dependence::INOUT,
        (Access::InOutSet, _) => dependence::INOUTSET,
        (Access::MutexInOutSet, _) => dependence::MUTEXINOUTSET,
    };
    abi::Dependence { variable: item.address.unwrap_or(0) as u64, kind }
}

/// A task's body is about to begin on top of `prior`, the task that the thread was running.
pub fn started(thread: &Thread, prior: TaskRef, task: TaskRef) {
    let pending = of_thread(thread).map(|facts| facts.pending.replace(Vec::new()));
    announce(thread, task, &pending.unwrap_or_default(), false);
    let (before, facts) = (TaskFacts::of(prior), TaskFacts::of(task));
    // At the end of a region its task is over.
    if before.waits_in.get() != abi::sync::BARRIER_PARALLEL {
        before.is_inside(true);
    }
    facts.prior.set(prior.as_ptr() as usize);
    facts.is_called();
    let status = if before.yields.replace(false) { status::YIELD } else { status::SWITCH };
    callbacks::task_schedule(before.data.address(), status, facts.data.address());
    if let Some((first, count)) = facts.share.replace(None) {
        sync::share(thread, facts, first, count);
    }
}

/// A deferred task is a taskloop's: it runs so many iterations.
pub fn is_share(task: TaskRef, first: u64, count: u64) {
    TaskFacts::of(task).share.set(Some((first, count)));
}

/// The thread's current task is discarded, because its group or region was cancelled.
pub fn discarded(thread: &Thread) {
    let facts = TaskFacts::of(thread.task());
    facts.is_cancelled.set(true);
    callbacks::cancel_nowhere(facts.data.address(), DISCARDED);
}

/// The body of the thread's current task is over.
pub fn ended(task: TaskRef) {
    let facts = TaskFacts::of(task);
    let status = match facts.is_cancelled.get() {
        true => status::CANCEL,
        false if task.is(flag::DETACHABLE) && detach::is_detached(task) => status::DETACH,
        false => status::COMPLETE,
    };
    let Some(prior) = facts.below() else { return };
    let after = TaskFacts::of(prior);
    callbacks::task_schedule(facts.data.address(), status, after.data.address());
    if after.waits_in.get() == 0 {
        after.is_inside(false);
    }
    sanitizer::is_over(task);
}

/// The event of a detachable task is fulfilled; late is after its body. No task begins then.
pub fn fulfilled(task: TaskRef, is_late: bool) {
    let status = if is_late { status::LATE_FULFILL } else { status::EARLY_FULFILL };
    callbacks::task_schedule(TaskFacts::of(task).data.address(), status, null_mut());
}

/// `taskwait depend`, before it waits: a task without a body that has these dependences. OpenMP 5.2, 15.5: as an included
/// task that is mergeable. Of the four kinds a task has one, and here that is not *explicit*.
pub fn wait_begins(thread: &Thread, facts: &TaskFacts, dependences: &[Dependence]) {
    let flags = kind::TASKWAIT | kind::UNDEFERRED | kind::MERGEABLE;
    facts.begin(flags);
    let creator = TaskFacts::of(thread.task());
    let (encountering, new) = (creator.data.address(), facts.data.address());
    creator.is_inside(true);
    callbacks::task_create(encountering, creator.frames(), new, flags as i32, 1);
    tell_dependences(facts, dependences);
}

/// The same, when it has waited.
pub fn wait_ended(thread: &Thread, facts: &TaskFacts) {
    of_thread(thread).inspect(|facts| facts.predecessors.set(Vec::new()));
    TaskFacts::of(thread.task()).is_inside(false);
    callbacks::task_schedule(facts.data.address(), status::TASKWAIT_COMPLETE, null_mut());
}

/// `taskyield`: a task that begins now does so in its place.
pub fn yields(thread: &Thread, is_yielding: bool) {
    TaskFacts::of(thread.task()).yields.set(is_yielding);
}
