//! Memory and topology: allocators, affinity, processor quota.

pub mod digest;
pub mod engine;
pub mod handle;
pub mod interposed;
mod operands;
pub mod os;
pub mod placed;
mod pool;
pub mod repair;
pub mod space;
mod table;
pub mod topology;
pub mod touches;
pub mod traits;
