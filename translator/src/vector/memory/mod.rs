//! What the items of a vector load and store: side by side, by strides, as tiles, or anywhere.

pub(in crate::vector) mod access;
pub(in crate::vector) mod atomics;
pub(in crate::vector) mod masked;
pub(in crate::vector) mod narrow_gather;
pub(in crate::vector) mod nowhere;
pub(in crate::vector) mod parts;
pub(in crate::vector) mod places;
pub mod private;
pub mod tiles;
pub(in crate::vector) mod words;
