//! Decisions as pure values: scheduling, stealing, chunking, waiting.
//!
//! A policy performs nothing: it is given what was seen and says what to do next. No unsafe code, no
//! clock, no thread, no atomic, no input or output lives here, so the runtime and the simulator run
//! the very same decisions.

pub mod admission;
pub mod apart;
pub mod chunks;
pub mod deal;
pub mod distribution;
pub mod footprint;
pub mod forage;
pub mod grain;
pub mod presets;
pub mod ranks;
pub mod repair;
pub mod schedule;
pub mod scheduler;
pub mod search;
pub mod share;
pub mod throttle;
pub mod topology;
pub mod tree;
pub mod victims;
pub mod waiting;
pub mod yielding;
