//! Programs in virtual time, and what recorded ones tell: a simulator of task scheduling on machines with
//! several memories that runs the policies of `policy` unchanged, and the reader of traces.
//!
//! A `Program` (generated in `programs`, or recorded) runs on a `Machine` under a `Setup`; `simulate` gives an
//! `Outcome`. README.md has the model of memory and its sources.

pub mod advise;
pub mod engine;
pub mod loops;
pub mod machine;
pub mod memory;
pub mod outcome;
pub mod placement;
pub mod program;
pub mod programs;
pub mod random;
pub mod recorded;
pub mod regions;
pub mod timeline;
pub mod trace;
