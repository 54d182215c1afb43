//! Memory and topology: allocators, affinity, processor quota.
