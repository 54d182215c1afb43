//! What a getelementptr adds to its pointer, in bytes.

use std::collections::HashSet;

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
        let zeros = scaled.map(|&(index, scale)| low_zeros(index) + scale.trailing_zeros());
        1 << zeros.fold(self.constant.trailing_zeros(), u32::min).min(63)
    }
}

/// How many low bits of an integer are certain to be 0.
fn low_zeros(value: Value) -> u32 {
    zeros(value, &mut HashSet::new())
}

/// `assumed`: phis on the way here, which are multiples of anything until something else comes to them.
fn zeros(value: Value, assumed: &mut HashSet<Value>) -> u32 {
    if let Some(number) = value.unsigned() {
        return number.trailing_zeros();
    }
    let mut least = |from: Vec<Value>| from.into_iter().map(|it| zeros(it, assumed)).min();
    let sum = match value.opcode() {
        Some(Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc) => {
            least(vec![value.operand(0)])
        }
        Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMOr) => {
            least(value.operands().collect())
        }
        Some(Opcode::LLVMSelect) => least(value.operands().skip(1).collect()),
        Some(Opcode::LLVMMul) => Some(value.operands().map(|it| zeros(it, assumed)).sum()),
        Some(Opcode::LLVMShl) => {
            let by = value.operand(1).unsigned().unwrap_or(0).min(63) as u32;
            Some(zeros(value.operand(0), assumed) + by)
        }
        Some(Opcode::LLVMPHI) if !assumed.insert(value) => Some(u64::BITS),
        Some(Opcode::LLVMPHI) => value.incoming().into_iter().map(|it| zeros(it.0, assumed)).min(),
        _ => None,
    };
    sum.unwrap_or(0).min(u64::BITS)
}
