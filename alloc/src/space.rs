//! Memory spaces: the predefined ones, and those that a program makes of some of their resources.
//!
//! Terms: a *resource* of a memory space is a location, by its number; a *part* is a space of some locations.
//!
//! Parts live as long as the process: programs have no routine to destroy them, and asking for the same one again gives
//! the same handle. There is room for 1024 of them. clang's header numbers the default space 99 from LLVM 20 on, where 0 is no space; gcc's and earlier ones
//! number it 0. Spaces for devices mean default memory, as there are none.
//!
//! Sources: OpenMP 5.2, table 6.3; 6.0, sections 8.1 and 27.1 to 27.4.

use crate::topology;
use std::sync::OnceLock;
use vicinity_policy::topology::LocationId;

/// An `omp_memspace_handle_t` that exists here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Default,
    LargeCapacity,
    Constant,
    HighBandwidth,
    LowLatency,
    /// Some of the locations.
    Part(&'static [LocationId]),
}

/// `omp_null_mem_space`, where a header has it.
pub const NULL: usize = 0;
/// `omp_default_mem_space` of clang's later headers.
const DEFAULT: usize = 99;
/// clang's spaces for devices.
const FOR_DEVICES: std::ops::RangeInclusive<usize> = 100..=102;
/// Handles of parts begin here.
const FIRST_PART: usize = 1 << 16;

/// Each is set once, the first that is free by whoever needs it: no lock that a fork could leave locked.
static PARTS: [OnceLock<Vec<LocationId>>; MOST_PARTS] = [const { OnceLock::new() }; MOST_PARTS];
const MOST_PARTS: usize = 1024;

impl Space {
    pub fn from_handle(handle: usize) -> Option<Space> {
        use Space::{Constant, Default, HighBandwidth, LargeCapacity, LowLatency};
        if handle == DEFAULT || FOR_DEVICES.contains(&handle) {
            return Some(Default);
        }
        let predefined = [Default, LargeCapacity, Constant, HighBandwidth, LowLatency];
        predefined.get(handle).copied().or_else(|| {
            let part = PARTS.get(handle.checked_sub(FIRST_PART)?)?;
            part.get().map(|locations| Space::Part(locations))
        })
    }

    /// Its locations, by their numbers.
    fn locations(self) -> Vec<LocationId> {
        match self {
            Space::Part(locations) => locations.to_vec(),
            _ => topology::machine().topology.locations().collect(),
        }
    }
}

/// How many resources a space has; 0 for what is none.
pub fn resources(handle: usize) -> usize {
    Space::from_handle(handle).map_or(0, |space| space.locations().len())
}

/// The space of these resources of another one, which count from 0: [`NULL`] if one does not exist or none is named, the
/// space itself if all are.
pub fn part(handle: usize, resources: &[i32]) -> usize {
    let Some(space) = Space::from_handle(handle) else { return NULL };
    let all = space.locations();
    let chosen = resources.iter().map(|&at| all.get(usize::try_from(at).ok()?).copied());
    let Some(mut chosen) = chosen.collect::<Option<Vec<LocationId>>>() else { return NULL };
    chosen.sort_unstable();
    chosen.dedup();
    match chosen.len() {
        0 => NULL,
        count if count == all.len() => handle,
        _ => remember(chosen).map_or(NULL, |at| FIRST_PART + at),
    }
}

/// The position of a part in the list; it is added where nobody asked for it before. `None` if the list is full.
fn remember(locations: Vec<LocationId>) -> Option<usize> {
    PARTS.iter().position(|part| *part.get_or_init(|| locations.clone()) == locations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predefined_spaces_have_old_and_new_numbers() {
        assert_eq!(Space::from_handle(0), Some(Space::Default));
        assert_eq!(Space::from_handle(99), Some(Space::Default));
        assert_eq!(Space::from_handle(4), Some(Space::LowLatency));
        assert_eq!(Space::from_handle(101), Some(Space::Default));
        assert_eq!(Space::from_handle(5), None);
        assert_eq!(Space::from_handle(FIRST_PART + 1000), None);
    }

    #[test]
    fn parts_are_made_once() {
        let two = FIRST_PART + remember(vec![LocationId(1), LocationId(3)]).unwrap();
        assert_eq!(FIRST_PART + remember(vec![LocationId(1), LocationId(3)]).unwrap(), two);
        assert_eq!(resources(two), 2);
        assert_eq!(part(two, &[1, 0, 1]), two);
        let second = part(two, &[1]);
        assert_eq!(Space::from_handle(second), Some(Space::Part(&[LocationId(3)])));
        assert_eq!((part(two, &[]), part(two, &[-1]), part(two, &[2])), (NULL, NULL, NULL));
        assert_eq!((part(77, &[0]), resources(77)), (NULL, 0));
        let all: Vec<i32> = (0..resources(99) as i32).collect();
        assert_eq!(part(99, &all), 99);
    }
}
