//! What a getelementptr adds to its pointer, in bytes.

use crate::llvm::{Machine, TypeKind, Value};

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
}
