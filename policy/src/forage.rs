//! How soon a thief comes again: a thief whose loot was worth less than the trip waits longer.
//!
//! A steal costs the victim cache misses on its queue and on the records that are carried off, some
//! hundred nanoseconds. A victim that makes tasks smaller than that is faster alone. So a thief measures
//! how long its loot kept it busy; after a poor one it waits, twice as long each time, before it
//! steals again. Waiting is bounded, so a change to larger tasks is found soon.
//!
//! One poor trip proves nothing: in a tree of unknown shape most subtrees are a leaf and a few are huge.
//! So trips are judged by their running average.
//!
//! Terms: the *loot* is what one steal brought, a task or a batch. Units: ticks of any steady clock.

/// Loot that on average keeps a thief busy for this long pays for the trip; also the shortest wait. About 1
/// microsecond at 3 GHz.
pub const WORTHWHILE_TICKS: u64 = 3_000;
/// Longest wait, about 40 microseconds.
pub const LONGEST_TICKS: u64 = 40 * WORTHWHILE_TICKS;
/// No loot counts for more than this, so that one does not outweigh all that follow.
const LARGEST_TICKS: u64 = 64 * WORTHWHILE_TICKS;
/// The last trip's weight in the average is one in this many.
const WEIGHT: u64 = 32;

/// What a thief remembers of its trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Luck {
    /// Running average of how long a trip's loot kept it busy.
    pub worth_ticks: u64,
    /// How long it waits now before it steals again.
    pub wait_ticks: u64,
}

impl Default for Luck {
    /// Hopeful.
    fn default() -> Luck {
        Luck { worth_ticks: 2 * WORTHWHILE_TICKS, wait_ticks: 0 }
    }
}

impl Luck {
    /// After a trip whose loot kept the thief busy for `busy_ticks`.
    pub fn after(self, busy_ticks: u64) -> Luck {
        let kept = self.worth_ticks - self.worth_ticks / WEIGHT;
        let worth_ticks = kept + busy_ticks.min(LARGEST_TICKS) / WEIGHT;
        let wait_ticks = if worth_ticks >= WORTHWHILE_TICKS {
            0
        } else {
            (self.wait_ticks * 2).clamp(WORTHWHILE_TICKS, LONGEST_TICKS)
        };
        Luck { worth_ticks, wait_ticks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poor_trips_lead_to_waiting_and_one_good_one_ends_it() {
        let poor = (0..200).fold(Luck::default(), |luck, _| luck.after(300));
        assert_eq!(poor.wait_ticks, LONGEST_TICKS);
        assert_eq!(poor.after(100 * WORTHWHILE_TICKS).wait_ticks, 0);
    }

    #[test]
    fn a_rich_trip_now_and_then_is_enough() {
        let lucky = (0..100).fold(Luck::default(), |luck, trip| {
            let luck = luck.after(if trip % 8 == 0 { 30 * WORTHWHILE_TICKS } else { 300 });
            assert_eq!(luck.wait_ticks, 0);
            luck
        });
        assert!(lucky.worth_ticks >= WORTHWHILE_TICKS);
    }
}
