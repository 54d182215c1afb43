//! How many work-groups a block has, from what work-items of the kernel have cost so far.
//!
//! Handing a block to a worker costs some 0.3 microseconds, and the end of the launch comes about one later if another worker has
//! the last of it. So a launch of two blocks of four microseconds takes five in place of eight; a shorter one is one block. Where each
//! worker has a block, more should take eight, and where it has a few, thirty: they only serve that nobody waits long for the last.
//!
//! A launch of no more groups than workers, of which nothing is known, has a block for each: programs that let all groups of a
//! launch wait for each other ask for as many as there are compute units. OpenCL does not promise that they make progress, but
//! GPUs and other drivers let them.
//!
//! Units: nanoseconds.

use std::sync::atomic::{AtomicU32, Ordering};

/// Of the shortest launches, which have one for each worker at most.
const SHORTEST_BLOCK_NS: f64 = 4_000.0;
/// Of short launches, which have `SHORT_BLOCKS_FOR_EACH` worker at most.
const SHORT_BLOCK_NS: f64 = 8_000.0;
const SHORT_BLOCKS_FOR_EACH: usize = 2;
/// Of long ones, which have `BLOCKS_FOR_EACH` worker at most.
const BLOCK_NS: f64 = 30_000.0;
const BLOCKS_FOR_EACH: usize = 16;
/// The same, where nothing is known; less than so many items are one block then.
const UNKNOWN_BLOCKS_FOR_EACH: usize = 8;
const UNKNOWN_ITEMS: usize = 1024;
/// What a call costs by itself: not counted.
const CALL_NS: u64 = 40;
/// A block counts for no more than so many times as long as those before: the mean triples in two blocks, if need be.
const MOST_TIMES: f32 = 4.0;

/// What a work-item of a kernel costs: a mean in which the last blocks count most. Relaxed: an estimate, in
/// which a lost update does not matter.
#[derive(Default)]
pub struct Cost {
    /// An `f32`; 0 before the first block.
    item_ns: AtomicU32,
}

impl Cost {
    /// A block of `items` took `ns`.
    pub fn note(&self, items: usize, ns: u64) {
        let measured = (ns.saturating_sub(CALL_NS) as f32 / items.max(1) as f32).max(1e-6);
        let mean = match self.item_ns() {
            None => measured,
            // What took far longer was interrupted, more often than not.
            Some(mean) => mean + (measured.min(mean * MOST_TIMES) - mean) / 4.0,
        };
        self.item_ns.store(mean.to_bits(), Ordering::Relaxed);
    }

    pub fn item_ns(&self) -> Option<f32> {
        let mean = f32::from_bits(self.item_ns.load(Ordering::Relaxed));
        (mean > 0.0).then_some(mean)
    }
}

/// Work-groups of a block, of `groups` with `items` each.
pub fn grain(groups: usize, items: usize, item_ns: Option<f32>, workers: usize) -> usize {
    let all = groups.saturating_mul(items);
    let blocks = match item_ns {
        None if groups <= workers => groups,
        None if all < UNKNOWN_ITEMS => 1,
        None => workers * UNKNOWN_BLOCKS_FOR_EACH,
        Some(ns) => {
            let launch_ns = f64::from(ns) * all as f64;
            let blocks =
                |block_ns, for_each| ((launch_ns / block_ns) as usize).min(workers * for_each);
            let shortest = blocks(SHORTEST_BLOCK_NS, 1);
            let short = blocks(SHORT_BLOCK_NS, SHORT_BLOCKS_FOR_EACH).max(shortest);
            // One worker alone gains nothing by them.
            let short = if workers > 1 { short } else { 1 };
            blocks(BLOCK_NS, BLOCKS_FOR_EACH).max(short)
        }
    };
    groups.div_ceil(blocks.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_follows_what_was_measured() {
        let cost = Cost::default();
        assert_eq!(cost.item_ns(), None);
        cost.note(100, 1040);
        assert_eq!(cost.item_ns(), Some(10.0));
        (0..40).for_each(|_| cost.note(10, 240));
        assert!(cost.item_ns().is_some_and(|ns| (19.9..20.1).contains(&ns)));
        let none = Cost::default();
        none.note(0, 0);
        assert!(none.item_ns().is_some());
    }

    #[test]
    fn blocks_of_long_launches_take_thirty_microseconds_or_more_and_are_not_many() {
        // 3 ns a group: a million are a hundred blocks, or what two workers need.
        assert_eq!(grain(1_000_000, 1, Some(3.0), 2), 31_250);
        assert_eq!(grain(1_000_000, 1, Some(3.0), 33), 10_000);
        assert_eq!(grain(100, 256, Some(1000.0), 2), 4);
        assert_eq!(grain(100, 4, None, 2), 100);
        assert_eq!(grain(160, 256, None, 2), 10);
        assert_eq!(grain(1, 1, None, 0), 1);
        assert_eq!(grain(2, 64, None, 2), 1, "groups that may wait for each other");
    }

    /// Groups of a microsecond: how many blocks a launch of so many of them is.
    fn blocks(groups: usize, workers: usize) -> usize {
        groups.div_ceil(grain(groups, 16, Some(1000.0 / 16.0), workers))
    }

    #[test]
    fn a_launch_of_eight_microseconds_is_for_two() {
        assert_eq!(
            [1, 7, 8, 16, 24, 32, 60].map(|groups| blocks(groups, 2)),
            [1, 1, 2, 2, 3, 4, 4]
        );
        assert_eq!([16, 64, 256].map(|groups| blocks(groups, 64)), [4, 16, 64]);
    }

    #[test]
    fn short_launches_are_not_cut_for_one_worker() {
        assert_eq!([1, 15, 16, 24, 59, 60].map(|groups| blocks(groups, 1)), [1, 1, 1, 1, 1, 2]);
    }

    #[test]
    fn nobody_has_more_than_sixteen_blocks() {
        for workers in [1, 2, 64] {
            let most = (1..10_000).map(|groups| blocks(groups, workers)).max();
            assert!(most <= Some(workers * BLOCKS_FOR_EACH), "{workers}");
        }
    }
}
