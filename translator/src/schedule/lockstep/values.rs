//! Values that the iterations of a loop in lockstep hand on, and those that leave it: variables in memory.
//!
//! Terms: a header's phi is *advanced* if it is the same for all active items and can be computed for all, also for
//! those that have left: a counter. The vote's block does that, and it stays uniform. Any other phi is *held*: only active
//! items write its variable.

use std::collections::{HashMap, HashSet};

use super::{Lockstep, value_from};
use crate::ir::uses::{self, Use};
use crate::llvm::{Block, Builder, Value};
use crate::schedule::approach::is_harmless;

/// A header's phi that is advanced for all items.
struct Advanced {
    phi: Value,
    start: Value,
    next: Value,
    /// What computes `next`, operands first, from such phis and from what is not of the loop.
    parts: Vec<Value>,
}

impl Lockstep<'_> {
    /// What the header's phis get goes through variables. Gives the loads in their place, with the variables.
    pub(super) fn hold_phis(
        &self,
        phis: &[Value],
        entered: &[(Block, HashMap<Value, Value>)],
    ) -> HashMap<Value, Value> {
        let uniform = self.advanced(phis, entered);
        let mut held = HashMap::new();
        let mut variables: HashMap<Value, Value> = HashMap::new();
        for &phi in phis {
            let variable = self.fresh(phi.ty());
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
        let Some((&(_, first), others)) = self.closing.split_first() else { return Vec::new() };
        let candidate = |&phi: &Value| {
            let start = entered[0].1[&phi];
            let next = value_from(phi, first);
            let same = self.is_fixed(start)
                && entered.iter().all(|(_, values)| values[&phi] == start)
                && others.iter().all(|&(_, from)| value_from(phi, from) == next);
            same.then(|| Advanced { phi, start, next, parts: Vec::new() })
        };
        let uniform = phis.iter().filter(|phi| self.nest.uniform.contains(phi));
        let mut found: Vec<Advanced> = uniform.filter_map(candidate).collect();
        loop {
            let before = found.len();
            let candidates: HashSet<Value> = found.iter().map(|one| one.phi).collect();
            let known = |value: Value| candidates.contains(&value) || self.is_fixed(value);
            found.retain_mut(|one| {
                one.parts.clear();
                collect(one.next, &known, &mut one.parts)
            });
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether a value is there whatever way an item takes.
    pub(super) fn is_fixed(&self, value: Value) -> bool {
        !value.is_instruction() || value.parent().is_some_and(|home| !self.is_ours(home))
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
    pub(super) fn keep_approach(&self) {
        let Some((_, blocks)) = &self.nest.approach else { return };
        let inside = |block: Block| blocks.contains(&block) || self.before.contains(&block);
        for value in blocks.iter().flat_map(|block| block.instructions()) {
            let uses = uses_outside(value, &inside);
            if !uses.is_empty() {
                let variable = self.variable(value.ty());
                Builder::before(self.context, uses::behind(value)).store(value, variable);
                self.load_for(&uses, value, variable);
            }
        }
    }

    /// Values of the loop that are used behind it go through variables, written when an item leaves; what the
    /// header's phis had is in theirs.
    pub(super) fn keep_results(&self, held: &HashMap<Value, Value>) {
        let left = |block: Block| self.on_edges().any(|on| on == block);
        let inside = |block: Block| self.contains(block) || left(block) || block == self.check;
        for &block in &self.nest.blocks {
            for value in block.instructions() {
                let uses = uses_outside(value, &inside);
                if uses.is_empty() {
                    continue;
                }
                let variable = held.get(&value).copied().unwrap_or_else(|| {
                    let variable = self.fresh(value.ty());
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
    pub(super) fn on_edges(&self) -> impl Iterator<Item = Block> {
        self.leaving.iter().chain(&self.closing).map(|&(on, _)| on)
    }

    fn load_for(&self, uses: &[Use], value: Value, variable: Value) {
        for at in uses {
            at.put(Builder::before(self.context, at.place()).load(value.ty(), variable));
        }
    }
}

/// The uses of `value` where it has to be there in a block that is not `inside`.
fn uses_outside(value: Value, inside: &dyn Fn(Block) -> bool) -> Vec<Use> {
    let mut found = uses::of(value);
    found.retain(|at| !inside(at.block));
    found
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
