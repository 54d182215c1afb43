//! What to change, from a trace: where each large block should be, and what regions and loops lose.
//!
//! - `regions`: the parallel regions of a trace by construct, and how busy each thread was between barriers.
//! - `findings`: what they lose, in words and numbers.
//! - `uses`: which thread touched which part of which block in which region, from samples.
//! - `placing`: the same on a machine, with blocks placed otherwise; which placement is best.
//!
//! Nothing is said that the trace does not show; what rests on few samples says so. Units: nanoseconds, bytes.

pub mod findings;
pub mod placing;
pub mod regions;
pub mod uses;

use crate::trace::memory::Memory;

/// Fewer samples of something say nothing about it.
pub const LEAST_SAMPLES: u32 = 16;
/// With fewer, what they say may be wrong.
pub const ENOUGH_SAMPLES: u32 = 128;
/// A share of the time that is worth a change.
pub const WORTHWHILE: f64 = 0.03;

/// Whether code of an OpenMP runtime is there: a thread that was seen in it waited, or ran the runtime's own work.
pub fn is_runtime(memory: &Memory, address: u64) -> bool {
    let file = memory.module_of(address).map_or("", |module| module.file.as_str());
    let name = file.rsplit('/').next().unwrap_or(file);
    ["libvicinity", "libgomp", "libomp", "libiomp"].iter().any(|stem| name.starts_with(stem))
}
