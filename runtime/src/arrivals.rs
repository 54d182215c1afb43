//! `Groups`: counts threads so that exactly one is told that it is the last, and few write the same cache line.
//!
//! Terms are those of `policy::tree`, which says who arrives where. The caller has the root.
//!
//! Invariant: counters are zero before the first of a round arrives. The last at a counter resets it before it arrives at the
//! next. What threads did before they arrived happens before what the last one does then: arrivals are AcqRel on each
//! counter.

use crate::effort;
use crate::sync::{AtomicU32, Ordering};
use crossbeam_utils::CachePadded;
use vicinity_policy::tree::{self, ARRIVALS};

/// The counters below the root, by level.
pub struct Groups(Box<[Box<[CachePadded<AtomicU32>]>]>);

impl Groups {
    /// For up to `capacity` threads.
    pub fn new(capacity: u32) -> Groups {
        let above = |&count: &u32| (count > ARRIVALS).then(|| count.div_ceil(ARRIVALS));
        let counts = std::iter::successors(above(&capacity), above);
        let counters = |count| (0..count).map(|_| CachePadded::new(AtomicU32::new(0))).collect();
        Groups(counts.map(counters).collect())
    }

    /// Counts the thread numbered `num` among `size`. True for the last one.
    #[inline]
    pub fn arrive(&self, root: &AtomicU32, num: u32, size: u32) -> bool {
        if size <= ARRIVALS { count(root, size) } else { self.climb(root, num, size) }
    }

    fn climb(&self, root: &AtomicU32, mut num: u32, mut size: u32) -> bool {
        for level in &self.0 {
            if size <= ARRIVALS {
                break;
            }
            let here = tree::counter(num, size);
            if !count(&level[here.number as usize], here.expected) {
                return false;
            }
            (num, size) = (here.number, here.level);
        }
        count(root, size)
    }

    /// Forgets arrivals of a round that some did not come to. Nobody arrives meanwhile.
    pub fn reset(&self, root: &AtomicU32) {
        let counters = self.0.iter().flatten().map(|counter| &**counter);
        // Relaxed: whoever arrives next learns of this by other means.
        counters.chain([root]).for_each(|counter| counter.store(0, Ordering::Relaxed));
    }
}

/// Adds one to a counter; the last of `expected` resets it and gets true.
fn count(counter: &AtomicU32, expected: u32) -> bool {
    effort::writes(counter);
    // AcqRel: pairs with itself; the last sees what all others did before.
    let last = counter.fetch_add(1, Ordering::AcqRel) + 1 == expected;
    if last {
        // Relaxed: published with what the last one does then.
        counter.store(0, Ordering::Relaxed);
    }
    last
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_any_size_is_told() {
        for size in [1, 2, 8, 9, 16, 17, 64, 65, 100, 512, 513, 5000] {
            let (groups, root) = (Groups::new(size), AtomicU32::new(0));
            let arrive = |&num: &u32| groups.arrive(&root, num, size);
            for _ in 0..2 {
                assert_eq!((0..size).filter(arrive).collect::<Vec<_>>(), [size - 1]);
                assert_eq!((0..size).rev().filter(arrive).collect::<Vec<_>>(), [0]);
            }
            assert!((0..size / 2).all(|num| !arrive(&num)));
            groups.reset(&root);
            assert_eq!((0..size).filter(arrive).collect::<Vec<_>>(), [size - 1]);
        }
    }

    #[test]
    fn fewer_may_come_than_there_is_room_for() {
        let (groups, root) = (Groups::new(256), AtomicU32::new(0));
        for size in [256, 3, 100, 9, 70, 8] {
            let last = (0..size).filter(|&num| groups.arrive(&root, num, size));
            assert_eq!(last.collect::<Vec<_>>(), [size - 1]);
        }
    }
}
