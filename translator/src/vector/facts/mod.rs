//! What is known of a region before code is made of it: its control flow, how values differ between the items of a vector, what
//! is guessed and asked at run time, what vector code would cost, and whether it can be made at all.

pub mod address;
pub mod classes;
#[cfg(test)]
mod classes_tests;
pub mod cost;
pub mod graph;
pub mod guess;
pub mod presence;
pub mod progress;
pub mod shapes;
pub mod state;
pub mod sums;
pub mod support;
