//! Sections: regions that need the items of a chunk alone, not the whole group.
//!
//! Terms: a *section* is a set of regions that is entered at one of them, its first, and in which no region ends in a barrier that
//! leads to another one of it. So between entering and leaving a section, no item waits for the whole group, and the items may go
//! through all of it a chunk at a time ([`crate::group::chunks`]). Every region is in one section. A kernel without barriers is one section.

use std::collections::BTreeSet;

use crate::analysis::dominators::reverse_post_order;
use crate::group::regions::{Region, Regions};
use crate::llvm::{Block, Opcode, Value};

/// The regions of a section, by number, the first one first.
#[derive(Debug, PartialEq, Eq)]
pub struct Section(pub Vec<usize>);

impl Section {
    pub fn first(&self) -> usize {
        self.0[0]
    }

    pub fn has(&self, region: usize) -> bool {
        self.0.contains(&region)
    }

    pub fn regions<'a>(&'a self, all: &'a Regions) -> impl Iterator<Item = &'a Region> {
        self.0.iter().map(|&number| &all.list[number])
    }

    /// Whether a variable is read or written in one of its regions.
    pub fn touches(&self, all: &Regions, slot: Value) -> bool {
        self.regions(all).any(|region| region.touches(slot))
    }

    /// The regions that it is left for, and none where items return.
    pub fn exits(&self, all: &Regions) -> Vec<Option<usize>> {
        let after = all.after();
        let mut exits = Vec::new();
        for &number in &self.0 {
            let inside = |next: &usize| all.list[number].waits || !self.has(*next);
            exits.extend(after[number].iter().copied().filter(|next| inside(next)).map(Some));
            let returns =
                |end: Block| end.terminator().is_some_and(|it| it.is_opcode(Opcode::LLVMRet));
            exits.extend(all.list[number].end.is_some_and(returns).then_some(None));
        }
        exits.sort();
        exits.dedup();
        exits
    }

    /// Whether all chunks leave it for the same region: what each of them `is_asked` behind a block must not decide that.
    pub fn is_left_together(&self, all: &Regions, is_asked: &dyn Fn(Block) -> bool) -> bool {
        let asks = |region: &Region| region.end.is_some_and(is_asked);
        !self.regions(all).any(asks) || self.exits(all).len() <= 1
    }
}

/// The sections of a kernel, in the order of their first regions.
pub fn find(regions: &Regions) -> Vec<Section> {
    let waits: Vec<bool> = regions.list.iter().map(|region| region.waits).collect();
    divide(&regions.after(), &waits)
}

/// Divides regions, of which it is known which come next, and behind which of them the group waits.
fn divide(after: &[Vec<usize>], waits: &[bool]) -> Vec<Section> {
    let mut before = vec![Vec::new(); after.len()];
    for (from, targets) in after.iter().enumerate() {
        targets.iter().for_each(|&to| before[to].push(from));
    }
    let mut taken = vec![false; after.len()];
    let mut sections = Vec::new();
    let unreached = 0..after.len();
    for first in reverse_post_order(0, after).into_iter().chain(unreached) {
        if taken[first] {
            continue;
        }
        let mut inside = reached(first, after, waits, &taken);
        let is_entered = |inside: &BTreeSet<usize>, at: usize| {
            let from_inside = |from: &usize| inside.contains(from) && !waits[*from];
            at != first && !before[at].iter().all(from_inside)
        };
        while let Some(at) = inside.iter().copied().find(|&at| is_entered(&inside, at)) {
            inside.remove(&at);
        }
        inside.remove(&first);
        let section = Section([first].into_iter().chain(inside).collect());
        section.0.iter().for_each(|&at| taken[at] = true);
        sections.push(section);
    }
    sections.sort_by_key(Section::first);
    sections
}

/// What is reached from a region without a barrier in between, among what is not taken.
fn reached(first: usize, after: &[Vec<usize>], waits: &[bool], taken: &[bool]) -> BTreeSet<usize> {
    let mut inside = BTreeSet::new();
    let mut rest = vec![first];
    while let Some(at) = rest.pop() {
        if !taken[at] && inside.insert(at) && !waits[at] {
            rest.extend(&after[at]);
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(after: &[&[usize]], waiting: &[usize]) -> Vec<Vec<usize>> {
        let after: Vec<Vec<usize>> = after.iter().map(|targets| targets.to_vec()).collect();
        let waits: Vec<bool> = (0..after.len()).map(|at| waiting.contains(&at)).collect();
        divide(&after, &waits).into_iter().map(|section| section.0).collect()
    }

    #[test]
    fn without_barriers_all_is_one_section() {
        assert_eq!(sections(&[&[1], &[1, 2], &[]], &[]), [[0, 1, 2]]);
        assert_eq!(sections(&[&[]], &[]), [[0]]);
    }

    #[test]
    fn a_loop_behind_a_barrier_is_a_section() {
        // 0 copies and waits; 1 begins, 2 is the loop, 3 ends.
        assert_eq!(sections(&[&[1], &[2], &[2, 3], &[]], &[0]), [vec![0], vec![1, 2, 3]]);
    }

    #[test]
    fn a_loop_between_the_barriers_of_another_one_is_a_section() {
        // 0 leads to tile after tile, or to the end, 6: 1 copies and waits, 2 to 4 go along the tile and wait, 5 decides.
        let after: &[&[usize]] = &[&[1, 6], &[2], &[3], &[3, 4], &[5], &[1, 6], &[]];
        let found = sections(after, &[1, 4]);
        assert_eq!(found, [vec![0], vec![1], vec![2, 3, 4], vec![5], vec![6]]);
    }

    #[test]
    fn what_is_entered_from_elsewhere_begins_a_section() {
        // The loop, 2, is entered from 0, and from 1, behind a barrier; 3 comes after it.
        let after: &[&[usize]] = &[&[1, 2], &[2], &[2, 3], &[]];
        assert_eq!(sections(after, &[1]), [[0, 1], [2, 3]]);
    }

    #[test]
    fn a_loop_with_a_barrier_inside_is_more_than_one() {
        let after: &[&[usize]] = &[&[1], &[2], &[1, 3], &[]];
        assert_eq!(sections(after, &[1]), [vec![0], vec![1], vec![2, 3]]);
    }
}
