//! Runs tasks on threads.
//!
//! - `thread`: what is known of one operating-system thread; `team`: the threads of a region, how they
//!   start, meet, help and sleep; `task`: tasks; `worksharing`: loops and sections; `locks`.
//! - `settings`, `clause`, `icv`, `global`, `device`: what the user and the program asked for; `display` shows it.
//! - `launcher`: what the launcher of MPI says of the process; `ranks`: which part of the machine is its.
//! - `aside`: tasks that are set aside while they wait, on stacks of their own.
//! - `trace`: what threads did, written to a file.
//! - `threadprivate`: variables that each thread has a copy of, for compilers that leave them to the runtime.
//! - `activity`: what threads do at this moment, for `vicinity top`.
//! - `share`: processors that processes share.
//! - `tool`: OMPT, which tells a tool in the process what happens.
//! - `park`, `futex`, `wait`, `memory`, `private`, `process_lock`, `sync`: the pieces these are made of; `fork`: what becomes of all
//!   that in a child.

pub mod activity;
mod arrivals;
pub mod aside;
pub mod cancel;
pub mod clause;
pub mod device;
pub mod devices;
pub mod display;
pub mod effort;
pub mod errno;
pub mod fork;
pub mod futex;
pub mod global;
pub mod icv;
pub mod launcher;
pub mod locality;
pub mod locks;
pub mod memory;
pub mod park;
pub mod private;
pub mod process_lock;
pub mod ranks;
pub mod report;
pub mod settings;
pub mod share;
pub mod sync;
pub mod task;
pub mod team;
pub mod teams;
pub mod thread;
pub mod threadprivate;
pub mod tool;
pub mod trace;
pub mod wait;
pub mod worksharing;
