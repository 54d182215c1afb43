//! Divisions of 32-bit integers, by way of floating point where items are vectors.
//!
//! Processors have no division of vectors of integers: one such division keeps a loop over items from becoming vectors,
//! or costs a vector's length of scalar ones. In double precision there is one, and it is exact here: operands have
//! 32 bits, so a quotient that is no integer is at least 2^-32 of itself away from the next integer, and rounding to 53
//! bits does not reach it. Divisors that are constant are left to LLVM, which multiplies instead; so is what is the same for
//! all items. Where LLVM's vectorizer is to make the vectors, regions with loops inside are left, too.

use crate::group::regions::Region;
use crate::llvm::{Builder, Context, Machine, Opcode, Type, Value};

/// Rewrites the divisions of `region`, which has no loop inside.
pub fn by_floating_point(
    context: Context,
    machine: &Machine,
    region: &Region,
    is_uniform: &dyn Fn(Value) -> bool,
) {
    for block in &region.flow.blocks {
        for division in block.instructions() {
            let Some(kind) = Kind::of(division, machine) else { continue };
            let constant = division.operand(1).unsigned().is_some();
            if division.ty().integer_bits() == 32 && !constant && !is_uniform(division) {
                let (a, b) = (division.operand(0), division.operand(1));
                let builder = Builder::before(context, division);
                division.replace_uses(kind.build(&builder, a, b, context.double()));
                division.erase();
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Kind {
    signed: bool,
    remainder: bool,
}

/// A division of vectors of items, `a` by `b`, if it is one that floating point makes faster.
pub fn of_items(builder: &Builder, division: Value, [a, b]: [Value; 2]) -> Option<Value> {
    let kind = Kind::of_any(division)?;
    let element = a.ty().element()?;
    let suits = element.integer_bits() == 32 && !b.is_constant();
    let number = builder.context().double().vector(a.ty().count());
    suits.then(|| kind.build(builder, a, b, number))
}

impl Kind {
    /// LLVM's vectorizer takes numbers without sign for slow ones, but on processors with the widest vectors.
    fn of(division: Value, machine: &Machine) -> Option<Kind> {
        Kind::of_any(division).filter(|kind| kind.signed || machine.has("avx512f"))
    }

    fn of_any(division: Value) -> Option<Kind> {
        let (signed, remainder) = match division.opcode()? {
            Opcode::LLVMSDiv => (true, false),
            Opcode::LLVMSRem => (true, true),
            Opcode::LLVMUDiv => (false, false),
            Opcode::LLVMURem => (false, true),
            _ => return None,
        };
        Some(Kind { signed, remainder })
    }

    /// In numbers of a type in floating point.
    fn build(self, builder: &Builder, a: Value, b: Value, number: Type) -> Value {
        let (to, back) = match self.signed {
            true => (Opcode::LLVMSIToFP, Opcode::LLVMFPToSI),
            false => (Opcode::LLVMUIToFP, Opcode::LLVMFPToUI),
        };
        let quotient = builder.divide(builder.cast(to, a, number), builder.cast(to, b, number));
        let quotient = builder.cast(back, quotient, a.ty());
        if self.remainder { builder.sub(a, builder.mul(quotient, b)) } else { quotient }
    }
}
