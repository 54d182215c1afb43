//! What vector code is made of: how the result, the operands, the address or the condition of each instruction differs
//! between the items of a vector, and how often each class occurs.
//!
//! Terms: a *finding* is one such value in one place; its *role* says what it is there. Phis are no instructions of a
//! processor and have a role of their own; so have variables that live from one region into another, which are memory of ours.
//! Addresses of private memory are left out: where that lies, the vectorizer chooses.
//! Source of the roles: Collange, "Identifying scalar behavior in CUDA kernels" (2011), section 5.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::state::{Shape, State, UNIFORM, VARYING};
use crate::code::atomics;
use crate::llvm::{Opcode, Value};
use crate::vector::{Of, Plan};

/// How a value differs between the items of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Uniform,
    /// Each item has so much more than its neighbour: bytes, of pointers.
    Affine(i64),
    /// The same, as long as a test at run time says so.
    Guessed(i64),
    Varying,
}

/// What a value is in the place where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The result of arithmetic, a comparison, a conversion, a call.
    Arithmetic,
    /// What a load or an atomic operation gives.
    Load,
    /// What an instruction takes that another one made.
    Operand,
    LoadAddress,
    StoreAddress,
    /// The condition of a branch or a switch.
    Branch,
    Phi,
    /// What an item reads that it wrote in another region.
    Kept,
}

/// A value where it is made or used.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// The instruction that makes or uses it.
    pub at: Value,
    pub value: Value,
    pub role: Role,
    pub class: Class,
    /// How many loops of the region are around the instruction.
    pub depth: u32,
}

/// How many values are of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shares {
    pub uniform: u32,
    pub affine: u32,
    pub guessed: u32,
    pub varying: u32,
}

impl Class {
    fn of(state: State) -> Class {
        match state.shape {
            Shape::Uniform => Class::Uniform,
            Shape::Strided(stride) if state.guessed => Class::Guessed(stride),
            Shape::Strided(stride) => Class::Affine(stride),
            Shape::Varying => Class::Varying,
        }
    }
}

impl Role {
    /// Its name in the description of a program.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Arithmetic => "arithmetic",
            Role::Load => "loads",
            Role::Operand => "operands",
            Role::LoadAddress => "load_addresses",
            Role::StoreAddress => "store_addresses",
            Role::Branch => "branches",
            Role::Phi => "phis",
            Role::Kept => "kept",
        }
    }

    fn of_result(of: &Of, value: Value) -> Role {
        match value.opcode() {
            Some(Opcode::LLVMPHI) => Role::Phi,
            Some(Opcode::LLVMLoad) if of.slots.contains_key(&value.operand(0)) => Role::Kept,
            Some(Opcode::LLVMLoad) => Role::Load,
            _ if atomics::is_one(value) => Role::Load,
            _ => Role::Arithmetic,
        }
    }
}

/// How many values have each role, by its name, and are of each class.
pub fn count<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> BTreeMap<String, Shares> {
    let mut all: BTreeMap<String, Shares> = BTreeMap::new();
    for finding in findings {
        let shares = all.entry(finding.role.name().to_string()).or_default();
        let one = match finding.class {
            Class::Uniform => &mut shares.uniform,
            Class::Affine(_) => &mut shares.affine,
            Class::Guessed(_) => &mut shares.guessed,
            Class::Varying => &mut shares.varying,
        };
        *one += 1;
    }
    all
}

impl Plan {
    /// All findings in the region, in the order of its blocks; `of`: what the plan was made of.
    pub fn findings(&self, of: &Of) -> Vec<Finding> {
        let mut found = Vec::new();
        for (block, code) in self.graph.blocks.iter().enumerate() {
            for at in code.instructions() {
                let own = match at.is_terminator() {
                    // The end of the region is what the group does.
                    true if self.graph.successors[block].is_empty() => Vec::new(),
                    true => at.condition().map(|value| (value, Role::Branch)).into_iter().collect(),
                    false => roles(of, at),
                };
                let depth = self.graph.depth(block);
                found.extend(own.into_iter().map(|(value, role)| {
                    let class = Class::of(self.state_at(value, block));
                    Finding { at, value, role, class, depth }
                }));
            }
        }
        found
    }

    /// What is known of a value where a block uses it.
    fn state_at(&self, value: Value, block: usize) -> State {
        let home = value.is_instruction().then(|| value.parent()).flatten();
        let Some(home) = home.and_then(|home| self.graph.number_of(home)) else { return UNIFORM };
        match self.facts.control.parts_behind(&self.graph, home, block) {
            true => VARYING,
            false => self.facts.of(value),
        }
    }
}

/// The values that an instruction uses and makes, in their roles.
fn roles(of: &Of, at: Value) -> Vec<(Value, Role)> {
    use Opcode::*;
    let is_slot = |address: Value| of.slots.contains_key(&address);
    if at.is_opcode(LLVMAlloca) || at.is_opcode(LLVMStore) && is_slot(at.operand(1)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let address = at.address().or_else(|| atomics::is_one(at).then(|| at.operand(0)));
    if !at.is_opcode(LLVMPHI) {
        let operands = at.operands().filter(|&operand| Some(operand) != address);
        let made = operands.filter(|operand| operand.is_instruction());
        let told = made.filter(|&operand| !of.privates.contain(operand));
        found.extend(told.map(|operand| (operand, Role::Operand)));
    }
    if let Some(address) = address.filter(|&it| !is_slot(it) && !of.privates.contain(it)) {
        let reads = at.is_opcode(LLVMLoad);
        found.push((address, if reads { Role::LoadAddress } else { Role::StoreAddress }));
    }
    if !at.ty().is_void() && !of.privates.contain(at) {
        found.push((at, Role::of_result(of, at)));
    }
    found
}
