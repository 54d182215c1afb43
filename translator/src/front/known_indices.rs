//! Arrays of an item of which each index is a number that is known, when the loops that may be are written out: such an array becomes
//! registers.

use crate::llvm::{Opcode, Value};

/// Operations that are followed from an index to what it is computed of.
const MOST_OPERATIONS: u32 = 8;

/// Of all indices of an array; `is_counter`: whether a phi counts iterations of a loop that may be written out.
pub fn are_all(array: Value, is_counter: &dyn Fn(Value) -> bool) -> bool {
    let mut places = vec![array];
    while let Some(place) = places.pop() {
        for user in place.users() {
            let suits = match user.opcode() {
                Some(Opcode::LLVMGetElementPtr) => {
                    places.push(user);
                    user.operands().skip(1).all(|index| is_known(index, is_counter))
                }
                Some(Opcode::LLVMLoad) => true,
                Some(Opcode::LLVMStore) => user.operand(1) == place,
                _ => user.is_lifetime_marker(),
            };
            if !suits {
                return false;
            }
        }
    }
    true
}

/// Of one index.
pub fn is_known(number: Value, is_counter: &dyn Fn(Value) -> bool) -> bool {
    is_known_by(number, is_counter, 0)
}

fn is_known_by(number: Value, is_counter: &dyn Fn(Value) -> bool, depth: u32) -> bool {
    use Opcode::*;
    let are_known = |of: Value, from: usize| {
        of.operands().skip(from).all(|operand| is_known_by(operand, is_counter, depth + 1))
    };
    match number.opcode() {
        _ if number.is_constant() => true,
        _ if depth == MOST_OPERATIONS => false,
        Some(LLVMPHI) => is_counter(number),
        Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMSExt | LLVMZExt | LLVMTrunc) => {
            are_known(number, 0)
        }
        Some(LLVMLoad) => {
            let place = number.operand(0);
            let at_one = !place.is_opcode(LLVMGetElementPtr);
            is_table(place.root()) && (at_one || are_known(place, 1))
        }
        _ => false,
    }
}

/// Whether memory is a table of constants, or a copy of one that nothing else writes.
pub fn is_table(memory: Value) -> bool {
    if memory.is_global_constant() {
        return true;
    }
    let is_copy = |user: &Value| {
        let copies = user.copies();
        copies.is_some_and(|(to, from)| to == memory && from.root().is_global_constant())
    };
    let users = memory.users();
    let reads = |user: &Value| match user.opcode() {
        Some(Opcode::LLVMGetElementPtr) => {
            user.users().iter().all(|user| user.is_opcode(Opcode::LLVMLoad))
        }
        Some(Opcode::LLVMLoad) => true,
        _ => user.is_lifetime_marker(),
    };
    memory.is_opcode(Opcode::LLVMAlloca)
        && users.iter().filter(|user| is_copy(user)).count() == 1
        && users.iter().all(|user| is_copy(user) || reads(user))
}
