//! Where a command runs, on a machine with several locations.
//!
//! Terms: a *part* is a contiguous run of a command's units that should run at one location; its *home* is the location
//! that has most of its data.
//!
//! A part goes home, if its home is known and one of the device's locations; otherwise the parts go over the device's
//! locations in order. Either way the same part of the same command goes where it went last time. Blocks are stolen
//! from there, nearest first.

use super::run::Division;
use crate::core::memory::Address;
use crate::os::runtime;

/// A range of units, and where it should run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub first: usize,
    pub count: usize,
    pub location: u16,
}

/// Parts for each location: fewer would leave it to chance where the borders of data are.
const PARTS_FOR_EACH: usize = 4;

/// The parts of a command, for a device with these of `all` locations; none if it may run anywhere. `home` gives the
/// home of the units from one to another.
pub fn parts(
    division: &Division,
    locations: &[u16],
    all: usize,
    home: impl Fn(usize, usize) -> Option<u16>,
) -> Vec<Part> {
    let places = locations.len();
    let Division { units, grain } = *division;
    if all < 2 || places == 0 {
        return Vec::new();
    }
    let home = |first, end| home(first, end).filter(|at| locations.contains(at));
    let blocks = units.div_ceil(grain);
    if blocks == 1 && places == all {
        let whole = |location| Part { first: 0, count: units, location };
        return home(0, units).map(whole).into_iter().collect();
    }
    let parts = if places == 1 { 1 } else { (places * PARTS_FOR_EACH).min(blocks) };
    let border = |part: usize| (part * blocks / parts * grain).min(units);
    let part = |index: usize| {
        let (first, end) = (border(index), border(index + 1));
        let spread = locations[index * places / parts];
        let location = if places == 1 { spread } else { home(first, end).unwrap_or(spread) };
        Part { first, count: end - first, location }
    };
    (0..parts).map(part).filter(|part| part.count > 0).collect()
}

/// Where most of some memory is, as far as it is known; none if it is spread evenly.
pub fn home_of(memory: impl IntoIterator<Item = (Address, usize)>) -> Option<u16> {
    let mut bytes = vec![0; runtime::locations()];
    for (address, length_bytes) in memory {
        runtime::locate(address.pointer(), length_bytes, &mut bytes);
    }
    most(&bytes)
}

/// The location with the most bytes, if it is more than half as much again as an even share.
fn most(bytes: &[usize]) -> Option<u16> {
    let all: usize = bytes.iter().sum();
    let most = (0..bytes.len()).max_by_key(|&at| (bytes[at], std::cmp::Reverse(at)))?;
    (bytes[most] * bytes.len() * 2 > all * 3).then_some(most as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(parts: &[Part]) -> Vec<(usize, u16)> {
        parts.iter().map(|part| (part.count, part.location)).collect()
    }

    #[test]
    fn parts_go_home_or_over_the_locations() {
        let division = Division { units: 100, grain: 10 };
        let nowhere = |_, _| None;
        assert_eq!(parts(&division, &[0], 1, nowhere), []);
        assert_eq!(places(&parts(&division, &[3], 4, nowhere)), [(100, 3)]);
        let spread = places(&parts(&division, &[1, 2], 4, nowhere));
        assert_eq!(spread.iter().map(|part| part.0).sum::<usize>(), 100);
        assert_eq!(spread.iter().map(|part| part.1).collect::<Vec<_>>(), [1, 1, 1, 1, 2, 2, 2, 2]);
        let home = |first, _| Some(if first < 50 { 2 } else { 0 });
        let homes = places(&parts(&division, &[1, 2], 4, home));
        assert!(homes[..4].iter().all(|part| part.1 == 2), "{homes:?}");
        assert!(homes[4..].iter().all(|part| part.1 == 2), "0 is not the device's: {homes:?}");
    }

    #[test]
    fn what_is_one_block_goes_home_or_anywhere() {
        let division = Division { units: 5, grain: 10 };
        assert_eq!(parts(&division, &[0, 1], 2, |_, _| None), []);
        assert_eq!(places(&parts(&division, &[0, 1], 2, |_, _| Some(1))), [(5, 1)]);
        assert_eq!(places(&parts(&division, &[1], 2, |_, _| Some(0))), [(5, 1)]);
    }

    #[test]
    fn even_memory_has_no_home() {
        assert_eq!(most(&[10, 10, 10, 10]), None);
        assert_eq!(most(&[14, 10, 8, 8]), None);
        assert_eq!(most(&[0, 30, 5, 5]), Some(1));
        assert_eq!((most(&[0, 0]), most(&[])), (None, None));
    }
}
