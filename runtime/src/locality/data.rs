//! Which memory a task uses, as far as its creator says.
//!
//! Terms: a *range* is an address and a length. An *object* is what a dependence means whose length the ABI does not
//! pass (libgomp's): its size is learned, for each function that tasks run, as the least distance between
//! neighbouring addresses that the function's tasks named; for an address inside one of our own
//! allocations, the allocation bounds it.
//!
//! What counts, in this order: the `affinity` clause, dependences marked access-intensive, all dependences.
//! Sources: OpenMP 5.2 sections 12.5.1 (affinity clause), 15.9.5 (depend clause); Muddukrishna, Jonsson, Brorsson
//! 2015, section 4.4 (access-intensive dependences). Units: bytes.

use crate::task::deps::Dependence;
use smallvec::SmallVec;
use vicinity_alloc::placed;

/// Memory that a task uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataRange {
    pub address: usize,
    pub length_bytes: usize,
}

pub type Ranges = SmallVec<[DataRange; 4]>;

/// The ranges that `dependences` of a task that runs `function` stand for; none where it is plain that they are less than
/// `least_bytes`, as with dependences on single variables, which must cost next to nothing.
pub fn of_dependences(
    objects: &mut Objects,
    function: usize,
    dependences: &[Dependence],
    least_bytes: u64,
) -> Ranges {
    let intensive = dependences.iter().any(|dependence| dependence.intensive);
    let any_unsized = dependences.iter().any(|dependence| dependence.length_bytes == 0);
    let learned = if any_unsized { objects.learn(function, dependences) } else { None };
    let most = |dependence: &Dependence| match dependence.length_bytes {
        0 => learned.unwrap_or(usize::MAX) as u64,
        bytes => bytes as u64,
    };
    if !intensive && dependences.iter().map(most).fold(0, u64::saturating_add) < least_bytes {
        return Ranges::new();
    }
    let counts = |dependence: &&Dependence| dependence.intensive || !intensive;
    let range = |dependence: &Dependence| {
        let address = dependence.address?;
        match dependence.length_bytes {
            0 => object_at(address, learned),
            length_bytes => Some(DataRange { address, length_bytes }),
        }
    };
    dependences.iter().filter(counts).filter_map(range).collect()
}

/// What an address without a length stands for.
fn object_at(address: usize, learned_bytes: Option<usize>) -> Option<DataRange> {
    match (placed::block_of(address), learned_bytes) {
        (Some((start, bytes)), None) => Some(DataRange { address: start, length_bytes: bytes }),
        (Some((start, bytes)), Some(learned)) => {
            let length_bytes = learned.min(start + bytes - address);
            Some(DataRange { address, length_bytes })
        }
        (None, Some(learned)) => Some(DataRange { address, length_bytes: learned }),
        (None, None) => None,
    }
}

/// Functions remembered at a time.
const FUNCTIONS: usize = 16;
/// Distances seen before the least of them is believed.
const BELIEVED_AFTER: u32 = 4;
/// Addresses farther apart are not neighbours in one array.
const LARGEST_OBJECT: usize = 1 << 32;

/// Object sizes by function: a small table in which a newcomer replaces whom it meets.
#[derive(Default)]
pub struct Objects([Object; FUNCTIONS]);

#[derive(Clone, Copy, Default)]
struct Object {
    function: usize,
    /// The address seen last.
    last: usize,
    /// Least distance so far; 0: none.
    distance: usize,
    seen: u32,
}

impl Objects {
    /// Takes notice of a new task's addresses; the size of what they stand for, once there is reason to believe it.
    fn learn(&mut self, function: usize, dependences: &[Dependence]) -> Option<usize> {
        // Functions start at multiples of 16.
        let object = &mut self.0[(function >> 4) % FUNCTIONS];
        if object.function != function {
            *object = Object { function, ..Object::default() };
        }
        let unsized_ones = dependences.iter().filter(|dependence| dependence.length_bytes == 0);
        for address in unsized_ones.filter_map(|dependence| dependence.address) {
            let distance = address.abs_diff(object.last);
            object.last = address;
            if (1..LARGEST_OBJECT).contains(&distance) {
                object.seen = object.seen.saturating_add(1);
                let first = object.distance == 0;
                object.distance = if first { distance } else { distance.min(object.distance) };
            }
        }
        (object.seen >= BELIEVED_AFTER).then_some(object.distance)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::deps::Access;

    fn dependence(address: usize, length_bytes: usize, intensive: bool) -> Dependence {
        Dependence { address: Some(address), length_bytes, access: Access::In, intensive }
    }

    #[test]
    fn lengths_are_taken_as_they_are_and_intensive_ones_alone() {
        let mut objects = Objects::default();
        let two = [dependence(0x1000, 64, false), dependence(0x9000, 32, false)];
        let ranges = of_dependences(&mut objects, 16, &two, 1);
        assert_eq!(ranges.iter().map(|range| range.length_bytes).sum::<usize>(), 96);
        assert!(of_dependences(&mut objects, 16, &two, 97).is_empty(), "too little");
        let marked = [two[0], dependence(0x9000, 32, true)];
        let ranges = of_dependences(&mut objects, 16, &marked, 1000);
        assert_eq!(*ranges, [DataRange { address: 0x9000, length_bytes: 32 }]);
    }

    #[test]
    fn sizes_are_learned_by_function() {
        let mut objects = Objects::default();
        let block = |number: usize| 0x10_0000 + number * 0x8000;
        for number in [0, 5, 1] {
            let one = [dependence(block(number), 0, false)];
            assert!(of_dependences(&mut objects, 16, &one, 1).is_empty(), "not believed yet");
        }
        let stencil = [dependence(block(2), 0, false), dependence(block(3), 0, false)];
        let ranges = of_dependences(&mut objects, 16, &stencil, 1);
        assert_eq!(ranges[1], DataRange { address: block(3), length_bytes: 0x8000 });
        assert!(of_dependences(&mut objects, 32, &stencil, 1).is_empty(), "another function");
    }
}
