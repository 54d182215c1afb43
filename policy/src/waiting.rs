//! How long a thread that waits spins before it sleeps.
//!
//! To spin as long as a wake-up takes costs at most twice what knowing the future would (Karlin, Manasse, McGeoch, Owicki 1994).
//! What comes after the same place of a program is mostly alike: so a thread learns for each place whether to spin for
//! long, which saves wake-ups, or for no longer than one takes, which leaves the processor to others.
//!
//! Terms: a *pause* is one spin-wait hint of the processor, 15 to 50 ns on today's machines. A wait is *long* if no thread
//! would have spun until its end.
//! Sources: OpenMP 5.2 section 21.7 (OMP_WAIT_POLICY); libgomp's manual (GOMP_SPINCOUNT); libomp's
//! reference (KMP_BLOCKTIME).

/// The value of wait-policy-var.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitPolicy {
    /// Neither active nor passive was asked for.
    Unspecified,
    Active,
    Passive,
}

/// Pauses before sleeping where nothing is said: about as long as creating a small team takes.
const UNSPECIFIED_PAUSES: u32 = 20_000;
/// About ten seconds.
const ACTIVE_PAUSES: u32 = 400_000_000;

/// The spin budget in pauses.
///
/// `asked` is a count from the environment, in pauses. With more runnable threads than processors, a
/// waiting thread gives way at once, whatever was asked for (`yielding`).
pub fn spin_budget(policy: WaitPolicy, asked: Option<u32>, oversubscribed: bool) -> u32 {
    match (asked, policy, oversubscribed) {
        (Some(pauses), _, false) => pauses,
        (None, WaitPolicy::Passive, _) => 0,
        (None, WaitPolicy::Active, false) => ACTIVE_PAUSES,
        (_, _, true) => 0,
        (None, WaitPolicy::Unspecified, false) => UNSPECIFIED_PAUSES,
    }
}

/// Whether the waits after one place of the program are long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Habit {
    /// How many were, without a short one in between.
    long: u8,
}

/// Long waits after which a thread expects another.
const ENOUGH: u8 = 2;
/// About as many as a wake-up takes.
const BRIEF_PAUSES: u32 = 1000;
/// Sleep that is long, in ticks, some 3 in a nanosecond: about what `UNSPECIFIED_PAUSES` take, and a wake-up.
const LONG_SLEEP_TICKS: u64 = 2_000_000;

/// How a wait went that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// It ended before the thread slept.
    Awake,
    /// The thread had spun so many pauses, and slept for so long.
    Asleep { pauses: u32, ticks: u64 },
}

/// What a thread knows of its waits. Places share an entry by chance: then one may cost the other spinning or a wake-up.
#[derive(Clone, Copy, Debug)]
pub struct Habits([Habit; PLACES]);

const PLACES: usize = 32;

impl Default for Habits {
    fn default() -> Habits {
        Habits([Habit::default(); PLACES])
    }
}

impl Habits {
    /// How many of the `most` pauses that a thread may spin it should after `place`, an address in the program.
    pub fn pauses(&self, place: usize, most: u32) -> u32 {
        let expects_long = self.0[entry(place)].long >= ENOUGH;
        if expects_long { most.min(BRIEF_PAUSES) } else { most }
    }

    /// Learns from a wait after `place`.
    pub fn learn(&mut self, place: usize, waited: Waited) {
        let habit = &mut self.0[entry(place)];
        let is_long = match waited {
            Waited::Awake => false,
            Waited::Asleep { pauses, ticks } => pauses > BRIEF_PAUSES || ticks > LONG_SLEEP_TICKS,
        };
        // Short ones come in runs: the first that was slept through is enough.
        habit.long = if is_long { habit.long.saturating_add(1).min(ENOUGH) } else { 0 };
    }
}

/// Functions begin at multiples of 16.
fn entry(place: usize) -> usize {
    (place >> 4 ^ place >> 9) % PLACES
}

/// Whether nothing was said about how long to spin.
pub fn is_learned(policy: WaitPolicy, asked: Option<u32>) -> bool {
    policy == WaitPolicy::Unspecified && asked.is_none()
}

/// How long a thread that has little stack left hesitates before it runs one more task on top of what waits there, in ticks,
/// some 3 in a nanosecond; `piled_up` are there already. A millisecond, twice as long each time, up to a second.
pub fn hesitation_ticks(piled_up: u32) -> u64 {
    3_000_000 << piled_up.min(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_gives_way_when_processors_are_short() {
        for policy in [WaitPolicy::Unspecified, WaitPolicy::Active, WaitPolicy::Passive] {
            assert_eq!(spin_budget(policy, Some(7), true), 0);
            assert_eq!(spin_budget(policy, None, true), 0);
        }
    }

    /// Pauses that are spun in all, and wake-ups, for waits of so many pauses after one place.
    fn spun(waits: impl IntoIterator<Item = u32>) -> (u32, u32) {
        let mut habits = Habits::default();
        let most = UNSPECIFIED_PAUSES;
        let one = |(spun, wakes), wait: u32| {
            let pauses = habits.pauses(0x40, most);
            let slept = wait.saturating_sub(pauses);
            let ticks = u64::from(slept) * 100;
            let asleep = Waited::Asleep { pauses, ticks };
            habits.learn(0x40, if slept > 0 { asleep } else { Waited::Awake });
            (spun + pauses.min(wait), wakes + u32::from(slept > 0))
        };
        waits.into_iter().fold((0, 0), one)
    }

    #[test]
    fn long_waits_are_slept_through_and_short_ones_are_not() {
        let long = 10 * UNSPECIFIED_PAUSES;
        let (pauses, wakes) = spun([long; 100]);
        assert_eq!(wakes, 100);
        assert!(pauses <= 2 * UNSPECIFIED_PAUSES + 98 * BRIEF_PAUSES);
        assert_eq!(spun([UNSPECIFIED_PAUSES; 100]), (100 * UNSPECIFIED_PAUSES, 0));
        assert_eq!(spun([10; 100]), (1000, 0));
    }

    #[test]
    fn a_thread_that_slept_through_a_short_wait_spins_again() {
        let long = 10 * UNSPECIFIED_PAUSES;
        let (_, wakes) = spun([long, long, long, 5000, 5000, 5000, 5000]);
        assert_eq!(wakes, 4);
    }

    #[test]
    fn places_have_habits_of_their_own() {
        let mut habits = Habits::default();
        let long = Waited::Asleep { pauses: UNSPECIFIED_PAUSES, ticks: 0 };
        (0..9).for_each(|_| habits.learn(0x40_1230, long));
        assert_eq!(habits.pauses(0x40_1230, 7), 7);
        assert_eq!(habits.pauses(0x40_1230, 70_000), BRIEF_PAUSES);
        assert_eq!(habits.pauses(0x40_1240, 70_000), 70_000);
    }

    #[test]
    fn a_thread_hesitates_longer_and_longer() {
        assert!((0..10).all(|more| hesitation_ticks(more) * 2 == hesitation_ticks(more + 1)));
        assert_eq!(hesitation_ticks(u32::MAX), hesitation_ticks(10));
    }

    #[test]
    fn what_was_asked_for_counts() {
        assert_eq!(spin_budget(WaitPolicy::Passive, Some(7), false), 7);
        assert_eq!(spin_budget(WaitPolicy::Passive, None, false), 0);
        assert!(spin_budget(WaitPolicy::Active, None, false) > 1_000_000);
    }
}
