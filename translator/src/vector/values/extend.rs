//! Sums of 32 bits that are made in 64 where they are extended: `in[y * width + x]` with `int`.
//!
//! An index of 32 bits is added up, and then extended, anew for each vector. Where the sum may not wrap around, the extended
//! parts make the same, and what they share in a row is extended once, in front of it.
//! Invariant: what is extended so is readable in every block behind it ([`parts`]).

use std::collections::HashSet;

use crate::llvm::{Opcode, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::graph::Graph;
use crate::vector::facts::shapes::Facts;
use crate::vector::facts::state::Shape;
use crate::vector::flow::homes::left_behind;

/// Sums within sums that are followed.
const MOST_DEPTH: usize = 4;

/// What a number is made of that may be made of extended parts.
enum Made {
    /// Added, or taken away.
    Sum(Opcode),
    /// The low half of a number that has no high one.
    Low,
}

fn made(number: Value, facts: &Facts) -> Option<Made> {
    let state = facts.of(number);
    let strided = matches!(state.shape, Shape::Strided(_));
    if !number.is_instruction() || !strided || !state.signed || state.guessed {
        return None;
    }
    match number.opcode()? {
        Opcode::LLVMAdd if number.no_wrap().0 => Some(Made::Sum(Opcode::LLVMAdd)),
        Opcode::LLVMSub if number.no_wrap().0 => Some(Made::Sum(Opcode::LLVMSub)),
        Opcode::LLVMOr if number.is_disjoint() => Some(Made::Sum(Opcode::LLVMAdd)),
        Opcode::LLVMTrunc if number.operand(0).ty().integer_bits() == 64 => {
            facts.of(number.operand(0)).fits.then_some(Made::Low)
        }
        _ => None,
    }
}

/// Whether an extension is that of an index by its sign, whose parts may be extended.
fn extends(value: Value) -> bool {
    let extends = value.is_opcode(Opcode::LLVMSExt) || value.is_nonnegative();
    extends && value.ty().integer_bits() == 64
}

/// The numbers that extensions of a region are made of instead.
pub fn parts(graph: &Graph, facts: &Facts) -> HashSet<Value> {
    let all = graph.blocks.iter().flat_map(|block| block.instructions());
    let extended = all.filter(|&value| value.is_instruction() && extends(value));
    let mut rest: Vec<(Value, usize)> = extended.map(|value| (value.operand(0), 0)).collect();
    let mut parts = HashSet::new();
    while let Some((number, depth)) = rest.pop() {
        if depth < MOST_DEPTH && made(number, facts).is_some() {
            let operands = number.operands().filter(|operand| operand.is_instruction());
            for operand in operands {
                parts.insert(operand);
                rest.push((operand, depth + 1));
            }
        }
    }
    parts
}

impl Emitter<'_> {
    /// The first item's of an extension, of its parts; none where it has none.
    pub fn extended_by_parts(&mut self, extension: Value) -> Option<Value> {
        let number = extension.operand(0);
        let has_parts = extends(extension) && made(number, self.facts).is_some();
        has_parts.then(|| self.extended(number, 0))
    }

    fn extended(&mut self, number: Value, depth: usize) -> Value {
        let word = self.context.integer(64);
        let made = made(number, self.facts).filter(|_| depth < MOST_DEPTH);
        match made.filter(|_| number.operands().all(|operand| self.is_readable(operand))) {
            Some(Made::Low) => self.first_of(number.operand(0)),
            Some(Made::Sum(opcode)) => {
                let [a, b] = [0, 1].map(|index| self.extended(number.operand(index), depth + 1));
                self.builder.binary(opcode, a, b)
            }
            None => {
                let first = self.first_of(number);
                self.builder.cast(Opcode::LLVMSExt, first, word)
            }
        }
    }

    /// Whether what a number was in its block is what it is here.
    fn is_readable(&self, number: Value) -> bool {
        if !number.is_instruction() {
            return true;
        }
        let home = number.parent().and_then(|block| self.graph.number_of(block));
        home.is_none_or(|home| left_behind(self.graph, self.facts, home, self.block).is_none())
    }
}
