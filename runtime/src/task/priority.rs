//! Ready tasks with a priority: one ordered queue a team, looked at before all others. Tasks without one come
//! here too when the thread that holds them may not run them and goes to sleep (`team::help`), and when others of their
//! function have waited for messages (`aside::order`).
//!
//! All are rare (max-task-priority-var is 0 by default, which turns priorities off), so a lock serves.
//! Source: OpenMP 5.2 section 12.4 (priority clause).

use super::record::TaskRef;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::iter::successors;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct PriorityQueue {
    /// Tasks queued; read without the lock to skip an empty queue.
    len: AtomicUsize,
    queue: Mutex<Queue>,
}

/// Where a task stands: by priority, highest first, by function, and by arrival.
type Place = (Reverse<i32>, usize, u64);

#[derive(Default)]
pub(crate) struct Queue {
    tasks: BTreeMap<Place, TaskRef>,
    arrivals: u64,
}

impl Queue {
    /// The first place of each priority and function.
    fn fronts(&self) -> impl Iterator<Item = Place> {
        let next = |&(priority, function, _): &Place| {
            let behind = (Excluded((priority, function, u64::MAX)), Unbounded);
            Some(*self.tasks.range(behind).next()?.0)
        };
        successors(self.tasks.keys().next().copied(), next)
    }

    /// The first place from `front` on, of its priority and function, whose task `allows` accepts.
    fn first(&self, front: Place, allows: impl Fn(TaskRef) -> bool) -> Option<Place> {
        let group = self.tasks.range(front..=(front.0, front.1, u64::MAX));
        group.filter(|(_, task)| allows(**task)).map(|(place, _)| *place).next()
    }
}

/// What goes first: a higher priority, and then who came first.
fn urgency(&(priority, _, arrival): &Place) -> (Reverse<i32>, u64) {
    (priority, arrival)
}

impl PriorityQueue {
    /// Relaxed: a hint for pollers; threads about to sleep are ordered by `team::idle`'s fences.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many tasks are queued. Relaxed: a hint.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    pub fn push(&self, task: TaskRef) {
        self.extend(std::iter::once(task));
    }

    /// All of them, under one lock.
    pub fn extend(&self, tasks: impl Iterator<Item = TaskRef>) {
        let mut queue = crate::thread::lock(&self.queue);
        for task in tasks {
            let place = (Reverse(task.priority.get()), task.entry(), queue.arrivals);
            queue.arrivals += 1;
            queue.tasks.insert(place, task);
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
        self.take(|queue| {
            queue.fronts().filter_map(|front| queue.first(front, &allows)).min_by_key(urgency)
        })
    }

    /// The most urgent task whose function `allows` accepts. It asks once for each function.
    pub fn pop_of(&self, allows: impl Fn(usize) -> bool) -> Option<TaskRef> {
        self.take(|queue| queue.fronts().filter(|front| allows(front.1)).min_by_key(urgency))
    }

    fn take(&self, find: impl FnOnce(&Queue) -> Option<Place>) -> Option<TaskRef> {
        let mut queue = crate::thread::lock(&self.queue);
        let place = find(&queue)?;
        let task = queue.tasks.remove(&place);
        self.len.store(queue.tasks.len(), Ordering::Relaxed);
        task
    }
}
