//! `Idle`: how the threads of a team fall asleep and are woken, one at a time, without lost wake-ups.
//!
//! Protocol.
//! - A thread that found nothing: (s1) announces itself on its parker, (s2) adds itself to `sleeping`,
//!   (s3) SeqCst fence, (s4) looks once more at what it waits for and at every queue; if there is
//!   something it retracts, else it parks.
//! - A thread that makes work: (p1) sees to it that `Team::tasked` is set, and pushes the task, (p2) SeqCst fence,
//!   (p3) reads `sleeping`; if it is not zero it wakes one thread. A release of a barrier does the same and wakes all.
//!
//! Why no wake-up is lost: the two fences are totally ordered. If (p2) comes first, the sleeper's
//! (s4) sees that there are tasks, and the push, and it does not park. If (s3) comes first, the producer's (p3) sees the
//! sleeper, and its announcement: it wakes that one or another. A woken thread that finds more work than it takes
//! wakes the next (`pass_on`), so a burst wakes as many as it can feed, and one task wakes one thread.
//!
//! A thread that moves tasks (a thief with its loot, a thread that puts back what it may not run) takes them out of every
//! queue for a moment, and a sleeper's (s4) may fall into it. So a move ends like a push, with (p2) and (p3): a thief
//! tells of what is in its own queue then, and threads with a free choice of what it left in the other.
//!
//! A thread that waits inside a tied task may run that task's descendants alone. It says which task that is, and is woken for one
//! of those, if no thread with a free choice sleeps. It is woken for certain when its own children are finished
//! (`task::children`), and tasks it could run in a member's queue have another thread to run them: that
//! member. If that one falls asleep, too, it wakes all that may run one of its tasks (`help`, invariant 3). One thread with a free
//! choice or else all are woken by whoever fills a shared queue without being able to run the task (a thread from outside of the team that fulfills an event).
//!
//! A task that was dealt to a location (`crate::locality`) is in a shared queue that only the threads in
//! that location's vicinity take from, nearest first, and threads that wait for that very task. So it wakes one of
//! the former that has a free choice, or else all that have none, wherever they are. A thread with a free choice looks
//! in (s4) at the queues of its vicinity alone, one without at all of them.
//!
//! The open team (`open`) has workers that sleep elsewhere: in the pool. There `STAND_BY` in `sleeping` has every
//! producer go the way it goes for a sleeper, which ends in sending one of them.
//!
//! Invariant: `sleeping`, without that, is at least the number of parkers announced and not yet woken or retracted;
//! whoever ends an announcement (the waker that wins, or the owner that retracts) subtracts one.

use crate::park::{Appetite, Parker};
use crate::sync::{AtomicU32, Ordering, fence};
use crossbeam_utils::CachePadded;

/// A bit of `sleeping` beyond every count.
const STAND_BY: u32 = 1 << 31;

pub struct Idle {
    sleeping: CachePadded<AtomicU32>,
    /// Tells it from others: only threads that sleep with this one are woken (see `park`).
    number: u32,
}

impl Default for Idle {
    fn default() -> Idle {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        // Relaxed: a number, nothing is published with it.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Idle { sleeping: Default::default(), number }
    }
}

impl Idle {
    /// Sleeps on `parker` unless `look` finds something; true if it slept. `look` is called once, after
    /// the fence.
    pub fn sleep(&self, parker: &Parker, appetite: Appetite, look: impl FnOnce() -> bool) -> bool {
        parker.announce(self.number, appetite);
        // Relaxed, like the load in `anyone`: ordered by the two fences.
        self.sleeping.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !look() {
            parker.park();
            return true;
        }
        if parker.retract() {
            // Relaxed: as above.
            self.sleeping.fetch_sub(1, Ordering::Relaxed);
        }
        false
    }

    /// Whether somebody sleeps, for a thread that has just made work visible.
    #[inline(always)]
    pub fn anyone(&self) -> bool {
        fence(Ordering::SeqCst);
        self.sleeping.load(Ordering::Relaxed) != 0
    }

    /// From now on producers take it that somebody sleeps.
    pub fn stand_by(&self) {
        self.sleeping.fetch_or(STAND_BY, Ordering::Relaxed);
    }

    /// Like `anyone`, without those that stand by.
    pub fn anyone_asleep(&self) -> bool {
        fence(Ordering::SeqCst);
        self.sleeping.load(Ordering::Relaxed) & !STAND_BY != 0
    }

    /// How many sleep. Out of date when it is read.
    pub fn count(&self) -> u32 {
        self.sleeping.load(Ordering::Relaxed) & !STAND_BY
    }

    /// Wakes one of these that wait inside tied tasks. True if there was one.
    #[cold]
    pub fn wake_bound<'a>(&self, mut parkers: impl Iterator<Item = &'a Parker>) -> bool {
        let woken = parkers.any(|parker| parker.wake_if(self.number, Appetite::Bound));
        if woken {
            self.woke(1);
        }
        woken
    }

    /// Wakes one that may run anything. True if there was one.
    #[cold]
    pub fn wake_free<'a>(&self, mut parkers: impl Iterator<Item = &'a Parker>) -> bool {
        let woken = parkers.any(|parker| parker.wake_if(self.number, Appetite::Any));
        if woken {
            self.woke(1);
        }
        woken
    }

    /// Wakes one that may run anything, or else every sleeper. True if it was one that may run anything.
    #[cold]
    pub fn wake_free_or_all<'a>(&self, parkers: impl Iterator<Item = &'a Parker> + Clone) -> bool {
        let woken = self.wake_free(parkers.clone());
        if !woken {
            self.wake_all(parkers);
        }
        woken
    }

    /// Wakes one of `free` that may run anything, or else all of `bound` that wait for certain tasks. True in the
    /// first case.
    #[cold]
    pub fn wake_free_or_bound<'a, 'b>(
        &self,
        mut free: impl Iterator<Item = &'a Parker>,
        bound: impl Iterator<Item = &'b Parker>,
    ) -> bool {
        let found = free.any(|parker| parker.wake_if(self.number, Appetite::Any));
        self.woke(match found {
            true => 1,
            false => bound.filter(|it| it.wake_if(self.number, Appetite::Bound)).count() as u32,
        });
        found
    }

    /// Wakes every sleeper.
    #[cold]
    pub fn wake_all<'a>(&self, parkers: impl Iterator<Item = &'a Parker>) {
        self.woke(parkers.filter(|parker| parker.wake(self.number)).count() as u32);
    }

    /// Wakes this one, if it sleeps, after what it waits for was made visible.
    pub fn wake(&self, parker: &Parker) {
        fence(Ordering::SeqCst);
        if parker.wake(self.number) {
            self.woke(1);
        }
    }

    /// Keeps this one asleep, if it sleeps here for any task, until `Parker::resume`.
    pub fn capture(&self, parker: &Parker) -> bool {
        let captured = parker.capture(self.number);
        if captured {
            self.woke(1);
        }
        captured
    }

    fn woke(&self, count: u32) {
        self.sleeping.fetch_sub(count, Ordering::Relaxed);
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// A task pushed while the other thread falls asleep is found by it: no schedule leaves the sleeper
    /// parked with the task in the queue (loom reports a deadlock if one does).
    #[test]
    fn a_push_is_never_slept_through() {
        loom::model(|| {
            let shared = Arc::new((Idle::default(), Parker::default(), AtomicUsize::new(0)));
            let producer = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.2.store(1, Ordering::Relaxed);
                    if shared.0.anyone() {
                        _ = shared.0.wake_free(std::iter::once(&shared.1));
                    }
                })
            };
            while shared.2.load(Ordering::Relaxed) == 0 {
                let queue = || shared.2.load(Ordering::Relaxed) != 0;
                shared.0.sleep(&shared.1, Appetite::Any, queue);
            }
            producer.join().unwrap();
            assert_eq!(shared.0.sleeping.load(Ordering::Relaxed), 0);
        });
    }

    /// A thread that waits inside a task has a task in its queue that it may not run, tells everybody and falls asleep
    /// (`help`), while the one that may run it, and so end the wait, falls asleep too.
    #[test]
    fn a_task_in_a_sleepers_queue_is_never_slept_through() {
        #[derive(Default)]
        struct Shared {
            idle: Idle,
            parkers: [Parker; 2],
            queued: AtomicUsize,
            done: AtomicUsize,
        }
        loom::model(|| {
            let shared = Arc::new(Shared::default());
            let runner = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let queued = || shared.queued.load(Ordering::Relaxed) != 0;
                    while !queued() {
                        shared.idle.sleep(&shared.parkers[1], Appetite::Bound, queued);
                    }
                    shared.done.store(1, Ordering::Relaxed);
                    shared.idle.wake(&shared.parkers[0]);
                })
            };
            shared.queued.store(1, Ordering::Relaxed);
            if shared.idle.anyone() {
                _ = shared.idle.wake_free_or_all(shared.parkers.iter());
            }
            let done = || shared.done.load(Ordering::Relaxed) != 0;
            while !done() {
                shared.idle.sleep(&shared.parkers[0], Appetite::Bound, done);
            }
            runner.join().unwrap();
            assert_eq!(shared.idle.sleeping.load(Ordering::Relaxed), 0);
        });
    }

    /// A thread that may not run a task takes it out of its queue, sees that, and puts it back (`find::put_back`): no schedule
    /// leaves one that may run it parked because its last look came between.
    #[test]
    fn a_task_put_back_is_never_slept_through() {
        loom::model(|| {
            let shared = Arc::new((Idle::default(), Parker::default(), AtomicUsize::new(1)));
            let take = |queue: &AtomicUsize| {
                queue.compare_exchange(1, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
            };
            let bound = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    if take(&shared.2) {
                        shared.2.store(1, Ordering::Release);
                        if shared.0.anyone() {
                            _ = shared.0.wake_free(std::iter::once(&shared.1));
                        }
                    }
                })
            };
            while !take(&shared.2) {
                let queued = || shared.2.load(Ordering::Relaxed) != 0;
                shared.0.sleep(&shared.1, Appetite::Any, queued);
            }
            bound.join().unwrap();
            assert_eq!(shared.0.sleeping.load(Ordering::Relaxed), 0);
        });
    }

    /// A thief takes two tasks out of a queue, and for a moment they are in none; one of them it puts into its own queue and
    /// announces (`find::steal`), the other keeps it busy. No schedule leaves a thread that looked in between parked beside
    /// that one.
    #[test]
    fn loot_is_never_slept_through() {
        loom::model(|| {
            let queues = [AtomicUsize::new(2), AtomicUsize::new(0)];
            let shared = Arc::new((Idle::default(), Parker::default(), queues));
            let thief = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let loot = shared.2[0].swap(0, Ordering::AcqRel);
                    if loot == 2 {
                        shared.2[1].store(1, Ordering::Release);
                        if shared.0.anyone() {
                            _ = shared.0.wake_free(std::iter::once(&shared.1));
                        }
                    }
                    loot
                })
            };
            let take = |queue: &AtomicUsize| {
                let queued = queue.load(Ordering::Relaxed);
                let (order, relaxed) = (Ordering::AcqRel, Ordering::Relaxed);
                queued > 0 && queue.compare_exchange(queued, queued - 1, order, relaxed).is_ok()
            };
            while !shared.2.iter().any(take) {
                let queued = || shared.2.iter().any(|queue| queue.load(Ordering::Relaxed) != 0);
                shared.0.sleep(&shared.1, Appetite::Any, queued);
            }
            assert!(thief.join().unwrap() > 0);
            assert_eq!(shared.0.sleeping.load(Ordering::Relaxed), 0);
        });
    }

    /// A thread captured during its last look stays until it is resumed, and is counted out once.
    #[test]
    fn a_capture_during_the_last_look_holds() {
        loom::model(|| {
            let shared = Arc::new((Idle::default(), Parker::default(), AtomicUsize::new(0)));
            let captor = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    if shared.0.capture(&shared.1) {
                        shared.2.store(1, Ordering::Relaxed);
                        shared.1.resume();
                        return true;
                    }
                    false
                })
            };
            shared.0.sleep(&shared.1, Appetite::Any, || true);
            // Before or after: a captor that comes later finds nobody.
            let resumed = shared.2.load(Ordering::Relaxed) == 1;
            assert_eq!(captor.join().unwrap(), resumed);
            assert_eq!(shared.0.sleeping.load(Ordering::Relaxed), 0);
        });
    }
}
