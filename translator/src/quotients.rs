//! Divisions of 32-bit integers, by way of floating point where items are vectors.
//!
//! Processors have no division of vectors of integers: one such division keeps a loop over items from becoming vectors,
//! or costs a vector's length of scalar ones. In double precision there is one, and it is exact here: operands have
//! 32 bits, so a quotient that is no integer is at least 2^-32 of itself away from the next integer, and rounding to 53
//! bits does not reach it. Divisors that are constant are left to LLVM, which multiplies instead; so are regions with
//! loops inside, which do not become vectors, and what is the same for all items.

use crate::llvm::{Builder, Context, Machine, Opcode, Value};
use crate::regions::Region;

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
                division.replace_uses(kind.build(&Builder::before(context, division), division));
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

impl Kind {
    /// Unsigned numbers become floating point quickly only on processors with the widest vectors.
    fn of(division: Value, machine: &Machine) -> Option<Kind> {
        let (signed, remainder) = match division.opcode()? {
            Opcode::LLVMSDiv => (true, false),
            Opcode::LLVMSRem => (true, true),
            Opcode::LLVMUDiv => (false, false),
            Opcode::LLVMURem => (false, true),
            _ => return None,
        };
        (signed || machine.has("avx512f")).then_some(Kind { signed, remainder })
    }

    fn build(self, builder: &Builder, division: Value) -> Value {
        let (a, b) = (division.operand(0), division.operand(1));
        let (to, back) = match self.signed {
            true => (Opcode::LLVMSIToFP, Opcode::LLVMFPToSI),
            false => (Opcode::LLVMUIToFP, Opcode::LLVMFPToUI),
        };
        let number = builder.context().double();
        let quotient = builder.divide(builder.cast(to, a, number), builder.cast(to, b, number));
        let quotient = builder.cast(back, quotient, division.ty());
        if self.remainder { builder.sub(a, builder.mul(quotient, b)) } else { quotient }
    }
}
