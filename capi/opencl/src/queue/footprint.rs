//! Which bytes of a buffer some work-groups touch, from what the description says of one work-item.
//!
//! Source: docs/kernel-abi.md, "ranges".

use crate::core::program::description::{Range, Term};

/// A box of work-groups or work-items: from `first` to `last` along each dimension, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Box3 {
    pub first: [usize; 3],
    pub last: [usize; 3],
}

impl Box3 {
    /// The smallest that holds the work-groups with the numbers from `first` to `end`, `end` not included.
    pub fn around(first: usize, end: usize, counts: [usize; 3]) -> Box3 {
        let at = |number: usize| {
            let plane = counts[0] * counts[1];
            [number % counts[0], number / counts[0] % counts[1], number / plane]
        };
        let (mut low, mut high) = (at(first), at(end.max(first + 1) - 1));
        if low[2] != high[2] {
            (low[1], high[1]) = (0, counts[1] - 1);
        }
        if (low[1], low[2]) != (high[1], high[2]) {
            (low[0], high[0]) = (0, counts[0] - 1);
        }
        Box3 { first: low, last: high }
    }

    /// The smallest box that holds both.
    pub fn joined(self, other: Box3) -> Box3 {
        Box3 {
            first: std::array::from_fn(|at| self.first[at].min(other.first[at])),
            last: std::array::from_fn(|at| self.last[at].max(other.last[at])),
        }
    }

    /// The work-items of these work-groups.
    pub fn items(self, local: [usize; 3], global: [usize; 3]) -> Box3 {
        Box3 {
            first: std::array::from_fn(|at| self.first[at] * local[at]),
            last: std::array::from_fn(|at| {
                // The last group may end behind the last number there is.
                (self.last[at] + 1).saturating_mul(local[at]).min(global[at]) - 1
            }),
        }
    }

    pub fn shifted(self, by: [usize; 3]) -> Box3 {
        Box3 {
            first: std::array::from_fn(|at| self.first[at] + by[at]),
            last: std::array::from_fn(|at| self.last[at] + by[at]),
        }
    }
}

/// Offset and length of what the items touch of a buffer of `size_bytes`; `None` if that is nothing, or not known.
/// `number` gives the value of an argument.
pub fn bytes(
    range: &Range,
    items: &Box3,
    number: impl Fn(usize) -> Option<i64>,
    size_bytes: usize,
) -> Option<(usize, usize)> {
    let (low, high) = ends(range.offset_bytes, &range.terms, items, &number)?;
    let (_, extent) = ends(range.extent_bytes, &range.extent_terms, items, &number)?;
    let size = size_bytes as i128;
    let low = low.clamp(0, size);
    let high = (high + extent).clamp(low, size);
    (high > low).then_some((low as usize, (high - low) as usize))
}

/// The least and the greatest of `constant` and the terms over all items.
fn ends(
    constant: i64,
    terms: &[Term],
    items: &Box3,
    number: &impl Fn(usize) -> Option<i64>,
) -> Option<(i128, i128)> {
    let (mut low, mut high) = (i128::from(constant), i128::from(constant));
    for term in terms {
        let times = match term.times_argument {
            Some(argument) => i128::from(number(argument)?),
            None => 1,
        };
        let stride = i128::from(term.bytes) * times;
        let outermost = match term.global_id {
            Some(along) => [*items.first.get(along)?, items.last[along]],
            None => [1, 1],
        };
        let outermost = outermost.map(|id| stride * id as i128);
        low += outermost[0].min(outermost[1]);
        high += outermost[0].max(outermost[1]);
    }
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::program::description::RangeAccess;

    fn range(offset_bytes: i64, terms: &[(i64, usize, Option<usize>)]) -> Range {
        let term =
            |&(bytes, id, times_argument)| Term { bytes, global_id: Some(id), times_argument };
        Range {
            argument: 0,
            access: RangeAccess::Read,
            offset_bytes,
            extent_bytes: 4,
            terms: terms.iter().map(term).collect(),
            extent_terms: Vec::new(),
        }
    }

    #[test]
    fn boxes_hold_their_groups_and_items() {
        let within_a_row = Box3::around(5, 8, [8, 4, 2]);
        assert_eq!((within_a_row.first, within_a_row.last), ([5, 0, 0], [7, 0, 0]));
        let rows = Box3::around(6, 20, [8, 4, 2]);
        assert_eq!((rows.first, rows.last), ([0, 0, 0], [7, 2, 0]));
        let planes = Box3::around(30, 34, [8, 4, 2]);
        assert_eq!((planes.first, planes.last), ([0, 0, 0], [7, 3, 1]));
        let items = within_a_row.items([16, 1, 1], [125, 4, 2]).shifted([100, 0, 0]);
        assert_eq!((items.first[0], items.last[0]), (180, 224));
        let all = usize::MAX;
        let last = Box3::around(all / 16, all / 16 + 1, [all.div_ceil(16), 1, 1]);
        assert_eq!(last.items([16, 1, 1], [all, 1, 1]).last[0], all - 1);
    }

    #[test]
    fn bytes_are_those_between_the_outermost_items() {
        let items = Box3 { first: [10, 2, 0], last: [19, 3, 0] };
        let none = |_| None;
        assert_eq!(bytes(&range(0, &[(4, 0, None)]), &items, none, 1000), Some((40, 40)));
        assert_eq!(bytes(&range(0, &[(-4, 0, None)]), &items, none, 1000), None);
        let row = [(4, 0, None), (4, 1, Some(3))];
        let number = |index| (index == 3).then_some(100);
        assert_eq!(bytes(&range(8, &row), &items, number, 10_000), Some((848, 440)));
        assert_eq!(bytes(&range(8, &row), &items, number, 1000), Some((848, 152)));
        assert_eq!(bytes(&range(8, &row), &items, none, 1000), None);
        let per_row = Term { bytes: 4, global_id: None, times_argument: Some(3) };
        let rows = Range { extent_terms: vec![per_row], ..range(8, &row) };
        assert_eq!(bytes(&rows, &items, number, 10_000), Some((848, 840)));
    }
}
