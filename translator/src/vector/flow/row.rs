//! Rows of items that end before their last one.
//!
//! Programs begin with a guard: `if (x >= n) return;`. Where all items of a vector return by it, so do all that follow in their row,
//! for x only grows; and where `if (y >= m) return;` is what they return by, the whole row does. Then the row ends there. It matters
//! for programs that launch all of a matrix again and again and let fewer and fewer items pass, as eliminations do.
//! Not here: guards behind which items leave something for others, a variable that lives across a barrier, say.

use super::order::{Comparison, Condition};
use crate::group::crossing::is_arithmetic;
use crate::group::ids::Id;
use crate::llvm::{Block, IntPredicate, Opcode, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::graph::Edge;
use crate::vector::facts::state::Shape;
use crate::vector::memory::tiles::may_write;

/// Where a region begins.
const ENTRY: usize = 0;
/// Operations that are followed from a number to what it is computed of.
const MOST_OPERATIONS: usize = 6;

impl Emitter<'_> {
    /// Where the row ends, if all vectors behind one that leaves by an edge would leave by it, too, and do nothing else.
    pub fn row_ends_by(&self, edge: Edge) -> Option<Block> {
        let row_end = self.row_end?;
        let begins = edge.from == ENTRY && self.frames.len() == 1 && self.mask.is_none();
        let source = |block: usize| self.graph.blocks[block].instructions();
        let is_bare = source(edge.to).iter().all(|value| value.is_terminator())
            && self.graph.successors[edge.to].is_empty();
        if !begins || !is_bare || source(ENTRY).into_iter().any(may_write) {
            return None;
        }
        let condition = self.condition_of(ENTRY, &mut Vec::new())?;
        let branch = self.graph.blocks[ENTRY].terminator()?;
        let holds = self.graph.number_of(branch.successors()[0]) == Some(edge.to);
        self.lasts(&condition, holds).then_some(row_end)
    }

    pub fn leave_row(&mut self, every: Value, row_end: Block) {
        let goes_on = self.append("lanes.some");
        self.builder.branch_if(every, row_end, goes_on);
        self.builder.move_to_end(goes_on);
    }

    /// Whether what all items of a vector find of a condition, all items behind them in the row find, too.
    fn lasts(&self, condition: &Condition, holds: bool) -> bool {
        match condition {
            &Condition::Shared(value) => is_of_row(value, 0),
            Condition::Order(comparison) => self.comparison_lasts(*comparison, holds),
            Condition::Not(condition) => self.lasts(condition, !holds),
            Condition::Both(parts, _) => parts.iter().all(|part| self.lasts(part, holds)),
        }
    }

    fn comparison_lasts(&self, comparison: Comparison, holds: bool) -> bool {
        use IntPredicate::*;
        let below = match comparison.predicate {
            LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE => true,
            LLVMIntSGT | LLVMIntSGE | LLVMIntUGT | LLVMIntUGE => false,
            LLVMIntEQ | LLVMIntNE => return false,
        };
        comparison.stride > 0
            && below != holds
            && is_of_row(comparison.other, 0)
            && self.grows(comparison.number)
    }

    /// Whether a number is an item's id along x, which fits it.
    fn grows(&self, number: Value) -> bool {
        match number.opcode() {
            Some(Opcode::LLVMCall) => {
                matches!(Id::of_call(number), Some(Id::GlobalId | Id::LocalId))
                    && number.operand(0).unsigned() == Some(0)
            }
            Some(Opcode::LLVMTrunc) => self.facts.of(number).fits && self.grows(number.operand(0)),
            Some(Opcode::LLVMSExt | Opcode::LLVMZExt) => {
                let from = self.facts.of(number.operand(0));
                from.fits && from.shape == Shape::Strided(1) && self.grows(number.operand(0))
            }
            _ => false,
        }
    }
}

/// Whether all items of a row have the same number, because of what it is computed of.
fn is_of_row(value: Value, depth: usize) -> bool {
    if !value.is_instruction() {
        return true;
    }
    let id = if value.is_opcode(Opcode::LLVMCall) { Id::of_call(value) } else { None };
    match id {
        Some(Id::GlobalId | Id::LocalId) => matches!(value.operand(0).unsigned(), Some(1 | 2)),
        Some(Id::GlobalSize | Id::GlobalOffset | Id::GroupId | Id::NumGroups) => true,
        Some(Id::LocalSize | Id::EnqueuedLocalSize) => true,
        Some(_) => false,
        None => {
            let mut operands = value.operands();
            depth < MOST_OPERATIONS
                && is_arithmetic(value)
                && operands.all(|operand| is_of_row(operand, depth + 1))
        }
    }
}
