//! What the sizes of groups say about a kernel, where they are known: what its ids are below, and what is computed of them.

use crate::group::ids::Id;
use crate::llvm::{Builder, Context, Function, Opcode, Value};

/// Operations that are followed from a number to the ids that it is computed of.
const MOST_DEPTH: usize = 8;

/// Says what the ids of a kernel's items are below, and what the sizes of groups are; `uniform`: none is cut off.
pub fn tell(context: Context, kernel: Function, size: [u64; 3], uniform: bool) {
    for call in kernel.instructions() {
        match (Id::of_call(call), along(call)) {
            (Some(Id::LocalId), Some(dimension)) => {
                let bounds = [0, size[dimension]];
                let bounds = bounds.map(|it| context.metadata_value(call.ty().constant(it)));
                call.set_metadata(context, "range", context.metadata_node(&bounds));
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

/// Makes differences of what LLVM has made bit operations of, since a number is not larger than the mask from which it is taken: `15 - x`
/// is `x ^ 15` then, and nobody sees that it falls.
pub fn tell_differences(context: Context, kernel: Function, size: [u64; 3]) {
    for value in kernel.instructions().into_iter().filter(|it| it.is_opcode(Opcode::LLVMXor)) {
        let (number, mask) = (value.operand(0), value.operand(1));
        let Some(bits) = mask.signed().filter(|&bits| bits > 0 && bits & (bits + 1) == 0) else {
            continue;
        };
        if bounds(number, size, 0).is_some_and(|(_, most)| most <= bits) {
            let difference = Builder::before(context, value).sub_exact(mask, number);
            value.replace_uses(difference);
            value.erase();
        }
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
    1_i64
        .checked_shl(bits.saturating_sub(1))
        .filter(|_| (1..64).contains(&bits))
        .unwrap_or(i64::MAX)
}
