//! What the items of a vector load and store: side by side, by strides, as tiles, or anywhere.

pub mod access;
pub mod atomics;
pub mod masked;
pub mod narrow_gather;
pub mod nowhere;
pub mod places;
pub mod private;
pub mod tiles;
pub mod words;
