//! libgomp's ABI, as gcc and gfortran call it.

pub mod depend;
pub mod parallel;
pub mod single;
pub mod tasks;
