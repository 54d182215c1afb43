//! What is known of a value: how it differs between the items of one vector.
//!
//! Terms: *uniform*, all have the same; *strided*, each has so much more than the one before it, modulo 2^bits (bytes, of
//! pointers); else *varying*. A strided number *fits* if it is from 0 to 2^31 - 1 in all items: global ids along x do in
//! launches of fewer items, and other launches run other code ([`super::shapes::Facts`]). It is *signed* (*unsigned*) if it
//! wraps around between no two items that run it, as a signed (unsigned) number. A stride is *guessed* if it holds only as
//! long as something does not wrap around, say: then the code asks at run time. A stride of 0 is always guessed: what surely is
//! the same for all is uniform.

use crate::llvm::{Opcode, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Uniform,
    /// By 0 where all are guessed to have the same.
    Strided(i64),
    Varying,
}

impl Shape {
    pub fn strided(stride: i64) -> Shape {
        if stride == 0 { Shape::Uniform } else { Shape::Strided(stride) }
    }

    pub fn stride(self) -> Option<i64> {
        match self {
            Shape::Uniform => Some(0),
            Shape::Strided(stride) => Some(stride),
            Shape::Varying => None,
        }
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub shape: Shape,
    pub fits: bool,
    pub signed: bool,
    pub unsigned: bool,
    pub guessed: bool,
}

pub const UNIFORM: State =
    State { shape: Shape::Uniform, fits: false, signed: true, unsigned: true, guessed: false };
pub const VARYING: State =
    State { shape: Shape::Varying, fits: false, signed: false, unsigned: false, guessed: false };

/// As an id along x is.
pub const NUMBERED: State =
    State { shape: Shape::Strided(1), fits: true, signed: true, unsigned: true, guessed: false };

impl State {
    pub fn of(stride: Option<i64>) -> State {
        match stride.map(Shape::strided) {
            None => VARYING,
            Some(Shape::Uniform) => UNIFORM,
            Some(shape) => State { shape, fits: false, ..VARYING },
        }
    }

    /// Of a value whose stride is guessed.
    pub fn guessed(stride: Option<i64>) -> State {
        let known = stride == Some(0);
        match stride.map(Shape::Strided) {
            None => VARYING,
            Some(shape) => {
                State { shape, fits: false, signed: known, unsigned: known, guessed: true }
            }
        }
    }

    /// What is known of the value where the guess holds.
    pub fn as_guessed(self) -> State {
        match self.shape {
            Shape::Strided(0) => UNIFORM,
            _ => State { guessed: false, ..self },
        }
    }

    /// Of a value that is one or the other.
    pub fn join(self, other: State) -> State {
        if self.shape != other.shape || self.guessed || other.guessed {
            return VARYING;
        }
        State {
            shape: self.shape,
            fits: self.fits && other.fits,
            signed: self.signed && other.signed,
            unsigned: self.unsigned && other.unsigned,
            guessed: false,
        }
    }

    /// The greatest state that is not above either.
    pub fn lower(self, other: State) -> State {
        if self.shape != other.shape {
            return VARYING;
        }
        State {
            shape: self.shape,
            fits: self.fits && other.fits,
            signed: self.signed && other.signed,
            unsigned: self.unsigned && other.unsigned,
            guessed: self.guessed || other.guessed,
        }
    }

    /// The low 32 bits of the number, extended again.
    pub fn low_half(self) -> State {
        match self.shape {
            Shape::Strided(_) => {
                let guessed = self.guessed || !self.fits;
                State { guessed, signed: true, unsigned: true, ..self }
            }
            _ => VARYING,
        }
    }

    /// Whether it surely wraps around between no two items, as a signed or as an unsigned number.
    pub fn stays(self, signed: bool) -> bool {
        if signed { self.signed } else { self.unsigned || self.fits }
    }

    /// Whether `extension`, a sign or zero extension of it, surely keeps its stride.
    pub fn stays_in(self, extension: Value) -> bool {
        match extension.opcode() {
            Some(Opcode::LLVMSExt) => self.stays(true),
            _ => self.stays(false) || extension.is_nonnegative() && self.stays(true),
        }
    }
}
