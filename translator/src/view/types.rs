//! Types of values, as far as analyses care: class, width, lanes, and bytes in memory.

/// OpenCL's address spaces, as the SPIR target numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Private,
    Global,
    Constant,
    Local,
    Generic,
}

impl Space {
    pub const fn from_number(number: u32) -> Space {
        match number {
            0 => Space::Private,
            1 => Space::Global,
            2 => Space::Constant,
            3 => Space::Local,
            _ => Space::Generic,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    Void,
    Integer,
    Float,
    Pointer(Space),
    /// Structures, arrays, labels and what else there is.
    Other,
}

/// A scalar, or a vector of `lanes` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    pub kind: TypeKind,
    /// Bits of one lane.
    pub bits: u32,
    pub lanes: u32,
    /// What a load or store of it moves.
    pub bytes: u64,
}

impl Type {
    pub const VOID: Type = Type { kind: TypeKind::Void, bits: 0, lanes: 1, bytes: 0 };

    pub const fn integer(bits: u32) -> Type {
        Type { kind: TypeKind::Integer, bits, lanes: 1, bytes: bits.div_ceil(8) as u64 }
    }

    pub const fn float(bits: u32) -> Type {
        Type { kind: TypeKind::Float, bits, lanes: 1, bytes: (bits / 8) as u64 }
    }

    pub const fn pointer(space: Space) -> Type {
        Type { kind: TypeKind::Pointer(space), bits: 64, lanes: 1, bytes: 8 }
    }

    /// The address space, if this is a pointer.
    pub const fn space(&self) -> Option<Space> {
        match self.kind {
            TypeKind::Pointer(space) => Some(space),
            _ => None,
        }
    }

    /// An integer or a pointer of one lane: what address arithmetic is made of.
    pub const fn is_scalar_index(&self) -> bool {
        matches!(self.kind, TypeKind::Integer | TypeKind::Pointer(_)) && self.lanes == 1
    }
}
