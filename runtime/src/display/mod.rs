//! Text that users ask for: the environment in force, and where each thread runs.
//!
//! Everything here is a pure function from values to text; printing is the caller's.

pub mod affinity;
pub mod environment;

pub use affinity::{AffinityFields, expand};
pub use environment::{display_env, entries, listing};
