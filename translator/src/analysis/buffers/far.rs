//! Arrays that bring together what is far apart in global memory.

use super::Search;
use crate::analysis::places::{Atom, Linear};
use crate::view::{BlockId, ValueId};

/// Rows so near lie together in a cache: a line.
const NEAR_BYTES: i128 = 64;

/// Rows of global memory that the items of one row read, to both sides of their own: a set of most first-level caches has as many
/// lines.
const NEAR_ROWS: i128 = 4;

impl Search<'_> {
    /// Whether reads that stay near in the array go through memory by long steps: by rows of the group other than the reader's
    /// own and those next to it, where rows are far apart, or by rows that differ from neighbour to neighbour.
    pub(super) fn gathers(
        &self,
        pointer: ValueId,
        along: u8,
        (block, writer): (BlockId, &[Linear; 3]),
        size: [u64; 3],
    ) -> bool {
        let others = (0..3_u8).filter(|&at| at != along && size[usize::from(at)] > 1);
        others.into_iter().any(|dimension| {
            let row = &writer[usize::from(dimension)];
            let step = self.stride(pointer, dimension);
            let is_near = step.is_some_and(|step| step.abs() <= NEAR_BYTES);
            let away = row.minus(&Linear::atom(Atom::Local(dimension)));
            let few = away.as_ref().is_some_and(|away| {
                let bounds =
                    [away.and(-NEAR_ROWS), away.times(-1).and_then(|it| it.and(-NEAR_ROWS))];
                bounds.into_iter().flatten().filter(|sum| self.places.holds(block, sum)).count()
                    == 2
            });
            !few && (!is_near || row.factor(Atom::Local(along)) != 0)
        })
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
