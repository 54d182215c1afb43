//! Events of threads and of initial tasks.

use super::abi::{scope, task, thread_type};
use super::{TaskFacts, callbacks, of_thread};
use crate::device;
use crate::thread::{self, Thread};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A thread has a record.
pub fn begins(thread: &Thread, is_worker: bool) {
    let Some(facts) = of_thread(thread) else { return };
    facts.data.clear();
    facts.bottom.set(usize::MAX);
    let kind = match is_worker {
        true => thread_type::WORKER,
        false => thread_type::INITIAL,
    };
    callbacks::thread_begin(kind, facts.data.address());
}

/// A worker's part of its stack lies below this address: frames above it are not the program's.
pub fn lives_below(thread: &Thread, address: usize) {
    of_thread(thread).inspect(|facts| facts.bottom.set(address));
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
pub fn ends(thread: &Thread) {
    let Some(facts) = of_thread(thread) else { return };
    let is_worker = thread.recorder.get().is_some_and(|recorder| recorder.is_worker);
    if !is_worker {
        initial_task_ends(thread);
    }
    callbacks::thread_end(facts.data.address());
    if is_worker {
        // Release: pairs with the Acquire in `workers_end`.
        ENDED.fetch_add(1, Ordering::Release);
    }
}

/// Workers that have said that they end.
static ENDED: AtomicUsize = AtomicUsize::new(0);
/// How long the end of the process waits for them.
const PATIENCE: Duration = Duration::from_millis(500);

/// The process ends: the workers that rest end before it, so that the tool hears of their end. Inside a region none rests.
pub fn workers_end() {
    let before = ENDED.load(Ordering::Relaxed);
    let Some(count) = device::end_workers() else { return };
    let start = Instant::now();
    // Acquire: pairs with the Release in `ends`.
    while ENDED.load(Ordering::Acquire) < before + count && start.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
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
        ends(thread);
    }
}
