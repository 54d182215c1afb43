//! Cuts a kernel at its barriers into regions, each of which all work-items run before any runs the next.
//!
//! Terms: an *end* is a block behind whose instructions all items of the group meet: its terminator is executed once
//! for the group, not by each item. Ends are the blocks that end in a barrier, the block that returns, those
//! whose branch goes by what all items bring ([`ALL`], [`VOTE`]), and every block whose branch decides which end comes next:
//! OpenCL demands that all items decide alike there, and where it does not, they have agreed ([`crate::kernel::agree`]). A *region*
//! begins at the kernel's entry or at the target of an end's terminator, and goes on to the next end.
//!
//! Invariants:
//! 1. Every region has exactly one end (none, if it never ends): a block from which several would be reached first is
//!    an end itself. So whatever items do inside a region, they leave it together.
//! 2. A block may be in several regions. A loop's header before a body with a barrier is in the region that leads to
//!    the loop and in the one that comes back to it; each gets a copy.
//! 3. Barriers are no instructions any more, only ends.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::analysis::dominators::reverse_post_order;
use crate::front::library::{ALL, GROUP_STEP, STEP, VOTE, is_barrier};
use crate::ir::cfg::Flow;
use crate::llvm::{Block, Context, Function, Value};

pub struct Regions {
    /// The first begins at the entry.
    pub list: Vec<Region>,
    /// How many ends are barriers of the source.
    pub barriers: usize,
    /// By its first block: the number of a region.
    starting: HashMap<Block, usize>,
    /// By block: the numbers of the regions that it is in.
    holding: HashMap<Block, Vec<usize>>,
}

pub struct Region {
    pub start: Block,
    pub flow: Flow,
    pub end: Option<Block>,
    /// Whether the whole group meets behind its end: at a barrier of the source, or a step of all.
    pub waits: bool,
    /// Whether it can be run again in the same group.
    pub repeats: bool,
}

impl Regions {
    /// Cuts `kernel`.
    pub fn find(context: Context, kernel: Function) -> Regions {
        let is =
            |call: Value, name: &str| call.called().is_some_and(|called| called.name() == name);
        let barriers = cut_behind(context, kernel, &is_barrier);
        let mut waiting = cut_behind(context, kernel, &|call| is(call, GROUP_STEP));
        waiting.extend(&barriers);
        let mut ends = cut_behind(context, kernel, &|call| is(call, STEP));
        ends.extend(&waiting);
        let blocks = Flow::new(kernel.entry(), &|_| false).blocks;
        ends.extend(
            blocks.iter().copied().filter(|&block| returns(block) || question(block).is_some()),
        );
        add_deciding(&blocks, &mut ends);

        let mut starts = vec![kernel.entry()];
        let mut starting = HashMap::from([(kernel.entry(), 0)]);
        for target in
            blocks.iter().filter(|block| ends.contains(block)).flat_map(|end| end.successors())
        {
            if let Entry::Vacant(new) = starting.entry(target) {
                new.insert(starts.len());
                starts.push(target);
            }
        }
        let mut list: Vec<Region> =
            starts.into_iter().map(|start| Region::from(start, &ends)).collect();
        mark_repeating(&mut list, &starting);
        for region in &mut list {
            region.waits = region.end.is_some_and(|end| waiting.contains(&end));
        }
        let mut holding: HashMap<Block, Vec<usize>> = HashMap::new();
        for (number, region) in list.iter().enumerate() {
            for &block in &region.flow.blocks {
                holding.entry(block).or_default().push(number);
            }
        }
        Regions { list, barriers: barriers.len(), starting, holding }
    }

    /// The number of the region that begins at `start`.
    pub fn starting_at(&self, start: Block) -> usize {
        *self.starting.get(&start).expect("every target of an end begins a region")
    }

    /// By region: those that may come next.
    pub fn after(&self) -> Vec<Vec<usize>> {
        self.list.iter().map(|region| region.after(&self.starting)).collect()
    }

    /// The regions that have `block`.
    pub fn holding(&self, block: Block) -> impl Iterator<Item = &Region> {
        let numbers = self.holding.get(&block).into_iter().flatten();
        numbers.map(|&number| &self.list[number])
    }
}

impl Region {
    /// A whole kernel, as if its barriers were not there.
    pub fn whole(kernel: Function) -> Region {
        Region::from(kernel.entry(), &HashSet::new())
    }

    /// Whether a variable is read or written here.
    pub fn touches(&self, slot: Value) -> bool {
        let blocks = slot.users().into_iter().filter_map(Value::parent);
        blocks.into_iter().any(|block| self.flow.contains(block))
    }

    pub fn instructions(&self) -> impl Iterator<Item = Value> {
        self.flow.blocks.iter().flat_map(|block| block.instructions())
    }

    /// Whether a block leads back to one that dominates it.
    pub fn has_loop(&self) -> bool {
        let mut inside = self.flow.blocks.iter().filter(|&&block| Some(block) != self.end);
        inside.any(|&block| {
            block.successors().into_iter().any(|target| self.flow.dominates(target, block))
        })
    }

    fn after(&self, number: &HashMap<Block, usize>) -> Vec<usize> {
        let targets = self.end.map(Block::successors).unwrap_or_default();
        targets.iter().map(|target| number[target]).collect()
    }

    fn from(start: Block, ends: &HashSet<Block>) -> Region {
        let flow = Flow::new(start, &|block| ends.contains(&block));
        let end = flow.blocks.iter().copied().find(|block| ends.contains(block));
        Region { start, flow, end, waits: false, repeats: false }
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

/// Makes each of these calls the last thing in a block, and removes it. The blocks.
fn cut_behind(
    context: Context,
    kernel: Function,
    is_one: &dyn Fn(Value) -> bool,
) -> HashSet<Block> {
    let mut ends = HashSet::new();
    for block in kernel.blocks() {
        for call in block.instructions().into_iter().filter(|&call| is_one(call)) {
            let behind = call.next().expect("a block ends in a terminator");
            ends.insert(block.split_before(context, behind));
            call.erase();
        }
    }
    ends
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
        let mut next = next_ends(blocks, ends);
        let known = ends.len();
        // First those behind which everything is clear: blocks before them may then be clear too. From the last to the
        // first, so that all are found at once where nothing leads back.
        for &block in blocks.iter().rev() {
            let after = || block.successors().into_iter().map(|target| next[&target]);
            if next[&block] == Next::Several && after().all(|next| next != Next::Several) {
                let mut new = after().fold(Next::Never, Next::join);
                if new == Next::Several {
                    ends.insert(block);
                    new = Next::One(block);
                }
                next.insert(block, new);
            }
        }
        if ends.len() == known {
            let partly = |block: &&Block| {
                let after = block.successors();
                next[*block] == Next::Several
                    && after.iter().any(|target| matches!(next[target], Next::One(_)))
            };
            ends.extend(blocks.iter().filter(partly));
        }
        if ends.len() == known {
            return;
        }
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

fn mark_repeating(list: &mut [Region], number: &HashMap<Block, usize>) {
    let after: Vec<Vec<usize>> = list.iter().map(|region| region.after(number)).collect();
    for (region, repeats) in list.iter_mut().zip(in_cycles(&after)) {
        region.repeats = repeats;
    }
}

/// For each place whether a way leads from it back to it; the first leads to all. By its strongly connected components (Kosaraju).
fn in_cycles(after: &[Vec<usize>]) -> Vec<bool> {
    const NONE: usize = usize::MAX;
    let mut before = vec![Vec::new(); after.len()];
    for (from, targets) in after.iter().enumerate() {
        targets.iter().for_each(|&to| before[to].push(from));
    }
    let mut component = vec![NONE; after.len()];
    for root in reverse_post_order(0, after) {
        let mut rest = vec![root];
        while let Some(at) = rest.pop() {
            if component[at] == NONE {
                component[at] = root;
                rest.extend(&before[at]);
            }
        }
    }
    let stays = |(from, targets): (usize, &Vec<usize>)| {
        targets.iter().any(|&to| component[to] == component[from])
    };
    after.iter().enumerate().map(stays).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Module;

    #[test]
    fn what_leads_back_to_itself_is_in_a_cycle() {
        // 0 -> 1 -> 2 -> 1, 3; 3 -> 3, 4.
        let after = [vec![1], vec![2], vec![1, 3], vec![3, 4], vec![]];
        assert_eq!(in_cycles(&after), [false, true, true, true, false]);
    }

    /// Thousands of barriers, each behind a test of its own: an afternoon's work for what goes through them again for each.
    #[test]
    fn many_conditional_barriers_are_cut_at_once() {
        const BARRIERS: usize = 5_000;
        let mut text = String::from("declare void @_Z7barrierj(i32)\n");
        text += "define void @kernel(i32 %n) {\nentry:\nbr label %if0\n";
        for at in 0..BARRIERS {
            let next = at + 1;
            text += &format!("if{at}:\n%c{at} = icmp slt i32 %n, {at}\n");
            text += &format!("br i1 %c{at}, label %then{at}, label %if{next}\n");
            text += &format!("then{at}:\ncall void @_Z7barrierj(i32 1)\nbr label %if{next}\n");
        }
        text += &format!("if{BARRIERS}:\nret void\n}}");
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        let kernel = module.function("kernel").expect("the kernel");
        let regions = Regions::find(module.context(), kernel);
        assert_eq!(regions.barriers, BARRIERS);
        // One from the entry on; to each barrier, behind it, and to the test after it.
        assert_eq!(regions.list.len(), 3 * BARRIERS + 1);
        assert!(regions.list.iter().all(|region| !region.repeats && region.end.is_some()));
    }
}
