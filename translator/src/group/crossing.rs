//! Values that live from one region into another become variables in memory, or are computed again.
//!
//! Terms: a value *crosses* if some region uses it without computing it first. A *variable* is an alloca in the
//! kernel's entry that takes the place of a crossing value: it is written where the value was computed and read where
//! it was used, so that afterwards no register lives across an end. What a group keeps for a variable is told by its
//! [`Storage`].
//!
//! Steps: phis where regions begin become variables (their edges are not in any one region); what an end's branch
//! decides by becomes a uniform variable; a crossing value that is cheap to compute from what never changes
//! (arguments, ids, constants, uniform values) is computed again where it is used; the rest become variables.

use std::collections::{HashMap, HashSet};

use crate::group::ids::Id;
use crate::group::regions::{Question, Regions, question};
use crate::group::slots::Slots;
use crate::ir::uses;
use crate::llvm::{Block, Builder, Context, Function, Opcode, Type, Value};

/// Where a variable's value is between regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// All items of the group have the same: one place.
    Uniform,
    /// Each item has its own: an array over the items.
    Item,
    /// Whether what the items brought, in one region, held for all of them: one place.
    All,
    /// For how many of them it held: one place.
    Count,
}

pub struct Variable {
    /// The alloca.
    pub slot: Value,
    pub ty: Type,
    pub storage: Storage,
}

pub struct Crossing {
    pub variables: Vec<Variable>,
    /// For each end whose branch has a condition that is no constant: the variable that holds it.
    pub conditions: HashMap<Block, usize>,
}

impl Crossing {
    /// Whether the branch of an end goes by what its items bring together.
    pub fn is_asked(&self, end: Block) -> bool {
        let condition = self.conditions.get(&end).map(|&number| &self.variables[number]);
        condition.is_some_and(|it| matches!(it.storage, Storage::All | Storage::Count))
    }
}

/// Instructions that a value which is computed again may consist of.
const CHEAP_INSTRUCTIONS: usize = 12;

/// Rewrites `kernel`. `is_uniform` tells whether a value is the same for all items of a group, `keeps_vectors` whether a
/// vector is one variable, and not one for each component.
pub fn resolve(
    context: Context,
    kernel: Function,
    regions: &Regions,
    is_uniform: &dyn Fn(Value) -> bool,
    keeps_vectors: bool,
) -> Crossing {
    let found = Crossing { variables: Vec::new(), conditions: HashMap::new() };
    let (again, anchors) = (HashMap::new(), HashMap::new());
    let mut work = Work {
        context,
        kernel,
        regions,
        is_uniform,
        keeps_vectors,
        found,
        uniform: HashSet::new(),
        again,
        anchors,
    };
    if regions.list.len() > 1 {
        work.keep_conditions();
        work.replace_phis();
        // What stands in for one value may use another where that was not used before.
        let mut crossing = work.crossing();
        while !crossing.is_empty() {
            for value in crossing {
                if !work.compute_again(value) {
                    work.keep(value);
                }
            }
            crossing = work.crossing();
        }
        work.drop_unread();
    }
    work.found
}

struct Work<'a> {
    context: Context,
    kernel: Function,
    regions: &'a Regions,
    is_uniform: &'a dyn Fn(Value) -> bool,
    keeps_vectors: bool,
    found: Crossing,
    /// The variables that are one for all items.
    uniform: HashSet<Value>,
    /// Values computed again, by the value and the block.
    again: HashMap<(Value, Block), Value>,
    /// In front of which instruction of a block values are computed again: behind those that already were.
    anchors: HashMap<Block, Value>,
}

impl Work<'_> {
    fn variable(&mut self, ty: Type, storage: Storage) -> Value {
        let slot = Builder::at_start(self.context, self.kernel).alloca(ty);
        self.found.variables.push(Variable { slot, ty, storage });
        if storage == Storage::Uniform {
            self.uniform.insert(slot);
        }
        slot
    }

    fn is_uniform(&self, value: Value) -> bool {
        let reads_uniform =
            || value.is_opcode(Opcode::LLVMLoad) && self.uniform.contains(&value.operand(0));
        (self.is_uniform)(value) || reads_uniform()
    }

    fn storage_of(&self, value: Value) -> Storage {
        if self.is_uniform(value) { Storage::Uniform } else { Storage::Item }
    }

    /// What the branches of ends decide by.
    fn keep_conditions(&mut self) {
        for region in &self.regions.list {
            let Some(end) = region.end else { continue };
            let branch = end.terminator().expect("a block has a terminator");
            let Some(condition) = branch.condition() else { continue };
            if !condition.is_instruction() || self.found.conditions.contains_key(&end) {
                continue;
            }
            let question = question(end);
            let storage = match question {
                None => Storage::Uniform,
                Some(Question::All) => Storage::All,
                Some(Question::Count) => Storage::Count,
            };
            let slot = self.variable(condition.ty(), storage);
            self.found.conditions.insert(end, self.found.variables.len() - 1);
            let builder = Builder::before(self.context, branch);
            if question.is_some() {
                let asked = builder.resize(condition.operand(0), condition.ty());
                builder.store(asked, slot);
                branch.set_condition(asked);
                condition.erase();
            } else {
                builder.store(condition, slot);
            }
        }
    }

    fn replace_phis(&mut self) {
        for region in &self.regions.list[1..] {
            for phi in region.start.phis() {
                let slots = self.slots(phi);
                let mut written = HashSet::new();
                for (value, from) in phi.incoming() {
                    if !written.insert(from) {
                        continue;
                    }
                    let end = from.terminator().expect("a block has a terminator");
                    slots.write(&Builder::before(self.context, end), value);
                }
                let place = region.start.first_after_phis().expect("a block has a terminator");
                let builder = Builder::before(self.context, place);
                builder.set_debug_location(phi.debug_location());
                phi.replace_uses(slots.read(&builder));
                phi.erase();
            }
        }
    }

    /// The values that cross.
    fn crossing(&self) -> Vec<Value> {
        let mut found = Vec::new();
        for block in self.kernel.blocks() {
            for value in block.instructions() {
                if !value.ty().is_void()
                    && !value.is_opcode(Opcode::LLVMAlloca)
                    && self.crosses(value)
                {
                    found.push(value);
                }
            }
        }
        found
    }

    fn crosses(&self, value: Value) -> bool {
        let home = value.parent().expect("an instruction in a block");
        uses::of(value).into_iter().any(|at| at.block != home && self.is_exposed(home, at.block))
    }

    /// Whether some region reaches `used` without passing `home` first.
    fn is_exposed(&self, home: Block, used: Block) -> bool {
        self.regions.holding(used).any(|region| !region.flow.dominates(home, used))
    }

    /// Computes `value` again in every block that uses it, if that is cheap. A uniform value is cheaper as a variable,
    /// and what was computed again before may need it where it is loaded.
    fn compute_again(&mut self, value: Value) -> bool {
        let mut parts = Vec::new();
        if self.is_uniform(value) || !self.is_cheap(value, &mut parts) {
            return false;
        }
        let home = value.parent().expect("an instruction in a block");
        for at in uses::of(value) {
            if at.block == home {
                continue;
            }
            let copy = match self.again.get(&(value, at.block)) {
                Some(&copy) => copy,
                None => self.copy_parts(&parts, at.block),
            };
            at.put(copy);
        }
        true
    }

    /// Collects what `value` is computed of, operands first.
    fn is_cheap(&self, value: Value, parts: &mut Vec<Value>) -> bool {
        if !value.is_instruction()
            || value.is_opcode(Opcode::LLVMAlloca)
            || parts.contains(&value)
            || self.is_uniform(value)
        {
            return true; // A uniform value costs nothing as a variable.
        }
        let is_id = Id::of_call(value).is_some();
        if parts.len() >= CHEAP_INSTRUCTIONS || !is_id && !is_arithmetic(value) {
            return false;
        }
        if !is_id && !value.operands().all(|operand| self.is_cheap(operand, parts)) {
            return false;
        }
        parts.push(value);
        parts.len() <= CHEAP_INSTRUCTIONS
    }

    /// Copies `parts` to the beginning of `block`; the copy of the last one.
    fn copy_parts(&mut self, parts: &[Value], block: Block) -> Value {
        let first = || block.first_after_phis().expect("a block has a terminator");
        let anchor = *self.anchors.entry(block).or_insert_with(first);
        let builder = Builder::before(self.context, anchor);
        let mut last = None;
        for &part in parts {
            let copy = match self.again.get(&(part, block)) {
                Some(&copy) => copy,
                None => {
                    let copy = part.duplicate();
                    builder.insert(copy);
                    copy.set_debug_location(part.debug_location());
                    for (index, operand) in part.operands().enumerate() {
                        if let Some(&again) = self.again.get(&(operand, block)) {
                            copy.set_operand(index, again);
                        }
                    }
                    self.again.insert((part, block), copy);
                    copy
                }
            };
            last = Some(copy);
        }
        last.expect("a value has parts")
    }

    /// Makes `value` a variable.
    fn keep(&mut self, value: Value) {
        let slots = self.slots(value);
        let home = value.parent().expect("an instruction in a block");
        let exits = self.exits(value, home);
        for at in uses::of(value) {
            let has_it = at.block == home || exits.is_some() && !self.is_exposed(home, at.block);
            if has_it {
                continue;
            }
            let builder = Builder::before(self.context, at.place());
            match slots.component(at.user) {
                Some(slot) => {
                    at.user.replace_uses(builder.load(at.user.ty(), slot));
                    at.put(value.ty().poison());
                }
                None => at.put(slots.read(&builder)),
            }
        }
        let behind = |exit: Block| exit.first_after_phis().expect("a block has a terminator");
        let places = match exits {
            Some(exits) => exits.into_iter().map(behind).collect(),
            None => vec![uses::behind(value)],
        };
        for place in places {
            slots.write(&Builder::before(self.context, place), value);
        }
    }

    /// Where a region leaves the loops that `value` is computed in, if it is needed in memory only behind them: it is written there, and
    /// not once an iteration. Not if items leave them apart: what those have left with would be kept beside what the others go on with.
    fn exits(&self, value: Value, home: Block) -> Option<Vec<Block>> {
        let mut holding = self.regions.holding(home);
        let flow = &holding.next()?.flow;
        let cycle = flow.cycle(home);
        if holding.any(|region| region.flow.cycle(home) != cycle) {
            return None;
        }
        let has_it = |block: Block| !self.is_exposed(home, block);
        let leaves = |from: &Block| from.successors().iter().any(|to| !cycle.contains(to));
        let leaving: Vec<Block> = cycle.iter().copied().filter(leaves).collect();
        let left: HashSet<Block> = leaving.iter().flat_map(|from| from.successors()).collect();
        let is_exit = |&to: &Block| left.contains(&to) && !cycle.contains(&to) && has_it(to);
        let exits: Vec<Block> = flow.blocks.iter().copied().filter(is_exit).collect();
        let together = leaving.iter().all(|&from| self.is_left_together(from));
        let mut uses = uses::of(value).into_iter();
        let behind = uses.all(|at| !cycle.contains(&at.block) || has_it(at.block));
        (together && behind && !exits.is_empty()).then_some(exits)
    }

    fn is_left_together(&self, from: Block) -> bool {
        let condition = from.terminator().and_then(Value::condition);
        condition.is_some_and(|on| on.is_constant() || self.is_uniform(on))
    }

    /// Variables for `value`.
    fn slots(&mut self, value: Value) -> Slots {
        let (ty, storage) = (value.ty(), self.storage_of(value));
        let parts = ty.is_vector() && storage == Storage::Item && !self.keeps_vectors;
        match ty.element().filter(|_| parts) {
            Some(element) => {
                Slots::Each((0..ty.count()).map(|_| self.variable(element, storage)).collect())
            }
            None => Slots::Whole(ty, self.variable(ty, storage)),
        }
    }

    /// Takes back variables of items that nobody reads: components that are not used.
    fn drop_unread(&mut self) {
        self.found.variables.retain(|variable| {
            let users = variable.slot.users();
            let read = users.iter().any(|user| user.is_opcode(Opcode::LLVMLoad));
            if read || variable.storage != Storage::Item {
                return true;
            }
            users.into_iter().for_each(Value::erase);
            variable.slot.erase();
            false
        });
    }
}

/// Instructions without effects, which give the same for the same operands, at little cost.
pub(crate) fn is_arithmetic(value: Value) -> bool {
    use Opcode::*;
    matches!(
        value.opcode(),
        Some(
            LLVMAdd
                | LLVMSub
                | LLVMMul
                | LLVMShl
                | LLVMLShr
                | LLVMAShr
                | LLVMAnd
                | LLVMOr
                | LLVMXor
                | LLVMGetElementPtr
                | LLVMTrunc
                | LLVMZExt
                | LLVMSExt
                | LLVMBitCast
                | LLVMAddrSpaceCast
                | LLVMICmp
                | LLVMSelect
                | LLVMSIToFP
                | LLVMUIToFP
        )
    )
}
