//! `Barrier`: counts arrivals and releases everybody at once.
//!
//! Terms: an *epoch* is the number of releases so far, and one bit that the last of them left to all.
//!
//! Protocol: read `epoch`, then `arrive`; whoever gets `true` was last and calls `release` when it wants
//! the others to go on; the others wait until `epoch` differs from what they read.
//!
//! Invariant: what threads did before `arrive` happens before what any thread does after it saw the new epoch: the last to
//! arrive sees what the others did (`crate::arrivals`), and `release` (Release) pairs with `epoch` (Acquire).

use crate::arrivals::Groups;
use crate::sync::{AtomicU32, Ordering};
use crossbeam_utils::CachePadded;

/// The bit of an epoch.
const SAID: u32 = 1;

pub struct Barrier {
    groups: Groups,
    root: CachePadded<AtomicU32>,
    epoch: CachePadded<AtomicU32>,
}

impl Barrier {
    /// A barrier for up to `capacity` threads.
    pub fn new(capacity: u32) -> Barrier {
        Barrier {
            groups: Groups::new(capacity),
            root: CachePadded::new(AtomicU32::new(0)),
            epoch: CachePadded::new(AtomicU32::new(0)),
        }
    }

    #[inline(always)]
    pub fn epoch(&self) -> u32 {
        // Acquire: pairs with the Release in `release`.
        self.epoch.load(Ordering::Acquire)
    }

    /// Counts the thread numbered `num` among `size`. True for the last one.
    #[inline]
    pub fn arrive(&self, num: u32, size: u32) -> bool {
        self.groups.arrive(&self.root, num, size)
    }

    /// Lets everybody go on.
    #[inline]
    pub fn release(&self) {
        self.release_saying(false);
    }

    /// Lets everybody go on and leaves them a bit, which is there until the next release.
    #[inline]
    pub fn release_saying(&self, bit: bool) {
        let next = (self.epoch.load(Ordering::Relaxed) | SAID).wrapping_add(1);
        // Release: pairs with the Acquire in `epoch`.
        self.epoch.store(next | u32::from(bit), Ordering::Release);
    }

    /// What the last release left; false before the first.
    #[inline]
    pub fn said(&self) -> bool {
        self.epoch() & SAID != 0
    }

    /// Forgets arrivals that a cancelled region left behind. No thread is at the barrier.
    pub fn reset(&self) {
        self.groups.reset(&self.root);
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    fn meet(me: usize, barrier: &Barrier) {
        let seen = barrier.epoch();
        if barrier.arrive(me as u32, 2) {
            barrier.release();
        } else {
            while barrier.epoch() == seen {
                loom::thread::yield_now();
            }
        }
    }

    /// What one thread wrote before the barrier, the other sees after it, twice in a row. The second
    /// barrier of a round keeps the next round's write from coming before the look.
    #[test]
    fn writes_before_are_seen_after() {
        loom::model(|| {
            let shared = Arc::new((Barrier::new(2), [AtomicUsize::new(0), AtomicUsize::new(0)]));
            let body = |me: usize, shared: &(Barrier, [AtomicUsize; 2])| {
                for round in 1..=2 {
                    shared.1[me].store(round, Ordering::Relaxed);
                    meet(me, &shared.0);
                    assert_eq!(shared.1[1 - me].load(Ordering::Relaxed), round);
                    meet(me, &shared.0);
                }
            };
            let other = shared.clone();
            let thread = loom::thread::spawn(move || body(1, &other));
            body(0, &shared);
            thread.join().unwrap();
        });
    }

    /// Who has not seen yet that it is released, and learns of tasks of the next region, sees the release.
    #[test]
    fn no_straggler_takes_a_task_of_the_next_region() {
        loom::model(|| {
            let shared = Arc::new((Barrier::new(2), AtomicU32::new(0)));
            let straggler = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let (barrier, tasked) = &*shared;
                    let seen = barrier.epoch();
                    if barrier.arrive(1, 2) {
                        barrier.release_saying(false);
                    } else if tasked.load(Ordering::Acquire) != 0 {
                        // As `Team::is_tasked`, and then the goal.
                        assert_ne!(barrier.epoch(), seen);
                    }
                })
            };
            let (barrier, tasked) = &*shared;
            let seen = barrier.epoch();
            if barrier.arrive(0, 2) {
                barrier.release_saying(false);
            }
            while barrier.epoch() == seen {
                loom::thread::yield_now();
            }
            // As `Team::set_tasked`, in the next region.
            tasked.store(1, Ordering::Release);
            straggler.join().unwrap();
        });
    }
}
