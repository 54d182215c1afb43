//! Tasks: records, counting, dependences, groups, and running them.
//!
//! Life of a task: created, perhaps waiting for predecessors (`deps`), ready (in a queue),
//! running (`run::execute`), finished (body and event; `complete`), gone
//! (descendants finished too), freed.
//! Source: OpenMP 5.2 section 12.

pub mod admit;
pub mod ancestry;
pub mod blocks;
pub mod children;
pub mod complete;
pub mod deps;
pub mod detach;
pub mod exclusive;
pub mod extra;
pub mod grain;
pub mod group;
pub mod helpers;
pub(crate) mod large;
pub mod latch;
pub mod objects;
pub mod priority;
pub mod record;
pub mod reduction;
pub mod run;
pub mod series;
pub mod slab;
pub mod stream;
pub mod taskloop;
pub mod wait;

pub use record::{Task, TaskRef};
