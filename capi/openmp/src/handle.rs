//! Types of arguments: those passed by address that only the compilers look into, and truth values.

/// A pointer-sized place whose content is opaque here.
pub type Pointer = *mut libc::c_void;

/// A `bool` argument as gcc passes it: in the low byte of a register whose other bits may hold anything,
/// where Rust's `bool` and `u8` would have the caller clear them.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Flag(libc::c_uint);

impl Flag {
    pub const fn is_set(self) -> bool {
        self.0 & 0xff != 0
    }
}

#[cfg(test)]
mod tests {
    use super::Flag;

    #[test]
    fn only_the_low_byte_counts() {
        assert!(Flag(1).is_set() && Flag(0xdead_be01).is_set());
        assert!(!Flag(0).is_set() && !Flag(0xdead_be00).is_set());
    }
}
