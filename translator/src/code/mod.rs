//! From work-group functions to machine code: LLVM's optimizations and what stands around them, objects, what is left for later runs.

pub mod atomics;
pub(crate) mod denormals;
pub mod emit;
pub mod late;
pub mod low_halves;
pub mod reciprocals;
pub mod remarks;
pub mod sealed;
pub(crate) mod shared;
pub mod tables;
pub mod unlikely;
