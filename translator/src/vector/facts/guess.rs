//! Guessed strides: of which values, and what the guess rests on.
//!
//! A stride is guessed of numbers that might wrap around, of those that are kept within bounds or taken modulo a uniform
//! number, and of choices between such a number and another: nearly always all items of a vector are within the bounds. What is
//! divided by a uniform number, or shifted down by one, is guessed to be the same for all: a stride of 0.
//! Whether that holds is asked at run time ([`crate::vector::flow::check`]).

use std::collections::HashSet;

use super::graph::Graph;
use super::state::Shape;
use crate::front::division::is_harmless_divisor;
use crate::llvm::{Opcode, Value};
use crate::vector::flow::called::callee;

/// What a guessed stride rests on, of a value that has the stride of one of its operands.
pub enum Guess {
    /// The number is at most, or at least, the bound that it is kept within.
    Within { number: Value, bound: Value, at_most: bool, signed: bool },
    /// `value`, which is `number` modulo something, is less than `most` for all, or not above it, a mask.
    Modulo { value: Value, number: Value, most: Value, kind: Modulo },
    /// All have one quotient: what `value`, `number` divided by `divisor`, leaves of the number is less than the divisor for all.
    Quotient { value: Value, number: Value, divisor: Value, signed: bool },
    /// All have the same bits above the lowest `by`.
    Shifted { number: Value, by: Value, signed: bool },
    /// All choose the operand that has a stride, or the divisor as it was.
    Chosen { condition: Value, yes: bool },
}

/// How a number is taken modulo something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulo {
    Mask,
    Unsigned,
    /// A remainder of signed numbers, which is one modulo something where none is negative.
    Signed,
}

impl Guess {
    /// None of values that nothing is guessed of here. `lanes`: items of a vector, which differ where they are divided by a known number
    /// that is less.
    pub fn of(value: Value, lanes: u64, shape: &dyn Fn(Value) -> Shape) -> Option<Guess> {
        use Opcode::*;
        let strided = |value: Value| shape(value).stride().is_some_and(|stride| stride != 0);
        let uniform = |value: Value| shape(value) == Shape::Uniform;
        let pair = |a: usize, b: usize| {
            let (a, b) = (value.operand(a), value.operand(b));
            let found = [(a, b), (b, a)].into_iter().find(|&(a, b)| strided(a) && uniform(b));
            found.filter(|_| value.ty().is_integer())
        };
        match value.opcode()? {
            LLVMCall if value.intrinsic_name()? == "llvm.abs" => {
                let number = value.operand(0);
                let is_number = strided(number) && value.ty().is_integer();
                let bound = value.ty().constant(0);
                is_number.then_some(Guess::Within { number, bound, at_most: false, signed: true })
            }
            LLVMCall => {
                let (at_most, signed) = match value.intrinsic_name()?.as_str() {
                    "llvm.smin" => (true, true),
                    "llvm.smax" => (false, true),
                    "llvm.umin" => (true, false),
                    "llvm.umax" => (false, false),
                    _ => return None,
                };
                let (number, bound) = pair(0, 1)?;
                Some(Guess::Within { number, bound, at_most, signed })
            }
            LLVMSelect => {
                let condition = value.operand(0);
                let yes = match pair(1, 2) {
                    Some((number, _)) => number == value.operand(1),
                    None if is_harmless_divisor(value) => {
                        uniform(value.operand(2)).then_some(false)?
                    }
                    None => usual_side(value, shape)?,
                };
                (!uniform(condition)).then_some(Guess::Chosen { condition, yes })
            }
            LLVMAnd | LLVMURem | LLVMSRem => {
                let (number, most) = pair(0, 1)?;
                let kind = match value.opcode()? {
                    LLVMAnd => Modulo::Mask,
                    LLVMURem => Modulo::Unsigned,
                    _ => Modulo::Signed,
                };
                let first = number == value.operand(0);
                let low = most.unsigned().is_none_or(|most| most.wrapping_add(1).is_power_of_two());
                let suits = if kind == Modulo::Mask { low } else { first };
                suits.then_some(Guess::Modulo { value, number, most, kind })
            }
            LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => {
                let (number, by) = (value.operand(0), value.operand(1));
                let grows = shape(number).stride() > Some(0) && value.ty().is_integer();
                let signed = matches!(value.opcode()?, LLVMSDiv | LLVMAShr);
                let guess = match value.opcode()? {
                    LLVMUDiv | LLVMSDiv => Guess::Quotient { value, number, divisor: by, signed },
                    _ => Guess::Shifted { number, by, signed },
                };
                let shifts = matches!(guess, Guess::Shifted { .. });
                let least = if shifts { lanes.ilog2().into() } else { lanes };
                let same = shape(by).stride() == Some(0);
                let suits = same && by.unsigned().is_none_or(|by| by >= least);
                (grows && suits && shifted_low_half(value).is_none()).then_some(guess)
            }
            _ => None,
        }
    }
}

/// Whether a choice between two numbers with strides usually falls on the first, where one can say so: what is mirrored at
/// a border runs backwards beyond it.
fn usual_side(choice: Value, shape: &dyn Fn(Value) -> Shape) -> Option<bool> {
    let stride = |index| match shape(choice.operand(index)) {
        Shape::Strided(stride) if choice.ty().is_integer() => Some(stride),
        _ => None,
    };
    let (yes, no) = (stride(1)?, stride(2)?);
    ((yes > 0) != (no > 0)).then_some(yes > 0)
}

/// The numbers that the addresses of a region are made of, by arithmetic.
pub fn made_to_addresses(graph: &Graph) -> HashSet<Value> {
    use Opcode::*;
    let all = graph.blocks.iter().flat_map(|block| block.instructions());
    // Functions make addresses of what they are given.
    let leads = |value: &Value| value.is_opcode(LLVMGetElementPtr) || callee(*value).is_some();
    let mut rest: Vec<Value> = all.filter(leads).flat_map(Value::operands).collect();
    let mut found = HashSet::new();
    while let Some(value) = rest.pop() {
        let integer = value.is_instruction() && value.ty().is_integer();
        let arithmetic = integer
            && match value.opcode() {
                Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMOr | LLVMAnd | LLVMURem) => true,
                Some(LLVMXor | LLVMSRem | LLVMUDiv | LLVMSDiv) => true,
                Some(LLVMAShr | LLVMLShr | LLVMTrunc | LLVMSExt | LLVMZExt | LLVMSelect) => true,
                Some(LLVMCall) => value.intrinsic_name().is_some(),
                _ => false,
            };
        if arithmetic && found.insert(value) {
            rest.extend(value.operands());
        }
    }
    found
}

/// The low half of `number * times + plus`, extended.
pub struct LowHalf {
    pub number: Value,
    pub times: i64,
    pub plus: i64,
}

impl LowHalf {
    /// That of a number itself.
    pub fn of(number: Value) -> LowHalf {
        LowHalf { number, times: 1, plus: 0 }
    }

    pub fn is_plain(&self) -> bool {
        self.times == 1 && self.plus == 0
    }
}

/// What a shift up by 32 bits, and then down by as many or fewer, extends. LLVM computes with an `int` id in the upper half:
/// the index of `a[2 * i + 1]` is `(i << 33) + (1 << 32) >> 32`.
pub fn shifted_low_half(value: Value) -> Option<LowHalf> {
    if !matches!(value.opcode(), Some(Opcode::LLVMAShr | Opcode::LLVMLShr)) {
        return None;
    }
    let (above, down) = (value.operand(0), value.operand(1).signed()?);
    let adds = above.opcode() == Some(Opcode::LLVMAdd) || above.is_disjoint();
    let (up, plus) = match adds {
        true => (above.operand(0), above.operand(1).signed()?),
        false => (above, 0),
    };
    let times = match up.opcode()? {
        Opcode::LLVMShl => 1i64.checked_shl(up.operand(1).unsigned()?.try_into().ok()?)?,
        Opcode::LLVMMul => up.operand(1).signed()?,
        _ => return None,
    };
    let whole = |number: i64| number.trailing_zeros() >= 32;
    let pair =
        whole(times) && whole(plus) && (1..=32).contains(&down) && value.ty().integer_bits() == 64;
    pair.then(|| LowHalf { number: up.operand(0), times: times >> 32, plus: plus >> 32 })
}

/// The number whose low half a mask takes, and by how many bits it was shifted up before: an id of 32 bits as an index, and
/// times the size of an element.
pub fn masked_low_half(value: Value) -> Option<(Value, u32)> {
    if !value.is_opcode(Opcode::LLVMAnd) || value.ty().integer_bits() != 64 {
        return None;
    }
    let (number, mask) = (value.operand(0), value.operand(1).unsigned()?);
    let low = u64::from(u32::MAX);
    if mask == low {
        return Some((number, 0));
    }
    let zeros = match number.opcode()? {
        Opcode::LLVMShl => number.operand(1).unsigned().filter(|by| (1..=32).contains(by))? as u32,
        Opcode::LLVMMul => number.operand(1).unsigned()?.trailing_zeros().min(32),
        _ => return None,
    };
    match number.opcode() {
        // Nothing is where the mask has no bits.
        _ if mask == low >> zeros << zeros => Some((number, 0)),
        Some(Opcode::LLVMShl) if mask == low << zeros => Some((number.operand(0), zeros)),
        _ => None,
    }
}
