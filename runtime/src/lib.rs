//! Runs tasks on threads.

pub mod report;
pub mod wait;
