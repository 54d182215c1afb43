//! The schedulers a user chooses between, as combinations of dealing and stealing.
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 5 (the schedulers compared there).

use crate::deal::Deal;
use crate::search::Steal;
use crate::topology::Topology;

/// The value of `VICINITY_SCHEDULER`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// Tasks are dealt to their data and stolen nearest first.
    Locality,
    /// Tasks stay with their creator and are stolen from anybody.
    WorkStealing,
    /// All tasks stand in one queue.
    Central,
}

impl Scheduler {
    /// Every accepted spelling.
    pub const WORDS: &[(&str, Scheduler)] = &[
        ("locality", Scheduler::Locality),
        ("workstealing", Scheduler::WorkStealing),
        ("central", Scheduler::Central),
    ];

    pub fn deal(self, topology: &Topology) -> Deal {
        match self {
            Scheduler::Locality if topology.len() > 1 => {
                Deal::LeastCost { min_bytes: topology.cache_bytes }
            }
            Scheduler::Locality | Scheduler::WorkStealing => Deal::Home,
            Scheduler::Central => Deal::Central,
        }
    }

    /// `reach`: how many locations a vicinity holds; `None` means all.
    pub fn steal(self, topology: &Topology, reach: Option<u32>) -> Steal {
        match self {
            Scheduler::Locality => Steal::Vicinity {
                reserve_per_hop: topology.threads_per_location(),
                reach: reach.unwrap_or(u32::MAX).max(1),
            },
            Scheduler::WorkStealing | Scheduler::Central => Steal::Uniform,
        }
    }
}
