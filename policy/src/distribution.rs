//! Distribution: at which locations the units of an allocation are.
//!
//! Terms: a *unit* is what is placed: a page of whatever size backs the allocation.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 3; OpenMP 5.2, table 6.2 (`partition`).

use crate::topology::LocationId;
use std::ops::Range;

/// What a program or user asks for: the value of `OMP_DATA_DISTRIBUTION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// The operating system decides: the first to touch a page has it near.
    Standard,
    /// Units go round all locations.
    Fine,
    /// Whole allocations go round all locations.
    Coarse,
    /// Each allocation is in as many contiguous parts as there are locations.
    Blocked,
    /// As `standard` at first; then where those who use it are ([`crate::repair`]).
    Auto,
}

impl Distribution {
    /// Every accepted spelling.
    pub const WORDS: &[(&str, Distribution)] = &[
        ("standard", Distribution::Standard),
        ("fine", Distribution::Fine),
        ("coarse", Distribution::Coarse),
        ("blocked", Distribution::Blocked),
        ("auto", Distribution::Auto),
    ];

    /// Those that a sweep tries: the paper's.
    pub const SWEPT: [Distribution; 3] =
        [Distribution::Standard, Distribution::Fine, Distribution::Coarse];
}

/// Which locations `fine` and `coarse` go round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Around {
    /// Those with processors. Memory without any (high-bandwidth, CXL, a device's) is as far for all, and slower or
    /// scarcer than theirs: it is for those who ask for it.
    #[default]
    Processors,
    /// All that have memory.
    Memory,
}

impl Around {
    /// Every accepted spelling.
    pub const WORDS: &[(&str, Around)] =
        &[("processors", Around::Processors), ("memory", Around::Memory)];
}

/// Where unit number `unit` is among `count` locations, at least 1, if units are moved one by one: as many one after another as there
/// are locations go to one each, beginning at one by chance. That is even for units one after another, as round-robin is, and also for
/// those at a distance of 16 or 512 from each other. Linux moves what it has as one piece (a large folio, of a size that nobody can ask
/// for) to where its last page was asked to go: with round-robin over four locations all pieces of 16 pages would go to the last.
pub fn scattered(unit: u64, count: usize) -> usize {
    let (count, within) = (count as u64, unit % count as u64);
    ((within + mixed(unit / count) % count) % count) as usize
}

/// Numbers near each other become numbers anywhere (SplitMix64: Steele, Lea, Flood 2014).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

/// Where the units of one allocation are, chosen from a list of locations that have memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// All at the location with this number in the list.
    At(u16),
    /// One after the other, the first at this number in the list.
    RoundRobin { first: u16 },
    /// In as many contiguous blocks as there are locations, for `units` in all (`blocked`).
    Blocked { units: u64 },
}

impl Spread {
    /// Where unit number `unit` is. `allowed` is not empty.
    #[inline]
    pub fn location_of(self, unit: u64, allowed: &[LocationId]) -> LocationId {
        allowed[self.place_of(unit, allowed.len())]
    }

    /// Where unit number `unit` is in a list of `count` locations, at least 1.
    #[inline]
    pub fn place_of(self, unit: u64, count: usize) -> usize {
        let count = count as u64;
        let at = match self {
            Spread::At(at) => u64::from(at),
            Spread::RoundRobin { first } => u64::from(first) + unit,
            Spread::Blocked { units } => {
                let units = u128::from(units.max(1));
                (u128::from(unit) * u128::from(count) / units) as u64
            }
        };
        (at % count) as usize
    }
}

/// Which of `units` are at place `place` of `count` when they are [`Spread::Blocked`].
pub fn block(place: usize, count: usize, units: u64) -> Range<u64> {
    let first = |place: usize| {
        let all = place as u128 * u128::from(units.max(1));
        all.div_ceil(count as u128) as u64
    };
    first(place)..first(place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_spread() {
        let allowed = [LocationId(0), LocationId(2), LocationId(3)];
        let places = |spread: Spread| -> Vec<u16> {
            (0..7).map(|unit| spread.location_of(unit, &allowed).0).collect()
        };
        assert_eq!(places(Spread::At(1)), [2; 7]);
        assert_eq!(places(Spread::RoundRobin { first: 2 }), [3, 0, 2, 3, 0, 2, 3]);
        assert_eq!(places(Spread::Blocked { units: 7 }), [0, 0, 0, 2, 2, 3, 3]);
    }

    #[test]
    fn blocks_are_what_the_spread_says() {
        for (count, units) in [(3, 7), (4, 101), (4, 2), (1, 5), (7, u64::MAX / 2)] {
            let spread = Spread::Blocked { units };
            let mut next = 0;
            for place in 0..count {
                let block = block(place, count, units);
                assert_eq!(block.start, next);
                next = block.end;
                if !block.is_empty() {
                    assert_eq!(spread.place_of(block.start, count), place);
                    assert_eq!(spread.place_of(block.end - 1, count), place);
                }
            }
            assert_eq!(next, units);
        }
    }

    #[test]
    fn scattered_units_are_even_at_all_distances() {
        for count in 1..=9 {
            for distance in [1, 2, 16, 64, 512] {
                let mut at = vec![0; count];
                (0..2048).for_each(|piece| at[scattered((piece + 1) * distance - 1, count)] += 1);
                let even = 2048 / count;
                assert!(
                    at.iter().all(|&units| units > even * 3 / 4 && units < even * 5 / 4),
                    "{count}, {distance}: {at:?}"
                );
            }
        }
    }
}
