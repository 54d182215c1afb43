//! What follows when the items of a work-group take different ways at a branch.
//!
//! Terms: the *influence* of a branch is every block from its successors up to where all its ways
//! have met again (its immediate post-dominator, which is outside). A *join* is a block that two ways
//! reach separately: items arrive there from different sides, so its phis differ. A loop is *left at
//! different times* when one way leaves it and another goes on: values of its last iteration differ
//! outside of it.
//! Method: every way of the branch carries a label from block to block, in reverse post-order; a block
//! that two labels meet in is a join and sends on a label of its own. Labels stop at the
//! post-dominator and, for loops around the branch, at the header; then a loop whose header and exits
//! got more than one label is left at different times, and each exit sends on a label of its own. Ways on which items
//! depart carry no label: nobody comes back from them, and the others do not notice. Of a branch of those who are on such a way
//! already, all ways count.
//! Source: Rosemann, Moll, Hack, "An abstract interpretation for SPMD divergence on reducible control
//! flow graphs" (POPL 2021), whose joins these are; Collange 2011 for the idea.

use std::collections::{BTreeMap, HashMap};

use super::dominators::Tree;
use super::loops::{LoopId, Loops};
use crate::view::{BlockId, Function};

/// What one branch does if its items disagree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Influence {
    pub joins: Vec<BlockId>,
    pub left_apart: Vec<LoopId>,
}

/// Computes influences; what they all need of the function.
pub struct Influences<'a> {
    function: &'a Function,
    loops: &'a Loops,
    post: &'a Tree,
    position: Vec<usize>,
}

/// Labels under way: by position in reverse post-order the block, and by block its label.
struct Labels {
    of: HashMap<BlockId, BlockId>,
    work: BTreeMap<usize, BlockId>,
    joins: Vec<BlockId>,
    /// The branch is on a way on which items depart.
    departing: bool,
}

impl<'a> Influences<'a> {
    /// `order` is a reverse post-order of the blocks.
    pub fn new(
        function: &'a Function,
        loops: &'a Loops,
        post: &'a Tree,
        order: &[BlockId],
    ) -> Influences<'a> {
        let mut position = vec![usize::MAX; function.blocks.len()];
        for (at, block) in order.iter().enumerate() {
            position[block.index()] = at;
        }
        Influences { function, loops, post, position }
    }

    pub fn of(&self, branch: BlockId) -> Influence {
        let end = self.end(branch);
        let this = self.function.block(branch);
        let departing = this.departs;
        let mut labels =
            Labels { of: HashMap::new(), work: BTreeMap::new(), joins: Vec::new(), departing };
        for &way in this.successors.iter().filter(|&&way| self.counts(departing, way)) {
            // Two edges to one block meet there at once.
            match labels.of.get(&way) {
                Some(_) => labels.joins.push(way),
                None => self.send(&mut labels, way, way),
            }
        }
        let mut left_apart = Vec::new();
        for id in self.loops.around(branch) {
            let this = self.loops.get(id);
            let inside = |block| Some(block) != end && block != this.header && this.contains(block);
            self.spread(&mut labels, None, inside);
            if self.is_left_apart(id, &labels) {
                left_apart.push(id);
                self.part_at_exits(id, &mut labels);
            }
        }
        self.spread(&mut labels, end, |block| Some(block) != end);
        labels.joins.sort();
        labels.joins.dedup();
        Influence { joins: labels.joins, left_apart }
    }

    /// Whether items that go there have not all departed from the others of the branch, who may be `departing` already.
    fn counts(&self, departing: bool, block: BlockId) -> bool {
        departing || !self.function.block(block).departs
    }

    /// Where all ways of a branch have met again.
    pub fn end(&self, branch: BlockId) -> Option<BlockId> {
        self.post.parent(branch)
    }

    /// Brings `label` to `block`; two different ones make it a join.
    fn send(&self, labels: &mut Labels, block: BlockId, label: BlockId) {
        match labels.of.get(&block).copied() {
            Some(before) if before == label => return,
            Some(before) => {
                labels.joins.push(block);
                if before == block {
                    return;
                }
                labels.of.insert(block, block);
            }
            None => {
                labels.of.insert(block, label);
            }
        }
        labels.work.insert(self.position[block.index()], block);
    }

    /// Sends labels on as long as they are `inside`; those that are not wait for the next call. Where all ways lead to
    /// `end`, the last one under way will meet there those that have arrived, wherever else it leads.
    fn spread(&self, labels: &mut Labels, end: Option<BlockId>, inside: impl Fn(BlockId) -> bool) {
        let mut waiting = BTreeMap::new();
        while let Some((position, block)) = labels.work.pop_first() {
            if !inside(block) {
                waiting.insert(position, block);
                continue;
            }
            let Some(&label) = labels.of.get(&block) else { continue };
            let arrived = end.filter(|end| labels.of.contains_key(end));
            let others = labels.work.values().any(|&other| Some(other) != end);
            if let Some(end) = arrived.filter(|_| !others) {
                self.send(labels, end, label);
                break;
            }
            let (after, departing) = (&self.function.block(block).successors, labels.departing);
            for &next in after.iter().filter(|&&next| self.counts(departing, next)) {
                self.send(labels, next, label);
            }
        }
        labels.work = waiting;
    }

    /// Gives every exit of a loop that is left at different times a label of its own.
    fn part_at_exits(&self, id: LoopId, labels: &mut Labels) {
        let this = self.loops.get(id);
        // The header's label has done its work: what goes on from here leaves by the exits.
        labels.work.retain(|_, block| *block != this.header);
        let mut seen = Vec::new();
        let departing = labels.departing;
        for &(_, exit) in this.exits.iter().filter(|&&(_, exit)| self.counts(departing, exit)) {
            if seen.contains(&exit) {
                labels.joins.push(exit);
            }
            seen.push(exit);
            labels.of.insert(exit, exit);
            labels.work.insert(self.position[exit.index()], exit);
        }
    }

    fn is_left_apart(&self, id: LoopId, labels: &Labels) -> bool {
        let this = self.loops.get(id);
        let ends = this.exits.iter().map(|&(_, to)| to).chain([this.header]);
        let mut seen: Vec<BlockId> =
            ends.filter_map(|block| labels.of.get(&block).copied()).collect();
        seen.sort();
        seen.dedup();
        // Leaving by different exits in one iteration is no loop's business.
        seen.len() > 1 && labels.of.contains_key(&this.header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::dominators;
    use crate::view::text::parse;

    fn influence(text: &str, branch: u32) -> Influence {
        let function = parse(text);
        let loops = Loops::find(&function, &Tree::dominators(&function));
        let post = Tree::post_dominators(&function);
        let order = dominators::order(&function);
        Influences::new(&function, &loops, &post, &order).of(BlockId(branch))
    }

    fn blocks(numbers: &[u32]) -> Vec<BlockId> {
        numbers.iter().copied().map(BlockId).collect()
    }

    #[test]
    fn a_loop_under_a_guard_is_no_join() {
        let found = influence(
            "kernel k(c: i1)
            entry:
              branch %c head done
            head:
              branch %c body after
            body:
              jump head
            after:
              jump done
            done:
              ret",
            0,
        );
        assert_eq!(found.joins, blocks(&[4]));
        assert_eq!(found.left_apart, []);
    }

    #[test]
    fn those_who_have_departed_part_and_meet_like_others() {
        let found = influence(
            "kernel k(c: i1)
            entry:
              branch %c leaves stays
            stays:
              barrier
              ret
            leaves:
              branch %c one other
            one:
              jump meeting
            other:
              jump meeting
            meeting:
              unreachable",
            2,
        );
        assert_eq!(found.joins, blocks(&[5]));
    }

    const BREAK: &str = "kernel k(c: i1)
        entry:
          jump head
        head:
          branch %c body done
        body:
          branch %c early next
        next:
          jump head
        early:
          jump done
        done:
          ret";

    #[test]
    fn a_loop_left_from_its_middle_is_left_at_different_times() {
        let found = influence(BREAK, 2);
        assert_eq!(found.left_apart, [LoopId(0)]);
        assert_eq!(found.joins, blocks(&[5]));
    }

    #[test]
    fn leaving_at_the_header_joins_nothing_with_one_exit() {
        let text = "kernel k(c: i1)
            entry:
              jump head
            head:
              branch %c body done
            body:
              jump head
            done:
              ret";
        let found = influence(text, 1);
        assert_eq!(found.left_apart, [LoopId(0)]);
        assert_eq!(found.joins, []);
    }

    #[test]
    fn two_ways_back_to_the_header_join_there() {
        let found = influence(
            "kernel k(c: i1)
            entry:
              jump head
            head:
              branch %c body done
            body:
              branch %c left right
            left:
              jump head
            right:
              jump head
            done:
              ret",
            2,
        );
        assert_eq!(found.joins, blocks(&[1]));
        assert_eq!(found.left_apart, []);
    }
}
