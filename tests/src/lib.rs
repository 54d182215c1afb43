//! Helpers shared by the whole-program tests: finding, compiling and running the programs of `abi/`.

pub mod browser;
pub mod driver;
pub mod program;
pub mod ranks;
pub mod releases;
pub mod runtime;
pub mod sources;
pub mod suite;
pub mod symbols;
pub mod toolchain;
pub mod trace;
