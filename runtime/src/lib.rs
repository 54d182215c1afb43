//! Runs tasks on threads.
