//! Graphs of blocks: orders and dominators of a part of a function that is entered at one block.
//!
//! Dominators: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use std::collections::{HashMap, HashSet};

use crate::llvm::Block;

/// Blocks that are reachable from the first, in reverse postorder, and who dominates whom among them.
pub struct Flow {
    pub blocks: Vec<Block>,
    number: HashMap<Block, usize>,
    /// By the number of a block: those that come before and after it.
    predecessors: Vec<Vec<usize>>,
    successors: Vec<Vec<usize>>,
    /// For each block the number of its immediate dominator; the first block's own is itself.
    dominator: Vec<usize>,
}

impl Flow {
    /// What is reachable from `start`; beyond blocks for which `stops` holds, nothing is.
    pub fn new(start: Block, stops: &dyn Fn(Block) -> bool) -> Flow {
        let edges = |block: Block| if stops(block) { Vec::new() } else { block.successors() };
        let blocks = reverse_postorder(start, &edges);
        let number: HashMap<Block, usize> =
            blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        let numbers = |blocks: Vec<Block>| blocks.iter().map(|block| number[block]).collect();
        let successors: Vec<Vec<usize>> =
            blocks.iter().map(|&block| numbers(edges(block))).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, to) in successors.iter().enumerate() {
            to.iter().for_each(|&to| predecessors[to].push(from));
        }
        let dominator = dominators(&predecessors);
        Flow { blocks, number, predecessors, successors, dominator }
    }

    pub fn contains(&self, block: Block) -> bool {
        self.number.contains_key(&block)
    }

    /// The blocks on ways from `block` back to it, itself among them; none where there is no such way.
    pub fn cycle(&self, block: Block) -> HashSet<Block> {
        let number = self.number[&block];
        let behind = reached(number, &self.predecessors);
        let ahead = reached(number, &self.successors);
        ahead.intersection(&behind).map(|&at| self.blocks[at]).collect()
    }

    /// Whether every way from the start to `below` leads through `above`; both are in the graph.
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        let (Some(&above), Some(&below)) = (self.number.get(&above), self.number.get(&below))
        else {
            return false;
        };
        let mut at = below;
        while at > above {
            at = self.dominator[at];
        }
        at == above
    }
}

fn reverse_postorder(start: Block, edges: &dyn Fn(Block) -> Vec<Block>) -> Vec<Block> {
    let mut order = Vec::new();
    let mut seen = HashSet::from([start]);
    let mut path = vec![(start, edges(start), 0)];
    while let Some((block, next, at)) = path.last_mut() {
        if let Some(&successor) = next.get(*at) {
            *at += 1;
            if seen.insert(successor) {
                path.push((successor, edges(successor), 0));
            }
        } else {
            order.push(*block);
            path.pop();
        }
    }
    order.reverse();
    order
}

fn dominators(predecessors: &[Vec<usize>]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut dominator = vec![UNKNOWN; predecessors.len()];
    dominator[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for block in 1..predecessors.len() {
            let known = predecessors[block].iter().filter(|&&from| dominator[from] != UNKNOWN);
            let Some(new) = known.copied().reduce(|a, b| meet(&dominator, a, b)) else { continue };
            if dominator[block] != new {
                dominator[block] = new;
                changed = true;
            }
        }
    }
    dominator
}

/// What comes by one such edge or more.
fn reached(from: usize, edges: &[Vec<usize>]) -> HashSet<usize> {
    let mut reached = HashSet::new();
    let mut rest = vec![from];
    while let Some(block) = rest.pop() {
        rest.extend(edges[block].iter().copied().filter(|&next| reached.insert(next)));
    }
    reached
}

/// The nearest block that dominates both.
fn meet(dominator: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = dominator[a];
        }
        while b > a {
            b = dominator[b];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::dominators;

    #[test]
    fn a_diamond_with_a_loop() {
        // 0 -> 1, 2; 1 -> 3; 2 -> 3; 3 -> 4, 1; 4.
        let predecessors = vec![vec![], vec![0, 3], vec![0], vec![1, 2], vec![3]];
        assert_eq!(dominators(&predecessors), [0, 0, 0, 0, 3]);
    }
}
