//! Branches of which several ways lead to one barrier: all items meet again before it decides itself whether the barrier comes.
//!
//! `switch (in[g] & 3) { case 0: break; case 1: x = 1; default: for (k = 0; k < n; k++) barrier(...); }`, `if (a || b) barrier(...)`, a
//! `break` of all items inside of what some do: items that took different ways may come to the barrier together, and it
//! is not decided at the branch, but behind what each does on its own.
//!
//! Terms: a branch's *own* blocks are those that one of its ways leads to alone; *doors* are the blocks that these and the
//! branch lead to otherwise. The *reunion* is a new block between them.
//! Steps: every edge to a door goes to the reunion, with a number in a variable, and on from there by the number. Each item runs what it
//! ran before. The branch now has barriers on one way alone, if any, and what is decided later is decided at the reunion.
//! An own block of the reunion's ways is none of the branch's, so that this ends.
//! Not here: doors that lead to each other in both directions (loops): nothing is gained.

use crate::analysis::Analysis;
use crate::analysis::deciding::is_on_one_way;
use crate::ir::uses;
use crate::llvm::{Block, Builder, Context, Function};
use crate::view::extract::Extracted;
use crate::view::{self, BlockId};

/// Lets items meet again behind the first of `branches` of which several ways lead to one barrier; whether there was one, so
/// that `view` and `analysis` are out of date.
pub fn apply(
    context: Context,
    kernel: Function,
    view: &Extracted,
    analysis: &Analysis,
    branches: &[BlockId],
) -> bool {
    let found = branches.iter().find_map(|&branch| Parted::find(&view.function, analysis, branch));
    let Some(parted) = found else { return false };
    let at = |block: &BlockId| view.blocks[block.index()];
    let own: Vec<Block> = parted.own.iter().map(at).collect();
    let doors: Vec<Block> = parted.doors.iter().map(at).collect();
    lead_over(context, kernel, at(&parted.branch), &own, &doors);
    true
}

struct Parted {
    branch: BlockId,
    own: Vec<BlockId>,
    doors: Vec<BlockId>,
}

impl Parted {
    /// None where one way leads to each barrier, or all ways are the same but for loops.
    fn find(function: &view::Function, analysis: &Analysis, branch: BlockId) -> Option<Parted> {
        let departs = |block: BlockId| function.block(block).departs;
        let meeting = analysis.post_dominators.parent(branch).filter(|&end| !departs(end))?;
        let loops = &analysis.loops;
        if loops.irreducible || is_on_one_way(function, loops, branch, meeting) {
            return None;
        }
        let headers: Vec<BlockId> = loops.around(branch).map(|id| loops.get(id).header).collect();
        let ends = |block| block == meeting || headers.contains(&block) || departs(block);
        let mut count = vec![0; function.blocks.len()];
        for way in function.ways(branch) {
            let behind = function.behind(way, &ends);
            behind.into_iter().for_each(|block| count[block.index()] += 1);
        }
        let is_own = |&block: &BlockId| {
            count[block.index()] == 1 && analysis.dominators.dominates(branch, block)
        };
        let own: Vec<BlockId> = function.block_ids().filter(is_own).collect();
        let from = own.iter().chain([&branch]);
        let mut doors: Vec<BlockId> =
            from.flat_map(|&block| &function.block(block).successors).copied().collect();
        doors.retain(|door| !own.contains(door) && !departs(*door));
        doors.sort();
        doors.dedup();
        (!own.is_empty() && doors.len() > 1).then_some(Parted { branch, own, doors })
    }
}

/// Leads the edges of `branch` and of its `own` blocks to `doors` over one block.
fn lead_over(context: Context, kernel: Function, branch: Block, own: &[Block], doors: &[Block]) {
    doors.iter().for_each(|&door| uses::keep_phis_in_memory(context, door));
    for &block in own {
        uses::keep_in_memory(context, block, &|other| other == block);
    }
    let number = context.integer(32);
    let variable = Builder::at_start(context, kernel).alloca(number);
    let reunion = kernel.append_block(context, "reunion");
    for &block in own.iter().chain([&branch]) {
        let end = block.terminator().expect("a block has a terminator");
        for (index, to) in end.successors().into_iter().enumerate() {
            if let Some(at) = doors.iter().position(|&door| door == to) {
                let on = kernel.append_block(context, "reunion.edge");
                let builder = Builder::at_end(context, on);
                builder.store(number.constant(at as u64), variable);
                builder.branch(reunion);
                end.set_successor(index, on);
            }
        }
    }
    let builder = Builder::at_end(context, reunion);
    builder.set_debug_location(branch.terminator().and_then(|end| end.debug_location()));
    let cases: Vec<_> =
        (1..).zip(&doors[1..]).map(|(at, &door)| (number.constant(at), door)).collect();
    builder.switch(builder.load(number, variable), doors[0], &cases);
}
