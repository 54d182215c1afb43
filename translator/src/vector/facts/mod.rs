//! What is known of a region before code is made of it: its control flow, how values differ between the items of a vector, what
//! is guessed and asked at run time, what vector code would cost, and whether it can be made at all.

pub(crate) mod address;
pub mod classes;
#[cfg(test)]
mod classes_tests;
pub(in crate::vector) mod cost;
pub(crate) mod graph;
pub(in crate::vector) mod guess;
pub(in crate::vector) mod presence;
pub(in crate::vector) mod progress;
pub(in crate::vector) mod shapes;
pub(in crate::vector) mod state;
pub mod sums;
pub mod support;
