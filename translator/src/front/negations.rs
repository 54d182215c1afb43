//! Signs leave products, so that what differs in its sign alone is computed once.
//!
//! Programs ask functions for `x` and for `-x`: the normal distribution of both, say, as prices of options have it. What is inlined then
//! has `(-0.5f * x) * x` and `(0.5f * x) * -x`, which are the same, but not for LLVM. So `-a * b` becomes `-(a * b)`, which
//! is exact, and a number below zero is a sign and a number. LLVM puts signs back where they cost nothing.

use crate::llvm::{Builder, Context, Function, Opcode, Value};

/// LLVM's passes that find what is the same now.
pub const PASSES: &str = "function(early-cse)";

/// Takes the signs out of a kernel's products, if it has any; whether it has.
pub fn take_out(context: Context, kernel: Function) -> bool {
    if !kernel.instructions().any(|value| value.is_opcode(Opcode::LLVMFNeg)) {
        return false;
    }
    for product in kernel.instructions().filter(|it| it.is_opcode(Opcode::LLVMFMul)) {
        let [(a, a_below), (b, b_below)] = [0, 1].map(|at| without_sign(product.operand(at)));
        if !a_below && !b_below {
            continue;
        }
        let builder = Builder::before(context, product);
        let plain = builder.binary(Opcode::LLVMFMul, a, b);
        plain.take_promises_of(product);
        product.replace_uses(if a_below == b_below { plain } else { builder.negate(plain) });
        product.erase();
    }
    true
}

/// A factor without its sign, and whether it had one.
fn without_sign(factor: Value) -> (Value, bool) {
    if factor.is_instruction() && factor.is_opcode(Opcode::LLVMFNeg) {
        return (factor.operand(0), true);
    }
    match factor.real() {
        Some(number) if number < 0.0 => (factor.ty().real(-number), true),
        _ => (factor, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Module;

    #[test]
    fn products_of_a_number_and_its_opposite_are_the_same() {
        let text = "define void @kernel(float %x, ptr %to) {
            %one = fmul float %x, -0.5
            %square = fmul float %one, %x
            %below = fneg float %x
            %other = fmul float %x, 0.5
            %same = fmul float %other, %below
            store float %square, ptr %to
            store float %same, ptr %to
            ret void
        }";
        let module = Module::from_text(Context::new(), text).expect("LLVM's assembly");
        let kernel = module.function("kernel").expect("it is there");
        assert!(take_out(module.context(), kernel));
        let stored = kernel.instructions().filter(|it| it.is_opcode(Opcode::LLVMStore));
        let signs: Vec<Value> = stored.map(|store| store.operand(0)).collect();
        assert!(signs.iter().all(|sign| sign.is_opcode(Opcode::LLVMFNeg)));
        let halves: Vec<Value> =
            signs.iter().map(|sign| sign.operand(0).operand(0).operand(1)).collect();
        assert_eq!(halves[0].real(), Some(0.5));
        assert_eq!(halves[0], halves[1]);
    }
}
