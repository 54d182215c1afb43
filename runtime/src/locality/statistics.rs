//! What became of tasks whose data is known: counted by each thread for itself, added up when somebody asks.
//!
//! Counted only while somebody wants to know (`Machine::observes`). Terms: a task with known data is *dealt home* if
//! it was dealt to the location where the thread was that made it ready, *kept* if it was not dealt at all; it runs
//! *where it was dealt*, or *away*. A theft is *local* at 0 hops: from a thread at the same location.
//!
//! Invariant: a tally is written by its thread alone, so an addition is a load and a store; readers may be a little
//! behind. Relaxed throughout: these are numbers, they publish nothing.

use super::dealing::Placement;
use super::{Layout, machine};
use crate::activity;
use crate::process_lock::ProcessLock;
use crate::thread::Thread;
use std::sync::atomic::{AtomicU64, Ordering};
use vicinity_policy::topology::LocationId;

#[derive(Default)]
struct Count(AtomicU64);

impl Count {
    fn add(&self, more: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
struct LocationCounts {
    dealt_home: Count,
    dealt_elsewhere: Count,
    ran_where_dealt: Count,
    ran_away: Count,
    bytes_local: Count,
    bytes_remote: Count,
}

/// One thread's numbers.
#[derive(Default)]
pub struct Tally {
    locations: Box<[LocationCounts]>,
    /// By distance in hops; the last stands for all that are farther.
    stolen: [Count; MOST_HOPS],
    kept: Count,
}

/// Distances that are told apart.
pub const MOST_HOPS: usize = 8;

/// Of all threads; never deallocated, since their threads may still run when the process ends.
pub(crate) static TALLIES: ProcessLock<Vec<&'static Tally>> = ProcessLock::new(Vec::new());

/// Numbers of one location. Units: tasks, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtLocation {
    /// Dealt here by a thread here.
    pub dealt_home: u64,
    /// Dealt here by a thread elsewhere.
    pub dealt_elsewhere: u64,
    /// Dealt here and run here.
    pub ran_where_dealt: u64,
    /// Dealt here and run elsewhere.
    pub ran_away: u64,
    /// Data that tasks run here had here, and elsewhere.
    pub bytes_local: u64,
    pub bytes_remote: u64,
}

/// Numbers of the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub locations: Vec<AtLocation>,
    /// Successful thefts by distance in hops; the last stands for all that are farther.
    pub stolen: [u64; MOST_HOPS],
    /// Tasks with known data that were not dealt: it costs the same from everywhere, or the scheduler does not deal.
    pub kept: u64,
}

/// The calling thread's tally, made at the first use.
fn tally(thread: &Thread) -> Option<&'static Tally> {
    if let Some(tally) = thread.near.tally.get() {
        return Some(tally);
    }
    let count = machine()?.topology.len();
    let locations = (0..count).map(|_| LocationCounts::default()).collect();
    let tally: &'static Tally = Box::leak(Box::new(Tally { locations, ..Tally::default() }));
    TALLIES.lock().push(tally);
    thread.near.tally.set(Some(tally));
    Some(tally)
}

/// A task was dealt, or kept.
pub(super) fn dealt(thread: &Thread, to: Option<LocationId>, home: Option<LocationId>) {
    let Some(tally) = tally(thread) else { return };
    match to {
        None => tally.kept.add(1),
        Some(to) if home == Some(to) => tally.locations[to.index()].dealt_home.add(1),
        Some(to) => tally.locations[to.index()].dealt_elsewhere.add(1),
    }
}

/// A thread at `at` runs a task.
pub(super) fn ran(thread: &Thread, placement: &Placement, at: LocationId) {
    let Some(tally) = tally(thread) else { return };
    if let Some(dealt) = placement.dealt {
        let counts = &tally.locations[dealt.index()];
        let count = if dealt == at { &counts.ran_where_dealt } else { &counts.ran_away };
        count.add(1);
    }
    if placement.footprint.total() > 0 {
        let local = placement.footprint.at(at);
        let remote = placement.footprint.total() - local;
        tally.locations[at.index()].bytes_local.add(local);
        tally.locations[at.index()].bytes_remote.add(remote);
        activity::finds_data(thread, local, remote);
    }
}

/// A thread at `home` took a task from `from`.
pub(super) fn stole(thread: &Thread, layout: &Layout, home: LocationId, from: LocationId) {
    let Some(tally) = tally(thread) else { return };
    let hops = layout.topology.hops(home, from) as usize;
    tally.stolen[hops.min(MOST_HOPS - 1)].add(1);
}

/// All threads' numbers so far.
pub fn totals() -> Totals {
    let tallies = TALLIES.lock();
    let mut totals = Totals::default();
    for tally in tallies.iter() {
        totals.locations.resize(tally.locations.len(), AtLocation::default());
        for (sum, counts) in totals.locations.iter_mut().zip(&tally.locations) {
            sum.dealt_home += counts.dealt_home.get();
            sum.dealt_elsewhere += counts.dealt_elsewhere.get();
            sum.ran_where_dealt += counts.ran_where_dealt.get();
            sum.ran_away += counts.ran_away.get();
            sum.bytes_local += counts.bytes_local.get();
            sum.bytes_remote += counts.bytes_remote.get();
        }
        for (sum, count) in totals.stolen.iter_mut().zip(&tally.stolen) {
            *sum += count.get();
        }
        totals.kept += tally.kept.get();
    }
    totals
}
