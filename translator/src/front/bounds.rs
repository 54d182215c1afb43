//! What the sizes of groups say about a kernel, where they are known: what its ids are below, and what is computed of them.

use crate::group::ids::{self, Id};
use crate::llvm::{Builder, Context, Function, Opcode, Value};

/// Operations that are followed from a number to the ids that it is computed of.
const MOST_DEPTH: usize = 8;

/// Says what the ids of a kernel's items are below, and what the sizes of groups are; `uniform`: none is cut off.
pub fn tell(context: Context, kernel: Function, size: [u64; 3], uniform: bool) {
    for call in kernel.instructions() {
        match (Id::of_call(call), along(call)) {
            (Some(Id::LocalId), Some(dimension)) => {
                ids::tell_range(context, call, [0, size[dimension]]);
            }
            (Some(Id::EnqueuedLocalSize), Some(dimension)) => {
                call.replace_uses(call.ty().constant(size[dimension]));
            }
            (Some(Id::LocalSize), Some(dimension)) if uniform => {
                call.replace_uses(call.ty().constant(size[dimension]));
            }
            _ => {}
        }
    }
}

/// Of which dimension something is asked, if that is known.
fn along(call: Value) -> Option<usize> {
    let dimension = call.call_arguments().first()?.unsigned()?;
    (dimension < 3).then_some(dimension as usize)
}

/// Undoes what LLVM makes of arithmetic when it knows bounds: nobody else sees through these bit operations.
pub fn undo_bits(context: Context, kernel: Function, size: [u64; 3]) {
    for value in kernel.instructions() {
        match value.opcode() {
            Some(Opcode::LLVMXor) => tell_difference(context, value, size),
            Some(Opcode::LLVMAnd) => fill_mask(value, size),
            _ => {}
        }
    }
}

/// `15 - x` has become `x ^ 15`, for an `x` that is not larger.
fn tell_difference(context: Context, value: Value, size: [u64; 3]) {
    let (number, mask) = (value.operand(0), value.operand(1));
    let is_mask = |&bits: &i64| bits > 0 && bits & (bits + 1) == 0;
    let Some(bits) = mask.signed().filter(is_mask) else { return };
    if bounds(number, size, 0).is_some_and(|(_, most)| most <= bits) {
        let difference = Builder::before(context, value).sub_exact(mask, number);
        value.replace_uses(difference);
        value.erase();
    }
}

/// A mask has lost bits that the number has not: with them it is the remainder by a power of two.
fn fill_mask(value: Value, size: [u64; 3]) {
    let Some(mask) = value.operand(1).unsigned() else { return };
    let whole = bits_up_to(mask);
    if whole != mask && may_have(value.operand(0), size, 0) & whole & !mask == 0 {
        value.set_operand(1, value.ty().constant(whole));
    }
}

/// All bits up to a number's highest one.
fn bits_up_to(number: u64) -> u64 {
    u64::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

/// The bits that a number may have.
fn may_have(value: Value, size: [u64; 3], depth: usize) -> u64 {
    use Opcode::*;
    let all = u64::MAX >> (64 - value.ty().integer_bits().clamp(1, 64));
    if let Some(number) = value.unsigned() {
        return number;
    }
    if let Some((_, most)) = bounds(value, size, 0) {
        return bits_up_to(most as u64);
    }
    if !value.is_instruction() || depth == MOST_DEPTH {
        return all;
    }
    let of = |index: usize| may_have(value.operand(index), size, depth + 1);
    match value.opcode() {
        Some(LLVMShl) => match value.operand(1).unsigned() {
            Some(by) => of(0).checked_shl(by as u32).unwrap_or(0) & all,
            None => all,
        },
        Some(LLVMOr) => of(0) | of(1),
        Some(LLVMAnd) => of(0) & of(1),
        Some(LLVMZExt | LLVMTrunc) => of(0) & all,
        _ => all,
    }
}

/// The least and the largest number that a value can be for an item; none if it may be negative, or too large for its type's sign.
pub fn bounds(value: Value, size: [u64; 3], depth: usize) -> Option<(i64, i64)> {
    use Opcode::*;
    if let Some(number) = value.signed() {
        return (number >= 0).then_some((number, number));
    }
    if !value.is_instruction() || depth == MOST_DEPTH {
        return None;
    }
    let of = |index: usize| bounds(value.operand(index), size, depth + 1);
    let by = || value.operand(1).signed().filter(|&number| number > 0);
    let (least, most) = match value.opcode()? {
        LLVMCall => match Id::of_call(value)? {
            Id::LocalId => (0, size[along(value)?] as i64 - 1),
            Id::LocalLinearId => (0, size.iter().product::<u64>() as i64 - 1),
            _ => return None,
        },
        LLVMZExt | LLVMSExt | LLVMTrunc => of(0)?,
        LLVMAdd => both(of(0)?, of(1)?, i64::checked_add)?,
        LLVMMul => both(of(0)?, of(1)?, i64::checked_mul)?,
        LLVMOr if value.is_disjoint() => both(of(0)?, of(1)?, i64::checked_add)?,
        LLVMShl => {
            let times = 1_i64.checked_shl(by()? as u32)?;
            both(of(0)?, (times, times), i64::checked_mul)?
        }
        LLVMLShr => {
            let (least, most) = of(0)?;
            let by = by()?.min(63);
            (least >> by, most >> by)
        }
        LLVMAnd => (0, of(0)?.1.min(by()?)),
        LLVMUDiv | LLVMSDiv => {
            let (least, most) = of(0)?;
            (least / by()?, most / by()?)
        }
        LLVMURem | LLVMSRem => (0, of(0)?.1.min(by()? - 1)),
        _ => return None,
    };
    (most < largest(value.ty().integer_bits())).then_some((least, most))
}

type Bounds = (i64, i64);

fn both(a: Bounds, b: Bounds, with: fn(i64, i64) -> Option<i64>) -> Option<Bounds> {
    Some((with(a.0, b.0)?, with(a.1, b.1)?))
}

/// What numbers with a sign are below.
pub fn largest(bits: u32) -> i64 {
    match bits {
        1..64 => 1 << (bits - 1),
        _ => i64::MAX,
    }
}
