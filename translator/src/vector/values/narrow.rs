//! Counters of 32 bits that LLVM has made words become counters of 32 bits again.
//!
//! LLVM likes to make a phi of truncated words a phi of words, whose low halves alone count: that of
//! `for (uint i = get_global_id(0); i < n; i += get_global_size(0))`, for example. What each item adds to such a word may
//! wrap around, and is no stride of it; in 32 bits it is one. The low half of an `int` is a shift up and down again, and what
//! is shifted down less is so much more.

use crate::llvm::{Builder, Context, Function, Opcode, Value};

const LOW: u64 = u32::MAX as u64;

pub fn counters(context: Context, kernel: Function) {
    for block in kernel.blocks() {
        for phi in block.phis() {
            if phi.ty().integer_bits() == 64 && phi.users().into_iter().all(is_of_low_half) {
                narrow(context, phi);
            }
        }
    }
}

/// Whether a user takes the low 32 bits alone.
fn is_of_low_half(user: Value) -> bool {
    match user.opcode() {
        Some(Opcode::LLVMTrunc) => user.ty().integer_bits() <= 32,
        Some(Opcode::LLVMAnd) => user.operand(1).unsigned() == Some(LOW),
        Some(Opcode::LLVMShl) => {
            user.operand(1).unsigned() == Some(32) && user.users().into_iter().all(is_shift_down)
        }
        _ => false,
    }
}

/// Whether what was shifted up by 32 bits is shifted down again, by as many or fewer.
fn is_shift_down(user: Value) -> bool {
    let shifts = matches!(user.opcode(), Some(Opcode::LLVMAShr | Opcode::LLVMLShr));
    shifts && user.operand(1).unsigned().is_some_and(|by| by <= 32)
}

fn narrow(context: Context, phi: Value) {
    let half = context.integer(32);
    let small = Builder::before(context, phi).phi(half);
    small.set_debug_location(phi.debug_location());
    let mut halves: Vec<(Value, crate::llvm::Block, Value)> = Vec::new();
    for (value, from) in phi.incoming() {
        let known = halves.iter().find(|&&(other, block, _)| other == value && block == from);
        let low = match known {
            Some(&(_, _, low)) => low,
            None => {
                let end = from.terminator().expect("a block has a terminator");
                low_half(&Builder::before(context, end), value, phi, small)
            }
        };
        halves.push((value, from, low));
        small.add_incoming(low, from);
    }
    let first = phi.parent().and_then(|block| block.first_after_phis());
    let builder = Builder::before(context, first.expect("a block has a terminator"));
    // All are made before any goes: the builder may stand at one of them.
    let (mut replaced, mut ups) = (Vec::new(), Vec::new());
    for user in phi.users() {
        let ty = user.ty();
        match user.opcode() {
            Some(Opcode::LLVMAnd) => {
                replaced.push((user, builder.cast(Opcode::LLVMZExt, small, ty)));
            }
            Some(Opcode::LLVMShl) => {
                let downs = user.users().into_iter();
                replaced.extend(downs.map(|down| (down, shifted(&builder, small, down))));
                ups.push(user);
            }
            _ => replaced.push((user, builder.resize(small, ty))),
        }
    }
    replaced.into_iter().for_each(|(old, new)| replace(old, new));
    ups.into_iter().for_each(Value::erase);
    phi.erase();
}

fn replace(old: Value, new: Value) {
    old.replace_uses(new);
    old.erase();
}

/// What a number is that was shifted up by 32 bits and then `down`.
fn shifted(builder: &Builder, small: Value, down: Value) -> Value {
    let extends = match down.opcode() {
        Some(Opcode::LLVMAShr) => Opcode::LLVMSExt,
        _ => Opcode::LLVMZExt,
    };
    let whole = builder.cast(extends, small, down.ty());
    let left = 32 - down.operand(1).unsigned().expect("a known shift");
    match left {
        0 => whole,
        left => builder.binary(Opcode::LLVMShl, whole, builder.word(left)),
    }
}

/// The low half of a word that a phi takes: of a sum with the phi's own low half, the sum of halves.
fn low_half(builder: &Builder, value: Value, phi: Value, small: Value) -> Value {
    let half = small.ty();
    let is_sum = value.is_instruction() && value.is_opcode(Opcode::LLVMAdd);
    let own = |operand: Value| is_low_half_of(operand, phi);
    let other = match is_sum {
        true if own(value.operand(0)) => Some(value.operand(1)),
        true if own(value.operand(1)) => Some(value.operand(0)),
        _ => None,
    };
    match other {
        Some(other) => builder.add(small, builder.cast(Opcode::LLVMTrunc, other, half)),
        None => builder.cast(Opcode::LLVMTrunc, value, half),
    }
}

/// Whether a word is the low half of a phi, extended.
fn is_low_half_of(word: Value, phi: Value) -> bool {
    match word.is_instruction().then(|| word.opcode()).flatten() {
        Some(Opcode::LLVMAnd) => word.operand(0) == phi && is_of_low_half(word),
        Some(Opcode::LLVMAShr | Opcode::LLVMLShr) => {
            let up = word.operand(0);
            let is_up = up.is_instruction() && up.is_opcode(Opcode::LLVMShl);
            let whole = word.operand(1).unsigned() == Some(32);
            is_up && whole && up.operand(0) == phi && is_of_low_half(up)
        }
        _ => false,
    }
}
