//! How many threads a parallel region gets.
//!
//! Source: OpenMP 5.2 section 10.1.1, algorithm 10.1 (determining the number of threads).

use super::{Nest, Team};
use crate::icv::Icvs;
use std::sync::atomic::Ordering;

/// The size of a region that asks for `requested` threads (0: what nthreads-var says), and reserves it in
/// the contention group.
pub fn threads(team: &Team, icvs: &Icvs, nest: Nest, requested: u32) -> u32 {
    let asked = if requested == 0 { icvs.num_threads } else { requested };
    if asked <= 1 || nest.active_level >= icvs.max_active_levels {
        return 1;
    }
    let processors = crate::global::processors();
    let asked = if icvs.dynamic { asked.min(processors.max(1)) } else { asked };
    asked.min(room(team, icvs.thread_limit))
}

/// How many threads thread-limit-var leaves to a team, its master included.
fn room(team: &Team, limit: u32) -> u32 {
    if limit == u32::MAX {
        return limit;
    }
    // Relaxed: a limit on what is started, not a protocol.
    let others = team.contention.get().map_or(0, |count| count.load(Ordering::Relaxed));
    limit.saturating_sub(others.max(0) as u32).max(1)
}

/// Counts the threads of a region beyond its master, negative at its end.
pub fn occupy(team: &Team, count: i32) {
    if let Some(contention) = team.contention.get() {
        contention.fetch_add(count, Ordering::Relaxed);
    }
}
