//! What an operation makes of the shapes of its operands: the rules, one function for each kind of operation.
//!
//! Terms as in `shape`; a [`State`] is a shape with what is known against wrapping around. A stride that a power of
//! two divides leaves the bits below it alike in all items: so a mask or a modulus of them is uniform, a shift by
//! them affine, and a multiple of it is not touched by what stays below.
//! Invariant: what is uniform without [`State::assumed`] is so whatever the numbers are: code generation rests on it. What the
//! program promises (`nsw`, `nuw`, `inbounds`) holds for every item that computes the value.
//! Assumption, for strides alone: a number narrowed to 32 bits does not wrap inside one work-group, nor does an address.
//! What would be uniform by that is varying.
//! Sources: Collange 2011, section 4; CGO'15, section 3.2.

use super::origins::Origin;
use super::shape::Shape;
use crate::view::{BinaryOp, Cast, NoWrap, Predicate};

/// How much is known against wrapping around between the items of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    Never,
    Assumed,
    Certain,
}

/// What is known of a value while solving; `shape` is `None` until it is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    pub shape: Option<Shape>,
    /// The stride rests on the assumption.
    pub assumed: bool,
    /// As a signed (unsigned) number it does not wrap between the items of a group.
    pub signed: Trust,
    pub unsigned: Trust,
    /// Of one that is not uniform.
    pub origin: Option<Origin>,
}

pub const UNREACHED: State = State {
    shape: None,
    assumed: false,
    signed: Trust::Certain,
    unsigned: Trust::Certain,
    origin: None,
};

pub const VARYING: State = State {
    shape: Some(Shape::Varying),
    assumed: false,
    signed: Trust::Never,
    unsigned: Trust::Never,
    origin: None,
};

impl State {
    /// The shape without what is assumed of it.
    pub fn certain(self) -> Option<Shape> {
        if self.assumed && self.shape == Some(Shape::Uniform) {
            Some(Shape::Varying)
        } else {
            self.shape
        }
    }

    pub fn is_uniform(self) -> bool {
        self.certain() == Some(Shape::Uniform)
    }

    /// The same, resting on the assumption if `assumed`.
    pub fn under(self, assumed: bool) -> State {
        let about = self.shape.is_some_and(|shape| shape != Shape::Varying);
        State { assumed: about && (self.assumed || assumed), ..self }
    }
}

/// An operand of arithmetic: its value if it is a constant, and how many of its low bits are 0.
#[derive(Clone, Copy)]
pub struct Operand {
    pub state: State,
    pub constant: Option<i64>,
    pub alignment: u32,
}

pub fn exact(shape: Option<Shape>) -> State {
    State { shape, ..UNREACHED }
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
    let (signed, unsigned) = (a.signed.min(b.signed), a.unsigned.min(b.unsigned));
    State { shape, signed, unsigned, ..UNREACHED }.under(a.assumed || b.assumed)
}

/// `is_tested`: it decides where each item that computes it goes next; so no promise of the program is broken in any of them.
pub fn compare(predicate: Predicate, is_tested: bool, a: State, b: State) -> State {
    use Predicate::{Equal, NotEqual};
    use Predicate::{SignedGreater, SignedGreaterEqual, SignedLess, SignedLessEqual};
    let distance = Origin::shared(a.origin, b.origin);
    let (known, apart) = match predicate {
        Equal | NotEqual => (Trust::Certain, distance.is_some()),
        SignedLess | SignedLessEqual | SignedGreater | SignedGreaterEqual => {
            (a.signed.min(b.signed), distance.is_some_and(|kept| kept.signed))
        }
        _ => (a.unsigned.min(b.unsigned), distance.is_some_and(|kept| kept.unsigned)),
    };
    let promised = !matches!(predicate, Equal | NotEqual);
    if apart && (is_tested || !promised) {
        return exact(Some(Shape::Uniform));
    }
    let assumed = a.assumed || b.assumed || known == Trust::Assumed || promised && !is_tested;
    match (a.shape, b.shape) {
        (Some(x), Some(y)) if x.stride().is_some() && x.stride() == y.stride() => {
            let certain = a.is_uniform() && b.is_uniform();
            let same = exact(Some(Shape::Uniform)).under(assumed && !certain);
            if certain || known > Trust::Never { same } else { exact(Some(Shape::Varying)) }
        }
        _ => exact(both(a.certain(), b.certain(), Shape::mixed)),
    }
}

pub fn extend(cast: Cast, of: State, bits: u32) -> State {
    let Some(shape) = of.shape else { return UNREACHED };
    if shape.is_uniform() {
        return State { origin: None, ..of };
    }
    let of = State { origin: None, ..of };
    match cast {
        Cast::Same => of,
        Cast::Truncate { signed, unsigned } => {
            let assumed = if bits >= 32 { Trust::Assumed } else { Trust::Never };
            State {
                signed: if signed { of.signed } else { assumed },
                unsigned: if unsigned { of.unsigned } else { assumed.min(of.unsigned) },
                ..of
            }
        }
        Cast::SignExtend => {
            let (signed, unsigned) = (of.signed, of.unsigned.min(of.signed));
            extended(State { signed, unsigned, ..of }, signed)
        }
        Cast::ZeroExtend { nonnegative } => {
            let fits = if nonnegative { of.unsigned.max(of.signed) } else { of.unsigned };
            extended(State { signed: fits, unsigned: fits, ..of }, fits)
        }
    }
}

/// What is known of `state` if it wrapped around nowhere.
fn extended(state: State, fits: Trust) -> State {
    if fits == Trust::Never { VARYING } else { state.under(fits == Trust::Assumed) }
}

pub fn binary(op: BinaryOp, wrap: NoWrap, a: Operand, b: Operand) -> State {
    if op == BinaryOp::Sub && Origin::shared(a.state.origin, b.state.origin).is_some() {
        return exact(Some(Shape::Uniform));
    }
    if let Some(state) = low_bits(op, a, b) {
        return state.under(a.state.assumed);
    }
    let disjoint = match op {
        BinaryOp::Or => wrap.disjoint || are_apart(a, b) || are_apart(b, a),
        BinaryOp::Xor => are_apart(a, b) || are_apart(b, a),
        _ => false,
    };
    let plain = |combine: fn(Shape, Shape) -> Shape| both(a.state.shape, b.state.shape, combine);
    let scaled = |of: State, by: i64| of.shape.map(|shape| shape.times(by));
    let certain =
        |combine: fn(Shape, Shape) -> Shape| both(a.state.certain(), b.state.certain(), combine);
    let shape = match (op, [a.constant, b.constant]) {
        (BinaryOp::Add, _) => plain(Shape::plus),
        (BinaryOp::Or | BinaryOp::Xor, _) if disjoint => plain(Shape::plus),
        (BinaryOp::Sub, _) => plain(Shape::minus),
        (BinaryOp::Mul, [_, Some(factor)]) => scaled(a.state, factor),
        (BinaryOp::Mul, [Some(factor), _]) => scaled(b.state, factor),
        (BinaryOp::Shl, [_, Some(by @ 0..63)]) => scaled(a.state, 1 << by),
        (BinaryOp::Mul, _) => certain(Shape::product),
        (BinaryOp::Shl, _) if b.state.is_uniform() => certain(Shape::product),
        _ => certain(Shape::mixed),
    };
    let known = State { shape, ..UNREACHED }.under(a.state.assumed || b.state.assumed);
    // As an unsigned number, a negative factor is another one than the stride is multiplied by.
    let negative =
        op == BinaryOp::Mul && [a, b].iter().any(|of| of.constant.is_some_and(i64::is_negative));
    let promise = |flag: bool, x: Trust, y: Trust| match flag || disjoint {
        _ if known.is_uniform() => Trust::Certain,
        true => x.min(y),
        false => Trust::Never,
    };
    State {
        signed: promise(wrap.signed, a.state.signed, b.state.signed),
        unsigned: promise(wrap.unsigned && !negative, a.state.unsigned, b.state.unsigned),
        ..known
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
    let exponent = (1..=i64::from(alike)).contains(&number);
    let certain = |shape| Some(exact(Some(shape)));
    // What holds if the operand does not wrap.
    let given = |trust: Trust, shape| {
        (trust > Trust::Never).then(|| exact(Some(shape)).under(trust == Trust::Assumed))
    };
    let (signed, unsigned) = (a.state.signed, a.state.unsigned);
    match op {
        // All bits that the items differ in are masked away, or nothing is.
        BinaryOp::And if number as u64 <= mask(alike) => certain(Shape::Uniform),
        BinaryOp::And if !number as u64 <= mask(a.alignment) => {
            Some(State { origin: None, ..a.state })
        }
        BinaryOp::URem if divides => given(unsigned, Shape::Uniform),
        BinaryOp::SRem if divides && is_multiple(a, number) => certain(Shape::Uniform),
        BinaryOp::UDiv if divides => given(unsigned, Shape::affine(stride / number)),
        BinaryOp::SDiv if divides && is_multiple(a, number) => {
            given(signed, Shape::affine(stride / number))
        }
        BinaryOp::LShr if exponent => given(unsigned, Shape::affine(stride >> number)),
        BinaryOp::AShr if exponent => {
            let shifted = given(signed, Shape::affine(stride >> number))?;
            Some(State { unsigned: unsigned.min(signed), signed, ..shifted })
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
        let alike = items(base, stride).iter().all(|&value| (value < 0) == (base < 0));
        let unsigned = if alike { Trust::Certain } else { Trust::Never };
        let state = State { unsigned, ..exact(Some(Shape::affine(stride))) };
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

    const NARROWED: Cast = Cast::Truncate { signed: false, unsigned: false };

    #[test]
    fn what_may_wrap_around_is_uniform_by_assumption_alone() {
        let id = exact(Some(Shape::Affine(1)));
        let narrow = extend(NARROWED, id, 32);
        let less = |a, b| compare(Predicate::SignedLess, true, a, b);
        assert!(less(id, id).is_uniform());
        assert!(!less(narrow, narrow).is_uniform() && less(narrow, narrow).assumed);
        assert!(compare(Predicate::Equal, false, narrow, narrow).is_uniform());
        let wide = extend(Cast::SignExtend, narrow, 64);
        assert_eq!((wide.shape, wide.assumed), (Some(Shape::Affine(1)), true));
        let operand = |state| Operand { state, constant: None, alignment: 0 };
        let difference = |a, b| binary(BinaryOp::Sub, NoWrap::default(), operand(a), operand(b));
        assert_eq!(difference(wide, id).certain(), Some(Shape::Varying));
        assert!(difference(narrow, extend(NARROWED, id, 32)).is_uniform());
        let kept = extend(Cast::Truncate { signed: true, unsigned: true }, id, 32);
        assert!(difference(extend(Cast::SignExtend, kept, 64), id).is_uniform());
        assert_eq!(extend(Cast::SignExtend, extend(NARROWED, id, 16), 64), VARYING);
    }

    #[test]
    fn promises_hold_where_they_are_needed_to_go_on() {
        let id = exact(Some(Shape::Affine(4)));
        assert!(compare(Predicate::UnsignedLess, true, id, id).is_uniform());
        assert!(!compare(Predicate::UnsignedLess, false, id, id).is_uniform());
    }
}
