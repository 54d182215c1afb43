//! Divisions of 32-bit integers, by way of floating point where items are vectors.
//!
//! Processors have no division of vectors of integers: one such division keeps a loop over items from becoming vectors,
//! or costs a vector's length of scalar ones. In double precision there is one, and it is exact here: operands have
//! 32 bits, so a quotient that is no integer is at least 2^-32 of itself away from the next integer, and rounding to 53
//! bits does not reach it. Where all items of a vector divide by the same, they multiply by its inverse. Divisors that are constant are left to LLVM, which multiplies instead; so is what is the same for
//! all items. Those of 64 bits are another matter ([`super::long_quotients`]). Where LLVM's vectorizer is to make the vectors, regions with loops inside are left, too.

use super::long_quotients;
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
pub struct Kind {
    pub signed: bool,
    pub remainder: bool,
}

/// A division of vectors of items, `a` by `b`, if it is one that floating point makes faster. `shared`: the divisor, if all items have
/// the same.
pub fn of_items(
    builder: &Builder,
    machine: &Machine,
    division: Value,
    [a, b]: [Value; 2],
    shared: Option<Value>,
) -> Option<Value> {
    let kind = Kind::of_any(division)?;
    let element = a.ty().element()?;
    if element.integer_bits() == 64 && long_quotients::suits(machine) {
        return long_quotients::divided(builder, kind, [a, b], shared);
    }
    let suits = element.integer_bits() == 32 && !b.is_constant();
    let number = builder.context().double().vector(a.ty().count());
    suits.then(|| match shared {
        Some(divisor) => kind.build_by_shared(builder, a, divisor, number),
        None => kind.build(builder, a, b, number),
    })
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

    /// What makes a number in floating point of an integer, and an integer of it.
    fn casts(self) -> (Opcode, Opcode) {
        match self.signed {
            true => (Opcode::LLVMSIToFP, Opcode::LLVMFPToSI),
            false => (Opcode::LLVMUIToFP, Opcode::LLVMFPToUI),
        }
    }

    /// In numbers of a type in floating point.
    fn build(self, builder: &Builder, a: Value, b: Value, number: Type) -> Value {
        let (to, _) = self.casts();
        let quotient = builder.divide(builder.cast(to, a, number), builder.cast(to, b, number));
        self.finish(builder, [a, b], quotient)
    }

    /// By the inverse of what all divide by, which loops compute once. A half more, `a + 1/2` in place of `a`, is 1/(2b) away from
    /// the next integer at least, and what rounding changes is less: 2^32/b times 2^-52.
    fn build_by_shared(self, builder: &Builder, a: Value, divisor: Value, number: Type) -> Value {
        let (to, _) = self.casts();
        let one = number.element().expect("a vector");
        let inverse = builder.divide(one.real(1.0), builder.cast(to, divisor, one));
        let inverse = builder.splat(inverse, number.count());
        let a_number = builder.cast(to, a, number);
        let half = builder.splat(one.real(0.5), number.count());
        let half = match self.signed {
            true => builder.intrinsic("llvm.copysign", &[number], &[half, a_number]),
            false => half,
        };
        let more = builder.binary(Opcode::LLVMFAdd, a_number, half);
        let quotient = builder.binary(Opcode::LLVMFMul, more, inverse);
        let b = builder.splat(divisor, number.count());
        self.finish(builder, [a, b], quotient)
    }

    /// What the division gives, of the quotient with what is behind its point.
    fn finish(self, builder: &Builder, [a, b]: [Value; 2], quotient: Value) -> Value {
        let (_, back) = self.casts();
        let quotient = builder.cast(back, quotient, a.ty());
        if self.remainder { builder.sub(a, builder.mul(quotient, b)) } else { quotient }
    }
}
