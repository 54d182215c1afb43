//! What the items of a vector compute: the form that a value has in vector code, instructions and functions.

pub(in crate::vector) mod exchange;
pub(in crate::vector) mod extend;
pub(in crate::vector) mod form;
pub(in crate::vector) mod library;
pub mod narrow;
pub mod observe;
pub mod widen;
