//! How soon a thief comes again: a thief whose loot was worth less than the trip waits longer.
//!
//! A steal costs the victim cache misses on its queue and on the records that are carried off, some
//! hundred nanoseconds, and each task that it defers instead of running it at once some tens more. A victim
//! that makes tasks smaller than that is faster alone. So a thief measures how long its loot kept it busy; after
//! a poor one it waits, twice as long each time, before it steals again. Waiting is bounded, so a change to
//! larger tasks is found soon. A victim suffers from all thieves, so the bound grows with their number.
//!
//! One poor trip proves nothing: in a tree of unknown shape most subtrees are a leaf and a few are huge.
//! So trips are judged by their running average.
//!
//! Terms: the *loot* is what one steal brought, a task or a batch; its *profit* is how long it kept the thief
//! busy beyond what it cost both. Units: ticks of any steady clock.

/// What a trip costs, the first task included; also the shortest wait. About 1 microsecond at 3 GHz.
pub const TRIP_TICKS: i64 = 3_000;
/// What each further task of the loot costs.
const TASK_TICKS: i64 = 1_000;
/// Longest wait of a lone thief, about 40 microseconds.
pub const LONGEST_TICKS: u64 = 40 * TRIP_TICKS as u64;
/// So many thieves share that: each of them waits longer, so that together they come as often as one would. More than that make
/// it no longer, since the first to find larger tasks does so for itself alone.
const MOST_THIEVES: u64 = 16;
/// No loot counts for more than this, so that one does not outweigh all that follow.
const LARGEST_TICKS: u64 = 64 * TRIP_TICKS as u64;
/// The last trip's weight in the average is one in this many.
const WEIGHT: i64 = 32;

/// What a thief remembers of its trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Luck {
    /// Running average of the trips' profits.
    profit_ticks: i64,
    /// How long it waits now before it steals again.
    pub wait_ticks: u64,
}

impl Default for Luck {
    /// Hopeful.
    fn default() -> Luck {
        Luck { profit_ticks: TRIP_TICKS, wait_ticks: 0 }
    }
}

impl Luck {
    /// After a trip that brought so many tasks, which kept the thief busy for `busy_ticks`, in a team of `threads`.
    pub fn after(self, tasks: u32, busy_ticks: u64, threads: u32) -> Luck {
        let cost = TRIP_TICKS + (i64::from(tasks) - 1) * TASK_TICKS;
        let profit = busy_ticks.min(LARGEST_TICKS) as i64 - cost;
        let profit_ticks = self.profit_ticks + (profit - self.profit_ticks) / WEIGHT;
        let wait_ticks = if profit_ticks >= 0 {
            0
        } else {
            (self.wait_ticks * 2).clamp(TRIP_TICKS as u64, longest(threads))
        };
        Luck { profit_ticks, wait_ticks }
    }
}

/// How long a thief waits at most in a team of so many threads.
fn longest(threads: u32) -> u64 {
    LONGEST_TICKS * u64::from(threads).saturating_sub(1).clamp(1, MOST_THIEVES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIP: u64 = TRIP_TICKS as u64;

    #[test]
    fn poor_trips_lead_to_waiting_and_one_good_one_ends_it() {
        let poor = (0..200).fold(Luck::default(), |luck, _| luck.after(1, 300, 2));
        assert_eq!(poor.wait_ticks, LONGEST_TICKS);
        assert_eq!(poor.after(1, 100 * TRIP, 2).wait_ticks, 0);
    }

    #[test]
    fn many_thieves_come_together_as_often_as_one() {
        let poor = |threads| (0..200).fold(Luck::default(), |luck, _| luck.after(1, 300, threads));
        let waits = [1, 2, 5, 17, 1000].map(|threads| poor(threads).wait_ticks / LONGEST_TICKS);
        assert_eq!(waits, [1, 1, 4, 16, 16]);
    }

    #[test]
    fn a_large_batch_of_small_tasks_is_poor() {
        let after =
            |tasks| (0..200).fold(Luck::default(), |luck, _| luck.after(tasks, 2 * TRIP, 2));
        assert_eq!(after(1).wait_ticks, 0);
        assert_eq!(after(32).wait_ticks, LONGEST_TICKS);
    }

    #[test]
    fn a_rich_trip_now_and_then_is_enough() {
        (0..100).fold(Luck::default(), |luck, trip| {
            let luck = luck.after(1, if trip % 8 == 0 { 30 * TRIP } else { 300 }, 2);
            assert_eq!(luck.wait_ticks, 0);
            luck
        });
    }
}
