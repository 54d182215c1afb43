//! Where the items of a vector go: together as far as they can, under masks where they part, one by one where they must.

pub mod called;
pub mod check;
pub mod control;
pub mod covered;
pub mod homes;
pub mod loops;
pub mod masks;
pub mod one_by_one;
pub mod order;
pub mod row;
pub mod serial;
pub mod signs;
