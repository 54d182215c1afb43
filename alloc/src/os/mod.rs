//! Everything that asks the operating system about processors and memory.
//!
//! Code that parses what the kernel says is kept apart from code that asks, so that the former is
//! tested on text from machines that are not here.

pub mod affinity;
pub mod ancestors;
mod cgroup;
pub mod clock;
pub mod common_file;
pub mod cpu_set;
pub mod files;
pub mod hwloc;
pub mod mappings;
pub mod memory;
pub mod modules;
pub mod numa;
pub mod process;
pub mod processors;
pub mod samples;
pub mod shared;
pub mod stack;
pub mod variables;

pub use affinity::{affinity_mask, bind_current_thread, current_processor};
pub use cgroup::{Throttling, quota_of_this_process, throttling_of};
pub use cpu_set::CpuSet;
pub use processors::available_processors;
