//! Divergent loops breadth-first: items go through the iterations in step, those that have left wait for the rest.
//!
//! Terms: an item is *active* while it runs the loop; all items *vote* at the end of every iteration how many are.
//! Steps: the loop `header: ... branch header or out` becomes
//!
//! ```text
//! meet:   active = whether the item enters the loop; vote
//! step:   if active, the body; else check     whole: the body; if the item has left, active = 0
//! check:  vote                                whole check: vote
//! done:   each item goes the way by which it left, or bypassed, the loop
//! ```
//!
//! where a vote leads to `whole` if all items are active, to `step` if some are, to `done` if none is. Nothing
//! leaves or skips an iteration, so barriers may stand at the votes: they are ends of regions. What an
//! item brings from one iteration to the next, and out of the loop, goes through variables in memory that only active
//! items write; LLVM's `sroa` makes them registers again. Numbers that are the same for all active items in every
//! iteration (a counter) are advanced by the vote's block for all: they stay uniform.
//! A nest goes from the outside to the inside: a loop in a body is one that only active items run. Only the innermost
//! has a `whole` form, or the code would double with each depth.
//!
//! Invariant: `done` is reached by every item of the group at once, having written its way.
//! Source: CGO'15, section 3.4: predicate array, number of active items, the form for when all are.

mod values;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::Plan;
use super::approach::{Approach, hoist, rebuild};
use crate::analysis::loops::LoopId;
use crate::front::library::{VOTE, Vote};
use crate::ir::copy::{Copier, Special};
use crate::llvm::{Block, Builder, Context, Function, Machine, Module, Type, Value, run_passes_on};
use crate::program::failure::Failure;
use crate::view::{BlockId, Op};

/// Makes one nest of the `plan` that should go by predicates go so, the first one from outside. Its loops, or none if there is no such nest.
pub fn lockstep(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    plan: &Plan,
) -> Result<Option<LoopId>, Failure> {
    let ids = plan.analysis.loops.ids();
    let wanted = ids.filter(|id| plan.decisions[id.index()].predicated);
    let Some((id, nest)) = wanted.filter_map(|id| Some((id, Nest::find(plan, id)?))).next() else {
        return Ok(None);
    };
    Lockstep::new(module, kernel, nest).make();
    run_passes_on(module, machine, kernel, "sroa,adce").map_err(Failure::Internal)?;
    Ok(Some(id))
}

/// A loop in LLVM's terms.
struct Nest {
    header: Block,
    blocks: Vec<Block>,
    /// The last block that all items run, and what is between it and the loop; nothing if all items enter it.
    approach: Option<(Block, Vec<Block>)>,
    /// What all items compute alike on the way.
    alike: HashSet<Value>,
    /// Where the loop is entered.
    entering: Vec<Block>,
    /// Phis of the header that are the same for all active items.
    uniform: HashSet<Value>,
    /// By block of the loop: the sources of exits that it dominates.
    dominated: HashMap<Block, Vec<Block>>,
    has_loops: bool,
}

impl Nest {
    fn find(plan: &Plan, id: LoopId) -> Option<Nest> {
        let (analysis, function) = (&plan.analysis, &plan.view.function);
        let this = analysis.loops.get(id);
        let at = |block: &BlockId| plan.view.blocks[block.index()];
        let way = Approach::of(function, analysis, this.header, |block| this.contains(block))?;
        let parts = |block: &BlockId| {
            let end = function.terminator(*block);
            end.is_some_and(|(_, end)| {
                let decides = end.operands.first().filter(|_| end.op != Op::Return);
                decides.is_some_and(|&value| !analysis.is_uniform(value))
            })
        };
        let all_enter = !way.blocks.iter().chain([&way.fork]).any(parts);
        let before = function.block(this.header).predecessors.iter();
        let phis = function.body(this.header).filter(|(_, at)| matches!(at.op, Op::Phi(_)));
        let uniform = phis.filter(|&(value, _)| analysis.is_uniform(value));
        let exits: Vec<BlockId> = this.exits.iter().map(|&(from, _)| from).collect();
        let below = |above: &BlockId| {
            let below = exits.iter().filter(|&&from| analysis.dominators.dominates(*above, from));
            (at(above), below.map(at).collect())
        };
        Some(Nest {
            header: at(&this.header),
            blocks: this.blocks.iter().map(at).collect(),
            alike: plan.uniform_in(&way.blocks),
            approach: (!all_enter).then(|| (at(&way.fork), way.blocks.iter().map(at).collect())),
            entering: before.filter(|block| !this.contains(**block)).map(at).collect(),
            uniform: uniform.map(|(value, _)| plan.view.values[value.index()]).collect(),
            dominated: this.blocks.iter().map(below).collect(),
            has_loops: analysis
                .loops
                .ids()
                .any(|other| analysis.loops.get(other).parent == Some(id)),
        })
    }
}

/// Where items go when they have left or bypassed the loop.
struct Way {
    to: Block,
    /// Through this block.
    leave: Block,
    /// The phis of `to`, each with a variable that holds what it gets.
    phis: Vec<(Value, Value)>,
    /// The blocks from which it was reached before.
    from: HashSet<Block>,
}

struct Lockstep<'a> {
    context: Context,
    module: &'a Module,
    kernel: Function,
    nest: Nest,
    meet: Block,
    step: Block,
    check: Block,
    whole: Option<Block>,
    done: Block,
    /// The variables: whether the item is active, which way it goes.
    active: Value,
    way: Value,
    ways: Vec<Way>,
    /// Blocks on the edges that enter and bypass the loop.
    before: Vec<Block>,
    /// Blocks on the edges that leave it, each with where it comes from; on those that close it.
    leaving: Vec<(Block, Block)>,
    closing: Vec<(Block, Block)>,
    /// Variables that hold nothing before the loop.
    fresh: RefCell<Vec<(Type, Value)>>,
}

impl<'a> Lockstep<'a> {
    fn new(module: &'a Module, kernel: Function, nest: Nest) -> Lockstep<'a> {
        let context = module.context();
        let block = |name: &str| kernel.append_block(context, name);
        let entry = Builder::at_start(context, kernel);
        let whole = (!nest.has_loops).then(|| block("lockstep.whole"));
        let number = context.integer(32);
        let way = entry.alloca(number);
        Lockstep {
            context,
            module,
            kernel,
            meet: block("lockstep"),
            step: block("lockstep.step"),
            check: block("lockstep.check"),
            whole,
            done: block("lockstep.done"),
            active: entry.alloca(context.integer(1)),
            way,
            ways: Vec::new(),
            before: Vec::new(),
            leaving: Vec::new(),
            closing: Vec::new(),
            fresh: RefCell::new(vec![(number, way)]),
            nest,
        }
    }

    fn make(&mut self) {
        if let Some((fork, blocks)) = &self.nest.approach {
            hoist(self.context, *fork, blocks, &self.nest.alike);
        }
        let header_phis = self.nest.header.phis();
        let entered = self.divert_entries();
        self.divert_exits();
        let held = self.hold_phis(&header_phis, &entered);
        self.keep_approach();
        self.keep_results(&held);
        self.forget();
        self.connect();
        self.copy_whole();
    }

    fn variable(&self, ty: Type) -> Value {
        Builder::at_start(self.context, self.kernel).alloca(ty)
    }

    /// A variable for what the loop computes.
    fn fresh(&self, ty: Type) -> Value {
        let variable = self.variable(ty);
        self.fresh.borrow_mut().push((ty, variable));
        variable
    }

    /// Ends what the loop's variables held when it ran before, or it would have to be kept.
    fn forget(&self) {
        for on in &self.before {
            let first = on.first().expect("a block has a terminator");
            let builder = Builder::before(self.context, first);
            for &(ty, variable) in self.fresh.borrow().iter() {
                builder.store(ty.poison(), variable);
            }
        }
    }

    fn bit(&self, value: bool) -> Value {
        self.context.integer(1).constant(u64::from(value))
    }

    fn contains(&self, block: Block) -> bool {
        self.nest.blocks.contains(&block)
    }

    /// Leads all edges that enter or bypass the loop to the meeting. What the header's phis get on each that enters, by its block.
    fn divert_entries(&mut self) -> Vec<(Block, HashMap<Value, Value>)> {
        let (froms, inside) = match self.nest.approach.clone() {
            Some((fork, blocks)) => (blocks.iter().copied().chain([fork]).collect(), blocks),
            None => (self.nest.entering.clone(), Vec::new()),
        };
        let all_enter = self.nest.approach.is_none();
        let mut entered = Vec::new();
        let mut seen = HashSet::new();
        for from in froms.into_iter().filter(|&from| seen.insert(from)).collect::<Vec<_>>() {
            let end = from.terminator().expect("a block has a terminator");
            for (index, to) in end.successors().into_iter().enumerate() {
                let enters = to == self.nest.header;
                if inside.contains(&to) || all_enter && !enters {
                    continue;
                }
                let on = self.kernel.append_block(self.context, "lockstep.edge");
                let builder = Builder::at_end(self.context, on);
                builder.store(self.bit(enters), self.active);
                if enters {
                    let value = |phi: &Value| (*phi, value_from(*phi, from));
                    entered.push((on, self.nest.header.phis().iter().map(value).collect()));
                } else {
                    self.go(&builder, from, to);
                }
                builder.branch(self.meet);
                end.set_successor(index, on);
                self.before.push(on);
            }
        }
        entered
    }

    /// Leads edges that leave the loop, and those that close it, to the vote.
    fn divert_exits(&mut self) {
        for from in self.nest.blocks.clone() {
            let end = from.terminator().expect("a block has a terminator");
            for (index, to) in end.successors().into_iter().enumerate() {
                if to != self.nest.header && self.contains(to) {
                    continue;
                }
                let closes = to == self.nest.header;
                let name = if closes { "lockstep.next" } else { "lockstep.leave" };
                let on = self.kernel.append_block(self.context, name);
                let builder = Builder::at_end(self.context, on);
                if closes {
                    self.closing.push((on, from));
                } else {
                    builder.store(self.bit(false), self.active);
                    self.go(&builder, from, to);
                    self.leaving.push((on, from));
                }
                builder.branch(self.check);
                end.set_successor(index, on);
            }
        }
    }

    /// Writes down that an item goes from `from` to `to` once the loop is done.
    fn go(&mut self, builder: &Builder, from: Block, to: Block) {
        let known = self.ways.iter().position(|way| way.to == to);
        let number = known.unwrap_or_else(|| {
            let leave = self.kernel.append_block(self.context, "lockstep.way");
            let phis = to.phis().into_iter().map(|phi| (phi, self.fresh(phi.ty()))).collect();
            self.ways.push(Way { to, leave, phis, from: HashSet::new() });
            self.ways.len() - 1
        });
        builder.store(self.context.integer(32).constant(number as u64), self.way);
        let way = &mut self.ways[number];
        way.from.insert(from);
        for &(phi, variable) in &way.phis {
            builder.store(value_from(phi, from), variable);
        }
    }

    /// The blocks around the loop.
    fn connect(&self) {
        let place = self.nest.header.terminator().and_then(Value::debug_location);
        let builder = Builder::at_end(self.context, self.meet);
        builder.set_debug_location(place);
        self.vote(&builder, true);
        builder.move_to_end(self.step);
        let active = builder.load(self.context.integer(1), self.active);
        builder.branch_if(active, self.nest.header, self.check);
        builder.move_to_end(self.check);
        self.vote(&builder, false);
        builder.move_to_end(self.done);
        let number = self.context.integer(32);
        match self.ways.as_slice() {
            [] => {
                builder.unreachable();
            }
            [way] => {
                builder.branch(way.leave);
            }
            [first, rest @ ..] => {
                let cases: Vec<_> =
                    (1..).zip(rest).map(|(at, way)| (number.constant(at), way.leave)).collect();
                builder.switch(builder.load(number, self.way), first.leave, &cases);
            }
        }
        for way in &self.ways {
            builder.move_to_end(way.leave);
            for &(phi, variable) in &way.phis {
                let (ways, mut rest): (Vec<_>, Vec<_>) =
                    phi.incoming().into_iter().partition(|(_, from)| way.from.contains(from));
                let first = ways[0].0;
                let same = ways.iter().all(|&(value, _)| value == first) && self.is_fixed(first);
                let value = if same { first } else { builder.load(phi.ty(), variable) };
                rest.push((value, way.leave));
                rebuild(self.context, phi, rest);
            }
            builder.branch(way.to);
        }
    }

    /// All items vote; `whole`, and it may be that none has left.
    fn vote(&self, builder: &Builder, whole: bool) {
        let (bit, number) = (self.context.integer(1), self.context.integer(32));
        let ask = self.module.declared(VOTE, number.function(&[bit]));
        let vote = builder.call(ask, &[builder.load(bit, self.active)]);
        let mut cases = vec![(number.constant(Vote::None as u64), self.done)];
        if let Some(block) = self.whole.filter(|_| whole) {
            cases.push((number.constant(Vote::All as u64), block));
        }
        builder.switch(vote, self.step, &cases);
    }

    /// The copy of the loop for when all items are active.
    fn copy_whole(&self) {
        let Some(whole) = self.whole else { return };
        let blocks: Vec<Block> =
            self.nest.blocks.iter().copied().chain(self.on_edges()).chain([self.check]).collect();
        let mut copier = Copier::new(self.context, self.kernel.entry());
        copier.copy(&blocks, self.kernel, &mut |_, _, _| Special::Copy);
        let builder = Builder::at_end(self.context, whole);
        builder.store(self.bit(true), self.active);
        builder.branch(copier.blocks[&self.nest.header]);
        let end = copier.blocks[&self.check].terminator().expect("a block has a terminator");
        let vote = end.condition().expect("a switch goes by something");
        let number = self.context.integer(32);
        let cases = [
            (number.constant(Vote::None as u64), self.done),
            (number.constant(Vote::All as u64), whole),
        ];
        Builder::before(self.context, end).switch(vote, self.step, &cases);
        end.erase();
    }
}

/// What `phi` gets on the edge from a block.
fn value_from(phi: Value, from: Block) -> Value {
    phi.incoming_from(from).expect("a value for every edge")
}
