//! What the approach to a loop computes, computed again where all items are known to have come through it.
//!
//! A value that crosses a question to all items comes out of a phi of those who computed it and those who did not: the analyses know
//! nothing of it any more. A bound of the loop that was the same for all items would part them, a row's address would be anything.
//! Behind the question, on the way of those who all enter, the value can be computed anew, of what stands before it.
//!
//! Terms: fork, approach: see [`super::approach`]. A block of the approach is *sure* if whoever enters the loop has come through it.
//! Loads are done again if they are the same for all items and the approach writes nothing; divisions if they are the same for
//! all. What differs from item to item is computed again where it is an address or a whole number; the rest may stay as it came.

use std::collections::{HashMap, HashSet};

use super::Plan;
use super::approach::is_harmless;
use crate::front::division;
use crate::llvm::{Block, Builder, Context, Opcode, Value};
use crate::view::{BlockId, Callee, Op};

/// What is known of the values of an approach.
pub struct Sources {
    approach: HashSet<Block>,
    sure: HashSet<Block>,
    /// Values that are the same for all items.
    pub uniform: HashSet<Value>,
    writes: bool,
}

impl Sources {
    pub fn of(plan: &Plan, header: BlockId, approach: &[BlockId]) -> Sources {
        let (analysis, function) = (&plan.analysis, &plan.view.function);
        let at = |block: &BlockId| plan.view.blocks[block.index()];
        let sure = approach.iter().filter(|&&block| analysis.dominators.dominates(block, header));
        let mut inside = approach.iter().flat_map(|&block| function.body(block));
        let writes = |op: &Op| {
            let calls = matches!(op, Op::Call(callee) if !matches!(callee, Callee::WorkItem(_)));
            calls || matches!(op, Op::Store(_) | Op::Atomic)
        };
        Sources {
            approach: approach.iter().map(at).collect(),
            sure: sure.map(at).collect(),
            uniform: plan.uniform_in(approach),
            writes: inside.any(|(_, made)| writes(&made.op)),
        }
    }

    fn is_inside(&self, value: Value) -> bool {
        value.is_instruction() && value.parent().is_some_and(|at| self.approach.contains(&at))
    }

    /// Whether a value of the approach may be computed anew behind it, if its operands are there.
    fn may_be_again(&self, value: Value) -> bool {
        let is_uniform = self.uniform.contains(&value);
        let plain = || !value.is_volatile() && !value.is_atomic();
        let loads = || value.is_opcode(Opcode::LLVMLoad) && !self.writes && plain();
        value.parent().is_some_and(|block| self.sure.contains(&block))
            && (is_harmless(value) || is_uniform && (division::is_division(value) || loads()))
    }
}

/// Computes values of an approach again, at the end of a block behind it.
pub struct Again<'a> {
    sources: &'a Sources,
    builder: Builder,
    known: HashMap<Value, Option<Value>>,
}

impl<'a> Again<'a> {
    pub fn at_end(context: Context, sources: &'a Sources, block: Block) -> Again<'a> {
        Again { sources, builder: Builder::at_end(context, block), known: HashMap::new() }
    }

    /// The value, computed again if it pays.
    pub fn of(&mut self, value: Value) -> Option<Value> {
        let ty = value.ty();
        let pays = self.sources.uniform.contains(&value) || ty.is_integer() || ty.is_pointer();
        if pays && self.sources.is_inside(value) { self.copy(value) } else { None }
    }

    fn copy(&mut self, value: Value) -> Option<Value> {
        if !self.sources.is_inside(value) {
            return Some(value);
        }
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let again = self.sources.may_be_again(value).then(|| self.built(value)).flatten();
        self.known.insert(value, again);
        again
    }

    fn built(&mut self, value: Value) -> Option<Value> {
        let operands: Option<Vec<Value>> = value.operands().map(|of| self.copy(of)).collect();
        let operands = operands?;
        let copy = value.duplicate();
        for (index, operand) in operands.into_iter().enumerate() {
            copy.set_operand(index, operand);
        }
        self.builder.insert(copy);
        Some(copy)
    }
}
