//! Size classes: the sizes of slots that small blocks are packed into.
//!
//! Terms: a *slot* holds one block; a *span* is a run of granules cut into slots of one class. Classes go
//! up by 16 bytes to 64, then in four steps a doubling, so that a slot is at most a quarter larger than its
//! block.
//!
//! Units: bytes; granules are those of [`super::word::GRANULE`].

use super::word::GRANULE;

/// Number of classes.
pub const COUNT: usize = 40;
/// The largest block that has a slot; larger ones have granules of their own.
pub const LARGEST: usize = 32 << 10;
/// The largest alignment that slots can have.
const ALIGNMENT: usize = 4096;
/// A span has room for this many slots at least.
const LEAST_SLOTS: usize = 8;

/// A size class, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class(pub u8);

impl Class {
    /// The class for a block of that size and alignment; `None` if it needs granules of its own.
    pub fn for_block(size: usize, alignment: usize) -> Option<Class> {
        if size > LARGEST || alignment > ALIGNMENT {
            return None;
        }
        let fits = |class: &Class| class.slot_bytes().is_multiple_of(alignment);
        (smallest(size)..COUNT as u8).map(Class).find(fits)
    }

    #[inline]
    pub fn slot_bytes(self) -> usize {
        let class = usize::from(self.0);
        if class < 4 {
            return (class + 1) * 16;
        }
        (class % 4 + 5) << (class / 4 + 3)
    }

    /// Granules of a span of this class.
    pub fn granules(self) -> usize {
        (self.slot_bytes() * LEAST_SLOTS).div_ceil(GRANULE)
    }

    /// Slots of a span of this class.
    pub fn slots(self) -> usize {
        self.granules() * GRANULE / self.slot_bytes()
    }
}

/// The smallest class whose slots hold `size` bytes.
fn smallest(size: usize) -> u8 {
    if size <= 64 {
        return (size.max(1).div_ceil(16) - 1) as u8;
    }
    let below = size - 1;
    let log = below.ilog2();
    let step = (below >> (log - 2)) & 3;
    (4 * (log - 5)) as u8 + step as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_hold_their_blocks_and_little_more() {
        for size in 1..=LARGEST {
            let class = Class::for_block(size, 1).unwrap();
            let slot = class.slot_bytes();
            assert!(slot >= size, "{size} in {slot}");
            assert!(slot <= 64 || slot * 4 <= size * 5 + 3, "{size} in {slot}");
            assert!(class.0 == 0 || Class(class.0 - 1).slot_bytes() < size);
        }
        assert_eq!(Class::for_block(LARGEST, 1), Some(Class(COUNT as u8 - 1)));
        assert_eq!(Class::for_block(LARGEST + 1, 1), None);
    }

    #[test]
    fn slots_are_aligned() {
        for shift in 0..=12 {
            for size in [1, 100, 1000, 3000, 20_000] {
                let class = Class::for_block(size, 1 << shift).unwrap();
                assert!(class.slot_bytes() >= size);
                assert!(class.slot_bytes().is_multiple_of(1 << shift));
            }
        }
        assert_eq!(Class::for_block(1, 8192), None);
    }

    #[test]
    fn spans_have_room() {
        for class in (0..COUNT as u8).map(Class) {
            assert!(class.slots() >= LEAST_SLOTS && class.granules() <= 4);
        }
    }
}
