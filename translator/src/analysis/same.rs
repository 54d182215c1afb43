//! Which values LLVM could find to be the same.
//!
//! Terms: the *first* of a value is the first instruction, in reverse post-order, that does the same with the same
//! operands. Optimistic: two loads of one address have one first, whatever is stored in between, since LLVM may know more of
//! that than we do; values with different firsts are different to LLVM's passes too. The contrary of what may be computed
//! with: it serves those that must not miss a sameness ([`super::hazards`]).
//! Source: value numbering, as in Aho, Lam, Sethi, Ullman, Compilers (2006), section 6.1.2.

use std::collections::HashMap;

use super::linear::Atom;
use crate::view::{
    BinaryOp, BlockId, Callee, Cast, Function, Instruction, MemoryKind, NoWrap, Op, Type, ValueId,
};

pub struct Same {
    /// By value.
    first: Vec<ValueId>,
}

impl Same {
    /// `order` is a reverse post-order of the blocks.
    pub fn find(function: &Function, order: &[BlockId]) -> Same {
        let mut same = Same { first: function.value_ids().collect() };
        let mut known: HashMap<(Op, Type, Vec<ValueId>), ValueId> = HashMap::new();
        for (id, instruction) in order.iter().flat_map(|&block| function.body(block)) {
            let Some(op) = comparable(&instruction.op) else { continue };
            let operands = same.operands(instruction);
            let first = *known.entry((op, function.value(id).ty, operands)).or_insert(id);
            same.first[id.index()] = first;
        }
        same
    }

    fn operands(&self, instruction: &Instruction) -> Vec<ValueId> {
        use BinaryOp::*;
        let mut operands: Vec<ValueId> =
            instruction.operands.iter().map(|&operand| self.of(operand)).collect();
        if matches!(instruction.op, Op::Binary(Add | Mul | And | Or | Xor, _) | Op::Extremum) {
            operands.sort();
        }
        operands
    }

    pub fn of(&self, value: ValueId) -> ValueId {
        self.first[value.index()]
    }

    /// The firsts of `values`, each once.
    pub fn all(&self, values: Vec<ValueId>) -> Vec<ValueId> {
        let mut firsts: Vec<ValueId> = values.into_iter().map(|value| self.of(value)).collect();
        firsts.sort();
        firsts.dedup();
        firsts
    }

    pub fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Value(value) => Atom::Value(self.of(value)),
            other => other,
        }
    }
}

/// What an operation is compared by; none if nothing else does the same.
fn comparable(op: &Op) -> Option<Op> {
    match op {
        // Promises do not change what comes out.
        Op::Binary(op, _) => Some(Op::Binary(*op, NoWrap::default())),
        Op::Address { constant, scales, .. } => {
            let (constant, scales) = (*constant, scales.clone());
            Some(Op::Address { constant, scales, inbounds: false })
        }
        Op::Cast(Cast::Truncate { .. }) => {
            Some(Op::Cast(Cast::Truncate { signed: false, unsigned: false }))
        }
        Op::Cast(Cast::ZeroExtend { .. }) => {
            Some(Op::Cast(Cast::ZeroExtend { nonnegative: false }))
        }
        Op::Load(MemoryKind::Plain)
        | Op::Compare(_)
        | Op::Select
        | Op::Phi(_)
        | Op::Cast(_)
        | Op::Extremum
        | Op::Pure
        | Op::Call(Callee::WorkItem(_)) => Some(op.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::dominators;
    use crate::view::text::parse;

    #[test]
    fn what_is_computed_alike_is_the_same() {
        let text = "kernel k(a: global, b: global, n: i32)
            entry:
              %p = address %a %n*4
              %x = load %p : i32
              store %n %b
              %q = address.inbounds %a %n*4
              %y = load %q : i32
              %z = load.shared %q : i32
              %s = add.nsw %x %n
              %t = add %n %y
              %u = sub %n %y
              ret";
        let function = parse(text);
        let same = Same::find(&function, &dominators::order(&function));
        let of = |name| same.of(Function::named(text, name));
        assert_eq!([of("y"), of("t")], [of("x"), of("s")]);
        assert!(of("z") != of("x") && of("u") != of("t"));
    }
}
