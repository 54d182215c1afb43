//! Compiles OpenCL C kernels into work-group functions; the program `vicinity-translate` is made of it.
//!
//! Terms: a *work-group function* runs whole work-groups of a kernel; [`pipeline`] lists the passes that make one,
//! in their order. [`llvm`] is the only module that touches LLVM's interface; everything else is safe code over it.

pub mod analysis;
pub mod code;
pub mod front;
pub mod generate;
pub mod group;
pub mod ir;
pub mod kernel;
pub mod llvm;
pub mod make;
pub mod pipeline;
pub mod program;
pub mod report;
pub mod rows;
pub mod schedule;
pub mod together;
pub mod vector;
pub mod view;
