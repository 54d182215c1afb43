//! What readers of SPIR-V refuse, written as what they know.
//!
//! - A number or a truth that is null is a constant zero.
//! - A shuffle takes from vectors of one length: before it, a shuffle of the shorter one alone makes it as long as the other, with
//!   components behind that are undefined.
//!
//! Source: SPIR-V specification, sections 2.4 (types and definitions come before uses), 3.42 (`OpConstantNull`, `OpVectorShuffle`).

use super::{HEADER_WORDS, OP_TYPE_BOOL, OP_TYPE_FLOAT, OP_TYPE_INT, instructions};
use std::collections::BTreeMap;

const OP_TYPE_VECTOR: u32 = 23;
const OP_CONSTANT_FALSE: u32 = 42;
const OP_CONSTANT: u32 = 43;
const OP_CONSTANT_NULL: u32 = 46;
const OP_VECTOR_SHUFFLE: u32 = 79;

/// Of the header: all ids are below it.
const BOUND: usize = 3;
/// The place of a component that is undefined.
const NOWHERE: u32 = u32::MAX;
/// Vectors in OpenCL are no longer.
const LONGEST: u32 = 16;

/// The same module as readers know it; `None` if these are no instructions.
pub fn readable(words: &[u32]) -> Option<Vec<u32>> {
    let mut made = words[..HEADER_WORDS].to_vec();
    let mut vectors = Vectors::default();
    let mut bits_of = BTreeMap::new();
    for instruction in instructions(words) {
        let (_, instruction) = instruction?;
        let opcode = instruction[0] & 0xffff;
        match (opcode, &instruction[1..]) {
            (OP_TYPE_BOOL, &[id]) => _ = bits_of.insert(id, 0),
            (OP_TYPE_INT | OP_TYPE_FLOAT, &[id, bits @ 1..=64, ..]) => _ = bits_of.insert(id, bits),
            _ => {}
        }
        match (opcode, &instruction[1..]) {
            (OP_CONSTANT_NULL, &[ty, id]) if bits_of.get(&ty) == Some(&0) => {
                made.extend([3 << 16 | OP_CONSTANT_FALSE, ty, id]);
            }
            (OP_CONSTANT_NULL, &[ty, id]) if bits_of.contains_key(&ty) => {
                let zeros = bits_of[&ty].div_ceil(u32::BITS);
                made.extend([(3 + zeros) << 16 | OP_CONSTANT, ty, id]);
                made.extend((0..zeros).map(|_| 0));
            }
            (OP_VECTOR_SHUFFLE, &[_, _, a, b, ..]) => match vectors.lengths(a, b) {
                Some(lengths) => vectors.shuffle(&mut made, instruction, lengths)?,
                None => made.extend(instruction),
            },
            _ => made.extend(instruction),
        }
        vectors.note(opcode, &instruction[1..]);
    }
    Some(made)
}

/// The vectors of a module, as far as it has been read.
#[derive(Default)]
struct Vectors {
    /// By the ids of types.
    lengths: BTreeMap<u32, u32>,
    /// The types of values that are vectors.
    types: BTreeMap<u32, u32>,
}

impl Vectors {
    /// What has a type and a result begins with both. Nothing else begins with the id of a type of vectors, once there is one.
    fn note(&mut self, opcode: u32, operands: &[u32]) {
        match *operands {
            [id, _, length @ 2..=LONGEST] if opcode == OP_TYPE_VECTOR => {
                self.lengths.insert(id, length);
            }
            [ty, id, ..] if self.lengths.contains_key(&ty) => _ = self.types.insert(id, ty),
            _ => {}
        }
    }

    /// The types and lengths of two vectors, if these are of different lengths.
    fn lengths(&self, a: u32, b: u32) -> Option<[(u32, u32); 2]> {
        let of = |id| self.types.get(&id).map(|&ty| (ty, self.lengths[&ty]));
        Some([of(a)?, of(b)?]).filter(|[(_, a), (_, b)]| a != b)
    }

    /// The shuffle `instruction` as two; `None` where there is no id left.
    fn shuffle(
        &mut self,
        made: &mut Vec<u32>,
        instruction: &[u32],
        lengths: [(u32, u32); 2],
    ) -> Option<()> {
        let [(_, first), (_, second)] = lengths;
        let shorter = if first < second { 3 } else { 4 };
        let &(ty, long) = lengths.iter().max_by_key(|(_, length)| length)?;
        let long_one = made[BOUND];
        made[BOUND] = long_one.checked_add(1)?;
        let short_one = instruction[shorter];
        made.extend([(5 + long) << 16 | OP_VECTOR_SHUFFLE, ty, long_one, short_one, short_one]);
        let short = first.min(second);
        made.extend((0..long).map(|place| if place < short { place } else { NOWHERE }));
        let begin = made.len();
        made.extend(instruction);
        made[begin + shorter] = long_one;
        for place in &mut made[begin + 5..] {
            if (first..NOWHERE).contains(place) {
                *place = place.checked_add(long - first)?;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::program::il::MAGIC;

    const HEADER: [u32; HEADER_WORDS] = [MAGIC, 0x0001_0200, 0, 20, 0];

    fn op(opcode: u32, operands: &[u32]) -> Vec<u32> {
        [&[(operands.len() as u32 + 1) << 16 | opcode], operands].concat()
    }

    #[test]
    fn numbers_that_are_null_are_zeros() {
        let types = [
            op(OP_TYPE_BOOL, &[1]),
            op(OP_TYPE_INT, &[2, 64, 0]),
            op(OP_TYPE_FLOAT, &[3, 16]),
            op(OP_TYPE_VECTOR, &[4, 2, 4]),
        ];
        let null = |ty: u32| op(OP_CONSTANT_NULL, &[ty, 10 + ty]);
        let before = [&HEADER[..], &types.concat(), &[1, 2, 3, 4].map(null).concat()].concat();
        let zeros = [
            op(OP_CONSTANT_FALSE, &[1, 11]),
            op(OP_CONSTANT, &[2, 12, 0, 0]),
            op(OP_CONSTANT, &[3, 13, 0]),
            null(4),
        ];
        let after = [&HEADER[..], &types.concat(), &zeros.concat()].concat();
        assert_eq!(readable(&before), Some(after));
        assert_eq!(readable(&before[..before.len() - 1]), None);
    }

    #[test]
    fn shuffles_take_from_vectors_of_one_length() {
        let begin = [
            op(OP_TYPE_INT, &[1, 32, 0]),
            op(OP_TYPE_VECTOR, &[2, 1, 2]),
            op(OP_TYPE_VECTOR, &[3, 1, 3]),
            op(OP_CONSTANT_NULL, &[2, 4]),
            op(OP_CONSTANT_NULL, &[3, 5]),
            op(OP_VECTOR_SHUFFLE, &[3, 6, 4, 4, 0, 1, NOWHERE]),
        ];
        let before = [
            op(OP_VECTOR_SHUFFLE, &[3, 7, 4, 6, 1, 4, NOWHERE]),
            op(OP_VECTOR_SHUFFLE, &[2, 8, 5, 4, 2, 3]),
        ];
        let after = [
            op(OP_VECTOR_SHUFFLE, &[3, 20, 4, 4, 0, 1, NOWHERE]),
            op(OP_VECTOR_SHUFFLE, &[3, 7, 20, 6, 1, 5, NOWHERE]),
            op(OP_VECTOR_SHUFFLE, &[3, 21, 4, 4, 0, 1, NOWHERE]),
            op(OP_VECTOR_SHUFFLE, &[2, 8, 5, 21, 2, 3]),
        ];
        let module = |header: [u32; HEADER_WORDS], rest: &[Vec<u32>]| {
            [&header[..], &begin.concat(), &rest.concat()].concat()
        };
        let mut header = HEADER;
        header[BOUND] = 22;
        assert_eq!(readable(&module(HEADER, &before)), Some(module(header, &after)));
        header[BOUND] = u32::MAX;
        assert_eq!(readable(&module(header, &before)), None);
    }
}
