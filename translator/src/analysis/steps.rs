//! How far apart in memory an access is for work-items that are neighbours along a dimension, and lines of the cache that they share.
//!
//! Where a value's shape does not tell, its form does ([`super::forms`]), which is right nearly always: an index that is kept
//! within an image moves by one all the same. So this may decide how items are grouped, and not what code relies on.
//! A transposition has to read or to write so that each item of a vector touches a line for itself, and the neighbours
//! along the other dimension touch the rest of it. Groups in which these come soon find it in the cache.

use super::linear::Polynomial;
use super::shape::Shape;
use serde::{Deserialize, Serialize};

const LINE_BYTES: u64 = 64;

/// From nearer to farther.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Zero,
    /// In either direction.
    Bytes(u64),
    /// A product of so many numbers that the launch fixes: rows, planes, and so on.
    Product(usize),
    Unknown,
}

impl Step {
    /// Of an address of this shape, which moves by `form`.
    pub fn of(shape: Shape, form: Option<&Polynomial>) -> Step {
        let bytes = |bytes: i64| match bytes {
            0 => Step::Zero,
            bytes => Step::Bytes(bytes.unsigned_abs()),
        };
        let by_form = |form: &Polynomial| match form.as_constant() {
            Some(constant) => bytes(constant),
            None => Step::Product(form.degree()),
        };
        match (shape.stride(), form) {
            (Some(stride), _) => bytes(stride),
            (None, Some(form)) => by_form(form),
            (None, None) if shape == Shape::Linear => Step::Product(1),
            (None, None) => Step::Unknown,
        }
    }

    /// Whether neighbours touch different lines, as far apart everywhere.
    fn is_far(self) -> bool {
        matches!(self, Step::Bytes(LINE_BYTES..) | Step::Product(_))
    }
}

/// Lines of which neighbours along x touch one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Lines {
    /// The dimension along which neighbours share one.
    pub along: usize,
    /// How many of them do.
    pub items: u64,
}

impl Lines {
    pub fn shared(steps: [Step; 3]) -> Option<Lines> {
        let items = |step| match step {
            Step::Bytes(bytes) => LINE_BYTES / bytes,
            Step::Zero | Step::Product(_) | Step::Unknown => 0,
        };
        let near = [1, 2].into_iter().find(|&at| items(steps[at]) > 1);
        let along = near.filter(|_| steps[0].is_far())?;
        Some(Lines { along, items: items(steps[along]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::linear::Atom;
    use Step::{Bytes, Product, Unknown, Zero};

    #[test]
    fn forms_tell_what_shapes_do_not() {
        let row = Polynomial::atom(Atom::Size(0));
        let plane = row.times(&row).expect("of two numbers");
        let four = Polynomial::constant(4);
        assert_eq!(
            Step::of(Shape::Affine(-4), Some(&row)),
            Bytes(4),
            "the shape is right for certain"
        );
        assert_eq!(
            Step::of(Shape::Varying, Some(&four)),
            Bytes(4),
            "but for the border of an image"
        );
        assert_eq!(Step::of(Shape::Linear, Some(&plane)), Product(2));
        assert!(Step::of(Shape::Linear, Some(&plane)) > Step::of(Shape::Linear, Some(&row)));
        assert_eq!(
            [Shape::Linear, Shape::Varying].map(|it| Step::of(it, None)),
            [Product(1), Unknown]
        );
    }

    #[test]
    fn lines_are_shared_along_the_dimension_that_is_near() {
        let of = |steps| Lines::shared(steps).map(|it| (it.along, it.items));
        assert_eq!(of([Product(1), Bytes(4), Product(2)]), Some((1, 16)), "a transposed image");
        assert_eq!(of([Bytes(4096), Zero, Bytes(8)]), Some((2, 8)));
        assert_eq!(of([Bytes(4), Product(1), Zero]), None, "neighbours along x share them");
        assert_eq!(of([Product(1), Bytes(64), Zero]), None, "each has its own");
        assert_eq!(of([Unknown, Bytes(4), Zero]), None, "they may be near or far");
    }
}
