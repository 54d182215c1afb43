//! The atomics of the models' parts: the standard library's, or loom's when a model is checked.

#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
