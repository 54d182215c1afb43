//! Fills: a pattern again and again, by several workers when there is much to fill.
//!
//! The units are pages of `PAGE_BYTES`, which every pattern's length divides. One byte again and again is the C library's; other
//! patterns are written from a page of them, past the caches where the memory is larger than those.
#![allow(unsafe_code)]

use super::copy::grain;
use super::run::Division;
use super::stream::{self, LARGE_BYTES};
use crate::core::memory::Address;
use smallvec::SmallVec;

/// A pattern, again and again.
pub struct Fill {
    pub target: Address,
    /// A multiple of the pattern's length.
    pub bytes: usize,
    /// Of 1 to 128 bytes.
    pub pattern: SmallVec<[u8; 16]>,
}

const PAGE_BYTES: usize = 4096;

/// Patterns of a page.
#[repr(align(64))]
struct Page([u8; PAGE_BYTES]);

impl Fill {
    pub fn division(&self) -> Division {
        let units = self.bytes.div_ceil(PAGE_BYTES);
        Division { units: units.max(1), grain: grain(units, PAGE_BYTES) }
    }

    /// The memory of these units.
    pub fn target_of(&self, begin: usize, end: usize) -> (Address, usize) {
        let (first, last) = (begin * PAGE_BYTES, (end * PAGE_BYTES).min(self.bytes));
        (self.target.plus(first), last.saturating_sub(first))
    }

    pub fn run(&self, begin: usize, end: usize) {
        let (target, bytes) = self.target_of(begin, end);
        let target = target.pointer();
        let Some(&byte) = self.pattern.first() else { return };
        if self.pattern.iter().all(|&other| other == byte) {
            // SAFETY: the entry points checked that the bytes lie in a memory object, or the program says so of
            // shared memory.
            return unsafe { target.write_bytes(byte, bytes) };
        }
        let mut page = Page([0; PAGE_BYTES]);
        for (place, byte) in page.0.iter_mut().zip(self.pattern.iter().cycle()) {
            *place = *byte;
        }
        let is_large = self.bytes >= LARGE_BYTES;
        for at in (0..bytes).step_by(PAGE_BYTES) {
            let length = PAGE_BYTES.min(bytes - at);
            // SAFETY: as above.
            unsafe {
                match is_large {
                    true => stream::copy(page.0.as_ptr(), target.add(at), length),
                    false => target.add(at).copy_from_nonoverlapping(page.0.as_ptr(), length),
                }
            }
        }
        if is_large {
            stream::settle();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_all_lengths_are_repeated() {
        for length in [1, 2, 4, 8, 16, 32, 64, 128] {
            for pages in [1, 5, LARGE_BYTES / PAGE_BYTES + 1] {
                let bytes = pages * PAGE_BYTES;
                let pattern: SmallVec<[u8; 16]> = (0..length).map(|at| at as u8 + 1).collect();
                let memory = vec![0u8; bytes + 1];
                let target = Address::new(memory.as_ptr().cast());
                let fill = Fill { target, bytes, pattern: pattern.clone() };
                let units = fill.division().units;
                (0..units).step_by(700).for_each(|at| fill.run(at, (at + 700).min(units)));
                let expected = pattern.iter().cycle();
                assert!(memory[..bytes].iter().zip(expected).all(|(a, b)| a == b), "{length}");
                assert_eq!(memory[bytes], 0);
            }
        }
    }
}
