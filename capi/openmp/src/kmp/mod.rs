//! libomp's ABI, as clang and flang call it.

pub mod depend;
pub mod parallel;
pub mod single;
pub mod tasks;
