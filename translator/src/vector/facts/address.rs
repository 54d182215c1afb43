//! What a getelementptr adds to its pointer, in bytes.

use crate::llvm::{Machine, Opcode, TypeKind, Value};

/// The sum of a constant and of indices times what one step of each is in bytes.
pub struct Offsets {
    pub constant: i64,
    pub scaled: Vec<(Value, i64)>,
}

impl Offsets {
    pub fn of(machine: &Machine, address: Value) -> Offsets {
        let mut ty = address.source_type().expect("that of a getelementptr");
        let mut offsets = Offsets { constant: 0, scaled: Vec::new() };
        for (number, index) in address.operands().skip(1).enumerate() {
            if number > 0 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let member = index.unsigned().expect("members have constant numbers") as u32;
                offsets.constant += machine.member_offset(ty, member) as i64;
                ty = ty.member(member).expect("a member that is there");
                continue;
            }
            if number > 0 {
                ty = ty.element().expect("what an array is made of");
            }
            let scale = machine.size_bytes(ty) as i64;
            match index.signed() {
                Some(constant) => {
                    offsets.constant = offsets.constant.wrapping_add(constant.wrapping_mul(scale));
                }
                None => offsets.scaled.push((index, scale)),
            }
        }
        offsets
    }

    /// A power of two that the sum is a multiple of.
    pub fn step_bytes(&self) -> u64 {
        let scaled = self.scaled.iter();
        let zeros = scaled
            .map(|&(index, scale)| low_zeros(index, &mut Vec::new()) + scale.trailing_zeros());
        1 << zeros.fold(self.constant.trailing_zeros(), u32::min).min(63)
    }
}

/// Operations that are followed from an index to what it is computed of.
const MOST_OPERATIONS: usize = 10;

/// How many low bits of an integer are certain to be 0. `way`: what leads here; what is on it is a multiple of anything until something
/// else comes to it.
fn low_zeros(value: Value, way: &mut Vec<Value>) -> u32 {
    if let Some(number) = value.unsigned() {
        return number.trailing_zeros();
    }
    if way.contains(&value) {
        return u64::BITS;
    }
    if way.len() == MOST_OPERATIONS {
        return 0;
    }
    way.push(value);
    let mut of = |from: Value| low_zeros(from, way);
    let zeros = match value.opcode() {
        Some(Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc) => of(value.operand(0)),
        Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMOr) => {
            of(value.operand(0)).min(of(value.operand(1)))
        }
        Some(Opcode::LLVMSelect) => of(value.operand(1)).min(of(value.operand(2))),
        Some(Opcode::LLVMMul) => of(value.operand(0)) + of(value.operand(1)),
        Some(Opcode::LLVMShl) => {
            let by = value.operand(1).unsigned().unwrap_or(0).min(63) as u32;
            of(value.operand(0)) + by
        }
        Some(Opcode::LLVMPHI) => {
            value.incoming().into_iter().map(|(from, _)| of(from)).min().unwrap_or(0)
        }
        _ => 0,
    };
    way.pop();
    zeros.min(u64::BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Context, Module};

    #[test]
    fn what_an_index_is_a_multiple_of_is_told_by_its_low_bits() {
        let text = "define void @kernel(i64 %n, i64 %m, i1 %c) {
            entry:
              br label %loop
            loop:
              %i = phi i64 [ 0, %entry ], [ %next, %loop ]
              %square = mul i64 %i, %i
              %next = add i64 %i, 24
              %eight = shl i64 %n, 3
              %either = select i1 %c, i64 %eight, i64 %i
              %sum = add i64 %either, 4
              %odd = mul i64 %n, %m
              br i1 %c, label %loop, label %end
            end:
              ret void
            }";
        let module = Module::from_text(Context::new(), text).expect("LLVM's assembly");
        let kernel = module.function("kernel").expect("the kernel");
        let zeros = |name: &str| {
            let found = kernel.instructions().find(|value| value.name() == name);
            low_zeros(found.expect("an instruction of that name"), &mut Vec::new())
        };
        let names = ["i", "square", "next", "either", "sum", "odd"];
        assert_eq!(names.map(zeros), [3, 6, 3, 3, 2, 0]);
    }
}
