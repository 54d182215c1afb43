//! What a thread does that finds no memory for another task: it runs tasks that are there, and lets others run theirs,
//! until memory of theirs is free again. A task construct is a point where other tasks may be scheduled.
//!
//! It gives up where that is hopeless: it has nothing to run, and the others sleep, or have given nothing back for long.
//! Source: OpenMP 5.2 section 12.9 (task scheduling).

use super::Team;
use super::find::{self, Choice, Circle};
use crate::report;
use crate::task::run;
use crate::thread::{self, Thread};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Tasks that are run before memory is looked for again.
const AT_ONCE: usize = 1024;
const NAP: Duration = Duration::from_millis(1);
/// Naps after which a thread whose fellows all sleep gives up.
const NAPS_ALONE: u32 = 200;
/// Naps after which any does.
const NAPS: u32 = 60_000;

/// What `attempt` gives as soon as it gives something; it needs `bytes` of memory.
#[cold]
pub(crate) fn until_there_is_memory<T>(bytes: usize, mut attempt: impl FnMut() -> Option<T>) -> T {
    let thread = thread::current();
    let (mut naps, mut alone) = (0, 0);
    while naps < NAPS && alone < NAPS_ALONE {
        let has_run = run_some(thread);
        // What later tasks could wait for keeps its record; of those that are finished none needs to.
        thread.task().forget_finished(thread);
        if let Some(memory) = attempt() {
            return memory;
        }
        if has_run {
            (naps, alone) = (0, 0);
            continue;
        }
        alone = if thread.member().team().others_sleep() { alone + 1 } else { 0 };
        naps += 1;
        std::thread::sleep(NAP);
    }
    report::out_of_memory(bytes)
}

/// Runs some of the tasks that the current one may wait for; true if there were any.
fn run_some(thread: &'static Thread) -> bool {
    let member = thread.member();
    // Whoever makes tasks for a team in which it has no seat runs none of them. A task might make one for a stream: not
    // while this thread holds the lock for that.
    let is_seated = std::ptr::eq(member.thread.load(Ordering::Relaxed), thread);
    if !is_seated || thread.submits.get() || !thread.has_stack() {
        return false;
    }
    let choice = Choice::DescendantsOf(thread.task());
    let tasks = std::iter::from_fn(|| find::find(thread, member, choice, Circle::Everybody));
    tasks.take(AT_ONCE).map(|task| run::execute(thread, task)).count() > 0
}

impl Team {
    /// Whether all threads but the calling one sleep: none of them runs a task.
    fn others_sleep(&self) -> bool {
        self.idle.count() + 1 >= self.size()
    }
}
