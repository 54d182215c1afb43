//! How a value differs between the items of a work-group along one dimension: the lattice.
//!
//! Terms: with every other local id held fixed, a value is *uniform* along a dimension if all items
//! have the same, *affine* with stride s if each item's is s more than that of the item before it (in
//! the value's width, modulo 2^bits), *linear* if it is affine with some stride that all items share
//! but that is not known here (maybe 0), else *varying*. Strides of pointers are bytes.
//! Order: uniform = affine(0), below every affine, below linear, below varying. `join` is what a value
//! is that all items take from one of two, the same one; if items may choose differently it is varying.
//! Sources: Collange, "Identifying scalar behavior in CUDA kernels" (2011), section 4; Karrenberg and
//! Hack, "Whole-function vectorization" (CGO 2011).

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Uniform,
    /// The stride is not 0.
    Affine(i64),
    Linear,
    Varying,
}

impl Shape {
    pub const fn affine(stride: i64) -> Shape {
        if stride == 0 { Shape::Uniform } else { Shape::Affine(stride) }
    }

    /// The stride, where it is known.
    pub const fn stride(self) -> Option<i64> {
        match self {
            Shape::Uniform => Some(0),
            Shape::Affine(stride) => Some(stride),
            Shape::Linear | Shape::Varying => None,
        }
    }

    pub const fn is_uniform(self) -> bool {
        matches!(self, Shape::Uniform)
    }

    pub fn join(self, other: Shape) -> Shape {
        match (self, other) {
            _ if self == other => self,
            (Shape::Varying, _) | (_, Shape::Varying) => Shape::Varying,
            _ => Shape::Linear,
        }
    }

    pub fn plus(self, other: Shape) -> Shape {
        match (self.stride(), other.stride()) {
            (Some(a), Some(b)) => Shape::affine(a.wrapping_add(b)),
            _ => self.unknown(other),
        }
    }

    pub fn minus(self, other: Shape) -> Shape {
        self.plus(other.times(-1))
    }

    /// Times a constant.
    pub fn times(self, factor: i64) -> Shape {
        match self {
            _ if factor == 0 => Shape::Uniform,
            Shape::Affine(stride) => Shape::affine(stride.wrapping_mul(factor)),
            _ => self,
        }
    }

    /// Times a value of shape `other`.
    pub fn product(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Uniform, Shape::Uniform) => Shape::Uniform,
            (Shape::Uniform, shape) | (shape, Shape::Uniform) => shape.unknown(Shape::Uniform),
            _ => Shape::Varying,
        }
    }

    /// A result that depends on nothing but two such values, in no known way.
    pub fn mixed(self, other: Shape) -> Shape {
        if self.is_uniform() && other.is_uniform() { Shape::Uniform } else { Shape::Varying }
    }

    fn unknown(self, other: Shape) -> Shape {
        if self == Shape::Varying || other == Shape::Varying {
            Shape::Varying
        } else {
            Shape::Linear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shape::{self, Affine, Linear, Uniform, Varying};

    const ALL: [Shape; 6] = [Uniform, Affine(1), Affine(-1), Affine(4), Linear, Varying];

    /// What a shape allows: the items' values as strides, `None` where there is none.
    fn includes(shape: Shape, stride: Option<i64>) -> bool {
        match shape {
            Varying => true,
            Linear => stride.is_some(),
            _ => shape.stride() == stride,
        }
    }

    #[test]
    fn join_is_an_upper_bound_and_a_semilattice() {
        for a in ALL {
            assert_eq!(a.join(a), a);
            for b in ALL {
                assert_eq!(a.join(b), b.join(a));
                assert_eq!(a.join(a.join(b)), a.join(b));
                for c in ALL {
                    assert_eq!(a.join(b).join(c), a.join(b.join(c)));
                }
                for stride in [None, Some(-1), Some(0), Some(1), Some(4)] {
                    if includes(a, stride) || includes(b, stride) {
                        assert!(includes(a.join(b), stride), "{a:?} {b:?} {stride:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn sums_include_every_sum() {
        for a in ALL {
            for b in ALL {
                for s in [-1, 0, 1, 4] {
                    for t in [-1, 0, 1, 4] {
                        if includes(a, Some(s)) && includes(b, Some(t)) {
                            assert!(includes(a.plus(b), Some(s + t)));
                            assert!(includes(a.minus(b), Some(s - t)));
                            assert!(includes(a.times(t), Some(s * t)));
                        }
                    }
                }
            }
        }
        assert_eq!(Affine(1).minus(Affine(1)), Uniform);
        assert_eq!(Affine(1).product(Uniform), Linear);
        assert_eq!(Affine(1).product(Affine(1)), Varying);
    }
}
