//! `Queue`: tasks that were dealt to one location, oldest first.
//!
//! A lock serves, as for tasks with a priority: a dealt task has more data than a cache holds, so it runs for
//! longer than a hundred such locks take, and a thread that waits inside a tied task must be able to search the
//! queue for one of its descendants, which no lock-free queue offers.
//!
//! Invariant: `len` is the number of queued tasks whenever the lock is free. Threads about to sleep read it after
//! the fence of `team::idle`, and pushers pass that fence after they have stored it, so a push is not slept
//! through (model below).

use crate::sync::{AtomicUsize, Mutex, MutexGuard, Ordering};
use std::collections::VecDeque;
use std::sync::PoisonError;

pub struct Queue<T> {
    /// Read without the lock, to pass by an empty queue and to weigh a long one.
    len: AtomicUsize,
    tasks: Mutex<VecDeque<T>>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Queue { len: AtomicUsize::new(0), tasks: Mutex::new(VecDeque::new()) }
    }
}

/// At which end a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Oldest,
    Newest,
}

impl<T: Copy> Queue<T> {
    /// Relaxed: a hint for pollers; threads about to sleep are ordered by `team::idle`'s fences.
    #[inline]
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Relaxed: as `len`.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn push(&self, task: T) {
        self.change(|tasks| tasks.push_back(task));
    }

    /// The first task from one end that `allows` accepts.
    pub fn pop(&self, from: End, allows: impl Fn(T) -> bool) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        self.change(|tasks| {
            let at = match from {
                End::Oldest => tasks.iter().position(|&task| allows(task)),
                End::Newest => tasks.iter().rposition(|&task| allows(task)),
            };
            tasks.remove(at?)
        })
    }

    /// Whether there is a task that `allows` accepts.
    pub fn holds(&self, allows: impl Fn(T) -> bool) -> bool {
        !self.is_empty() && self.change(|tasks| tasks.iter().any(|&task| allows(task)))
    }

    /// Keeps other threads from it (for fork).
    pub(crate) fn quiesced(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<R>(&self, body: impl FnOnce(&mut VecDeque<T>) -> R) -> R {
        let mut tasks = self.quiesced();
        let result = body(&mut tasks);
        self.len.store(tasks.len(), Ordering::Relaxed);
        result
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn either_end_and_only_what_is_allowed() {
        let queue = Queue::default();
        (1..=6).for_each(|task| queue.push(task));
        let even = |task: i32| task % 2 == 0;
        assert_eq!(queue.pop(End::Oldest, |_| true), Some(1));
        assert_eq!(queue.pop(End::Oldest, even), Some(2));
        assert_eq!(queue.pop(End::Newest, |task| !even(task)), Some(5));
        assert_eq!(queue.pop(End::Newest, |task| task > 6), None);
        assert_eq!(queue.len(), 3);
        assert!(queue.holds(|task| task == 6) && !queue.holds(|task| task == 5));
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::park::{Appetite, Parker};
    use crate::team::idle::Idle;
    use loom::sync::Arc;

    /// A task dealt to a location wakes the thread there, though a thread elsewhere that may not take it sleeps too: no
    /// schedule leaves it parked with the task in its queue.
    #[test]
    fn a_dealt_task_is_never_slept_through() {
        loom::model(|| {
            let shared = Arc::new((Idle::default(), Queue::default(), Parker::default()));
            let producer = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.1.push(7);
                    if shared.0.anyone() {
                        let elsewhere = Parker::default();
                        let all = [&elsewhere, &shared.2];
                        shared.0.wake_free_or_bound(std::iter::once(&shared.2), all.into_iter());
                    }
                })
            };
            while shared.1.pop(End::Oldest, |_| true).is_none() {
                let look = || !shared.1.is_empty();
                shared.0.sleep(&shared.2, Appetite::Any, look);
            }
            producer.join().unwrap();
        });
    }

    /// A thief takes two tasks from one queue, one after the other, runs the first and leaves the second in a queue of its
    /// own (`team::find::steal`): no schedule leaves a third thread parked because its last look came between.
    #[test]
    fn loot_is_never_slept_through() {
        #[derive(Default)]
        struct Shared {
            idle: Idle,
            parker: Parker,
            victim: Queue<i32>,
            thief: Queue<i32>,
        }
        loom::model(|| {
            let shared = Arc::new(Shared::default());
            shared.victim.push(7);
            shared.victim.push(8);
            let thief = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    if shared.victim.pop(End::Oldest, |_| true).is_none() {
                        return;
                    }
                    shared
                        .victim
                        .pop(End::Oldest, |_| true)
                        .into_iter()
                        .for_each(|loot| shared.thief.push(loot));
                    if !shared.thief.is_empty() && shared.idle.anyone() {
                        _ = shared.idle.wake_free(std::iter::once(&shared.parker));
                    }
                })
            };
            let queues = [&shared.victim, &shared.thief];
            while queues.iter().find_map(|queue| queue.pop(End::Oldest, |_| true)).is_none() {
                let look = || queues.iter().any(|queue| !queue.is_empty());
                shared.idle.sleep(&shared.parker, Appetite::Any, look);
            }
            thief.join().unwrap();
        });
    }

    /// A thread that waits for one task inside a tied one is woken by its dealing too, whatever else the queue holds.
    #[test]
    fn an_awaited_task_is_never_slept_through() {
        loom::model(|| {
            let shared = Arc::new((Idle::default(), Queue::default(), Parker::default()));
            let producer = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.1.push(8);
                    if shared.0.anyone() {
                        let bound = std::iter::once(&shared.2);
                        shared.0.wake_free_or_bound(std::iter::empty(), bound);
                    }
                })
            };
            shared.1.push(7);
            let awaited = |task| task == 8;
            while shared.1.pop(End::Newest, awaited).is_none() {
                let look = || shared.1.holds(awaited);
                shared.0.sleep(&shared.2, Appetite::Bound, look);
            }
            producer.join().unwrap();
        });
    }
}
