//! Integer divisions that cannot stop the program.
//!
//! OpenCL C leaves the value of a division by zero, and of the smallest number by -1, to the implementation, but no exception
//! may come of it; LLVM's instructions may do anything then, and the processor's do stop the program. So a divisor for which
//! there is no quotient becomes 1; so does -1 where the remainder is asked for, which is 0 either way. Constants cost nothing:
//! they are decided here or by the simplification that follows. It must come before any other pass, since those take a
//! division as a proof that its divisor is not zero.
//!
//! Source: OpenCL C 3.0, section 6.3.1 (arithmetic operators).

use crate::llvm::{Builder, Context, IntPredicate, Module, Opcode, Value};

/// Makes all divisions of the module such.
pub fn secure(module: &Module) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                secure_one(module.context(), instruction);
            }
        }
    }
}

pub fn is_division(value: Value) -> bool {
    is_signed(value).is_some()
}

/// Whether a choice is a divisor as it was, or 1 where there is no quotient.
pub fn is_harmless_divisor(choice: Value) -> bool {
    let divides = |user: &Value| user.is_opcode(Opcode::LLVMSDiv) && user.operand(0) != choice;
    choice.is_opcode(Opcode::LLVMSelect)
        && choice.operand(1).unsigned() == Some(1)
        && choice.users().iter().all(divides)
}

/// Whether the numbers of a division have a sign; none if it is no division.
fn is_signed(value: Value) -> Option<bool> {
    match value.opcode()? {
        Opcode::LLVMUDiv | Opcode::LLVMURem => Some(false),
        Opcode::LLVMSDiv | Opcode::LLVMSRem => Some(true),
        _ => None,
    }
}

/// Makes an instruction such, if it is a division. Where it is moved to a place at which less is known, this has to be done again.
pub fn secure_one(context: Context, instruction: Value) {
    if let Some(is_signed) = is_signed(instruction) {
        let divisor = harmless(context, instruction, is_signed);
        instruction.set_operand(1, divisor);
    }
}

/// The divisor of `division`, or 1 where there is no quotient.
fn harmless(context: Context, division: Value, is_signed: bool) -> Value {
    let (dividend, divisor) = (division.operand(0), division.operand(1));
    let ty = divisor.ty();
    let is = |builder: &Builder, value: Value, number: i64| {
        builder.compare(IntPredicate::LLVMIntEQ, value, ty.splat(number))
    };
    let builder = Builder::before(context, division);
    builder.set_debug_location(division.debug_location());
    let mut is_bad = is(&builder, divisor, 0);
    if division.is_opcode(Opcode::LLVMSRem) {
        is_bad = builder.or(is_bad, is(&builder, divisor, -1));
    } else if is_signed {
        let bits = ty.element().unwrap_or(ty).integer_bits();
        let least = i64::MIN >> (64 - bits.min(64));
        let overflows = builder.and(is(&builder, dividend, least), is(&builder, divisor, -1));
        is_bad = builder.or(is_bad, overflows);
    }
    builder.select(is_bad, ty.splat(1), divisor)
}
