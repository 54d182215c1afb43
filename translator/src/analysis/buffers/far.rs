//! Arrays that bring together what is far apart in global memory.

use super::Search;
use crate::analysis::places::{Atom, Linear};
use crate::view::{BlockId, ValueId};

/// Rows so near lie together in a cache: a line.
const NEAR_BYTES: i128 = 64;

/// Rows of global memory that the items of one row read, all in all: as many as a set of most first-level caches has lines. Where rows
/// are a power of two apart, all of them fall on one set.
const MOST_ROWS: i128 = 8;

/// Rows beyond which none is looked for, to both sides of where an item's own would be.
const FARTHEST_ROW: i128 = 16;

impl Search<'_> {
    /// Whether reads that stay near in the array go through memory by long steps: by more rows than stay in the cache until the row's
    /// next items come, where rows are far apart, or by rows that differ from neighbour to neighbour.
    pub(super) fn gathers(
        &self,
        pointer: ValueId,
        along: u8,
        reads: &[(BlockId, [Linear; 3])],
        size: [u64; 3],
    ) -> bool {
        let others = (0..3_u8).filter(|&at| at != along && size[usize::from(at)] > 1);
        others.into_iter().any(|dimension| {
            let step = self.stride(pointer, dimension);
            let is_near = step.is_some_and(|step| step.abs() <= NEAR_BYTES);
            let rows =
                || reads.iter().map(|(block, writer)| (*block, &writer[usize::from(dimension)]));
            let differ = rows().any(|(_, row)| row.factor(Atom::Local(along)) != 0);
            differ || !is_near && self.rows(rows(), dimension).is_none_or(|rows| rows > MOST_ROWS)
        })
    }

    /// How many rows the items of one row read, where these go with the reader's own row: then the next row's items read nearly the
    /// same. Rows that are the same for all are those of a tile: with it each vector of items would go through all tiles.
    fn rows<'a>(
        &self,
        reads: impl Iterator<Item = (BlockId, &'a Linear)>,
        dimension: u8,
    ) -> Option<i128> {
        let own = Linear::atom(Atom::Local(dimension));
        let mut spans = Vec::new();
        for (block, row) in reads {
            if row.factor(Atom::Local(dimension)) != 1 {
                return None;
            }
            spans.push(self.span(block, &row.minus(&own)?)?);
        }
        let first = spans.iter().map(|span| span.0).min()?;
        let last = spans.iter().map(|span| span.1).max()?;
        Some(last - first + 1)
    }

    /// The least and the most that a sum is whenever a block runs.
    fn span(&self, block: BlockId, sum: &Linear) -> Option<(i128, i128)> {
        if let Some(number) = sum.as_constant() {
            return Some((number, number));
        }
        let back = sum.times(-1)?;
        let most = |sum: &Linear| {
            let is_at_most =
                |most: &i128| sum.and(-most).is_some_and(|above| self.places.holds(block, &above));
            let known = (-FARTHEST_ROW..=FARTHEST_ROW).rev().take_while(is_at_most);
            known.last()
        };
        Some((-most(&back)?, most(sum)?))
    }

    /// How many bytes a neighbour's address is further, where that is plain to see.
    pub(super) fn stride(&self, pointer: ValueId, along: u8) -> Option<i128> {
        let linear = &self.places.of(pointer)?.linear;
        let differs = |&atom: &Atom| {
            let parts = self.places.factors(atom);
            let is_one = parts.len() == 1;
            parts.into_iter().any(|part| match part {
                Atom::Value(id) | Atom::Turns(id, _) | Atom::Quotient(id) => {
                    !self.analysis.shape(id)[usize::from(along)].is_uniform()
                }
                Atom::Local(dimension) => dimension == along && !is_one,
                _ => false,
            })
        };
        (!linear.terms.keys().any(differs)).then(|| linear.factor(Atom::Local(along)))
    }
}
