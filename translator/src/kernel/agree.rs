//! Branches behind which a barrier may come: items agree on one way, or no barrier comes.
//!
//! `if (in[g] > 0) for (k = 0; k < n; k++) barrier(...);` is right where `n` is 0, whatever `in` holds: nobody reaches the
//! barrier. But it can only be reached by all items at once if they have come to it together, and where they go different ways
//! they must not wait for each other.
//!
//! Terms: the *ways* of a branch are the blocks behind it up to its *meeting*, where they have all met again. A branch is
//! *open* if a barrier is possible on its ways ([`crate::analysis::deciding`]), and items may disagree.
//! Steps: at an open branch all items are asked ([`ALL`]), for one way after the other, whether they all take it; then they go
//! there as before. If they differ, each goes its own way in a copy of the ways that has no barriers, up to the meeting.
//! Branches with one meeting have one copy. Only outermost ones are treated at once: what is inside of their ways may be
//! uniform afterwards, where all have come the same way.
//!
//! Invariant: items that differ at a branch reach no barrier of its ways, or the program is wrong (OpenCL C 3.0, section 6.15.8).
//! Not here: branches of which several ways lead to one barrier, so that items may come to it together though they differ:
//! [`crate::kernel::reunite`] comes first, and what it leaves the last item decides, and the build log says so. Branches on whose ways a barrier is certain: items agree, or the program is wrong. Items that return inside of the
//! ways: they have departed ([`crate::kernel::depart`]).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::analysis::Analysis;
use crate::analysis::deciding::{Deciding, is_on_one_way};
use crate::analysis::dominators::Tree;
use crate::analysis::loops::Loop;
use crate::front::library::ALL;
use crate::front::library::is_barrier;
use crate::group::launch::Sizes;
use crate::ir::copy::{Copier, Special};
use crate::ir::uses;
use crate::kernel::reunite;
use crate::llvm::{
    Block, Builder, Context, Function, IntPredicate, Machine, Module, Opcode, Value, run_passes_on,
};
use crate::program::failure::Failure;
use crate::schedule::Plan;
use crate::view::extract::{Extracted, extract};
use crate::view::{self, BlockId, Callee, Op};

/// Lets items agree on open branches; whether there were any, so that `view` and `analysis` are out of date.
pub fn apply(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    view: &Extracted,
    analysis: &Analysis,
) -> Result<bool, Failure> {
    if reunite::apply(module.context(), kernel, view, analysis, &asked(&view.function, analysis)) {
        run_passes_on(module, machine, kernel, "sroa,adce").map_err(Failure::Internal)?;
        return Ok(true);
    }
    let parts = outermost(&view.function, analysis);
    for part in &parts {
        let at = |block: &BlockId| view.blocks[block.index()];
        let nest = part.loops(analysis).map(|this| Around {
            header: at(&this.header),
            blocks: this.blocks.iter().map(at).collect(),
        });
        let agreement = Agreement {
            context: module.context(),
            module,
            kernel,
            ways: part.ways.iter().map(at).collect(),
            meeting: at(&part.meeting),
            loops: nest.collect(),
        };
        agreement.make(&part.branches.iter().map(at).collect::<Vec<_>>());
    }
    if !parts.is_empty() {
        run_passes_on(module, machine, kernel, "sroa,adce").map_err(Failure::Internal)?;
    }
    Ok(!parts.is_empty())
}

/// The same for a kernel that is not analysed otherwise.
pub fn apply_everywhere(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    sizes: Sizes,
) -> Result<(), Failure> {
    loop {
        let view = extract(module.context(), machine, kernel, sizes);
        let found = Deciding::find(&view.function, &Tree::post_dominators(&view.function));
        if found.possible.is_empty() {
            return Ok(());
        }
        let analysis = Analysis::new(&view.function);
        if !apply(module, machine, kernel, &view, &analysis)? {
            return Ok(());
        }
    }
}

/// The lines of the branches behind which items may disagree on whether to reach a barrier; 0 where none is known.
pub fn undecided(plan: &Plan) -> Vec<u32> {
    let function = &plan.view.function;
    let line = |&block: &BlockId| {
        function.terminator(block).and_then(|(id, _)| function.value(id).line).unwrap_or(0)
    };
    let mut lines: Vec<u32> = asked(function, &plan.analysis).iter().map(line).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// The branches at which items may disagree on whether to reach a barrier.
fn asked(function: &view::Function, analysis: &Analysis) -> Vec<BlockId> {
    let mut found = analysis.undecided();
    found.extend(open(function, analysis));
    found.sort();
    found.dedup();
    found
}

/// Those of them on whose ways a barrier is possible. Who takes a way on which items depart is not waited for: the others have but the other ways.
fn open(function: &view::Function, analysis: &Analysis) -> Vec<BlockId> {
    let is_open = |&block: &BlockId| {
        let mut ways = function.ways(block);
        ways.retain(|&way| !function.block(way).departs);
        let end = function.terminator(block).map(|(_, end)| end.operands[0]);
        let asked = end.and_then(|condition| function.instruction(condition));
        let asked = asked.is_some_and(|asked| asked.op == Op::Call(Callee::Question));
        ways.len() > 1 && !asked && analysis.is_apart(function, block)
    };
    analysis.possible.iter().copied().filter(is_open).collect()
}

/// Open branches with one meeting.
struct Part {
    branches: Vec<BlockId>,
    ways: BTreeSet<BlockId>,
    meeting: BlockId,
}

impl Part {
    /// Whether nothing of the one is inside of the other's ways.
    fn is_apart_from(&self, other: &Part) -> bool {
        let ends = |part: &Part| part.branches.iter().copied().chain([part.meeting]).collect();
        let [own, others]: [Vec<BlockId>; 2] = [ends(self), ends(other)];
        self.ways.is_disjoint(&other.ways)
            && !own.iter().any(|block| other.ways.contains(block))
            && !others.iter().any(|block| self.ways.contains(block))
    }

    /// The loops that the branches stand in and their meeting does not, the outer before the inner.
    fn loops<'a>(&self, analysis: &'a Analysis) -> impl Iterator<Item = &'a Loop> {
        let all = analysis.loops.ids().map(|id| analysis.loops.get(id));
        all.filter(|this| {
            !this.contains(self.meeting) && self.branches.iter().any(|&block| this.contains(block))
        })
    }
}

/// The open branches that are not inside of another one's ways, but for those that meet where it does.
fn outermost(function: &view::Function, analysis: &Analysis) -> Vec<Part> {
    let mut parts: BTreeMap<BlockId, Part> = BTreeMap::new();
    for branch in open(function, analysis) {
        let meeting = analysis.post_dominators.parent(branch);
        let stays = |&meeting: &BlockId| !function.block(meeting).departs;
        let Some(meeting) = meeting.filter(stays) else { continue };
        let ways = ways(function, branch, meeting);
        let questions = ways.iter().any(|&way| function.calls(way, Callee::Question));
        if questions || !is_on_one_way(function, &analysis.loops, branch, meeting) {
            continue;
        }
        let new = || Part { branches: Vec::new(), ways: BTreeSet::new(), meeting };
        let part = parts.entry(meeting).or_insert_with(new);
        part.branches.push(branch);
        part.ways.extend(ways);
    }
    let inside = |part: &Part| {
        let mut others = parts.values().filter(|other| other.meeting != part.meeting);
        others.any(|other| part.branches.iter().any(|branch| other.ways.contains(branch)))
    };
    let nested: Vec<BlockId> =
        parts.values().filter(|part| inside(part)).map(|part| part.meeting).collect();
    let mut found: Vec<Part> = Vec::new();
    for (meeting, part) in parts {
        if !nested.contains(&meeting) && found.iter().all(|other| part.is_apart_from(other)) {
            found.push(part);
        }
    }
    found
}

/// The blocks behind a branch up to where its ways have met.
fn ways(function: &view::Function, branch: BlockId, meeting: BlockId) -> BTreeSet<BlockId> {
    let ways = function.ways(branch).into_iter();
    ways.flat_map(|way| function.behind(way, &|block| block == meeting)).collect()
}

struct Agreement<'a> {
    context: Context,
    module: &'a Module,
    kernel: Function,
    ways: Vec<Block>,
    meeting: Block,
    /// The outer before the inner.
    loops: Vec<Around>,
}

/// A loop around branches, all of it in their ways.
struct Around {
    header: Block,
    blocks: HashSet<Block>,
}

impl Agreement<'_> {
    fn make(&self, branches: &[Block]) {
        for &block in self.ways.iter().chain([&self.meeting]) {
            uses::keep_phis_in_memory(self.context, block);
        }
        for &block in &self.ways {
            uses::keep_in_memory(self.context, block, &|other| other == block);
        }
        let mut copier = Copier::new(self.context, self.kernel.entry());
        copier.copy(&self.ways, self.kernel, &mut |_, _, original| match is_barrier(original) {
            true => Special::Nothing,
            false => Special::Copy,
        });
        let mut entries = Entries::new(self, copier.blocks);
        branches.iter().for_each(|&branch| self.ask(branch, &mut entries));
        entries.finish();
    }

    fn block(&self, name: &str) -> Block {
        self.kernel.append_block(self.context, name)
    }

    fn number(&self, number: usize) -> Value {
        self.context.integer(32).constant(number as u64)
    }

    /// At the end of `branch` all are asked whether they go on to the same block; if not, each goes to the copy of its own.
    fn ask(&self, branch: Block, entries: &mut Entries) {
        let end = branch.terminator().expect("a block has a terminator");
        let mut targets: Vec<Block> = Vec::new();
        for to in end.successors() {
            if !targets.contains(&to) {
                targets.push(to);
            }
        }
        let bit = self.context.integer(1);
        let all = self.module.declared(ALL, bit.function(&[bit]));
        let builder = Builder::before(self.context, end);
        builder.set_debug_location(end.debug_location());
        let way = self.way(&builder, end, &targets);
        end.erase();
        builder.move_to_end(branch);
        let mut cases = Vec::new();
        for (at, &to) in targets.iter().enumerate() {
            let (agreed, differ) = (self.block("agree"), self.block("agree.differ"));
            let takes = builder.compare(IntPredicate::LLVMIntEQ, way, self.number(at));
            builder.branch_if(builder.call(all, &[takes]), agreed, differ);
            builder.move_to_end(agreed);
            builder.branch(to);
            builder.move_to_end(differ);
            cases.push((self.number(at), entries.of(to)));
        }
        builder.switch(way, cases[0].1, &cases[1..]);
    }

    /// The number, among `targets`, of the block that an item would go on to.
    fn way(&self, builder: &Builder, end: Value, targets: &[Block]) -> Value {
        let number = |to: Block| {
            let at = targets.iter().position(|&target| target == to);
            self.number(at.expect("one of them"))
        };
        let condition = end.condition().expect("the branch goes by something");
        let ways = end.successors();
        if end.is_opcode(Opcode::LLVMBr) {
            return builder.select(condition, number(ways[0]), number(ways[1]));
        }
        // A switch: its condition, where to go otherwise, then labels and blocks by turns.
        let mut way = number(ways[0]);
        for (at, &to) in ways.iter().enumerate().skip(1) {
            let label = end.operand(2 * at);
            let is_label = builder.compare(IntPredicate::LLVMIntEQ, condition, label);
            way = builder.select(is_label, number(to), way);
        }
        way
    }
}

/// How items come into the copies. A loop is entered at its header alone, or analyses would know nothing of it: whoever comes from
/// its middle goes on there by a number that it brings.
struct Entries<'a> {
    whole: &'a Agreement<'a>,
    copies: HashMap<Block, Block>,
    /// The variable with the number, 0 for who begins a loop.
    resume: Value,
    /// By loop: the block in front of the copy of its header, and where the numbers lead from there.
    heads: Vec<(Block, Vec<(Value, Block)>)>,
    known: HashMap<Block, Block>,
}

impl Entries<'_> {
    fn new<'a>(whole: &'a Agreement<'a>, copies: HashMap<Block, Block>) -> Entries<'a> {
        let resume =
            Builder::at_start(whole.context, whole.kernel).alloca(whole.context.integer(32));
        let mut heads = Vec::new();
        for this in &whole.loops {
            let (header, head) = (copies[&this.header], whole.block("agree.again"));
            for copy in copies.values() {
                copy.redirect(header, head);
            }
            heads.push((head, Vec::new()));
        }
        Entries { whole, copies, resume, heads, known: HashMap::new() }
    }

    /// Where to go for the copy of a block; it may be the meeting, which has none.
    fn of(&mut self, to: Block) -> Block {
        let Some(&copy) = self.copies.get(&to) else { return to };
        if let Some(&known) = self.known.get(&to) {
            return known;
        }
        let whole = self.whole;
        let loops = (0..self.heads.len()).filter(|&at| whole.loops[at].blocks.contains(&to));
        let mut number = whole.number(0);
        let mut next = copy;
        for at in loops.rev() {
            if next == copy {
                number = whole.number(self.known.len() + 1);
                next = whole.block("agree.resume");
                let builder = Builder::at_end(whole.context, next);
                builder.store(whole.number(0), self.resume);
                builder.branch(copy);
            }
            let (head, cases) = &mut self.heads[at];
            cases.push((number, next));
            next = *head;
        }
        let entry = whole.block("agree.apart");
        let builder = Builder::at_end(whole.context, entry);
        builder.store(number, self.resume);
        builder.branch(next);
        self.known.insert(to, entry);
        entry
    }

    fn finish(self) {
        for (this, (head, cases)) in self.whole.loops.iter().zip(&self.heads) {
            let builder = Builder::at_end(self.whole.context, *head);
            let number = builder.load(self.whole.context.integer(32), self.resume);
            builder.switch(number, self.copies[&this.header], cases);
        }
    }
}
