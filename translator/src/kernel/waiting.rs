//! Kernels whose work-groups wait for what other groups write, in one pass over chains of sums or carries, say.
//!
//! OpenCL promises nothing to them, but on GPUs, and with other drivers, groups begin in the order of their numbers, so that one may
//! wait for those before it. A driver that is told of such a kernel can do so, too.
//!
//! Terms: a loop *waits* for memory if it goes on or ends by what it finds there by an atomic or volatile load, or by an atomic
//! operation whose outcome it compares with a constant. A loop around a compare-and-exchange that adds compares it with what it had.

use std::collections::HashSet;

use crate::code::atomics;
use crate::llvm::{Block, Function, Opcode, Value};

/// What groups share, and may share.
const GLOBAL: u32 = 1;
const GENERIC: u32 = 4;

/// Whether a loop of `kernel` waits for memory that its groups share.
pub fn waits_for_groups(kernel: Function) -> bool {
    kernel.instructions().filter(|&value| may_tell(value)).any(decides_its_loop)
}

/// Whether another group may have written what a value tells.
fn may_tell(value: Value) -> bool {
    let is_load = value.is_opcode(Opcode::LLVMLoad) && (value.is_atomic() || value.is_volatile());
    let is_shared = |place: Value| [GLOBAL, GENERIC].contains(&place.ty().address_space());
    let adds = || value.is_opcode(Opcode::LLVMAtomicCmpXchg) && !value.operand(1).is_constant();
    (is_load || atomics::is_one(value) && !adds()) && is_shared(value.operand(0).root())
}

/// Whether a loop around `value` ends by it, or goes on.
fn decides_its_loop(value: Value) -> bool {
    let Some(home) = value.parent() else { return false };
    let after = behind(home);
    if !after.contains(&home) {
        return false;
    }
    let around: HashSet<Block> =
        after.into_iter().filter(|&block| behind(block).contains(&home)).collect();
    let mut seen = HashSet::new();
    let mut rest = vec![value];
    while let Some(told) = rest.pop() {
        for user in told.users() {
            let Some(block) = user.parent().filter(|block| around.contains(block)) else {
                continue;
            };
            if user.is_terminator() && block.successors().iter().any(|to| !around.contains(to)) {
                return true;
            }
            let goes_by = match value.is_opcode(Opcode::LLVMLoad) {
                true => !user.is_opcode(Opcode::LLVMStore),
                false => is_compared(user),
            };
            if goes_by && seen.insert(user) {
                rest.push(user);
            }
        }
    }
    false
}

/// Whether a user of an operation's outcome takes a part of it, or compares it with a constant, or goes by that.
fn is_compared(user: Value) -> bool {
    match user.opcode() {
        Some(Opcode::LLVMICmp) => user.operands().any(Value::is_constant),
        Some(Opcode::LLVMExtractValue | Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor) => true,
        _ => false,
    }
}

/// The blocks that can be reached from one, itself only if it is in a loop.
fn behind(block: Block) -> HashSet<Block> {
    let mut found = HashSet::new();
    let mut rest = block.successors();
    while let Some(block) = rest.pop() {
        if found.insert(block) {
            rest.extend(block.successors());
        }
    }
    found
}
