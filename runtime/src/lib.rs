//! Runs tasks on threads.

pub mod display;
pub mod report;
pub mod settings;
pub mod wait;
