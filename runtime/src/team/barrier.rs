//! `Barrier`: counts arrivals and releases everybody at once.
//!
//! Terms: an *epoch* is the number of releases so far. Threads arrive in groups of `GROUP`, each group on
//! its own cache line; the last of a group arrives at the root, so no line is written by more than
//! `GROUP` threads (a two-level combining tree; Mellor-Crummey and Scott 1991 describe the family).
//!
//! Protocol: read `epoch`, then `arrive`; whoever gets `true` was last and calls `release` when it wants
//! the others to go on; the others wait until `epoch` differs from what they read.
//!
//! Invariants: 1. Counts are zero whenever an epoch begins: the last of a group resets it before
//! it arrives at the root, the last of all resets the root before `release`. 2. What threads did before
//! `arrive` happens before what any thread does after it saw the new epoch: arrivals are AcqRel
//! on each counter, and `release` (Release) pairs with `epoch` (Acquire).

use crate::sync::{AtomicU32, Ordering};
use crossbeam_utils::CachePadded;

const GROUP: u32 = 8;

pub struct Barrier {
    groups: Box<[CachePadded<AtomicU32>]>,
    root: CachePadded<AtomicU32>,
    epoch: CachePadded<AtomicU32>,
}

impl Barrier {
    /// A barrier for up to `capacity` threads.
    pub fn new(capacity: u32) -> Barrier {
        let groups = if capacity > GROUP { capacity.div_ceil(GROUP) } else { 0 };
        Barrier {
            groups: (0..groups).map(|_| CachePadded::new(AtomicU32::new(0))).collect(),
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
        if size <= GROUP {
            return count(&self.root, size);
        }
        let group = num / GROUP;
        let in_group = GROUP.min(size - group * GROUP);
        count(&self.groups[group as usize], in_group) && count(&self.root, size.div_ceil(GROUP))
    }

    /// Lets everybody go on.
    #[inline]
    pub fn release(&self) {
        let next = self.epoch.load(Ordering::Relaxed).wrapping_add(1);
        // Release: pairs with the Acquire in `epoch`.
        self.epoch.store(next, Ordering::Release);
    }

    /// Forgets arrivals that a cancelled region left behind. No thread is at the barrier.
    pub fn reset(&self) {
        self.groups.iter().for_each(|group| group.store(0, Ordering::Relaxed));
        self.root.store(0, Ordering::Relaxed);
    }
}

/// Adds one to a counter; the last of `expected` resets it and gets true.
fn count(counter: &AtomicU32, expected: u32) -> bool {
    // AcqRel: the last arrival sees what all others did before theirs (invariant 2).
    let last = counter.fetch_add(1, Ordering::AcqRel) + 1 == expected;
    if last {
        counter.store(0, Ordering::Relaxed);
    }
    last
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_any_size_is_told() {
        for size in [1, 2, 8, 9, 16, 17, 100] {
            let barrier = Barrier::new(size);
            for _ in 0..3 {
                let last: Vec<_> = (0..size).filter(|&num| barrier.arrive(num, size)).collect();
                assert_eq!(last, [size - 1]);
                barrier.release();
            }
        }
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
}
