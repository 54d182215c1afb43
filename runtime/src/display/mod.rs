//! Text that users ask for: the environment in force, and where each thread runs.
//!
//! `affinity` and `environment` are pure functions from values to text; `thread` asks the calling thread.

pub mod affinity;
pub mod environment;
pub mod thread;

pub use affinity::{AffinityFields, expand};
pub use environment::{display_env, entries, listing};
