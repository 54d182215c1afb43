//! Low halves of numbers of 64 bits that are taken out of vectors.
//!
//! LLVM takes addresses of 32 bits out of a vector by pairs: a number of 64 bits, of which a mask gives the first and a shift the second.
//! Where its code generator finds that the mask removes nothing of the first, it leaves it out, and then takes the whole pair
//! for the first: its rule `def32` looks at an operation that a later step replaces (llvm-project, issues 122104 and 218382, in LLVM 19
//! to 22 at least). So the first is taken out of the vector by itself.

use crate::llvm::{Builder, Context, Function, Module, Opcode, Value};

/// Takes low halves out of vectors by themselves, in all functions of `module`.
pub fn pick(module: &Module) {
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        pick_in(module.context(), function);
    }
}

fn pick_in(context: Context, function: Function) {
    for (masked, vector, at) in function.instructions().filter_map(picked) {
        let builder = Builder::before(context, masked);
        let halves = context.integer(32).vector(2 * vector.ty().count());
        let halves = builder.cast(Opcode::LLVMBitCast, vector, halves);
        let low = builder.component(halves, 2 * at);
        masked.set_operand(0, builder.cast(Opcode::LLVMZExt, low, masked.ty()));
    }
}

/// What masks a part of the low half of a number, the vector that the number comes from, and its place there.
fn picked(masked: Value) -> Option<(Value, Value, u64)> {
    let is_mask = |it: Value| it.unsigned().is_some_and(|bits| bits < u64::from(u32::MAX));
    let is_masked = masked.is_opcode(Opcode::LLVMAnd) && masked.ty().integer_bits() == 64;
    if !is_masked || !is_mask(masked.operand(1)) {
        return None;
    }
    let number = masked.operand(0);
    if !number.is_opcode(Opcode::LLVMExtractElement) {
        return None;
    }
    Some((masked, number.operand(0), number.operand(1).unsigned()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tested::opcodes;

    /// What is computed where a number of a vector at the place `at` is masked.
    fn made(at: &str, mask: &str) -> Vec<Opcode> {
        let text = format!(
            "define void @kernel(<4 x i64> %vector, i64 %any, ptr %to) {{
                %number = extractelement <4 x i64> %vector, i64 {at}
                %low = and i64 %number, {mask}
                store i64 %low, ptr %to
                ret void
            }}"
        );
        opcodes(&text, pick_in, "dce").1
    }

    #[test]
    fn masked_halves_are_taken_by_themselves() {
        use Opcode::{LLVMAnd, LLVMBitCast, LLVMExtractElement, LLVMRet, LLVMStore, LLVMZExt};
        let picked = [LLVMBitCast, LLVMExtractElement, LLVMZExt, LLVMAnd, LLVMStore, LLVMRet];
        assert_eq!(made("3", "511"), picked);
    }

    #[test]
    fn whole_halves_and_unknown_places_stay() {
        use Opcode::{LLVMAnd, LLVMExtractElement, LLVMRet, LLVMStore};
        let stays = [LLVMExtractElement, LLVMAnd, LLVMStore, LLVMRet];
        assert_eq!(made("3", "4294967295"), stays);
        assert_eq!(made("3", "8589934591"), stays);
        assert_eq!(made("%any", "511"), stays);
    }
}
