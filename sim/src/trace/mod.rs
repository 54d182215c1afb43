//! Traces of programs as `VICINITY_TRACE` writes them (docs/trace.md), read into values.
//!
//! Terms. *Task*: one execution of an explicit task. *Region*: one thread's part of a parallel region, its
//! implicit task. *Span*: what else a thread did for some time: it waited, it ran a chunk of a loop.
//!
//! Invariants: 1. All times are nanoseconds since the first thing that happened in the trace. 2. `tasks` and
//! `regions` are sorted by id. 3. Whatever refers to a task, a name, a thread or a location is a valid index. 4. Locations
//! and distances agree with each other: there is a `Topology`. 5. No chain of parents leads back to its start.

pub mod analysis;
mod arrows;
mod build;
mod error;
mod event;
#[cfg(test)]
pub(crate) mod example;
mod link;
mod machine;
pub mod memory;
mod merge;
mod model;
mod odd;
mod read;

pub use error::Error;
pub use merge::{Failed, merge};
pub use model::{
    Body, Interval, Location, Message, Region, RegionIndex, Span, SpanKind, Task, TaskIndex,
    Thread, Trace,
};
pub use read::{open, read};
