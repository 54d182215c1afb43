//! Compiles OpenCL C kernels into work-group functions; the program `vicinity-translate` is made of it.
//!
//! Terms: a *work-group function* runs whole work-groups of a kernel; [`pipeline`] lists the passes that make one,
//! in their order. [`llvm`] is the only module that touches LLVM's interface; everything else is safe code over it.

mod absent;
pub mod advice;
pub mod alignment;
pub mod analysis;
pub mod archive;
mod arguments;
mod calls;
pub mod cfg;
pub mod chunks;
pub mod command;
pub mod copy;
pub mod crossing;
pub mod depart;
pub mod describe;
pub mod division;
pub mod emit;
pub mod failure;
pub mod frontend;
pub mod groups;
mod host_memory;
pub mod ids;
pub mod import;
pub mod items;
mod keep;
pub mod late;
pub mod launch;
pub mod library;
pub mod llvm;
pub mod local;
pub mod make;
pub mod memory;
mod names;
mod notes;
pub mod options;
pub mod patience;
pub mod pipeline;
pub mod prepare;
pub mod printf;
pub mod quotients;
mod reads;
pub mod reference;
pub mod regions;
pub mod remarks;
pub mod report;
pub mod schedule;
pub mod sealed;
pub mod slots;
pub mod stay;
pub mod storage;
pub mod turn;
mod uses;
pub mod vector_math;
pub mod view;
pub mod workgroup;
