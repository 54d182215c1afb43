//! Loops behind a guard: if all items of a group pass it, they run a copy of the loop that can go breadth-first.
//!
//! A loop that maybe only some items run cannot run breadth-first. Most often the guard only cuts off the end of
//! the range, and in nearly every group all items pass. So items *muster* in front of the loop: those that would
//! enter it and those that would go around it meet there; if all would enter, they run a copy of the loop nest,
//! in which nobody is missing; else each goes its way, and the loop stays as it was. Where the way to a loop leads through
//! another one, they meet behind the guard, and all that it lets through is copied.
//!
//! Terms: fork, approach, bypass: see [`super::approach`].
//! Steps: arithmetic of the approach moves to the fork; what else crosses goes through variables in memory, which
//! LLVM's `sroa` makes into registers again afterwards; edges are led over the muster; the nest is copied, and what it needs
//! of the approach is computed again in front of the copy ([`super::again`]).
//! Source: CGO'15, section 3.4: the path for when all items are active.

use std::collections::HashSet;

use super::Plan;
use super::again::{Again, Sources};
use super::approach::{Approach, hoist, rebuild};
use super::decide::{Obstacle, Order, Reason};
use crate::analysis::loops::{Loop, LoopId};
use crate::front::library::ALL;
use crate::ir::copy::{Copier, Special};
use crate::ir::uses;
use crate::llvm::{Block, Builder, Context, Function, Machine, Module, Value, run_passes_on};
use crate::program::failure::Failure;
use crate::view::{BlockId, Callee};

/// Makes the copies that `plan` asks for; whether there were any, so that the plan is out of date.
pub fn muster(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    plan: &Plan,
) -> Result<bool, Failure> {
    let mut nests: Vec<Nest> =
        plan.analysis.loops.ids().filter_map(|id| Nest::find(plan, id)).collect();
    // A nest's approach may hold another nest: then the first one's copy has moved its blocks. One is enough. What is all behind a
    // guard holds others, and comes before them.
    nests.sort_by_key(|nest| !nest.is_all);
    let mut touched: HashSet<Block> = HashSet::new();
    let mut any = false;
    for nest in nests {
        let blocks = || nest.approach.iter().chain(&nest.blocks).chain([&nest.fork]);
        if blocks().any(|block| touched.contains(block)) {
            continue;
        }
        touched.extend(blocks());
        Muster { context: module.context(), module, kernel, nest }.make();
        any = true;
    }
    if any {
        run_passes_on(module, machine, kernel, "sroa").map_err(Failure::Internal)?;
    }
    Ok(any)
}

/// What is all behind a guard is no nest if it has more blocks.
const MOST_BLOCKS: usize = 60;

struct Nest {
    header: Block,
    blocks: Vec<Block>,
    /// All behind a guard, more than one loop.
    is_all: bool,
    fork: Block,
    approach: Vec<Block>,
    sources: Sources,
}

impl Nest {
    /// The nest of `id`, if it is an outermost one behind a guard and has a loop that should go breadth-first.
    fn find(plan: &Plan, id: LoopId) -> Option<Nest> {
        let (analysis, function) = (&plan.analysis, &plan.view.function);
        let this = analysis.loops.get(id);
        let decision = &plan.decisions[id.index()];
        let wanted = plan.decisions.iter().any(|inner| {
            let inside = this.contains(analysis.loops.get(inner.id).header);
            let stands = matches!(inner.obstacle, Some(Obstacle::SomeItems | Obstacle::Outer));
            inside && stands
        });
        // Those who have departed from the others ask nobody.
        let guarded = analysis.is_divergent(this.header)
            && !function.block(this.header).departs
            && !analysis.is_left_apart(id)
            && decision.reason != Reason::Barrier
            && this
                .parent
                .is_none_or(|outer| !analysis.is_divergent(analysis.loops.get(outer).header));
        if !wanted || !guarded || decision.order == Order::BreadthFirst {
            return None;
        }
        let approach = Approach::of(function, analysis, this.header, |block| this.contains(block))?;
        let is_clear = approach.blocks.iter().chain([&approach.fork]).all(|&block| {
            let apart = block != approach.fork && function.has_barrier(block);
            !apart && analysis.loops.innermost(block) == this.parent
        });
        match is_clear {
            true => Some(Nest::new(plan, this.header, &this.blocks, &approach, false)),
            false => Nest::behind_guard(plan, this, approach.fork),
        }
    }

    /// All that the guard at `fork` lets through, where the way to a loop leads through another one: as one nest, which begins with
    /// the block behind the guard.
    fn behind_guard(plan: &Plan, this: &Loop, fork: BlockId) -> Option<Nest> {
        let (analysis, function) = (&plan.analysis, &plan.view.function);
        let (tree, scope) = (&analysis.dominators, this.parent);
        let mut entry = this.header;
        while tree.parent(entry)? != fork {
            entry = tree.parent(entry)?;
        }
        let blocks: Vec<BlockId> =
            function.block_ids().filter(|&block| tree.dominates(entry, block)).collect();
        let is_in_scope =
            |block: BlockId| scope.is_none_or(|outer| analysis.loops.get(outer).contains(block));
        let suits = |&block: &BlockId| {
            let ends = function.block(block).successors.is_empty();
            let asks = function.has_barrier(block) || function.calls(block, Callee::Question);
            !ends && !asks && !function.block(block).departs && is_in_scope(block)
        };
        let ways = function.block(fork).successors.iter().filter(|&&to| to == entry).count();
        let mut before = function.block(entry).predecessors.iter();
        let is_one = ways == 1 && before.all(|from| *from == fork || blocks.contains(from));
        let around = |block: BlockId| match analysis.loops.headed_by(block) {
            Some(headed) => analysis.loops.get(headed).parent,
            None => analysis.loops.innermost(block),
        };
        let is_plain = analysis.loops.innermost(fork) == scope && around(entry) == scope;
        // Items that pass another guard inside of it would miss others in the copy, too.
        let leads_there = analysis.post_dominators.dominates(this.header, entry);
        let is_small = blocks.len() <= MOST_BLOCKS;
        let approach = Approach { fork, blocks: Vec::new() };
        (is_one && is_plain && leads_there && is_small && blocks.iter().all(suits))
            .then(|| Nest::new(plan, entry, &blocks, &approach, true))
    }

    fn new(
        plan: &Plan,
        header: BlockId,
        blocks: &[BlockId],
        approach: &Approach,
        is_all: bool,
    ) -> Nest {
        let at = |block: &BlockId| plan.view.blocks[block.index()];
        Nest {
            header: at(&header),
            blocks: blocks.iter().map(at).collect(),
            fork: at(&approach.fork),
            approach: approach.blocks.iter().map(at).collect(),
            sources: Sources::of(plan, header, &approach.blocks),
            is_all,
        }
    }
}

struct Muster<'a> {
    context: Context,
    module: &'a Module,
    kernel: Function,
    nest: Nest,
}

/// An edge that is led over the muster.
struct Edge {
    from: Block,
    to: Block,
    /// The block that was put on it.
    on: Block,
}

/// What a phi of the header begins with.
struct Start {
    phi: Value,
    start: Value,
    /// The same in front of the muster, if it is one value.
    before: Option<Value>,
}

impl Muster<'_> {
    fn make(&self) {
        hoist(self.context, self.nest.fork, &self.nest.approach, &self.nest.sources.uniform);
        let kept = self.keep_in_memory();
        let meet = self.block("muster");
        let (whole, apart) = (self.block("muster.whole"), self.block("muster.apart"));
        let edges = self.divert(meet);
        let apart_entry = self.block("muster.enter");
        let mut starts = self.split_header(&edges, meet, apart_entry);
        self.ask(&edges, meet, whole, apart, apart_entry);
        self.compute_again(whole, &kept, &mut starts);
        self.copy_nest(whole, &starts);
    }

    fn block(&self, name: &str) -> Block {
        self.kernel.append_block(self.context, name)
    }

    fn in_approach(&self, block: Block) -> bool {
        self.nest.approach.contains(&block)
    }

    /// Values of the approach and of the nest that are used outside of it go through variables in memory. Those of the approach, with
    /// their variables: phis of the nest do not stay what they are.
    fn keep_in_memory(&self) -> Vec<(Value, Value)> {
        let keep = |blocks: &[Block], is_inside: &dyn Fn(Block) -> bool| {
            let kept = |&block| uses::keep_in_memory(self.context, block, is_inside);
            blocks.iter().flat_map(kept).collect()
        };
        let kept = keep(&self.nest.approach, &|other| self.in_approach(other));
        let nest: HashSet<Block> = self.nest.blocks.iter().copied().collect();
        keep(&self.nest.blocks, &|other| nest.contains(&other));
        kept
    }

    /// Puts a block on every edge that enters the nest or bypasses it.
    fn divert(&self, meet: Block) -> Vec<Edge> {
        let mut edges = Vec::new();
        for from in self.nest.approach.iter().copied().chain([self.nest.fork]) {
            let end = from.terminator().expect("a block has a terminator");
            for (index, to) in end.successors().into_iter().enumerate() {
                if !self.in_approach(to) {
                    let on = self.block("muster.edge");
                    Builder::at_end(self.context, on).branch(meet);
                    end.set_successor(index, on);
                    edges.push(Edge { from, to, on });
                }
            }
        }
        edges
    }

    /// The header's phis get what they begin with from the muster. What that is, by the phi, and what it was before if that is one value.
    fn split_header(&self, edges: &[Edge], meet: Block, entry: Block) -> Vec<Start> {
        let header = self.nest.header;
        let mut starts = Vec::new();
        for phi in header.phis() {
            let incoming = phi.incoming();
            let from = |edge: &Edge| {
                let found = incoming.iter().find(|(_, from)| *from == edge.from);
                found.map(|&(value, _)| value)
            };
            let values: Vec<Option<Value>> =
                edges.iter().map(|edge| from(edge).filter(|_| edge.to == header)).collect();
            let mut known = values.iter().flatten();
            let first = *known.next().expect("an edge enters the nest");
            let local =
                first.is_instruction() && self.in_approach(first.parent().expect("in a block"));
            let one = known.all(|&value| value == first);
            let start = if !local && one {
                first
            } else {
                let merged = Builder::at_end(self.context, meet).phi(phi.ty());
                for (edge, value) in edges.iter().zip(&values) {
                    merged.add_incoming(value.unwrap_or(phi.ty().poison()), edge.on);
                }
                merged
            };
            let rest = incoming.into_iter().filter(|(_, from)| self.nest.blocks.contains(from));
            rebuild(self.context, phi, rest.chain([(start, entry)]).collect());
            starts.push((start, one.then_some(first)));
        }
        Builder::at_end(self.context, entry).branch(header);
        let with_phi = |(phi, (start, before))| Start { phi, start, before };
        header.phis().into_iter().zip(starts).map(with_phi).collect()
    }

    /// Computes at the end of `whole` what the copy needs of the approach.
    fn compute_again(&self, whole: Block, kept: &[(Value, Value)], starts: &mut [Start]) {
        let mut again = Again::at_end(self.context, &self.nest.sources, whole);
        for start in starts {
            start.start = start.before.and_then(|before| again.of(before)).unwrap_or(start.start);
        }
        for &(value, variable) in kept {
            if let Some(value) = again.of(value) {
                Builder::at_end(self.context, whole).store(value, variable);
            }
        }
    }

    /// The muster itself: all are asked; if some bypass, each goes its way.
    fn ask(&self, edges: &[Edge], meet: Block, whole: Block, apart: Block, entry: Block) {
        let (bit, number) = (self.context.integer(1), self.context.integer(32));
        let builder = Builder::at_end(self.context, meet);
        let (enters, way) = (builder.phi(bit), builder.phi(number));
        let mut cases = Vec::new();
        for (at, edge) in edges.iter().enumerate() {
            let enter = edge.to == self.nest.header;
            enters.add_incoming(bit.constant(u64::from(enter)), edge.on);
            way.add_incoming(number.constant(if enter { 0 } else { at as u64 + 1 }), edge.on);
            if !enter {
                cases.push((number.constant(at as u64 + 1), self.leave(edge)));
            }
        }
        let ask = self.module.declared(ALL, bit.function(&[bit]));
        let all = builder.call(ask, &[enters]);
        builder.branch_if(all, whole, apart);
        Builder::at_end(self.context, apart).switch(way, entry, &cases);
    }

    /// The block through which items of a bypass go on behind the muster.
    fn leave(&self, edge: &Edge) -> Block {
        let on = self.block("muster.bypass");
        for phi in edge.to.phis() {
            let mut incoming = phi.incoming();
            let at = incoming.iter().position(|(_, from)| *from == edge.from);
            let (value, _) = incoming.remove(at.expect("a value for every edge"));
            let local =
                value.is_instruction() && self.in_approach(value.parent().expect("in a block"));
            let value = if local { self.carried(value, on) } else { value };
            incoming.push((value, on));
            rebuild(self.context, phi, incoming);
        }
        Builder::at_end(self.context, on).branch(edge.to);
        on
    }

    /// A value of the approach, through memory to the end of `to`.
    fn carried(&self, value: Value, to: Block) -> Value {
        let variable = uses::variable_of(self.context, value);
        Builder::at_end(self.context, to).load(value.ty(), variable)
    }

    /// The copy of the nest, entered from `whole`.
    fn copy_nest(&self, whole: Block, starts: &[Start]) {
        let mut copier = Copier::new(self.context, self.kernel.entry());
        copier.copy(&self.nest.blocks, self.kernel, &mut |_, _, _| Special::Copy);
        for &Start { phi, start, .. } in starts {
            copier.values[&phi].add_incoming(start, whole);
        }
        Builder::at_end(self.context, whole).branch(copier.blocks[&self.nest.header]);
        for &block in &self.nest.blocks {
            let mut seen = HashSet::new();
            for outside in block.successors() {
                if copier.blocks.contains_key(&outside) || !seen.insert(outside) {
                    continue;
                }
                for phi in outside.phis() {
                    let incoming = phi.incoming();
                    let values = incoming.iter().filter(|(_, from)| *from == block);
                    for &(value, _) in values {
                        phi.add_incoming(copier.value(value), copier.blocks[&block]);
                    }
                }
            }
        }
    }
}
