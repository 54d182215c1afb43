//! The power of two that every item's value is a multiple of, for each integer and each address.
//!
//! Terms: the *alignment* of a value is the number k of its low bits that are certain to be 0; [`ZERO`] is that of 0
//! itself. Of two values that items may take either one, the lesser holds.
//! Method: optimistic fixpoint, as in `shapes`: what is not reached yet is 0, phis meet.
//! Sources: Collange 2011, section 4, where affine values have a base with an alignment; Granger, "Static analysis of
//! linear congruence equalities" (1991), for the idea.

use crate::view::{
    BinaryOp, BlockId, Callee, Cast, Function, Instruction, Op, Type, ValueId, ValueKind, WorkItem,
};

/// All bits that a value can have.
pub const ZERO: u32 = 64;

#[derive(Debug)]
pub struct Alignments {
    of: Vec<u32>,
}

impl Alignments {
    /// `order` is a reverse post-order of the blocks.
    pub fn find(function: &Function, order: &[BlockId]) -> Alignments {
        let of = function.value_ids().map(|id| leaf(function, id)).collect();
        let mut found = Alignments { of };
        let mut changed = true;
        while changed {
            changed = false;
            for (id, instruction) in order.iter().flat_map(|&block| function.body(block)) {
                if function.value(id).ty.is_scalar_index() {
                    let new = found.transfer(function, id, instruction);
                    changed |= new < found.of[id.index()];
                    found.of[id.index()] = new.min(found.of[id.index()]);
                }
            }
        }
        found
    }

    /// How many low bits are 0.
    pub fn of(&self, value: ValueId) -> u32 {
        self.of[value.index()]
    }

    fn transfer(&self, function: &Function, id: ValueId, instruction: &Instruction) -> u32 {
        let operands = &instruction.operands;
        let of = |at: usize| self.of(operands[at]);
        let least = |from: &[ValueId]| from.iter().map(|&id| self.of(id)).min().unwrap_or(0);
        match &instruction.op {
            Op::Phi(_) | Op::Extremum => least(operands),
            Op::Select => least(&operands[1..]),
            Op::Binary(op, _) => binary(*op, of(0), of(1), function.integer(operands[1])),
            Op::Cast(Cast::Truncate { .. }) => whole(of(0), function.value(id).ty),
            Op::Cast(_) => of(0),
            Op::Address { constant, scales, .. } => {
                let terms = scales.iter().enumerate();
                let terms = terms.map(|(at, &scale)| times(of(at + 1), of_integer(scale)));
                terms.fold(of(0).min(of_integer(*constant)), u32::min)
            }
            Op::Alloca => leaf(function, id),
            Op::Call(Callee::WorkItem(
                size @ (WorkItem::LocalSize | WorkItem::EnqueuedLocalSize),
            )) => {
                let asked = operands.first().and_then(|&asked| function.integer(asked));
                let dimension = asked.and_then(|at| usize::try_from(at).ok());
                let known = dimension.and_then(|at| function.size(*size, at));
                known.map_or(0, |items| of_integer(items as i64))
            }
            _ => 0,
        }
    }
}

/// Of what is there before any instruction; of an instruction what is assumed until it is reached.
fn leaf(function: &Function, id: ValueId) -> u32 {
    let value = function.value(id);
    match &value.kind {
        ValueKind::Integer(number) => of_integer(*number),
        ValueKind::Instruction(made) if made.op == Op::Alloca => value.alignment_bytes.ilog2(),
        ValueKind::Instruction(_) if value.ty.is_scalar_index() => ZERO,
        ValueKind::Undefined => ZERO,
        ValueKind::Argument(_) | ValueKind::Global(_) => value.alignment_bytes.ilog2(),
        _ => 0,
    }
}

const fn of_integer(number: i64) -> u32 {
    number.trailing_zeros()
}

/// A value of this type without any bit is 0.
fn whole(alignment: u32, ty: Type) -> u32 {
    if alignment >= ty.bits { ZERO } else { alignment }
}

fn times(a: u32, b: u32) -> u32 {
    (a + b).min(ZERO)
}

fn binary(op: BinaryOp, a: u32, b: u32, number: Option<i64>) -> u32 {
    let both = a.min(b);
    match (op, number) {
        (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor, _) => both,
        (BinaryOp::And, _) => a.max(b),
        (BinaryOp::Mul, _) => times(a, b),
        (BinaryOp::Shl, Some(by @ 0..=63)) => times(a, by as u32),
        (BinaryOp::Shl, _) => a,
        (BinaryOp::LShr | BinaryOp::AShr, Some(by @ 0..=63)) => quotient(a, by as u32),
        (BinaryOp::UDiv | BinaryOp::SDiv, Some(by @ 1..)) if by.count_ones() == 1 => {
            quotient(a, of_integer(by))
        }
        // What is taken away is a multiple of the divisor.
        (BinaryOp::URem | BinaryOp::SRem, _) => both,
        _ if a == ZERO => ZERO,
        _ => 0,
    }
}

/// Divided by 2^`by`: exact only as far as those bits are 0.
const fn quotient(a: u32, by: u32) -> u32 {
    if a == ZERO { ZERO } else { a.saturating_sub(by) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::dominators;
    use crate::view::text::parse;

    fn of(text: &str, names: &[&str]) -> Vec<u32> {
        let function = parse(text);
        let found = Alignments::find(&function, &dominators::order(&function));
        names.iter().map(|name| found.of(Function::named(text, name))).collect()
    }

    #[test]
    fn arithmetic_keeps_multiples() {
        let text = "kernel k(a: global, n: i32) size 48 1 1
            entry:
              %x = global_id 0
              %four = mul %x 4
              %sum = add %four 12
              %odd = add %four 2
              %up = shl %four 3
              %down = ashr %up 2
              %third = udiv %up 3
              %low = and %up 48
              %mixed = or %up %four
              %rest = urem %four 6
              %narrow = trunc %up : i32
              %wide = zext %narrow : i64
              %size = enqueued_local_size 0
              %here = local_size 0
              %p = address %a %up*4 +8
              %least = min %up %four
              ret";
        let names = [
            "four", "sum", "odd", "up", "down", "third", "low", "mixed", "rest", "wide", "size",
            "p", "least", "here",
        ];
        assert_eq!(of(text, &names), [2, 2, 1, 5, 3, 0, 5, 2, 1, 5, 4, 0, 2, 0]);
        let whole = text.replace("size 48 1 1", "size 48 1 1 uniform");
        assert_eq!(of(&whole, &["here"]), [4]);
    }

    #[test]
    fn loops_and_choices_keep_what_all_ways_have() {
        let text = "kernel k(n: i32)
            entry:
              %x = global_id 0
              %c = slt %x 3
              %s = select %c 24 64
              jump head
            head:
              %k = phi [entry 0] [head %next]
              %j = phi [entry 16] [head %half]
              %next = add %k 8
              %half = ashr %j 1
              %d = slt %next 100
              branch %d head done
            done:
              ret";
        assert_eq!(of(text, &["s", "k", "next", "j"]), [3, 3, 3, 0]);
    }

    /// Every operation on small numbers, against what the numbers say.
    #[test]
    fn no_result_has_fewer_zeros() {
        use BinaryOp::*;
        type Apply = fn(i64, i64) -> Option<i64>;
        let operations: [(BinaryOp, Apply); 11] = [
            (Add, |a, b| Some(a.wrapping_add(b))),
            (Sub, |a, b| Some(a.wrapping_sub(b))),
            (Mul, |a, b| Some(a.wrapping_mul(b))),
            (And, |a, b| Some(a & b)),
            (Or, |a, b| Some(a | b)),
            (Xor, |a, b| Some(a ^ b)),
            (SDiv, i64::checked_div),
            (SRem, i64::checked_rem),
            (URem, |a, b| (a as u64).checked_rem(b as u64).map(|rest| rest as i64)),
            (Shl, |a, b| (0..64).contains(&b).then(|| a << b)),
            (AShr, |a, b| (0..64).contains(&b).then(|| a >> b)),
        ];
        for (op, apply) in operations {
            for a in -40..40_i64 {
                for b in -40..40_i64 {
                    let Some(result) = apply(a, b) else { continue };
                    for known in [Some(b), None] {
                        let said = binary(op, of_integer(a), of_integer(b), known);
                        assert!(said <= of_integer(result), "{op:?} {a} {b} {known:?}");
                    }
                }
            }
        }
    }
}
