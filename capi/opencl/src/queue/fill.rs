//! Fills: a pattern again and again, by several workers when there is much to fill.
//!
//! The units are pages of `PAGE_BYTES`, which every pattern's length divides, or, of a box of an image, its rows. One byte again and again is the C library's; other
//! patterns are written from a page of them, past the caches where the memory is larger than those.
#![allow(unsafe_code)]

use super::copy::{expected_ns, grain};
use super::run::Division;
use super::stream;
use crate::core::memory::Address;
use smallvec::SmallVec;

/// A pattern, again and again.
pub struct Fill {
    pub target: Address,
    /// Of a row; a multiple of the pattern's length.
    pub bytes: usize,
    /// Rows of a slice, and slices.
    pub rows: [usize; 2],
    /// From one row or slice to the next.
    pub pitch_bytes: [usize; 2],
    /// Of 1 to 128 bytes.
    pub pattern: SmallVec<[u8; 16]>,
}

const PAGE_BYTES: usize = 4096;

/// Patterns of a page.
#[repr(align(64))]
struct Page([u8; PAGE_BYTES]);

impl Fill {
    pub fn contiguous(target: Address, bytes: usize, pattern: SmallVec<[u8; 16]>) -> Fill {
        Fill { target, bytes, rows: [1; 2], pitch_bytes: [bytes; 2], pattern }
    }

    fn is_one_row(&self) -> bool {
        self.rows == [1; 2]
    }

    pub fn division(&self) -> Division {
        let (units, unit_bytes) = match self.is_one_row() {
            true => (self.bytes.div_ceil(PAGE_BYTES), PAGE_BYTES),
            false => (self.rows[0] * self.rows[1], self.bytes),
        };
        Division { units: units.max(1), grain: grain(units, unit_bytes) }
    }

    pub fn expected_ns(&self) -> u64 {
        expected_ns(self.bytes, self.rows[0].saturating_mul(self.rows[1]))
    }

    /// The memory of these units, and what is between their rows.
    pub fn target_of(&self, begin: usize, end: usize) -> (Address, usize) {
        let (first, last) = match self.is_one_row() {
            true => (begin * PAGE_BYTES, (end * PAGE_BYTES).min(self.bytes)),
            false => (self.row_offset(begin), self.row_offset(end - 1) + self.bytes),
        };
        (self.target.plus(first), last.saturating_sub(first))
    }

    fn row_offset(&self, row: usize) -> usize {
        let [in_slice, slice] = [row % self.rows[0], row / self.rows[0]];
        in_slice * self.pitch_bytes[0] + slice * self.pitch_bytes[1]
    }

    pub fn run(&self, begin: usize, end: usize) {
        if self.is_one_row() {
            let (target, bytes) = self.target_of(begin, end);
            self.fill(target, bytes);
        } else {
            (begin..end)
                .for_each(|row| self.fill(self.target.plus(self.row_offset(row)), self.bytes));
        }
        if self.is_large() {
            stream::settle();
        }
    }

    /// Whether all of it is more than the caches hold.
    fn is_large(&self) -> bool {
        self.bytes >= PAGE_BYTES && stream::pays(self.bytes * self.rows[0] * self.rows[1])
    }

    /// Fills one range.
    fn fill(&self, target: Address, bytes: usize) {
        let target = target.pointer();
        let Some(&byte) = self.pattern.first() else { return };
        if self.pattern.iter().all(|&other| other == byte) {
            // SAFETY: the entry points checked that the bytes lie in a memory object, or the program says so of
            // shared memory.
            return unsafe { target.write_bytes(byte, bytes) };
        }
        let mut page = Page([0; PAGE_BYTES]);
        for (place, byte) in page.0.iter_mut().zip(self.pattern.iter().cycle()).take(bytes) {
            *place = *byte;
        }
        for at in (0..bytes).step_by(PAGE_BYTES) {
            let length = PAGE_BYTES.min(bytes - at);
            // SAFETY: as above.
            unsafe {
                match self.is_large() {
                    true => stream::copy(page.0.as_ptr(), target.add(at), length),
                    false => target.add(at).copy_from_nonoverlapping(page.0.as_ptr(), length),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_all_lengths_are_repeated() {
        for length in [1, 2, 4, 8, 16, 32, 64, 128] {
            for pages in [1, 5, stream::cache_bytes() / PAGE_BYTES + 1] {
                let bytes = pages * PAGE_BYTES;
                let pattern: SmallVec<[u8; 16]> = (0..length).map(|at| at as u8 + 1).collect();
                let memory = vec![0u8; bytes + 1];
                let target = Address::new(memory.as_ptr().cast());
                let fill = Fill::contiguous(target, bytes, pattern.clone());
                let units = fill.division().units;
                (0..units).step_by(700).for_each(|at| fill.run(at, (at + 700).min(units)));
                let expected = pattern.iter().cycle();
                assert!(memory[..bytes].iter().zip(expected).all(|(a, b)| a == b), "{length}");
                assert_eq!(memory[bytes], 0);
            }
        }
    }

    #[test]
    fn boxes_are_filled_row_by_row() {
        let memory = [0u8; 64];
        let fill = Fill {
            target: Address::new(memory.as_ptr().cast()),
            bytes: 4,
            rows: [2, 2],
            pitch_bytes: [10, 30],
            pattern: SmallVec::from_slice(&[1, 2]),
        };
        assert_eq!(fill.division().units, 4);
        fill.run(0, 4);
        let rows = [0, 10, 30, 40];
        let expected = |at: usize| {
            let row = rows.iter().find(|&&row| (row..row + 4).contains(&at));
            row.map_or(0, |row| (1 + (at - row) % 2) as u8)
        };
        assert!((0..64).all(|at| memory[at] == expected(at)), "{memory:?}");
    }
}
