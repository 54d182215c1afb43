//! What holds whenever a block runs: what the branches said that lead there.
//!
//! A block that only one edge leads to runs after that edge was taken, and with it all blocks that it dominates. Since then no
//! value has changed that the branch went by: a way to where it is made anew leads through the edge again.

use super::{Linear, Places};
use crate::analysis::dominators;
use crate::view::{BinaryOp, BlockId, Op, Predicate, TypeKind, ValueId};

/// Conditions made of others are looked into so far.
const DEPTH: u32 = 8;

impl Places<'_> {
    pub(super) fn read_guards(&mut self) {
        for block in dominators::order(self.function) {
            let Some(before) = self.analysis.dominators.parent(block) else { continue };
            let mut guards = self.guards[before.index()].clone();
            if self.function.block(block).predecessors == [before] {
                guards.extend(self.edge(before, block));
            }
            self.guards[block.index()] = guards;
        }
    }

    /// What the branch of `from` says of those that go on to `to`, and only of those.
    pub(crate) fn edge(&mut self, from: BlockId, to: BlockId) -> Vec<Linear> {
        let ways = self.function.block(from).successors.as_slice();
        let [yes, no] = *ways else { return Vec::new() };
        let Some((_, end)) = self.function.terminator(from) else { return Vec::new() };
        match end.operands.first() {
            Some(&condition) if yes != no => self.said(condition, to == yes, DEPTH),
            _ => Vec::new(),
        }
    }

    /// What follows from a condition being so.
    fn said(&mut self, condition: ValueId, truth: bool, depth: u32) -> Vec<Linear> {
        let function = self.function;
        let Some(made) = function.instruction(condition).filter(|_| depth > 0) else {
            return Vec::new();
        };
        let operands = made.operands.clone();
        let mut both = |truths: [(ValueId, bool); 2]| {
            truths.into_iter().flat_map(|(of, truth)| self.said(of, truth, depth - 1)).collect()
        };
        match made.op {
            Op::Compare(predicate) => {
                let predicate = if truth { predicate } else { predicate.opposite() };
                self.compared(predicate, operands[0], operands[1]).unwrap_or_default()
            }
            Op::Binary(BinaryOp::And, _) if truth => {
                both([(operands[0], true), (operands[1], true)])
            }
            Op::Binary(BinaryOp::Or, _) if !truth => {
                both([(operands[0], false), (operands[1], false)])
            }
            Op::Binary(BinaryOp::Xor, _) if function.integer(operands[1]) == Some(-1) => {
                self.said(operands[0], !truth, depth - 1)
            }
            // What && and || become.
            Op::Select if truth && function.integer(operands[2]) == Some(0) => {
                both([(operands[0], true), (operands[1], true)])
            }
            Op::Select if !truth && function.integer(operands[1]) == Some(-1) => {
                both([(operands[0], false), (operands[2], false)])
            }
            _ => Vec::new(),
        }
    }

    fn compared(&mut self, predicate: Predicate, a: ValueId, b: ValueId) -> Option<Vec<Linear>> {
        use Predicate::*;
        if self.function.value(a).ty.kind != TypeKind::Integer {
            return None;
        }
        let unsigned = matches!(
            predicate,
            UnsignedLess | UnsignedLessEqual | UnsignedGreater | UnsignedGreaterEqual
        );
        let (x, y) = match unsigned {
            true => (self.unsigned(a)?, self.unsigned(b)?),
            false => (self.signed(a)?, self.signed(b)?),
        };
        let apart = x.linear.minus(&y.linear)?;
        let back = apart.times(-1)?;
        let said = match predicate {
            SignedLess | UnsignedLess => vec![apart.and(1)?],
            SignedLessEqual | UnsignedLessEqual => vec![apart],
            SignedGreater | UnsignedGreater => vec![back.and(1)?],
            SignedGreaterEqual | UnsignedGreaterEqual => vec![back],
            Equal => vec![apart, back],
            // At the edge of what it may be.
            NotEqual if y.low == y.high && x.low == y.low => vec![back.and(1)?],
            NotEqual if y.low == y.high && x.high == y.high => vec![apart.and(1)?],
            NotEqual => Vec::new(),
        };
        Some(said)
    }
}
