//! Natural loops, how they nest, and where they are left.
//!
//! Terms: an edge to a block that dominates its source closes a loop, whose *header* that block is;
//! the *body* is every block that reaches such an edge without passing the header; loops with one
//! header are one loop. An *exit* is an edge that leaves the body; a *latch* the source of a closing
//! edge. Edges that a switch has several times count once. A cycle without such a header is *irreducible*: it is no loop here, and is reported.
//! Invariants: a loop stands before the loops inside it; depth 1 is outermost.
//! Source: Aho, Lam, Sethi, Ullman, Compilers (2006), section 9.6.

use super::dominators::{self, Tree};
use crate::view::{BlockId, Function, ValueId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

impl LoopId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub struct Loop {
    pub header: BlockId,
    pub latches: Vec<BlockId>,
    /// In order of block ids; the header is one of them.
    pub blocks: Vec<BlockId>,
    /// Edges that leave: from inside, to outside.
    pub exits: Vec<(BlockId, BlockId)>,
    pub parent: Option<LoopId>,
    pub depth: u32,
    /// The source line of the edge that closes it or, without one, the first of its body.
    pub line: Option<u32>,
}

impl Loop {
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }
}

#[derive(Debug)]
pub struct Loops {
    loops: Vec<Loop>,
    /// By block: the innermost loop it is in.
    innermost: Vec<Option<LoopId>>,
    /// Whether the function has a cycle that is no natural loop.
    pub irreducible: bool,
}

impl Loops {
    pub fn find(function: &Function, dominators: &Tree) -> Loops {
        let order = dominators::order(function);
        let mut position = vec![usize::MAX; function.blocks.len()];
        for (at, block) in order.iter().enumerate() {
            position[block.index()] = at;
        }
        let (mut loops, mut irreducible) = (Vec::new(), false);
        let mut inside = vec![false; function.blocks.len()];
        for &header in &order {
            let before = function.block(header).predecessors.iter().copied();
            let back: Vec<BlockId> = before
                .filter(|from| position[from.index()] != usize::MAX)
                .filter(|from| position[from.index()] >= position[header.index()])
                .collect();
            let mut latches: Vec<BlockId> =
                back.iter().copied().filter(|&from| dominators.dominates(header, from)).collect();
            irreducible |= latches.len() < back.len();
            latches.dedup();
            if !latches.is_empty() {
                loops.push(natural(function, header, latches, &position, &mut inside));
            }
        }
        let innermost = nest(&mut loops, function.blocks.len());
        Loops { loops, innermost, irreducible }
    }

    pub fn len(&self) -> usize {
        self.loops.len()
    }

    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.index()]
    }

    /// Every loop, the outer before the inner.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<> {
        (0..self.loops.len() as u32).map(LoopId)
    }

    /// The innermost loop a block is in.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }

    /// The loops a block is in, the innermost first.
    pub fn around(&self, block: BlockId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.innermost(block), |&id| self.get(id).parent)
    }

    /// The loop whose header this block is.
    pub fn headed_by(&self, block: BlockId) -> Option<LoopId> {
        self.innermost(block).filter(|&id| self.get(id).header == block)
    }
}

/// `inside` is for marks, all false before and after.
fn natural(
    function: &Function,
    header: BlockId,
    latches: Vec<BlockId>,
    reached: &[usize],
    inside: &mut [bool],
) -> Loop {
    inside[header.index()] = true;
    let (mut blocks, mut work) = (vec![header], latches.clone());
    while let Some(block) = work.pop() {
        if !inside[block.index()] && reached[block.index()] != usize::MAX {
            inside[block.index()] = true;
            blocks.push(block);
            work.extend(&function.block(block).predecessors);
        }
    }
    blocks.sort();
    let mut exits = Vec::new();
    for &block in &blocks {
        let after = function.block(block).successors.iter();
        for &to in after.filter(|to| !inside[to.index()]) {
            if !exits.contains(&(block, to)) {
                exits.push((block, to));
            }
        }
    }
    blocks.iter().for_each(|block| inside[block.index()] = false);
    let line_of = |&id: &ValueId| function.value(id).line;
    let closes = latches.iter().filter_map(|&latch| function.terminator(latch));
    let body = blocks.iter().flat_map(|&block| &function.block(block).instructions);
    let line = closes.filter_map(|(id, _)| line_of(&id)).min();
    let line = line.or_else(|| body.filter_map(line_of).min());
    Loop { header, latches, blocks, exits, parent: None, depth: 1, line }
}

/// Sets parents and depths; loops come outer first, because a header comes before what it dominates.
fn nest(loops: &mut [Loop], blocks: usize) -> Vec<Option<LoopId>> {
    let mut innermost = vec![None; blocks];
    for at in 0..loops.len() {
        let parent: Option<LoopId> = innermost[loops[at].header.index()];
        loops[at].parent = parent;
        loops[at].depth = parent.map_or(1, |parent| loops[parent.index()].depth + 1);
        for block in &loops[at].blocks {
            innermost[block.index()] = Some(LoopId(at as u32));
        }
    }
    innermost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    fn loops(text: &str) -> Loops {
        let function = parse(text);
        Loops::find(&function, &Tree::dominators(&function))
    }

    #[test]
    fn nests_have_depths_exits_and_parents() {
        let found = loops(
            "kernel k(c: i1)
            entry:
              jump outer
            outer:
              branch %c inner done
            inner:
              branch %c body next
            body:
              branch %c inner early
            next:
              jump outer
            early:
              jump done
            done:
              ret",
        );
        let [outer, inner] = [found.get(LoopId(0)), found.get(LoopId(1))];
        assert_eq!((found.len(), outer.depth, inner.depth), (2, 1, 2));
        assert_eq!(inner.parent, Some(LoopId(0)));
        assert_eq!(outer.latches, [BlockId(4)]);
        assert_eq!(outer.exits, [(BlockId(1), BlockId(6)), (BlockId(3), BlockId(5))]);
        assert_eq!(inner.exits, [(BlockId(2), BlockId(4)), (BlockId(3), BlockId(5))]);
        assert_eq!(found.innermost(BlockId(4)), Some(LoopId(0)));
        assert_eq!(found.around(BlockId(3)).collect::<Vec<_>>(), [LoopId(1), LoopId(0)]);
        assert!(!found.irreducible);
    }

    #[test]
    fn latches_of_one_header_make_one_loop() {
        let found = loops(
            "kernel k(c: i1)
            entry:
              jump head
            head:
              branch %c left right
            left:
              jump head
            right:
              branch %c head done
            done:
              ret",
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found.get(LoopId(0)).latches, [BlockId(2), BlockId(3)]);
    }

    #[test]
    fn a_cycle_with_two_entries_is_reported() {
        let found = loops(
            "kernel k(c: i1)
            entry:
              branch %c one two
            one:
              jump two
            two:
              branch %c one done
            done:
              ret",
        );
        assert!(found.irreducible && found.is_empty());
    }
}
