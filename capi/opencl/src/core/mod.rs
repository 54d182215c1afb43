//! The objects behind the handles: safe, and unaware of the program's pointers.

pub mod context;
pub mod device;
pub mod image;
pub mod kernel;
pub mod memory;
pub mod platform;
pub mod print;
pub mod program;
pub mod sampler;
pub mod svm;
pub mod usm;
pub mod version;
