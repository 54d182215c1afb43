//! Dominators and post-dominators of a function's blocks.
//!
//! Terms: a dominates b if every path from the entry to b passes a; a post-dominates b if every path
//! from b to a return passes a. The tree holds each block's immediate (post-)dominator. Blocks that the
//! root does not reach (for post-dominators: that reach no return, or where items depart) have none.
//! Source: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm" (2001).

use crate::view::{BlockId, Callee, Function};

/// Indices of blocks from `root` in reverse post-order; those it does not reach are left out.
pub fn reverse_post_order(root: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; edges.len()];
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some(top) = stack.last_mut() {
        let (block, next) = *top;
        top.1 += 1;
        match edges[block].get(next) {
            Some(&to) if !seen[to] => {
                seen[to] = true;
                stack.push((to, 0));
            }
            Some(_) => {}
            None => {
                order.push(block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The blocks the entry reaches, each before what follows it but for the edges that close loops.
pub fn order(function: &Function) -> Vec<BlockId> {
    let edges: Vec<Vec<usize>> =
        function.blocks.iter().map(|block| ids(&block.successors)).collect();
    reverse_post_order(0, &edges).into_iter().map(|block| BlockId(block as u32)).collect()
}

#[derive(Debug)]
pub struct Tree {
    /// By block: the immediate dominator; `None` at a root and where nothing is known.
    parent: Vec<Option<BlockId>>,
    /// Every block, behind its immediate dominator.
    order: Vec<BlockId>,
    /// By block: where it stands in `order`, and where what it dominates ends there.
    span: Vec<(usize, usize)>,
}

impl Tree {
    fn of_parents(parent: Vec<Option<BlockId>>) -> Tree {
        let blocks = parent.len();
        // A root of its own, behind the blocks, holds all trees together.
        let mut children = vec![Vec::new(); blocks + 1];
        for (block, parent) in parent.iter().enumerate() {
            children[parent.map_or(blocks, BlockId::index)].push(block);
        }
        let (mut order, mut span) = (Vec::with_capacity(blocks), vec![(0, 0); blocks + 1]);
        let mut path = vec![(blocks, 0)];
        while let Some(top) = path.last_mut() {
            let (block, next) = *top;
            top.1 += 1;
            if let Some(&child) = children[block].get(next) {
                span[child].0 = order.len();
                order.push(BlockId(child as u32));
                path.push((child, 0));
            } else {
                span[block].1 = order.len();
                path.pop();
            }
        }
        span.truncate(blocks);
        Tree { parent, order, span }
    }

    pub fn dominators(function: &Function) -> Tree {
        let after: Vec<Vec<usize>> = function.blocks.iter().map(|b| ids(&b.successors)).collect();
        let before: Vec<Vec<usize>> =
            function.blocks.iter().map(|block| ids(&block.predecessors)).collect();
        Tree::of_parents(compute(0, &after, &before, before.len()))
    }

    /// Post-dominators hang from a root of their own, behind every return; for blocks from which nobody returns, behind
    /// departures, or whatever else is last. Ways on which items depart where others go on to a return do not count.
    pub fn post_dominators(function: &Function) -> Tree {
        let root = function.blocks.len();
        let ends = last_blocks(function);
        let returns =
            function.reaching(|block| ends.contains(&block) && rank(function, block) == 0);
        let departs = |block: BlockId| function.block(block).departs;
        let counts = |from: BlockId, to: BlockId| !(returns[from.index()] && departs(to));
        let (mut after, mut before) = (vec![Vec::new(); root + 1], vec![Vec::new(); root + 1]);
        for from in function.block_ids() {
            let ways = function.block(from).successors.iter().filter(|&&to| counts(from, to));
            for to in ways.map(|to| to.index()) {
                after[from.index()].push(to);
                before[to].push(from.index());
            }
        }
        for end in ends {
            after[end.index()].push(root);
            before[root].push(end.index());
        }
        Tree::of_parents(compute(root, &before, &after, root))
    }

    /// The immediate (post-)dominator.
    pub fn parent(&self, block: BlockId) -> Option<BlockId> {
        self.parent[block.index()]
    }

    /// Whether `a` (post-)dominates `b`; every block does itself.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let (first, end) = self.span[a.index()];
        (first..end).contains(&self.span[b.index()].0)
    }

    /// Every block, each behind its immediate (post-)dominator.
    pub fn downwards(&self) -> &[BlockId] {
        &self.order
    }
}

/// How little a block is an end of the function: a return, a departure, or what is said to be unreachable.
fn rank(function: &Function, block: BlockId) -> usize {
    match function.block(block).departs {
        false => 0,
        true if function.calls(block, Callee::Departure) => 1,
        true => 2,
    }
}

/// Ends of the function that each block which does not depart leads to one of: those of the least ranks that do.
fn last_blocks(function: &Function) -> Vec<BlockId> {
    let all = || function.block_ids().filter(|&end| function.block(end).successors.is_empty());
    let mut found: Vec<BlockId> = Vec::new();
    for next in 0..=2 {
        let reaches = function.reaching(|block| found.contains(&block));
        let is_lost = |block: &BlockId| !reaches[block.index()] && !function.block(*block).departs;
        let nobody = found.is_empty();
        if nobody || function.block_ids().any(|block| is_lost(&block)) {
            found.extend(all().filter(|&end| rank(function, end) == next));
        }
    }
    found
}

fn ids(blocks: &[BlockId]) -> Vec<usize> {
    blocks.iter().map(|block| block.index()).collect()
}

/// Immediate dominators along `after`; `before` are the same edges backwards. Parents that are no
/// block, being not below `blocks`, are left out.
fn compute(
    root: usize,
    after: &[Vec<usize>],
    before: &[Vec<usize>],
    blocks: usize,
) -> Vec<Option<BlockId>> {
    let order = reverse_post_order(root, after);
    let mut position = vec![usize::MAX; after.len()];
    for (at, &block) in order.iter().enumerate() {
        position[block] = at;
    }
    let mut parent: Vec<Option<usize>> = vec![None; after.len()];
    parent[root] = Some(root);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order[1..] {
            let known = before[block].iter().copied().filter(|&from| parent[from].is_some());
            let meet = known.reduce(|a, b| intersect(&parent, &position, a, b));
            if parent[block] != meet {
                parent[block] = meet;
                changed = true;
            }
        }
    }
    parent[root] = None;
    parent.truncate(blocks);
    let real = |block: usize| (block < blocks).then_some(BlockId(block as u32));
    parent.into_iter().map(|block| block.and_then(real)).collect()
}

/// The nearest common ancestor of two blocks that have parents.
fn intersect(parent: &[Option<usize>], position: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let deeper = if position[a] > position[b] { &mut a } else { &mut b };
        *deeper = parent[*deeper].expect("a block that was processed has a parent");
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    const DIAMOND: &str = "kernel k(c: i1)
        a:
          branch %c b c
        b:
          jump d
        c:
          branch %c d e
        d:
          ret
        e:
          jump e
        f:
          jump d";

    #[test]
    fn meets_are_dominated_by_the_fork() {
        let function = parse(DIAMOND);
        let tree = Tree::dominators(&function);
        let parents: Vec<_> = function.block_ids().map(|block| tree.parent(block)).collect();
        let at = |block| Some(BlockId(block));
        assert_eq!(parents, [None, at(0), at(0), at(0), at(2), None]);
        assert!(tree.dominates(BlockId(2), BlockId(4)) && tree.dominates(BlockId(4), BlockId(4)));
        assert!(!tree.dominates(BlockId(1), BlockId(3)));
    }

    #[test]
    fn ways_meet_in_spite_of_one_that_nobody_takes() {
        let function = parse(
            "kernel k(c: i32)
            entry:
              switch %c some others never
            some:
              jump done
            others:
              jump done
            never:
              unreachable
            done:
              ret",
        );
        assert_eq!(Tree::post_dominators(&function).parent(BlockId(0)), Some(BlockId(4)));
    }

    #[test]
    fn who_cannot_return_any_more_meets_before_departing() {
        let function = parse(
            "kernel k(a: global, c: i1, n: i64)
            entry:
              branch %c done head
            head:
              %g = global_id 0
              %d = slt %g %n
              branch %d head meet
            meet:
              barrier
              branch %c head leave
            leave:
              depart
              unreachable
            done:
              ret",
        );
        let tree = Tree::post_dominators(&function);
        let parents: Vec<_> = function.block_ids().map(|block| tree.parent(block)).collect();
        let at = |block| Some(BlockId(block));
        assert_eq!(parents, [None, at(2), at(3), None, None]);
    }

    #[test]
    fn what_never_returns_has_no_post_dominator() {
        let function = parse(DIAMOND);
        let tree = Tree::post_dominators(&function);
        let parents: Vec<_> = function.block_ids().map(|block| tree.parent(block)).collect();
        let at = |block| Some(BlockId(block));
        assert_eq!(parents, [at(3), at(3), at(3), None, None, at(3)]);
    }
}
