//! Ready tasks with a priority: one ordered queue a team, looked at before all others. Tasks without one come
//! here too when the thread that holds them may not run them and goes to sleep (`team::help`).
//!
//! Both are rare (max-task-priority-var is 0 by default, which turns priorities off), so a lock serves.
//! Source: OpenMP 5.2 section 12.4 (priority clause).

use super::record::TaskRef;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct PriorityQueue {
    /// Tasks queued; read without the lock to skip an empty queue.
    len: AtomicUsize,
    queue: Mutex<Queue>,
}

#[derive(Default)]
pub(crate) struct Queue {
    /// By priority, highest first, then by arrival.
    tasks: BTreeMap<(Reverse<i32>, u64), TaskRef>,
    arrivals: u64,
}

impl PriorityQueue {
    /// Relaxed: a hint for pollers; threads about to sleep are ordered by `team::idle`'s fences.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len.load(Ordering::Relaxed) == 0
    }

    pub fn push(&self, task: TaskRef) {
        self.extend(std::iter::once(task));
    }

    /// All of them, under one lock.
    pub fn extend(&self, tasks: impl Iterator<Item = TaskRef>) {
        let mut queue = crate::thread::lock(&self.queue);
        for task in tasks {
            let key = (Reverse(task.priority.get()), queue.arrivals);
            queue.arrivals += 1;
            queue.tasks.insert(key, task);
        }
        self.len.store(queue.tasks.len(), Ordering::Relaxed);
    }

    /// Keeps other threads from it (for fork).
    pub(crate) fn quiesced(&self) -> MutexGuard<'_, Queue> {
        crate::thread::lock(&self.queue)
    }

    /// Whether there is a task that `allows` accepts.
    pub fn holds(&self, allows: impl Fn(TaskRef) -> bool) -> bool {
        crate::thread::lock(&self.queue).tasks.values().any(|task| allows(*task))
    }

    /// The most urgent task that `allows` accepts.
    pub fn pop(&self, allows: impl Fn(TaskRef) -> bool) -> Option<TaskRef> {
        let mut queue = crate::thread::lock(&self.queue);
        let key = *queue.tasks.iter().find(|(_, task)| allows(**task))?.0;
        let task = queue.tasks.remove(&key);
        self.len.store(queue.tasks.len(), Ordering::Relaxed);
        task
    }
}
