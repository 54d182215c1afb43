//! What the items of a vector compute: the form that a value has in vector code, instructions and functions.

pub mod exchange;
pub mod extend;
pub mod form;
pub mod library;
pub mod narrow;
pub mod observe;
pub mod widen;
