//! Events of explicit tasks: creation, dependences, switching.
//!
//! The tool is told that a task was created when it is clear what becomes of it: when its dependences are known, when it is
//! deferred, or when it begins at once.

use super::abi::{self, dependence, status, task as kind};
use super::{TaskFacts, callbacks, of_thread, sanitizer};
use crate::task::TaskRef;
use crate::task::deps::{Access, Dependence};
use crate::task::record::flag;
use crate::thread::Thread;
use smallvec::SmallVec;
use std::ptr::null_mut;

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
    let creator = TaskFacts::of(thread.task());
    let (encountering, frame, new) =
        (creator.data.address(), creator.frames(), facts.data.address());
    let has_dependences = i32::from(!dependences.is_empty());
    callbacks::task_create(encountering, frame, new, flags, has_dependences, callbacks::FROM);
    tell_dependences(facts, dependences);
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
    before.is_inside(true);
    facts.prior.set(prior.as_ptr() as usize);
    facts.is_called();
    callbacks::task_schedule(before.data.address(), status::SWITCH, facts.data.address());
}

/// The body of the thread's current task is over.
pub fn ended(task: TaskRef) {
    let facts = TaskFacts::of(task);
    // SAFETY: the task that ran before is on the stack below, so it is alive.
    #[allow(unsafe_code)]
    let prior = unsafe { TaskRef::from_ptr(facts.prior.get() as *mut _) };
    let after = TaskFacts::of(prior);
    callbacks::task_schedule(facts.data.address(), status::COMPLETE, after.data.address());
    after.is_inside(false);
    sanitizer::is_over(task);
}

/// `taskwait depend`, before it waits: a task without a body that has these dependences.
pub fn wait_begins(thread: &Thread, facts: &TaskFacts, dependences: &[Dependence]) {
    let flags = kind::EXPLICIT | kind::TASKWAIT | kind::UNDEFERRED;
    facts.begin(flags);
    let creator = TaskFacts::of(thread.task());
    let (encountering, new) = (creator.data.address(), facts.data.address());
    let from = callbacks::FROM;
    callbacks::task_create(encountering, creator.frames(), new, flags as i32, 1, from);
    tell_dependences(facts, dependences);
}

/// The same, when it has waited.
pub fn wait_ended(facts: &TaskFacts) {
    callbacks::task_schedule(facts.data.address(), status::TASKWAIT_COMPLETE, null_mut());
}
