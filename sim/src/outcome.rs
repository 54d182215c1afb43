//! What came of a simulation.
//!
//! Terms: *busy* is work, with its waiting for memory; searching, creating and idling are not. Time *lost to
//! distance* is what work took alone beyond what it would have with all its data at its own location; *lost
//! to crowding* is what sharing added to that.
//!
//! Units: picoseconds, bytes, tasks.

use serde::Serialize;

use crate::program::TaskId;
use vicinity_policy::topology::LocationId;

/// Figures of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    pub makespan_ps: u64,
    /// Of each thread.
    pub busy_ps: Vec<u64>,
    pub lost_to_distance_ps: u64,
    pub lost_to_crowding_ps: u64,
    pub tasks: u64,
    /// Moved from and to memory, by hops: the first is local.
    pub bytes_by_hops: Vec<u64>,
    /// Tasks taken from other threads or location queues, by hops; the first are the own location's.
    pub stolen_by_hops: Vec<u64>,
    /// Dealt to a location, and how many of those ran there.
    pub dealt: u64,
    pub ran_where_dealt: u64,
    /// Ran in place of their creation.
    pub run_at_once: u64,
    /// Of each location's queue.
    pub longest_queue: Vec<u32>,
    pub mean_queue: Vec<f64>,
    /// Ran at each location.
    pub tasks_by_location: Vec<u64>,
    /// A number that any difference in the order or times of tasks changes.
    pub fingerprint: u64,
}

impl Outcome {
    pub fn total_busy_ps(&self) -> u64 {
        self.busy_ps.iter().sum()
    }

    /// Busiest thread's time over the mean, 1 for perfect balance.
    pub fn imbalance(&self) -> f64 {
        let most = self.busy_ps.iter().copied().max().unwrap_or(0);
        let mean = self.total_busy_ps() as f64 / self.busy_ps.len().max(1) as f64;
        if mean == 0.0 { 1.0 } else { most as f64 / mean }
    }

    /// Share of bytes that came from the own location; unknown if there are none.
    pub fn local_share(&self) -> Option<f64> {
        let all: u64 = self.bytes_by_hops.iter().sum();
        (all > 0).then(|| self.bytes_by_hops[0] as f64 / all as f64)
    }

    pub fn stolen(&self) -> u64 {
        self.stolen_by_hops.iter().sum()
    }
}

/// One execution of a task, for timelines and tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub task: TaskId,
    pub thread: u32,
    pub created_ps: u64,
    pub ready_ps: u64,
    pub start_ps: u64,
    pub end_ps: u64,
    pub dealt: Option<LocationId>,
    pub at: LocationId,
    pub from: Option<LocationId>,
    /// Its data, by location, when it was dealt.
    pub bytes: Vec<u64>,
}
