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

use std::collections::{HashMap, HashSet};

use super::Plan;
use super::approach::{Approach, hoist, is_harmless};
use crate::analysis::loops::LoopId;
use crate::copy::{Copier, Special};
use crate::failure::Failure;
use crate::library::{VOTE, Vote};
use crate::llvm::{Block, Builder, Context, Function, Machine, Module, Value, run_passes};
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
    run_passes(module, machine, "function(sroa)").map_err(Failure::Internal)?;
    Ok(Some(id))
}

/// A loop in LLVM's terms.
struct Nest {
    header: Block,
    blocks: Vec<Block>,
    /// The last block that all items run, and what is between it and the loop; nothing if all items enter it.
    approach: Option<(Block, Vec<Block>)>,
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

/// A header's phi that is advanced for all items.
struct Advanced {
    phi: Value,
    start: Value,
    next: Value,
    /// What computes `next`, operands first, from such phis and from what is not of the loop.
    parts: Vec<Value>,
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
}

impl<'a> Lockstep<'a> {
    fn new(module: &'a Module, kernel: Function, nest: Nest) -> Lockstep<'a> {
        let context = module.context();
        let block = |name: &str| kernel.append_block(context, name);
        let first = kernel.entry().first().expect("a block has a terminator");
        let entry = Builder::before(context, first);
        let whole = (!nest.has_loops).then(|| block("lockstep.whole"));
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
            way: entry.alloca(context.integer(32)),
            ways: Vec::new(),
            before: Vec::new(),
            leaving: Vec::new(),
            closing: Vec::new(),
            nest,
        }
    }

    fn make(&mut self) {
        if let Some((fork, blocks)) = &self.nest.approach {
            hoist(self.context, *fork, blocks);
        }
        let header_phis = self.nest.header.phis();
        let entered = self.divert_entries();
        self.divert_exits();
        let held = self.hold_phis(&header_phis, &entered);
        self.keep_approach();
        self.keep_results(&held);
        self.connect();
        self.copy_whole();
    }

    fn variable(&self, ty: crate::llvm::Type) -> Value {
        let first = self.kernel.entry().first().expect("a block has a terminator");
        Builder::before(self.context, first).alloca(ty)
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
            let phis = to.phis().into_iter().map(|phi| (phi, self.variable(phi.ty()))).collect();
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

    /// What the header's phis get goes through variables. Gives the loads in their place, with the variables.
    fn hold_phis(
        &self,
        phis: &[Value],
        entered: &[(Block, HashMap<Value, Value>)],
    ) -> HashMap<Value, Value> {
        let uniform = self.advanced(phis, entered);
        let mut held = HashMap::new();
        let mut variables: HashMap<Value, Value> = HashMap::new();
        for &phi in phis {
            let variable = self.variable(phi.ty());
            variables.insert(phi, variable);
            for (on, values) in entered {
                let end = on.terminator().expect("it leads to the meeting");
                Builder::before(self.context, end).store(values[&phi], variable);
            }
            if let Some(one) = uniform.iter().find(|one| one.phi == phi) {
                // All items have it, those that bypass the loop too.
                Builder::at_end(self.context, self.meet).store(one.start, variable);
                continue;
            }
            for &(on, from) in &self.closing {
                let end = on.terminator().expect("it leads to the vote");
                Builder::before(self.context, end).store(value_from(phi, from), variable);
            }
        }
        self.advance(&uniform, &variables);
        for &phi in phis {
            let place = self.nest.header.first_after_phis().expect("a block has a terminator");
            let builder = Builder::before(self.context, place);
            let load = builder.load(phi.ty(), variables[&phi]);
            if uniform.iter().all(|one| one.phi != phi) {
                held.insert(load, variables[&phi]);
            }
            phi.replace_uses(load);
        }
        phis.iter().for_each(|phi| phi.erase());
        held
    }

    /// The phis that are the same for all active items and can be advanced for all.
    fn advanced(
        &self,
        phis: &[Value],
        entered: &[(Block, HashMap<Value, Value>)],
    ) -> Vec<Advanced> {
        let fixed = |value: Value| {
            !value.is_instruction() || value.parent().is_some_and(|home| !self.is_ours(home))
        };
        let Some((&(_, first), others)) = self.closing.split_first() else { return Vec::new() };
        let candidate = |&phi: &Value| {
            let start = entered[0].1[&phi];
            let next = value_from(phi, first);
            let same = fixed(start)
                && entered.iter().all(|(_, values)| values[&phi] == start)
                && others.iter().all(|&(_, from)| value_from(phi, from) == next);
            same.then(|| Advanced { phi, start, next, parts: Vec::new() })
        };
        let uniform = phis.iter().filter(|phi| self.nest.uniform.contains(phi));
        let mut found: Vec<Advanced> = uniform.filter_map(candidate).collect();
        loop {
            let before = found.len();
            let candidates: HashSet<Value> = found.iter().map(|one| one.phi).collect();
            let known = |value: Value| candidates.contains(&value) || fixed(value);
            found.retain_mut(|one| {
                one.parts.clear();
                collect(one.next, &known, &mut one.parts)
            });
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether a block is of the loop or of its approach.
    fn is_ours(&self, block: Block) -> bool {
        let before = self.nest.approach.as_ref().is_some_and(|(_, blocks)| blocks.contains(&block));
        before || self.contains(block)
    }

    /// Computes what the uniform phis have next in the vote's block.
    fn advance(&self, uniform: &[Advanced], variables: &HashMap<Value, Value>) {
        let builder = Builder::at_end(self.context, self.check);
        let mut copies: HashMap<Value, Value> = HashMap::new();
        for one in uniform {
            copies.insert(one.phi, builder.load(one.phi.ty(), variables[&one.phi]));
        }
        for part in uniform.iter().flat_map(|one| &one.parts) {
            if copies.contains_key(part) {
                continue;
            }
            let copy = part.duplicate();
            builder.insert(copy);
            for (index, operand) in part.operands().enumerate() {
                if let Some(&known) = copies.get(&operand) {
                    copy.set_operand(index, known);
                }
            }
            copies.insert(*part, copy);
        }
        for one in uniform {
            let next = copies.get(&one.next).copied().unwrap_or(one.next);
            builder.store(next, variables[&one.phi]);
        }
    }

    /// Values of the approach that are used behind the meeting go through variables.
    fn keep_approach(&self) {
        let Some((_, blocks)) = &self.nest.approach else { return };
        let inside = |block: Block| blocks.contains(&block) || self.before.contains(&block);
        for value in blocks.iter().flat_map(|block| block.instructions()) {
            let uses = uses_outside(value, &inside);
            if !uses.is_empty() {
                let variable = self.variable(value.ty());
                let after = if value.incoming().is_empty() {
                    value.next()
                } else {
                    value.parent().expect("in a block").first_after_phis()
                };
                let after = after.expect("a terminator comes last");
                Builder::before(self.context, after).store(value, variable);
                self.load_for(&uses, value, variable);
            }
        }
    }

    /// Values of the loop that are used behind it go through variables, written when an item leaves; what the
    /// header's phis had is in theirs.
    fn keep_results(&self, held: &HashMap<Value, Value>) {
        let left = |block: Block| self.on_edges().any(|on| on == block);
        let inside = |block: Block| self.contains(block) || left(block) || block == self.check;
        for &block in &self.nest.blocks {
            for value in block.instructions() {
                let uses = uses_outside(value, &inside);
                if uses.is_empty() {
                    continue;
                }
                let variable = held.get(&value).copied().unwrap_or_else(|| {
                    let variable = self.variable(value.ty());
                    let there = &self.nest.dominated[&block];
                    for (on, _) in self.leaving.iter().filter(|(_, from)| there.contains(from)) {
                        let end = on.terminator().expect("it leads to the vote");
                        Builder::before(self.context, end).store(value, variable);
                    }
                    variable
                });
                self.load_for(&uses, value, variable);
            }
        }
    }

    /// Blocks on the edges that leave or close the loop.
    fn on_edges(&self) -> impl Iterator<Item = Block> {
        self.leaving.iter().chain(&self.closing).map(|&(on, _)| on)
    }

    fn load_for(&self, uses: &[(Value, usize)], value: Value, variable: Value) {
        for &(user, index) in uses {
            let place = match user.incoming().get(index) {
                Some(&(_, from)) => from.terminator().expect("a block has a terminator"),
                None => user,
            };
            user.set_operand(
                index,
                Builder::before(self.context, place).load(value.ty(), variable),
            );
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
                let rest = phi.incoming().into_iter().filter(|(_, from)| !way.from.contains(from));
                let now = (builder.load(phi.ty(), variable), way.leave);
                rebuild(self.context, phi, rest.chain([now]).collect());
            }
            builder.branch(way.to);
        }
    }

    /// All items vote; `whole`, and it may be that none has left.
    fn vote(&self, builder: &Builder, whole: bool) {
        let (bit, number) = (self.context.integer(1), self.context.integer(32));
        let ask = self
            .module
            .function(VOTE)
            .unwrap_or_else(|| self.module.add_function(VOTE, number.function(&[bit])));
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
        Builder::at_end(self.context, whole).branch(copier.blocks[&self.nest.header]);
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
    let found = phi.incoming().into_iter().find(|(_, source)| *source == from);
    found.expect("a value for every edge").0
}

/// The uses of `value` where it has to be there in a block that is not `inside`.
fn uses_outside(value: Value, inside: &dyn Fn(Block) -> bool) -> Vec<(Value, usize)> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for user in value.users().into_iter().filter(|&user| seen.insert(user)) {
        let incoming = user.incoming();
        for index in (0..user.operand_count()).filter(|&index| user.operand(index) == value) {
            let at = incoming.get(index).map(|&(_, from)| from).or_else(|| user.parent());
            if !inside(at.expect("in a block")) {
                found.push((user, index));
            }
        }
    }
    found
}

/// A phi in the place of `phi`, with other edges.
pub(super) fn rebuild(context: Context, phi: Value, incoming: Vec<(Value, Block)>) {
    let new = Builder::before(context, phi).phi(phi.ty());
    new.set_debug_location(phi.debug_location());
    for (value, from) in incoming {
        new.add_incoming(if value == phi { new } else { value }, from);
    }
    phi.replace_uses(new);
    phi.erase();
}

/// Collects the instructions that `value` is computed by, operands first, from what is `known`; whether they may all run anywhere.
fn collect(value: Value, known: &dyn Fn(Value) -> bool, parts: &mut Vec<Value>) -> bool {
    if known(value) || parts.contains(&value) {
        return true;
    }
    if !is_harmless(value) || !value.operands().all(|operand| collect(operand, known, parts)) {
        return false;
    }
    parts.push(value);
    true
}
