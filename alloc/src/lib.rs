//! Memory and topology: allocators, affinity, processor quota.

pub mod os;
