//! Help with LLVM's functions: orders of blocks, copies, uses of values.

pub mod cfg;
pub mod copy;
pub(crate) mod uses;
