//! Cuts a kernel at its barriers into regions, each of which all work-items run before any runs the next.
//!
//! Terms: an *end* is a block behind whose instructions all items of the group meet: its terminator is executed once
//! for the group, not by each item. Ends are the blocks that end in a barrier, the block that returns, those
//! whose branch goes by what all items bring ([`ALL`], [`VOTE`]), and every block whose branch decides which end comes next: OpenCL demands that all items decide alike there. A *region* begins at
//! the kernel's entry or at the target of an end's terminator, and goes on to the next end.
//!
//! Invariants:
//! 1. Every region has exactly one end (none, if it never ends): a block from which several would be reached first is
//!    an end itself. So whatever items do inside a region, they leave it together.
//! 2. A block may be in several regions. A loop's header before a body with a barrier is in the region that leads to
//!    the loop and in the one that comes back to it; each gets a copy.
//! 3. Barriers are no instructions any more, only ends.

use std::collections::{HashMap, HashSet};

use crate::cfg::Flow;
use crate::library::{ALL, BARRIERS, VOTE};
use crate::llvm::{Block, Builder, Context, Function, Value};

pub struct Regions {
    /// The first begins at the entry.
    pub list: Vec<Region>,
    /// The ends that are barriers of the source.
    pub barriers: usize,
}

pub struct Region {
    pub start: Block,
    pub flow: Flow,
    pub end: Option<Block>,
    /// Whether it can be run again in the same group.
    pub repeats: bool,
}

impl Regions {
    /// Cuts `kernel`.
    pub fn find(context: Context, kernel: Function) -> Regions {
        let mut ends = cut_at_barriers(context, kernel);
        let barriers = ends.len();
        let blocks = Flow::new(kernel.entry(), &|_| false).blocks;
        ends.extend(
            blocks.iter().copied().filter(|&block| returns(block) || question(block).is_some()),
        );
        add_deciding(&blocks, &mut ends);

        let mut starts = vec![kernel.entry()];
        for &block in &blocks {
            if ends.contains(&block) {
                for target in block.successors() {
                    if !starts.contains(&target) {
                        starts.push(target);
                    }
                }
            }
        }
        let mut list: Vec<Region> =
            starts.into_iter().map(|start| Region::from(start, &ends)).collect();
        mark_repeating(&mut list);
        Regions { list, barriers }
    }

    /// The number of the region that begins at `start`.
    pub fn starting_at(&self, start: Block) -> usize {
        let found = self.list.iter().position(|region| region.start == start);
        found.expect("every target of an end begins a region")
    }
}

impl Region {
    fn from(start: Block, ends: &HashSet<Block>) -> Region {
        let flow = Flow::new(start, &|block| ends.contains(&block));
        let end = flow.blocks.iter().copied().find(|block| ends.contains(block));
        Region { start, flow, end, repeats: false }
    }
}

fn returns(block: Block) -> bool {
    block.terminator().is_some_and(|end| end.is_opcode(crate::llvm::Opcode::LLVMRet))
}

/// What all items are asked at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether something holds for all of them: [`ALL`].
    All,
    /// For how many it does: [`VOTE`].
    Count,
}

/// The question by whose answer the branch behind a block goes.
pub fn question(block: Block) -> Option<Question> {
    let condition = block.terminator().and_then(Value::condition)?;
    match condition.called()?.name().as_str() {
        ALL => Some(Question::All),
        VOTE => Some(Question::Count),
        _ => None,
    }
}

/// Makes each barrier the last thing in a block, and removes it. The blocks.
fn cut_at_barriers(context: Context, kernel: Function) -> HashSet<Block> {
    let is_barrier = |call: &Value| {
        call.called().is_some_and(|called| BARRIERS.contains(&called.name().as_str()))
    };
    let mut ends = HashSet::new();
    for block in kernel.blocks() {
        for barrier in block.instructions().into_iter().filter(is_barrier) {
            ends.insert(split_after(context, block, barrier));
            barrier.erase();
        }
    }
    ends
}

/// Moves everything up to `last` into a new block before `block`, which it falls through to. The new block.
fn split_after(context: Context, block: Block, last: Value) -> Block {
    let before = block.insert_before(context, &format!("{}.before", block.name()));
    for user in block.as_value().users() {
        for index in 0..user.operand_count() {
            if user.operand(index).as_block() == Some(block) {
                user.set_operand(index, before.as_value());
            }
        }
    }
    let builder = Builder::at_end(context, before);
    let mut next = block.first();
    while let Some(instruction) = next {
        next = instruction.next();
        let location = instruction.debug_location();
        instruction.unlink();
        builder.insert(instruction);
        instruction.set_debug_location(location);
        if instruction == last {
            break;
        }
    }
    builder.set_debug_location(last.debug_location());
    builder.branch(block);
    before
}

/// Which end comes next from the beginning of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Never,
    One(Block),
    Several,
}

impl Next {
    fn join(self, other: Next) -> Next {
        match (self, other) {
            (Next::Never, next) | (next, Next::Never) => next,
            (a, b) if a == b => a,
            _ => Next::Several,
        }
    }
}

/// Adds the blocks whose branches decide which end comes next: those on which ends depend by control.
fn add_deciding(blocks: &[Block], ends: &mut HashSet<Block>) {
    loop {
        let next = next_ends(blocks, ends);
        let several = |block: &&Block| next[*block] == Next::Several;
        let undecided: Vec<Block> = blocks.iter().filter(several).copied().collect();
        let clear = |block: &Block| block.successors().iter().all(|s| next[s] != Next::Several);
        let partly =
            |block: &Block| block.successors().iter().any(|s| matches!(next[s], Next::One(_)));
        // First those behind which everything is clear: blocks before them may then be clear too.
        let mut deciding: Vec<Block> = undecided.iter().copied().filter(clear).collect();
        if deciding.is_empty() {
            deciding = undecided.into_iter().filter(partly).collect();
        }
        if deciding.is_empty() {
            return;
        }
        ends.extend(deciding);
    }
}

fn next_ends(blocks: &[Block], ends: &HashSet<Block>) -> HashMap<Block, Next> {
    let mut next: HashMap<Block, Next> = blocks.iter().map(|&block| (block, Next::Never)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for block in blocks.iter().rev() {
            let new = if ends.contains(block) {
                Next::One(*block)
            } else {
                block.successors().iter().fold(Next::Never, |all, s| all.join(next[s]))
            };
            changed |= next.insert(*block, new) != Some(new);
        }
    }
    next
}

fn mark_repeating(list: &mut [Region]) {
    let number: HashMap<Block, usize> =
        list.iter().enumerate().map(|(number, region)| (region.start, number)).collect();
    let after: Vec<Vec<usize>> = list
        .iter()
        .map(|region| {
            let targets = region.end.map(|end| end.successors()).unwrap_or_default();
            targets.iter().map(|target| number[target]).collect()
        })
        .collect();
    for start in 0..list.len() {
        let mut seen = vec![false; list.len()];
        let mut rest = after[start].clone();
        while let Some(at) = rest.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                rest.extend(&after[at]);
            }
        }
        list[start].repeats = seen[start];
    }
}
