//! Where the items of a vector go: together as far as they can, under masks where they part, one by one where they must.

pub(in crate::vector) mod called;
pub(in crate::vector) mod check;
pub(in crate::vector) mod control;
pub mod covered;
pub(in crate::vector) mod homes;
pub(in crate::vector) mod loops;
pub(in crate::vector) mod masks;
pub(in crate::vector) mod one_by_one;
pub(in crate::vector) mod order;
pub(in crate::vector) mod row;
pub(in crate::vector) mod serial;
pub mod signs;
