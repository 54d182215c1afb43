//! Copies: boxes of bytes from one place to another, by several workers when they are large.
//!
//! The units are rows, or, of one long row, pages of `PAGE_BYTES`.
#![allow(unsafe_code)]

use super::run::Division;
use super::stream;
use crate::core::memory::Address;
use crate::os::runtime;

/// Rows of bytes from one place to another. The places do not overlap, unless they are the same bytes.
pub struct Copy {
    pub source: Address,
    pub target: Address,
    pub shape: Shape,
}

/// A box of bytes; one row for what is contiguous.
#[derive(Clone, std::marker::Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub row_bytes: usize,
    pub rows: usize,
    pub slices: usize,
    /// From one row or slice to the next.
    pub source_row_pitch_bytes: usize,
    pub source_slice_pitch_bytes: usize,
    pub target_row_pitch_bytes: usize,
    pub target_slice_pitch_bytes: usize,
}

/// Shorter rows are not written past the caches.
const LINES_BYTES: usize = 1024;
/// A unit of one long row.
const PAGE_BYTES: usize = 4096;
/// A piece has no less, which takes about 30 microseconds, and no more if that is possible.
const LEAST_BYTES: usize = 256 << 10;
const MOST_BYTES: usize = 1 << 20;

/// About what one thread moves in a nanosecond, if the memory is in none of its caches.
const BYTES_A_NS: usize = 4;
/// What it takes for a row.
const ROW_NS: usize = 10;

/// How long one thread takes for so many rows.
pub fn expected_ns(row_bytes: usize, rows: usize) -> u64 {
    rows.saturating_mul(row_bytes / BYTES_A_NS + ROW_NS) as u64
}

/// How many units of `unit_bytes` each a piece should have, of `units`: every worker gets some.
pub fn grain(units: usize, unit_bytes: usize) -> usize {
    let of_bytes = |bytes: usize| bytes.div_ceil(unit_bytes.max(1));
    units.div_ceil(runtime::workers()).clamp(of_bytes(LEAST_BYTES), of_bytes(MOST_BYTES))
}

impl Shape {
    pub fn contiguous(bytes: usize) -> Shape {
        Shape {
            row_bytes: bytes,
            rows: 1,
            slices: 1,
            source_row_pitch_bytes: bytes,
            source_slice_pitch_bytes: bytes,
            target_row_pitch_bytes: bytes,
            target_slice_pitch_bytes: bytes,
        }
    }

    /// A box of `region`: bytes of a row, rows, slices; from one row and one slice to the next there are so many bytes.
    pub fn of_box(region: [usize; 3], source_pitch: [usize; 2], target_pitch: [usize; 2]) -> Shape {
        let [row_bytes, rows, slices] = region;
        Shape {
            row_bytes,
            rows,
            slices,
            source_row_pitch_bytes: source_pitch[0],
            source_slice_pitch_bytes: source_pitch[1],
            target_row_pitch_bytes: target_pitch[0],
            target_slice_pitch_bytes: target_pitch[1],
        }
    }

    /// The same with rows that touch on both sides as one, and slices likewise.
    pub fn joined(self) -> Shape {
        let mut joined = self;
        if [self.source_row_pitch_bytes, self.target_row_pitch_bytes] == [self.row_bytes; 2] {
            joined = Shape { row_bytes: self.row_bytes * self.rows, rows: 1, ..self };
        }
        let pitches = [self.source_slice_pitch_bytes, self.target_slice_pitch_bytes];
        if joined.rows == 1 && pitches == [joined.row_bytes; 2] {
            joined = Shape { row_bytes: joined.row_bytes * self.slices, slices: 1, ..joined };
        }
        joined
    }

    /// Where the row of a unit is to go.
    fn target_offset(&self, unit: usize) -> usize {
        let (slice, row) = (unit / self.rows, unit % self.rows);
        slice * self.target_slice_pitch_bytes + row * self.target_row_pitch_bytes
    }

    fn is_one_row(&self) -> bool {
        self.rows == 1 && self.slices == 1
    }
}

impl Copy {
    pub fn division(&self) -> Division {
        let shape = &self.shape;
        let (units, unit_bytes) = match shape.is_one_row() {
            true => (shape.row_bytes.div_ceil(PAGE_BYTES), PAGE_BYTES),
            false => (shape.rows * shape.slices, shape.row_bytes),
        };
        Division { units: units.max(1), grain: grain(units, unit_bytes) }
    }

    pub fn expected_ns(&self) -> u64 {
        let Shape { row_bytes, rows, slices, .. } = self.shape;
        expected_ns(row_bytes, rows.saturating_mul(slices))
    }

    /// The memory that these units write, and what is between their rows.
    pub fn target_of(&self, begin: usize, end: usize) -> (Address, usize) {
        let shape = &self.shape;
        let (first, last) = match shape.is_one_row() {
            true => (begin * PAGE_BYTES, (end * PAGE_BYTES).min(shape.row_bytes)),
            false => (shape.target_offset(begin), shape.target_offset(end - 1) + shape.row_bytes),
        };
        (self.target.plus(first), last.saturating_sub(first))
    }

    pub fn run(&self, begin: usize, end: usize) {
        self.copy_units(begin, end);
        if self.is_large() {
            stream::settle();
        }
    }

    fn copy_units(&self, begin: usize, end: usize) {
        let shape = &self.shape;
        if shape.is_one_row() {
            let first = begin * PAGE_BYTES;
            let last = (end * PAGE_BYTES).min(shape.row_bytes);
            return self.copy(first, first, last.saturating_sub(first));
        }
        for unit in begin..end {
            let (slice, row) = (unit / shape.rows, unit % shape.rows);
            let source =
                slice * shape.source_slice_pitch_bytes + row * shape.source_row_pitch_bytes;
            self.copy(source, shape.target_offset(unit), shape.row_bytes);
        }
    }

    fn copy(&self, from_bytes: usize, to_bytes: usize, bytes: usize) {
        let (source, target) = (self.source.plus(from_bytes), self.target.plus(to_bytes));
        if source == target {
            return;
        }
        let apart_bytes = source.number().abs_diff(target.number());
        // SAFETY: the entry points checked that the rows lie in memory objects; the program says so of its own
        // memory.
        unsafe {
            match self.is_large() && apart_bytes >= bytes {
                true => stream::copy(source.pointer(), target.pointer(), bytes),
                false => std::ptr::copy(source.pointer(), target.pointer(), bytes),
            }
        }
    }

    /// Whether all of it is more than the caches hold.
    fn is_large(&self) -> bool {
        let shape = &self.shape;
        shape.row_bytes >= LINES_BYTES && stream::pays(shape.row_bytes * shape.rows * shape.slices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address<T>(bytes: &[T]) -> Address {
        Address::new(bytes.as_ptr().cast())
    }

    #[test]
    fn pieces_make_the_whole() {
        let bytes = 3 * LEAST_BYTES + 17;
        let from: Vec<u8> = (0..bytes).map(|at| (at * 7) as u8).collect();
        let to = vec![0u8; bytes];
        let shape = Shape::contiguous(bytes);
        let copy = Copy { source: address(&from), target: address(&to), shape };
        let units = copy.division().units;
        (0..units).step_by(10).for_each(|at| copy.run(at, (at + 10).min(units)));
        assert_eq!(from, to);
    }

    #[test]
    fn rows_that_touch_are_one() {
        let shape = Shape { rows: 3, slices: 2, ..Shape::contiguous(4) };
        let boxed = |row, slice| Shape {
            source_row_pitch_bytes: row,
            target_row_pitch_bytes: row,
            source_slice_pitch_bytes: slice,
            target_slice_pitch_bytes: slice,
            ..shape
        };
        let parts = |shape: Shape| (shape.row_bytes, shape.rows, shape.slices);
        assert_eq!(parts(boxed(4, 12).joined()), (24, 1, 1));
        assert_eq!(parts(boxed(4, 16).joined()), (12, 1, 2));
        assert_eq!(parts(boxed(5, 15).joined()), (4, 3, 2));
        let uneven = Shape { target_row_pitch_bytes: 5, ..boxed(4, 15) };
        assert_eq!(parts(uneven.joined()), (4, 3, 2));
    }

    #[test]
    fn boxes_are_copied_row_by_row() {
        let from: Vec<u8> = (0..60).collect();
        let to = vec![0u8; 40];
        let shape = Shape {
            row_bytes: 3,
            rows: 2,
            slices: 2,
            source_row_pitch_bytes: 5,
            source_slice_pitch_bytes: 20,
            target_row_pitch_bytes: 4,
            target_slice_pitch_bytes: 16,
        };
        let copy = Copy { source: address(&from), target: address(&to), shape };
        assert_eq!(copy.division().units, 4);
        copy.run(0, 4);
        let row = |at: usize| to[at..at + 3].to_vec();
        assert_eq!(
            [row(0), row(4), row(16), row(20)],
            [[0, 1, 2], [5, 6, 7], [20, 21, 22], [25, 26, 27]]
        );
        assert_eq!(to[3], 0);
    }
}
