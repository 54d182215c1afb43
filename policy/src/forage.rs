//! How soon a thief comes again: a thief whose loot was worth less than the trip waits longer.
//!
//! A steal costs the victim cache misses on its queue and on the records that are carried off, some
//! hundred nanoseconds. A victim that makes tasks smaller than that is faster alone. So a thief measures
//! how long its loot kept it busy; after a poor one it waits, twice as long each time, before it
//! steals again. Waiting is bounded, so a change to larger tasks is found soon.
//!
//! Terms: the *loot* is what one steal brought, a task or a batch. Units: ticks of any steady clock.

/// Loot that keeps a thief busy for this long pays for the trip; also the shortest wait. About 1
/// microsecond at 3 GHz.
pub const WORTHWHILE_TICKS: u64 = 3_000;
/// Longest wait, about 40 microseconds.
pub const LONGEST_TICKS: u64 = 40 * WORTHWHILE_TICKS;

/// The next wait after loot that kept the thief busy for `busy_ticks`, given the previous wait.
pub fn next_wait(busy_ticks: u64, wait_ticks: u64) -> u64 {
    if busy_ticks >= WORTHWHILE_TICKS {
        return 0;
    }
    (wait_ticks * 2).clamp(WORTHWHILE_TICKS, LONGEST_TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poor_loot_doubles_the_wait_and_good_loot_ends_it() {
        let waits: Vec<u64> =
            std::iter::successors(Some(0), |&wait| Some(next_wait(10, wait))).take(9).collect();
        assert_eq!(waits[..4], [0, WORTHWHILE_TICKS, 2 * WORTHWHILE_TICKS, 4 * WORTHWHILE_TICKS]);
        assert_eq!(waits[8], LONGEST_TICKS);
        assert_eq!(next_wait(WORTHWHILE_TICKS, LONGEST_TICKS), 0);
    }
}
