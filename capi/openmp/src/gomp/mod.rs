//! libgomp's ABI, as gcc and gfortran call it.

pub mod cancel;
pub mod depend;
pub mod doacross;
pub mod error;
pub mod interop;
pub mod loops;
pub mod loops_meet;
pub mod loops_parallel;
pub mod loops_ull;
pub mod ordered;
pub mod parallel;
pub mod reduction;
pub mod sections;
pub mod single;
pub mod target;
pub mod target_capture;
pub mod taskloop;
pub mod tasks;
pub mod teams;
pub mod worksharing_static;
