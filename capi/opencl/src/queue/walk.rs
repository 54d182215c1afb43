//! The order in which a launch goes through its work-groups.
//!
//! Row after row, if nothing is known. Where rows of groups load the same memory, it is gone from the caches when the next row comes, if
//! a row touches more than they hold. So the range is halved along its longer side, and each half likewise: at some
//! depth a part's memory fits into each cache, whatever its size and that of the data.
//! Source: Frigo, Leiserson, Prokop, Ramachandran, "Cache-Oblivious Algorithms" (FOCS 1999), section 2.
//!
//! Terms: a *step* counts groups in the order of the walk; a group's *number* counts them x first, then y, then z.

use super::footprint::Box3;
use std::ops::Range;

/// Groups of so many items along x are not parted: what they load lies side by side, and they are one call.
const TOGETHER_ITEMS: usize = 128;

#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Work-groups along each dimension.
    counts: [usize; 3],
    /// Items of a group along each dimension.
    local: [usize; 3],
    /// So many dimensions, from x on, are halved; others are gone through one after the other. None: row after row.
    halved: usize,
}

/// Groups from `first` on, so many along each dimension.
#[derive(Clone, Copy)]
struct Part {
    first: [usize; 3],
    counts: [usize; 3],
}

impl Walk {
    /// `serving`: dimensions along which neighbouring groups load the same memory.
    pub fn new(counts: [usize; 3], local: [usize; 3], serving: &[usize]) -> Walk {
        let several = serving.iter().filter(|&&at| counts.get(at).is_some_and(|&count| count > 1));
        Walk { counts, local, halved: several.max().map_or(0, |last| last + 1) }
    }

    pub fn steps(&self) -> usize {
        self.all().steps()
    }

    /// How many steps come before the first group that a range of so many items leaves smaller than others.
    pub fn whole_steps(&self, global: [usize; 3]) -> usize {
        let is_whole = |&at: &usize| global[at] == self.counts[at] * self.local[at];
        let Some(cut) = (0..3).find(|at| !is_whole(at)) else { return self.steps() };
        let follow = self.halved == 0 && self.counts[cut + 1..].iter().all(|&count| count == 1);
        let layer: usize = self.counts[..cut].iter().product();
        if follow { layer * (global[cut] / self.local[cut]) } else { 0 }
    }

    /// Calls `visit` with the numbers of the groups of these steps, as many at once as follow each other.
    pub fn visit(&self, steps: Range<usize>, visit: &mut impl FnMut(Range<usize>)) {
        let mut last = 0..0;
        self.visit_part(self.all(), steps, &mut |numbers| {
            if numbers.start == last.end {
                last.end = numbers.end;
            } else {
                let before = std::mem::replace(&mut last, numbers);
                if !before.is_empty() {
                    visit(before);
                }
            }
        });
        if !last.is_empty() {
            visit(last);
        }
    }

    /// The smallest box that holds the groups of these steps, which are not empty.
    pub fn around(&self, steps: Range<usize>) -> Box3 {
        let mut around: Option<Box3> = None;
        self.around_part(self.all(), steps, &mut |part| {
            around = Some(around.map_or(part, |it| it.joined(part)));
        });
        around.unwrap_or(Box3 { first: [0; 3], last: [0; 3] })
    }

    fn all(&self) -> Part {
        Part { first: [0; 3], counts: self.counts }
    }

    /// The part's steps begin with 0.
    fn visit_part(&self, part: Part, steps: Range<usize>, visit: &mut impl FnMut(Range<usize>)) {
        if steps.is_empty() {
            return;
        }
        let Some([low, high]) = self.halves(part) else {
            let [x, y, z] = part.first;
            let number = (z * self.counts[1] + y) * self.counts[0] + x;
            return visit(number + steps.start..number + steps.end);
        };
        let (of_low, of_high) = low.cut(steps);
        self.visit_part(low, of_low, visit);
        self.visit_part(high, of_high, visit);
    }

    fn around_part(&self, part: Part, steps: Range<usize>, join: &mut impl FnMut(Box3)) {
        if steps.is_empty() {
            return;
        }
        let is_whole = steps == (0..part.steps());
        match self.halves(part).filter(|_| !is_whole) {
            Some([low, high]) => {
                let (of_low, of_high) = low.cut(steps);
                self.around_part(low, of_low, join);
                self.around_part(high, of_high, join);
            }
            None => join(Box3::around(steps.start, steps.end, part.counts).shifted(part.first)),
        }
    }

    /// None, if its groups follow each other.
    fn halves(&self, part: Part) -> Option<[Part; 2]> {
        if self.halved == 0 {
            return None;
        }
        let items = |at: usize| part.counts[at].saturating_mul(self.local[at]);
        let is_parted = |at: &usize| part.counts[*at] > 1 && (*at > 0 || items(0) > TOGETHER_ITEMS);
        let outer = (self.halved..3).rev().find(is_parted);
        // Of two that are as long, the one whose halves are likely to lie apart in memory.
        let along =
            outer.or_else(|| (0..self.halved).filter(is_parted).max_by_key(|&at| items(at)))?;
        let (mut low, mut high) = (part, part);
        low.counts[along] /= 2;
        high.counts[along] -= low.counts[along];
        high.first[along] += low.counts[along];
        Some([low, high])
    }
}

impl Part {
    fn steps(&self) -> usize {
        self.counts.iter().product()
    }

    /// Steps of it and of what comes behind it: each its own.
    fn cut(&self, steps: Range<usize>) -> (Range<usize>, Range<usize>) {
        let border = self.steps();
        let behind = |at: usize| at.saturating_sub(border);
        (steps.start..steps.end.min(border), behind(steps.start)..behind(steps.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(walk: &Walk, steps: Range<usize>) -> Vec<usize> {
        let mut all = Vec::new();
        walk.visit(steps, &mut |numbers| all.extend(numbers));
        all
    }

    #[test]
    fn groups_that_are_cut_off_come_last_where_rows_follow_each_other() {
        let whole = |global: [usize; 3], local: [usize; 3]| {
            let counts = [0, 1, 2].map(|at| global[at].div_ceil(local[at]));
            Walk::new(counts, local, &[]).whole_steps(global)
        };
        assert_eq!(whole([64, 6, 4], [16, 3, 2]), 4 * 2 * 2);
        assert_eq!(whole([1000, 1, 1], [64, 1, 1]), 15);
        assert_eq!(whole([64, 7, 1], [16, 3, 1]), 4 * 2);
        assert_eq!(whole([64, 6, 5], [16, 3, 2]), 4 * 2 * 2);
        assert_eq!(whole([65, 6, 1], [16, 3, 1]), 0, "one in each row");
        assert_eq!(whole([64, 7, 2], [16, 3, 1]), 0, "some in each layer");
        assert_eq!(whole([10, 1, 1], [16, 1, 1]), 0);
        let parted = Walk::new([10, 10, 1], [16, 16, 1], &[0, 1]);
        assert_eq!([[160, 160, 1], [160, 150, 1]].map(|it| parted.whole_steps(it)), [100, 0]);
    }

    #[test]
    fn each_group_comes_once_however_the_steps_are_cut() {
        for counts in [[1, 1, 1], [5, 3, 1], [4, 7, 3], [1, 6, 2], [16, 16, 1]] {
            let all: usize = counts.iter().product();
            for serving in [&[][..], &[1], &[2], &[1, 2]] {
                let walk = Walk::new(counts, [64, 4, 1], serving);
                let whole = numbers(&walk, 0..all);
                for grain in 1..all {
                    let steps = |at: usize| at..(at + grain).min(all);
                    let cut = (0..all).step_by(grain).flat_map(|at| numbers(&walk, steps(at)));
                    assert_eq!(cut.collect::<Vec<_>>(), whole, "{counts:?} {serving:?} {grain}");
                }
                let mut sorted = whole;
                sorted.sort();
                assert_eq!(sorted, (0..all).collect::<Vec<_>>(), "{counts:?} {serving:?}");
            }
        }
    }

    #[test]
    fn squares_of_items_come_together_and_planes_one_after_the_other() {
        let walk = Walk::new([4, 4, 2], [128, 128, 1], &[1]);
        assert_eq!(numbers(&walk, 0..8), [0, 1, 4, 5, 2, 3, 6, 7]);
        assert_eq!(numbers(&walk, 16..20), [16, 17, 20, 21]);
        let short = Walk::new([4, 4, 2], [16, 128, 1], &[1]);
        assert_eq!(numbers(&short, 0..8), [0, 1, 2, 3, 4, 5, 6, 7], "side by side");
        let wide = Walk::new([2, 128, 1], [128, 4, 1], &[1]);
        assert_eq!(numbers(&wide, 0..4), [0, 2, 4, 6]);
        assert_eq!(numbers(&wide, 32..34), [1, 3], "behind 128 rows of as many items");
    }

    #[test]
    fn without_anything_to_share_steps_are_numbers_in_one_piece() {
        for walk in
            [Walk::new([4, 4, 1], [8, 8, 1], &[]), Walk::new([16, 1, 1], [8, 8, 1], &[1, 2])]
        {
            let mut runs = Vec::new();
            walk.visit(3..13, &mut |numbers| runs.push((numbers.start, numbers.end)));
            assert_eq!(runs, [(3, 13)]);
        }
    }

    #[test]
    fn boxes_hold_the_groups_of_their_steps() {
        for (counts, serving) in [([5, 6, 2], &[1][..]), ([5, 6, 2], &[]), ([3, 4, 5], &[2])] {
            let walk = Walk::new(counts, [64, 64, 1], serving);
            let all: usize = counts.iter().product();
            for steps in (0..all).flat_map(|begin| (begin + 1..=all).map(move |end| begin..end)) {
                let around = walk.around(steps.clone());
                for number in numbers(&walk, steps) {
                    let at = Box3::around(number, number + 1, counts).first;
                    let is_in = |d: usize| around.first[d] <= at[d] && at[d] <= around.last[d];
                    assert!((0..3).all(is_in), "{at:?} {around:?}");
                }
            }
        }
        let walk = Walk::new([4, 4, 1], [128, 128, 1], &[1]);
        let quarter = walk.around(4..8);
        assert_eq!((quarter.first, quarter.last), ([2, 0, 0], [3, 1, 0]));
    }
}
