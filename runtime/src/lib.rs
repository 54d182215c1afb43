//! Runs tasks on threads.

pub mod report;
pub mod settings;
pub mod wait;
