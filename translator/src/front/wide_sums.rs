//! Sums of ids are extended part by part.
//!
//! Programs keep ids in an `int`: `y * 640 + x + 1` is a sum of numbers cut off to 32 bits, of which C says that it does not
//! overflow, and is extended for an address. LLVM computes such a sum of the whole ids, in 64 bits, and cuts off and extends what
//! comes out; nobody knows then that it does not overflow. So the parts are extended, and the sum is one of 64 bits that does not
//! overflow either.

use crate::llvm::{Builder, Context, Function, Opcode, Type, Value};

/// Parts that a sum has at most.
const MOST_PARTS: usize = 16;

/// Extends the parts of a kernel's sums.
pub fn apply(context: Context, kernel: Function) {
    for extended in kernel.instructions().filter(|it| it.is_opcode(Opcode::LLVMSExt)) {
        let sum = extended.operand(0);
        if extended.ty().integer_bits() != WORD || !is_sum(sum) {
            continue;
        }
        let mut parts = Vec::new();
        if collect(sum, &mut parts) && parts.into_iter().any(is_cut) {
            let builder = Builder::before(context, extended);
            builder.set_debug_location(extended.debug_location());
            extended.replace_uses(wide(&builder, sum, extended.ty()));
            extended.erase();
        }
    }
}

const WORD: u32 = 64;

/// Whether a number is a sum, a difference or a product that does not overflow.
fn is_sum(value: Value) -> bool {
    use Opcode::{LLVMAdd, LLVMMul, LLVMSub};
    let is_one = matches!(value.opcode(), Some(LLVMAdd | LLVMSub | LLVMMul));
    is_one && value.is_instruction() && value.no_wrap().0
}

fn is_cut(value: Value) -> bool {
    value.is_opcode(Opcode::LLVMTrunc) && value.operand(0).ty().integer_bits() == WORD
}

/// Collects what a number is made of; whether LLVM would compute it in 64 bits, since all of that is there as such.
fn collect(value: Value, parts: &mut Vec<Value>) -> bool {
    if is_sum(value) {
        return value.operands().all(|operand| collect(operand, parts));
    }
    parts.push(value);
    let is_extended = || matches!(value.opcode(), Some(Opcode::LLVMSExt | Opcode::LLVMZExt));
    parts.len() <= MOST_PARTS && (is_cut(value) || value.signed().is_some() || is_extended())
}

/// A number of 64 bits.
fn wide(builder: &Builder, value: Value, word: Type) -> Value {
    if is_sum(value) {
        let [a, b] = [0, 1].map(|at| wide(builder, value.operand(at), word));
        return builder.binary_signed(value.opcode().expect("a sum"), a, b);
    }
    match value.signed() {
        Some(number) => word.signed(number),
        None => builder.cast(Opcode::LLVMSExt, value, word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tested::opcodes;

    /// What is computed of `%index`, of which `sum` is made.
    fn index(sum: &str) -> Vec<Opcode> {
        let text = format!(
            "define void @kernel(i64 %x, i64 %y, i32 %w, ptr %to) {{
                %i = trunc i64 %x to i32
                %j = trunc i64 %y to i32
                {sum}
                %wide = sext i32 %index to i64
                store i64 %wide, ptr %to
                ret void
            }}"
        );
        opcodes(&text, apply, "verify").1
    }

    #[test]
    fn sums_of_ids_become_wide() {
        use Opcode::{LLVMAdd, LLVMMul, LLVMRet, LLVMSExt, LLVMStore, LLVMSub};
        let made = index(
            "%row = mul nsw i32 %j, 640
             %here = add nsw i32 %row, %i
             %index = sub nsw i32 %here, 1",
        );
        let last = [LLVMSExt, LLVMMul, LLVMSExt, LLVMAdd, LLVMSub, LLVMStore, LLVMRet];
        assert!(made.ends_with(&last), "{made:?}");
    }

    #[test]
    fn others_stay() {
        let stays = |sum: &str| {
            let made = index(sum);
            let end = [Opcode::LLVMSExt, Opcode::LLVMStore, Opcode::LLVMRet];
            assert!(made.ends_with(&end), "{made:?}");
            assert!(!made[..made.len() - 3].contains(&Opcode::LLVMSExt), "{made:?}");
        };
        stays("%index = add i32 %i, 1");
        stays("%index = add nsw i32 %i, %w");
        stays("%index = add nsw i32 %w, 1");
        let doubled = |n| format!("%s{n} = add nsw i32 %s{0}, %s{0}\n", n - 1);
        let doubled: String = (1..40).map(doubled).collect();
        stays(&format!("%s0 = add nsw i32 %i, 1\n{doubled}%index = add nsw i32 %s39, 1"));
    }
}
