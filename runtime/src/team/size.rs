//! How many threads a parallel region gets.
//!
//! Source: OpenMP 5.2 section 10.1.1, algorithm 10.1 (determining the number of threads).

use super::{Nest, Team};
use crate::effort;
use crate::icv::Icvs;
use crate::share::{self, Claim};
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the threads of a contention group are counted; nowhere if their number has no limit.
pub type Group = Option<&'static AtomicU32>;

/// The group of a region inside `outer`. Regions in it inherit the limit, or begin a group of their own.
#[inline]
pub fn group_of(outer: &Team, icvs: &Icvs) -> Group {
    outer.contention.get().filter(|_| icvs.thread_limit != u32::MAX)
}

/// The size of a region that asks for `requested` threads (0: what nthreads-var says), and what it claims of processors that
/// are shared. Its threads beyond the master are counted in the contention group from here on, until `give_back`.
pub fn take(team: &Team, group: Group, icvs: &Icvs, nest: Nest, requested: u32) -> (u32, Claim) {
    let asked = if requested == 0 { icvs.num_threads } else { requested };
    if asked <= 1 || nest.active_level >= icvs.max_active_levels {
        return (1, Claim::default());
    }
    // Sizes of teams leave through interfaces made of int.
    let asked = asked.min(i32::MAX as u32);
    let processors = crate::global::processors();
    let asked = if icvs.dynamic { asked.min(processors.max(1)) } else { asked };
    if asked == 1 {
        return (1, Claim::default());
    }
    let entry = share::enter(&team.part, team.size(), asked, requested != 0);
    let limit = icvs.thread_limit.saturating_sub(1);
    (1 + take_from_group(group, entry.size - 1, limit), entry.claim)
}

/// Claim up to `wanted` threads in the contention group, which may have `limit` beyond its first.
fn take_from_group(group: Group, wanted: u32, limit: u32) -> u32 {
    let Some(count) = group else { return wanted };
    let room = |others: u32| wanted.min(limit.saturating_sub(others));
    effort::writes(count);
    // Relaxed: a limit on what is started, not a protocol.
    let others = count
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |others| Some(others + room(others)));
    room(others.unwrap_or_else(|others| others))
}

/// Takes `count` threads out of the contention group.
pub fn give_back(group: Group, count: u32) {
    if let Some(contention) = group {
        effort::writes(contention);
        // Relaxed: as above.
        contention.fetch_sub(count, Ordering::Relaxed);
    }
}
