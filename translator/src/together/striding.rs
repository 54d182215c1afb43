//! Which loops are striding ones: where items begin, how they go on, and where they end.

use std::collections::HashMap;

use crate::analysis::loops::LoopId;
use crate::analysis::shape::Shape;
use crate::code::atomics;
use crate::front::library;
use crate::group::crossing::is_arithmetic;
use crate::group::ids::Id;
use crate::llvm::{Block, IntPredicate, Opcode, Value, predicates};
use crate::schedule::Plan;
use crate::view::{Callee, ValueId};

/// Instructions of a loop that is worth a copy.
const MOST_INSTRUCTIONS: usize = 150;
/// How far apart neighbours begin at most: with 4096 items the last is less than 2^31 from the first.
const MOST_APART: i64 = 1 << 16;
/// Operations that are followed from a step to what it is computed of.
const MOST_OPERATIONS: usize = 4;

/// A striding loop.
pub struct Striding {
    /// Where it is entered from.
    pub before: Block,
    pub header: Block,
    /// The others, that the header leads to first.
    pub body: Vec<Block>,
    pub begin: Block,
    pub latch: Block,
    pub counter: Value,
    /// What the counter is at first, and how much more its neighbour's.
    pub start: Value,
    pub apart: u64,
    /// What it goes on by, and what that is computed of in the loop.
    pub step: Value,
    pub parts: Vec<Value>,
    pub limit: Value,
    /// It goes on while this holds of the counter and the limit.
    pub predicate: IntPredicate,
}

impl Striding {
    pub fn find(plan: &Plan, id: LoopId) -> Option<Striding> {
        let loops = &plan.analysis.loops;
        let this = loops.get(id);
        let (&[(from, _)], &[latch]) = (this.exits.as_slice(), this.latches.as_slice()) else {
            return None;
        };
        let suits = from == this.header && latch != from && !loops.irreducible;
        if !suits || !plan.analysis.is_left_apart(id) || meets(plan, id) {
            return None;
        }
        let at = |block: crate::view::BlockId| plan.view.blocks[block.index()];
        let (header, latch) = (at(this.header), at(latch));
        let blocks: Vec<Block> = this.blocks.iter().copied().map(at).collect();
        let mut outside = header.predecessors();
        outside.retain(|&block| block != latch);
        let &[before] = outside.as_slice() else { return None };
        let inside = Inside { header, blocks: &blocks };
        let (counter, limit, predicate) = inside.condition()?;
        let next = counter.incoming_from(latch)?;
        let step = inside.step(counter, next)?;
        let mut parts = Vec::new();
        if !inside.stays(step, &mut parts) || !inside.is_worth_it() {
            return None;
        }
        let start = counter.incoming_from(before)?;
        let shapes = Shapes::of(plan);
        let known =
            shapes.along_x(limit) == Shape::Uniform && shapes.along_x(step) == Shape::Uniform;
        let apart = match shapes.along_x(start) {
            Shape::Affine(apart) if known && (1..=MOST_APART).contains(&apart) => apart as u64,
            _ => return None,
        };
        let begin = header.successors().into_iter().find(|to| blocks.contains(to))?;
        let body = blocks.iter().copied().filter(|&block| block != header).collect();
        let whole = Striding {
            before,
            header,
            body,
            begin,
            latch,
            counter,
            start,
            apart,
            step,
            parts,
            limit,
            predicate,
        };
        Some(whole)
    }
}

/// Whether items wait for each other in a loop, or may leave it for good.
fn meets(plan: &Plan, id: LoopId) -> bool {
    let function = &plan.view.function;
    plan.analysis.loops.get(id).blocks.iter().any(|&block| {
        let departs = function.block(block).departs;
        let waits = [Callee::Barrier, Callee::Collective, Callee::Question, Callee::Departure];
        departs || waits.into_iter().any(|callee| function.calls(block, callee))
    })
}

/// How values differ between neighbours, by their instruction.
struct Shapes<'a> {
    plan: &'a Plan,
    ids: HashMap<Value, ValueId>,
}

impl Shapes<'_> {
    fn of(plan: &Plan) -> Shapes<'_> {
        let ids = plan.view.values.iter().copied().zip(plan.view.function.value_ids());
        Shapes { plan, ids: ids.collect() }
    }

    fn along_x(&self, value: Value) -> Shape {
        match self.ids.get(&value) {
            Some(&id) => self.plan.analysis.shape(id)[0],
            None => Shape::Varying,
        }
    }
}

/// The blocks of a loop.
struct Inside<'a> {
    header: Block,
    blocks: &'a [Block],
}

impl Inside<'_> {
    fn has(&self, value: Value) -> bool {
        value.is_instruction() && value.parent().is_some_and(|at| self.blocks.contains(&at))
    }

    /// The counter, its limit, and what holds of them as long as the loop goes on.
    fn condition(&self) -> Option<(Value, Value, IntPredicate)> {
        use IntPredicate::*;
        let end = self.header.terminator()?;
        let condition = end.condition().filter(|it| it.is_opcode(Opcode::LLVMICmp))?;
        let mut predicate = condition.int_predicate()?;
        let (mut counter, mut limit) = (condition.operand(0), condition.operand(1));
        if self.has(limit) {
            (counter, limit) = (limit, counter);
            predicate = predicates::turned(predicate);
        }
        if !self.blocks.contains(&end.successors()[0]) {
            predicate = predicates::opposite(predicate);
        }
        let counts = self.header.phis().contains(&counter)
            && !self.has(limit)
            && [32, 64].contains(&counter.ty().integer_bits());
        let upwards = matches!(predicate, LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE);
        (counts && upwards).then_some((counter, limit, predicate))
    }

    /// What is added to the counter.
    fn step(&self, counter: Value, next: Value) -> Option<Value> {
        if !self.has(next) || !next.is_opcode(Opcode::LLVMAdd) {
            return None;
        }
        match (next.operand(0), next.operand(1)) {
            (a, step) if a == counter && step != counter => Some(step),
            (step, b) if b == counter && step != counter => Some(step),
            _ => None,
        }
    }

    /// Whether a value is the same in all iterations; what computes it in the loop goes to `parts`, operands first.
    fn stays(&self, value: Value, parts: &mut Vec<Value>) -> bool {
        if !self.has(value) || parts.contains(&value) {
            return true;
        }
        let is_id = Id::of_call(value).is_some();
        let computes = is_id || is_arithmetic(value);
        if !computes || parts.len() == MOST_OPERATIONS {
            return false;
        }
        let stays = is_id || value.operands().all(|operand| self.stays(operand, parts));
        parts.push(value);
        stays
    }

    /// Whether there is little to copy, and nothing whose order among items may count.
    fn is_worth_it(&self) -> bool {
        let all = || self.blocks.iter().flat_map(|block| block.instructions());
        let stays = |value: Value| {
            value.is_opcode(Opcode::LLVMAlloca)
                || value.is_opcode(Opcode::LLVMFence)
                || atomics::is_ordered(value) && !value.is_relaxed()
                || value.is_opcode(Opcode::LLVMCall) && library::is_meeting(value)
        };
        all().count() <= MOST_INSTRUCTIONS && !all().any(stays)
    }
}
