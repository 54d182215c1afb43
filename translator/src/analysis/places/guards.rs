//! What holds whenever a block runs: what the branches said that lead there.
//!
//! A block that only one edge leads to runs after that edge was taken, and with it all blocks that it dominates. Since then no
//! value has changed that the branch went by: a way to where it is made anew leads through the edge again.

use super::{Linear, Places};
use crate::analysis::dominators;
use crate::view::{BinaryOp, BlockId, Op, Predicate, TypeKind, ValueId};

/// Conditions made of others are looked into so far.
const DEPTH: u32 = 8;

/// What follows from a condition, and whether the condition follows from it.
struct Said {
    sums: Vec<Linear>,
    is_all: bool,
}

impl Said {
    const fn nothing() -> Said {
        Said { sums: Vec::new(), is_all: false }
    }

    const fn all(sums: Vec<Linear>) -> Said {
        Said { sums, is_all: true }
    }

    fn and(self, other: Said) -> Said {
        let sums = self.sums.into_iter().chain(other.sums);
        Said { sums: sums.collect(), is_all: self.is_all && other.is_all }
    }
}

impl Places<'_> {
    pub(super) fn read_guards(&mut self) {
        for block in dominators::order(self.function) {
            for to in self.function.block(block).successors.clone() {
                let said = self.edge(block, to);
                if said.is_all {
                    self.conditions.insert((block, to), said.sums);
                }
            }
            let Some(before) = self.analysis.dominators.parent(block) else { continue };
            let mut guards = self.guards[before.index()].clone();
            if self.function.block(block).predecessors == [before] {
                guards.extend(self.edge(before, block).sums);
            }
            self.guards[block.index()] = guards;
        }
    }

    /// What the branch of `from` says of those that go on to `to`, and only of those.
    fn edge(&mut self, from: BlockId, to: BlockId) -> Said {
        let ways = self.function.block(from).successors.as_slice();
        let Some((_, end)) = self.function.terminator(from) else { return Said::nothing() };
        if end.op == Op::Switch {
            let case = self.only_case(ways, to).and_then(|at| end.operands.get(at).copied());
            let of = end.operands[0];
            let said = case.and_then(|case| self.compared(Predicate::Equal, of, case));
            return said.unwrap_or_else(Said::nothing);
        }
        let yes = match *ways {
            [only] if only == to => return Said::all(Vec::new()),
            [yes, no] if yes != no => yes,
            _ => return Said::nothing(),
        };
        match end.operands.first() {
            Some(&condition) => self.said(condition, to == yes, DEPTH),
            _ => Said::nothing(),
        }
    }

    /// The only constant for which a switch goes to `to`, by number; its default does not.
    fn only_case(&self, ways: &[BlockId], to: BlockId) -> Option<usize> {
        let mut cases = (0..ways.len()).filter(|&at| ways[at] == to);
        cases.next().filter(|&at| at > 0 && cases.next().is_none())
    }

    /// What follows from a condition being so.
    fn said(&mut self, condition: ValueId, truth: bool, depth: u32) -> Said {
        let function = self.function;
        let Some(made) = function.instruction(condition).filter(|_| depth > 0) else {
            return Said::nothing();
        };
        if let Some([a, b]) = function.both(condition, truth) {
            return self.said(a, truth, depth - 1).and(self.said(b, truth, depth - 1));
        }
        let operands = made.operands.clone();
        match made.op {
            Op::Compare(predicate) => {
                let predicate = if truth { predicate } else { predicate.opposite() };
                self.compared_parts(predicate, operands[0], operands[1], depth - 1)
            }
            Op::Binary(BinaryOp::Xor, _) if function.integer(operands[1]) == Some(-1) => {
                self.said(operands[0], !truth, depth - 1)
            }
            _ => Said::nothing(),
        }
    }

    /// The same of two numbers: LLVM makes one comparison, (x | y) == 0 or (x | y) < 16, of two.
    fn compared_parts(&mut self, predicate: Predicate, a: ValueId, b: ValueId, depth: u32) -> Said {
        let (function, limit) = (self.function, self.function.integer(b));
        let made = function.instruction(a).filter(|_| depth > 0);
        let operands = made.map(|made| made.operands.clone()).unwrap_or_default();
        let is_for_each = match predicate {
            Predicate::Equal => limit == Some(0),
            Predicate::UnsignedLess => limit.is_some_and(|it| it > 0 && it & (it - 1) == 0),
            _ => false,
        };
        match made.map(|made| made.op.clone()) {
            Some(Op::Binary(BinaryOp::Or, _)) if is_for_each => {
                let mut part =
                    |at: usize| self.compared_parts(predicate, operands[at], b, depth - 1);
                part(0).and(part(1))
            }
            Some(Op::Binary(BinaryOp::Xor, _)) if predicate == Predicate::Equal && is_for_each => {
                self.compared_parts(predicate, operands[0], operands[1], depth - 1)
            }
            _ => self.compared(predicate, a, b).unwrap_or_else(Said::nothing),
        }
    }

    fn compared(&mut self, predicate: Predicate, a: ValueId, b: ValueId) -> Option<Said> {
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
            NotEqual => return None,
        };
        Some(Said::all(said))
    }
}
