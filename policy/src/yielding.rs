//! Whether a thread that waits yields before it sleeps, where threads outnumber processors.
//!
//! A yield lets those run that it waits for, and takes half a microsecond where nobody else wants the processor. To sleep and to
//! be woken takes tens of microseconds, most of all in a virtual machine, whose processor stops meanwhile; and where threads
//! wait for each other in turn, each wait of a region is one. But if another program wants the processor, a yield gives it a
//! whole time slice. A thread that sleeps instead gets the processor back as soon as it is woken. So each thread times its
//! yields, and after one that took a time slice it does without them for a while, twice as long each time.
//!
//! Units: ticks of any steady clock, some 3 in a nanosecond.

use crate::waiting::{Budget, WaitPolicy};

/// How long a wait yields at most, about half a millisecond: others want the processor.
const MOST_TICKS: u64 = 1_500_000;
/// A yield that took this long gave away a time slice, of 1 to 4 milliseconds on Linux; what a team's own threads do between
/// two waits for each other is mostly less.
const SLICE_TICKS: u64 = 2_500_000;
/// How long it does without at first, about 10 milliseconds.
const SHORTEST_TICKS: u64 = 30_000_000;
/// How long at most, about 2.5 seconds: then time slices cost some thousandths.
const LONGEST_TICKS: u64 = 256 * SHORTEST_TICKS;

/// For how many ticks a thread that waits yields before it sleeps, with more runnable threads than processors. Who asks for no
/// spinning gets no yields. `asked` comes from the environment.
pub fn most_ticks(policy: WaitPolicy, asked: Option<Budget>) -> u64 {
    match (asked, policy) {
        (Some(Budget::NONE), _) | (None, WaitPolicy::Passive) => 0,
        _ => MOST_TICKS,
    }
}

/// What a thread knows of its yields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Yielding {
    not_before: u64,
    pause_ticks: u64,
}

impl Yielding {
    /// Whether it may yield now.
    pub fn may(&self, now: u64) -> bool {
        now >= self.not_before
    }

    /// Learns from a yield. Time slices that are lost soon after each other double the time without yields.
    pub fn learn(&mut self, began: u64, ended: u64) {
        if ended.saturating_sub(began) < SLICE_TICKS {
            return;
        }
        let soon = ended < self.not_before.saturating_add(self.pause_ticks);
        self.pause_ticks =
            if soon { (self.pause_ticks * 2).min(LONGEST_TICKS) } else { SHORTEST_TICKS };
        self.not_before = ended.saturating_add(self.pause_ticks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_no_spinning_gets_no_yields() {
        assert_eq!(most_ticks(WaitPolicy::Passive, None), 0);
        assert_eq!(most_ticks(WaitPolicy::Unspecified, Some(Budget::NONE)), 0);
        assert_eq!(most_ticks(WaitPolicy::Unspecified, None), MOST_TICKS);
        assert_eq!(most_ticks(WaitPolicy::Active, None), MOST_TICKS);
    }

    /// Ticks that a thread which yields whenever it may gives away of so many, if each yield takes so long.
    fn given_away(all: u64, one: u64) -> u64 {
        let mut yielding = Yielding::default();
        let (mut now, mut given) = (1 << 40, 0);
        let end = now + all;
        while now < end {
            let began = now;
            now += if yielding.may(began) { one } else { SHORTEST_TICKS / 100 };
            if yielding.may(began) {
                given += one;
                yielding.learn(began, now);
            }
        }
        given
    }

    #[test]
    fn a_busy_processor_costs_few_time_slices() {
        const SECOND: u64 = 3_000_000_000;
        const SLICE: u64 = 12_000_000;
        assert!(given_away(60 * SECOND, SLICE) < SECOND / 5);
    }

    #[test]
    fn yields_that_are_brief_go_on() {
        assert_eq!(given_away(1_000_000, 1000), 1_000_000);
    }

    #[test]
    fn a_time_slice_now_and_then_is_soon_forgotten() {
        let mut yielding = Yielding::default();
        for second in 1..100 {
            let began = second * 3_000_000_000;
            assert!(yielding.may(began));
            yielding.learn(began, began + 2 * SLICE_TICKS);
            assert!(!yielding.may(began + 2 * SLICE_TICKS));
            assert!(yielding.may(began + 2 * SLICE_TICKS + SHORTEST_TICKS));
        }
    }
}
