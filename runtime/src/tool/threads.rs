//! Events of threads and of initial tasks.

use super::abi::{scope, task, thread_type};
use super::{TaskFacts, callbacks, of_thread};
use crate::thread::{self, Thread};

/// A thread has a record.
pub fn begins(thread: &Thread, is_worker: bool) {
    let Some(facts) = of_thread(thread) else { return };
    facts.data.clear();
    let kind = match (is_worker, thread.gtid) {
        (true, _) => thread_type::WORKER,
        (false, 0) => thread_type::INITIAL,
        (false, _) => thread_type::OTHER,
    };
    callbacks::thread_begin(kind, facts.data.address());
}

/// A thread outside every region sits on its initial team.
pub fn initial_task_begins(thread: &Thread) {
    if of_thread(thread).is_none() {
        return;
    }
    let team = thread.member().team();
    team.tool.parallel.clear();
    let facts = TaskFacts::of(thread.task());
    facts.begin(task::INITIAL);
    facts.announced.set(true);
    let (parallel, data) = (team.tool.parallel.address(), facts.data.address());
    callbacks::implicit_task(scope::BEGIN, parallel, data, 1, 1, task::INITIAL as i32);
}

/// A thread gives its record back.
pub fn ends(thread: &Thread, is_worker: bool) {
    let Some(facts) = of_thread(thread) else { return };
    if !is_worker {
        initial_task_ends(thread);
    }
    callbacks::thread_end(facts.data.address());
}

fn initial_task_ends(thread: &Thread) {
    let facts = TaskFacts::of(thread.task());
    let nowhere = std::ptr::null_mut();
    callbacks::implicit_task(scope::END, nowhere, facts.data.address(), 0, 1, task::INITIAL as i32);
}

/// The process ends: its initial thread does, if it is that which says so.
pub fn process_ends() {
    if let Some(thread) = thread::try_current()
        && thread.gtid == 0
    {
        ends(thread, false);
    }
}
