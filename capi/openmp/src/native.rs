//! The C API of `vicinity.h` other than memory: tasks without a compiler, topology, version.
//!
//! Terms: a *handle* is what a program waits with: for a task, a range of tasks, or a group. A *batch*
//! is the tasks that a thread created outside every parallel region and has not waited for yet.
//!
//! - `status`: error codes; `options`: what a program says of a task; `handle`; `work`: what a task
//!   runs; `batch`: tasks outside of regions; `tasks`, `groups`, `pauses`, `messages`, `streams`, `topology`: the C functions.
//!
//! Source: docs/c-api.md, which is the contract.
#![allow(unsafe_code)]

mod batch;
mod groups;
mod handle;
mod messages;
mod options;
mod pauses;
pub mod status;
mod streams;
mod tasks;
pub mod topology;
mod work;
