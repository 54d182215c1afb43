//! Which memory a task uses, as far as its creator says.
//!
//! Terms: a *range* is an address and a length. An *object* is what a dependence means whose length the ABI does not
//! pass (libgomp's): its size is learned, for each function that tasks run, as the least distance between
//! neighbouring addresses that the function's tasks named; for an address inside one of our own
//! allocations, the allocation bounds it. Where they name one address again and again, the rest of its allocation is
//! the object, as it was at the first repetition; a variable outside all allocations is nothing worth dealing for.
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
    let (mut intensive, mut sized_bytes, mut unsized_ones) = (false, 0u64, 0u64);
    for dependence in dependences {
        intensive |= dependence.intensive;
        sized_bytes = sized_bytes.saturating_add(dependence.length_bytes as u64);
        unsized_ones += u64::from(dependence.length_bytes == 0);
    }
    let learned = if unsized_ones > 0 { objects.learn(function, dependences) } else { None };
    let most_each = learned.map_or(u64::MAX, |bytes| bytes as u64);
    let most = sized_bytes.saturating_add(unsized_ones.saturating_mul(most_each));
    if !intensive && most < least_bytes {
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
    /// What `last` stands for, if it was named twice in a row.
    rest_bytes: Option<usize>,
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
            if distance == 0 {
                object.rest_bytes.get_or_insert_with(|| rest_of_block(address));
                continue;
            }
            (object.last, object.rest_bytes) = (address, None);
            if (1..LARGEST_OBJECT).contains(&distance) {
                object.seen = object.seen.saturating_add(1);
                let first = object.distance == 0;
                object.distance = if first { distance } else { distance.min(object.distance) };
            }
        }
        if object.seen >= BELIEVED_AFTER { Some(object.distance) } else { object.rest_bytes }
    }
}

/// Bytes from an address to the end of the allocation that it is in; 0 if it is in none of ours.
fn rest_of_block(address: usize) -> usize {
    placed::block_of(address).map_or(0, |(start, bytes)| start + bytes - address)
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

    #[test]
    fn a_variable_named_again_and_again_is_known_to_be_small() {
        let mut objects = Objects::default();
        let variable = 0u64;
        let one = [dependence((&raw const variable).addr(), 0, false)];
        assert_eq!(objects.learn(16, &one), None, "not named twice yet");
        assert_eq!(objects.learn(16, &one), Some(0));
        assert_eq!(objects.learn(32, &one), None, "another function");
    }
}
