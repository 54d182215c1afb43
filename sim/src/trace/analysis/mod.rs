//! What a trace tells, as values: nothing here draws or prints.
//!
//! Units: nanoseconds, bytes; distances in SLIT units (10 is local).

mod functions;
mod lanes;
mod summary;

pub use functions::{Function, Reach, functions};
pub use lanes::{Doing, Lane, Lanes, Segment, Split, lanes};
pub use summary::{Histogram, Summary, share, summary};
