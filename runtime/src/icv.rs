//! Internal control variables of a data environment, and their inheritance.
//!
//! Terms: a *snapshot* is an immutable set of values. Tasks point to the snapshot of the task that
//! created them, so creating a task copies one pointer. Setting a value makes a new snapshot, or
//! changes the task's own one in place when it has no children that could see it.
//! Source: OpenMP 5.2 section 2 (ICVs), table 2.3 (scopes).
#![allow(unsafe_code)]

use crate::task::children::Until;
use crate::thread;
use std::sync::Arc;
use vicinity_policy::schedule::Schedule;

/// One snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icvs {
    /// nthreads-var: threads of the next region.
    pub num_threads: u32,
    /// The rest of nthreads-var, for the levels below that region, where a clause gave a list; none: what the environment
    /// says for them.
    pub later_threads: Option<Arc<[u32]>>,
    /// dyn-var.
    pub dynamic: bool,
    /// run-sched-var.
    pub schedule: Schedule,
    /// max-active-levels-var.
    pub max_active_levels: u32,
    /// thread-limit-var.
    pub thread_limit: u32,
    /// def-allocator-var: an `omp_allocator_handle_t`.
    pub default_allocator: usize,
    /// default-device-var.
    pub default_device: i32,
    /// The device that the task runs on, by its number; none: the host.
    pub on_device: Option<u16>,
}

/// The current task's values.
#[inline]
pub fn current() -> &'static Icvs {
    thread::current().task().icvs.get()
}

/// run-sched-var of the current task.
pub fn run_schedule() -> Schedule {
    current().schedule
}

impl Icvs {
    /// The same with a list for nthreads-var; of an empty one nothing is taken.
    pub fn set_threads(&mut self, list: &[u32]) {
        if let [first, later @ ..] = list {
            self.num_threads = *first;
            self.later_threads = Some(later.into());
        }
    }
}

/// Runs `body` while the current task's nthreads-var is this list.
pub fn with_threads<R>(list: &[u32], body: impl FnOnce() -> R) -> R {
    let Icvs { num_threads, later_threads, .. } = current().clone();
    update(|icvs| icvs.set_threads(list));
    let result = body();
    update(|icvs| (icvs.num_threads, icvs.later_threads) = (num_threads, later_threads));
    result
}

/// Changes the current task's values.
pub fn update(change: impl FnOnce(&mut Icvs)) {
    let thread = thread::current();
    let task = thread.task();
    let unseen = task.own.all_own(Until::Gone);
    task.extra(|extra| {
        let fresh = match extra.icvs.take() {
            Some(mut own) if unseen => {
                change(&mut own);
                own
            }
            old => {
                let mut copy = task.icvs.get().clone();
                change(&mut copy);
                // Children still point to the old snapshot: it lives until the region ends.
                old.into_iter().for_each(|snapshot| _ = thread.member().team().keep(snapshot));
                Box::new(copy)
            }
        };
        // SAFETY: the box is owned by the task's extra part, or kept by the team once replaced or
        // when the task ends before its children, so it outlives every task that points to it.
        task.icvs.set(unsafe { &*std::ptr::from_ref(&*fresh) });
        extra.icvs = Some(fresh);
    });
}
