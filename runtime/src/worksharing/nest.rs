//! The iterations of a doacross loop nest, and the marks that say which are done.
//!
//! Terms: the loop nest has several *dimensions*; a vector of their values names an iteration, whose
//! number in the order of the sequential program is its *flat* index. An iteration *posts* when what
//! others wait for is done. A *row* is all iterations with the same value in the first dimension.
//!
//! Where a row is known to run on one thread from front to back, one word a row tells how far it has
//! come ([`Layout::Rows`]); else, and where rows are short, one bit an iteration does. Memory is thus
//! bounded by an eighth of a byte for each iteration. Both are zero before the first post.
//!
//! Ordering: a post is a Release write and a wait an Acquire read of the same word, so what an iteration
//! did before its post is seen by those that waited for it.
//! Source: OpenMP 5.2, section 15.9.5 (depend clause with source and sink) and 15.10.2 (ordered-standalone).

use crate::sync::{AtomicU64, Ordering};

/// One loop of the nest: from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub first: i64,
    pub last: i64,
    pub step: i64,
    /// How many values it takes.
    pub trips: u64,
}

impl Dimension {
    /// The values 0 to `trips - 1`.
    pub const fn counted(trips: u64) -> Dimension {
        let last = trips.wrapping_sub(1).cast_signed();
        Dimension { first: 0, last, step: 1, trips }
    }

    /// The loop's own bounds.
    pub fn closed(first: i64, last: i64, step: i64) -> Dimension {
        let trips = vicinity_policy::chunks::space::Space::closed_signed(first, last, step).trips;
        Dimension { first, last, step, trips }
    }

    /// Which logical iteration has this value; `None` outside the loop.
    fn index(&self, value: i64) -> Option<u64> {
        let distance = if self.step > 0 && self.first <= value {
            value.wrapping_sub(self.first)
        } else if self.step < 0 && self.first >= value {
            self.first.wrapping_sub(value)
        } else {
            return None;
        };
        let index = distance.cast_unsigned() / self.step.unsigned_abs();
        (index < self.trips).then_some(index)
    }
}

/// How progress is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Rows,
    Bits,
}

/// Rows shorter than this are cheaper as bits.
const SHORT_ROW: u64 = 64;

/// The shape of a doacross loop nest.
#[derive(Debug)]
pub(super) struct Nest {
    dimensions: Box<[Dimension]>,
    /// Iterations in a row, and in the nest.
    row: u64,
    total: u64,
    layout: Layout,
}

impl Nest {
    /// `rows_in_order`: every row runs on one thread, front to back.
    pub(super) fn new(dimensions: &[Dimension], rows_in_order: bool) -> Nest {
        let row = dimensions.iter().skip(1).fold(1u64, |row, d| row.saturating_mul(d.trips));
        let total = dimensions.first().map_or(0, |d| d.trips.saturating_mul(row));
        let layout = if rows_in_order && row >= SHORT_ROW { Layout::Rows } else { Layout::Bits };
        Nest { dimensions: dimensions.into(), row, total, layout }
    }

    pub(super) fn dimensions(&self) -> usize {
        self.dimensions.len()
    }

    pub(super) fn words(&self) -> u64 {
        match self.layout {
            Layout::Rows => self.dimensions[0].trips,
            Layout::Bits => self.total.div_ceil(64),
        }
    }

    /// The row of an iteration and its place there; `None` for a vector outside the nest.
    fn locate(&self, mut vector: impl Iterator<Item = i64>) -> Option<(u64, u64)> {
        let row = self.dimensions[0].index(vector.next()?)?;
        let mut place = 0;
        for dimension in &self.dimensions[1..] {
            place = place * dimension.trips + dimension.index(vector.next()?)?;
        }
        Some((row, place))
    }

    fn bit(&self, row: u64, place: u64) -> (usize, u64) {
        let flat = row * self.row + place;
        ((flat / 64) as usize, 1 << (flat % 64))
    }

    /// Marks an iteration as done.
    pub(super) fn post(&self, words: &[AtomicU64], vector: impl Iterator<Item = i64>) {
        let Some((row, place)) = self.locate(vector) else { return };
        match self.layout {
            // Release: pairs with the Acquire in `is_posted`. Only one thread writes a row's word.
            Layout::Rows => words[row as usize].store(place + 1, Ordering::Release),
            Layout::Bits => {
                let (word, bit) = self.bit(row, place);
                // Release: pairs with the Acquire in `is_posted`.
                words[word].fetch_or(bit, Ordering::Release);
            }
        }
    }

    /// Whether an iteration is done; those outside the nest are.
    pub(super) fn is_posted(&self, words: &[AtomicU64], at: Option<(u64, u64)>) -> bool {
        let Some((row, place)) = at else { return true };
        // Acquire, both: pair with the Release in `post`.
        match self.layout {
            Layout::Rows => words[row as usize].load(Ordering::Acquire) > place,
            Layout::Bits => {
                let (word, bit) = self.bit(row, place);
                words[word].load(Ordering::Acquire) & bit != 0
            }
        }
    }

    /// Where an iteration's mark is, for [`Nest::is_posted`].
    pub(super) fn find(&self, vector: impl Iterator<Item = i64>) -> Option<(u64, u64)> {
        self.locate(vector)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn words(nest: &Nest) -> Vec<AtomicU64> {
        (0..nest.words()).map(|_| AtomicU64::new(0)).collect()
    }

    #[test]
    fn marks_are_distinct_for_every_iteration() {
        let nest = Nest::new(
            &[Dimension::closed(5, -4, -3), Dimension::counted(3), Dimension::closed(-2, 7, 4)],
            false,
        );
        assert_eq!((nest.row, nest.total), (9, 36));
        let words = words(&nest);
        for i in [5, 2, -1, -4] {
            for j in 0..3 {
                for k in [-2, 2, 6] {
                    let vector = [i, j, k];
                    let at = nest.find(vector.into_iter());
                    assert!(at.is_some() && !nest.is_posted(&words, at));
                    nest.post(&words, vector.into_iter());
                    assert!(nest.is_posted(&words, at));
                }
            }
        }
        assert_eq!(words[0].load(Ordering::Relaxed).count_ones(), 36);
    }

    #[test]
    fn rows_count_up() {
        let nest = Nest::new(&[Dimension::counted(2), Dimension::counted(1000)], true);
        assert_eq!((nest.layout, nest.words()), (Layout::Rows, 2));
        let words = words(&nest);
        nest.post(&words, [1, 500].into_iter());
        let posted = |i, j| nest.is_posted(&words, nest.find([i, j].into_iter()));
        assert!(posted(1, 0) && posted(1, 500) && !posted(1, 501) && !posted(0, 0));
    }

    #[test]
    fn iterations_outside_the_nest_never_wait() {
        let nest = Nest::new(&[Dimension::closed(i64::MIN, i64::MAX, i64::MAX)], false);
        let words = words(&nest);
        assert_eq!(nest.total, 3);
        assert!(!nest.is_posted(&words, nest.find(std::iter::once(i64::MIN))));
        let down = Nest::new(&[Dimension::closed(10, 1, -1)], false);
        for outside in [11, 0, -5] {
            assert!(down.is_posted(&[], down.find(std::iter::once(outside))));
        }
    }
}
