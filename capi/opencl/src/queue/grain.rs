//! How many work-groups a block has, from what work-items of the kernel have cost so far.
//!
//! Handing a block to a worker costs some 0.3 microseconds, so a block should take thirty: one per cent. A
//! launch that is shorter is one block. A long one is cut into a few blocks for each worker, so that nobody waits
//! long for the last; more would not help.
//!
//! Units: nanoseconds.

use std::sync::atomic::{AtomicU32, Ordering};

const BLOCK_NS: f64 = 30_000.0;
const BLOCKS_FOR_EACH: usize = 16;
/// The same, where nothing is known; less than so many items are one block then.
const UNKNOWN_BLOCKS_FOR_EACH: usize = 8;
const UNKNOWN_ITEMS: usize = 1024;
/// What a call costs by itself: not counted.
const CALL_NS: u64 = 40;

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
            Some(mean) => mean + (measured - mean) / 4.0,
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
        None if all < UNKNOWN_ITEMS => 1,
        None => workers * UNKNOWN_BLOCKS_FOR_EACH,
        Some(ns) => {
            let blocks = (f64::from(ns) * all as f64 / BLOCK_NS) as usize;
            blocks.min(workers * BLOCKS_FOR_EACH)
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
    fn blocks_take_thirty_microseconds_or_more_and_are_not_many() {
        // 3 ns a group: 10000 groups are one block, a million are a hundred blocks, or what two workers need.
        assert_eq!(grain(10_000, 1, Some(3.0), 2), 10_000);
        assert_eq!(grain(1_000_000, 1, Some(3.0), 2), 31_250);
        assert_eq!(grain(1_000_000, 1, Some(3.0), 64), 10_000);
        assert_eq!(grain(100, 256, Some(1000.0), 2), 4);
        assert_eq!(grain(100, 4, None, 2), 100);
        assert_eq!(grain(160, 256, None, 2), 10);
        assert_eq!(grain(1, 1, None, 0), 1);
    }
}
