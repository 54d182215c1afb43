//! Traces of programs as `VICINITY_TRACE` writes them (docs/trace.md), read into values.
//!
//! Terms. *Task*: one execution of an explicit task. *Span*: what else a thread did for some time: it was in a
//! region, it waited, it ran a chunk of a loop.
//!
//! Invariants: 1. All times are nanoseconds since the first thing that happened in the trace. 2. `tasks` is
//! sorted by id. 3. Whatever refers to a task, a name, a thread or a location is a valid index. 4. Locations
//! and distances agree with each other: there is a `Topology`.

mod model;

pub use model::{Interval, Location, Span, SpanKind, Task, TaskIndex, Thread, Trace};
