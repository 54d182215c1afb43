//! What is asked of the operating system, and of `libvicinity.so.1`.
#![allow(unsafe_code)]

pub mod background;
pub mod claim;
pub mod clock;
pub mod file;
pub mod library;
pub mod mpi;
pub mod process;
pub mod runtime;
