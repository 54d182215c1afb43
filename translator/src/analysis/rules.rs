//! What an operation makes of the shapes of its operands: the rules, one function for each kind of operation.
//!
//! Terms as in `shape`; a [`State`] is a shape with what is known against wrapping around. A stride that a power of
//! two divides leaves the bits below it alike in all items: so a mask or a modulus of them is uniform, a shift by
//! them affine, and a multiple of it is not touched by what stays below.
//! Assumption: an index narrowed to 32 bits and read as signed does not wrap inside one work-group.
//! Sources: Collange 2011, section 3; CGO'15, section 3.2.

use super::shape::Shape;
use crate::view::{BinaryOp, Cast, NoWrap, Predicate};

/// What is known of a value while solving; `shape` is `None` until it is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    pub shape: Option<Shape>,
    /// As a signed (unsigned) number it does not wrap between the items of a group.
    pub signed: bool,
    pub unsigned: bool,
}

pub const UNREACHED: State = State { shape: None, signed: true, unsigned: true };

/// An operand of arithmetic: its value if it is a constant, and how many of its low bits are 0.
#[derive(Clone, Copy)]
pub struct Operand {
    pub state: State,
    pub constant: Option<i64>,
    pub alignment: u32,
}

pub const VARYING: State = State { shape: Some(Shape::Varying), signed: false, unsigned: false };

pub fn exact(shape: Option<Shape>) -> State {
    State { shape, signed: true, unsigned: true }
}

pub fn both(
    a: Option<Shape>,
    b: Option<Shape>,
    combine: impl Fn(Shape, Shape) -> Shape,
) -> Option<Shape> {
    Some(combine(a?, b?))
}

/// What all items take from one of two, the same one; an unreached one does not count.
pub fn merge(a: State, b: State) -> State {
    let shape = match (a.shape, b.shape) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (one, other) => one.or(other),
    };
    State { shape, signed: a.signed && b.signed, unsigned: a.unsigned && b.unsigned }
}

pub fn compare(predicate: Predicate, a: State, b: State) -> State {
    use Predicate::{Equal, NotEqual};
    use Predicate::{SignedGreater, SignedGreaterEqual, SignedLess, SignedLessEqual};
    let comparable = match predicate {
        Equal | NotEqual => true,
        SignedLess | SignedLessEqual | SignedGreater | SignedGreaterEqual => a.signed && b.signed,
        _ => a.unsigned && b.unsigned,
    };
    exact(both(a.shape, b.shape, |a, b| match (a.stride(), b.stride()) {
        (Some(a), Some(b)) if a == b && comparable => Shape::Uniform,
        _ => a.mixed(b),
    }))
}

pub fn extend(cast: Cast, of: State, bits: u32) -> State {
    let Some(shape) = of.shape else { return UNREACHED };
    if shape.is_uniform() {
        return of;
    }
    let fits = match cast {
        Cast::Same => return of,
        Cast::Truncate => {
            return State {
                shape: of.shape,
                signed: bits >= 32,
                unsigned: of.unsigned && bits >= 32,
            };
        }
        Cast::SignExtend => of.signed,
        Cast::ZeroExtend { nonnegative } => of.unsigned || nonnegative && of.signed,
    };
    let signed = State { unsigned: of.unsigned, ..exact(of.shape) };
    if fits { if cast == Cast::SignExtend { signed } else { exact(of.shape) } } else { VARYING }
}

pub fn binary(op: BinaryOp, wrap: NoWrap, a: Operand, b: Operand) -> State {
    if let Some(state) = low_bits(op, a, b) {
        return state;
    }
    let disjoint = match op {
        BinaryOp::Or => wrap.disjoint || are_apart(a, b) || are_apart(b, a),
        BinaryOp::Xor => are_apart(a, b) || are_apart(b, a),
        _ => false,
    };
    let shape = both(a.state.shape, b.state.shape, |x, y| match (op, [a.constant, b.constant]) {
        (BinaryOp::Add, _) => x.plus(y),
        (BinaryOp::Or | BinaryOp::Xor, _) if disjoint => x.plus(y),
        (BinaryOp::Sub, _) => x.minus(y),
        (BinaryOp::Mul, [_, Some(factor)]) => x.times(factor),
        (BinaryOp::Mul, [Some(factor), _]) => y.times(factor),
        (BinaryOp::Mul, _) => x.product(y),
        (BinaryOp::Shl, [_, Some(by @ 0..63)]) => x.times(1 << by),
        (BinaryOp::Shl, _) if y.is_uniform() => x.product(y),
        _ => x.mixed(y),
    });
    let kept = |flag: bool, x: bool, y: bool| (flag || disjoint) && x && y;
    let uniform = shape == Some(Shape::Uniform);
    State {
        shape,
        signed: uniform || kept(wrap.signed, a.state.signed, b.state.signed),
        unsigned: uniform || kept(wrap.unsigned, a.state.unsigned, b.state.unsigned),
    }
}

/// Whether `small` is a constant below the lowest bit that `large` may have.
fn are_apart(large: Operand, small: Operand) -> bool {
    small.constant.is_some_and(|number| number as u64 <= mask(large.alignment))
}

/// So many low bits.
const fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Operations on the low bits of values with a stride that leaves those alike in all items, or that have none.
fn low_bits(op: BinaryOp, a: Operand, b: Operand) -> Option<State> {
    let (stride, number) = (a.state.shape?.stride().filter(|&stride| stride != 0)?, b.constant?);
    let alike = stride.trailing_zeros();
    let divides = number > 0 && stride % number == 0;
    let of_shape = |shape| Some(exact(Some(shape)));
    let divided = || of_shape(Shape::affine(stride / number));
    match op {
        // All bits that the items differ in are masked away, or nothing is.
        BinaryOp::And if number as u64 <= mask(alike) => of_shape(Shape::Uniform),
        BinaryOp::And if !number as u64 <= mask(a.alignment) => Some(a.state),
        BinaryOp::URem if divides && a.state.unsigned => of_shape(Shape::Uniform),
        BinaryOp::SRem if divides && is_multiple(a, number) => of_shape(Shape::Uniform),
        BinaryOp::UDiv if divides && a.state.unsigned => divided(),
        BinaryOp::SDiv if divides && a.state.signed && is_multiple(a, number) => divided(),
        BinaryOp::LShr if a.state.unsigned && (1..=i64::from(alike)).contains(&number) => {
            of_shape(Shape::affine(stride >> number))
        }
        BinaryOp::AShr if a.state.signed && (1..=i64::from(alike)).contains(&number) => {
            let shifted = exact(Some(Shape::affine(stride >> number)));
            Some(State { unsigned: a.state.unsigned, ..shifted })
        }
        _ => None,
    }
}

/// Whether `number`, a power of two, divides every item's value.
fn is_multiple(of: Operand, number: i64) -> bool {
    number.count_ones() == 1 && number.trailing_zeros() <= of.alignment
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What items 0, 1, 2 ... have, as signed 64-bit numbers.
    fn items(base: i64, stride: i64) -> Vec<i64> {
        (0..6).map(|item| base + stride * item).collect()
    }

    fn operand(base: i64, stride: i64) -> Operand {
        let state = State {
            shape: Some(Shape::affine(stride)),
            signed: true,
            unsigned: items(base, stride).iter().all(|&value| (value < 0) == (base < 0)),
        };
        let alignment = base.trailing_zeros().min(stride.trailing_zeros());
        Operand { state, constant: (stride == 0).then_some(base), alignment }
    }

    fn is(values: &[i64], shape: Shape) -> bool {
        match shape.stride() {
            Some(stride) => values.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == stride),
            None => true,
        }
    }

    /// Every rule for constants, against what the items compute.
    #[test]
    fn shapes_are_what_items_compute() {
        type Apply = fn(i64, i64) -> i64;
        let operations: [(BinaryOp, Apply); 9] = [
            (BinaryOp::And, |a, b| a & b),
            (BinaryOp::Or, |a, b| a | b),
            (BinaryOp::Xor, |a, b| a ^ b),
            (BinaryOp::URem, |a, b| (a as u64 % b as u64) as i64),
            (BinaryOp::SRem, |a, b| a % b),
            (BinaryOp::UDiv, |a, b| (a as u64 / b as u64) as i64),
            (BinaryOp::SDiv, |a, b| a / b),
            (BinaryOp::LShr, |a, b| (a as u64 >> b) as i64),
            (BinaryOp::AShr, |a, b| a >> b),
        ];
        let mut known = 0;
        for (op, apply) in operations {
            for base in -20..20 {
                for stride in [-16, -12, -8, -4, -3, 1, 2, 4, 6, 8, 12, 16] {
                    for number in [1, 2, 3, 4, 6, 7, 8, 12, 15, 16, -4, -8, -16] {
                        let shift = matches!(op, BinaryOp::LShr | BinaryOp::AShr);
                        if shift && !(0..63).contains(&number) {
                            continue;
                        }
                        let said = binary(
                            op,
                            NoWrap::default(),
                            operand(base, stride),
                            operand(number, 0),
                        );
                        let has: Vec<i64> =
                            items(base, stride).iter().map(|&value| apply(value, number)).collect();
                        let shape = said.shape.expect("both are reached");
                        assert!(is(&has, shape), "{op:?} {base} {stride} {number}: {shape:?}");
                        known += i32::from(shape != Shape::Varying);
                    }
                }
            }
        }
        assert!(known > 1000, "the rules say something");
    }
}
