//! How long a thread that waits spins before it sleeps.
//!
//! To spin as long as a wake-up takes costs at most twice what knowing the future would (Karlin, Manasse, McGeoch, Owicki 1994).
//! What comes after the same place of a program is mostly alike: so a thread learns for each place whether to spin for
//! long, which saves wake-ups, or for no longer than one takes, which leaves the processor to others.
//!
//! Terms: a *pause* is one spin-wait hint of the processor, 10 to 50 ns on today's machines. *Ticks* are those of any steady
//! clock, some 3 in a nanosecond. A wait is *long* if no thread would have spun until its end.
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

/// How long a thread may spin: until it has used up one of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub pauses: u64,
    pub ticks: u64,
}

impl Budget {
    pub const NONE: Budget = Budget { pauses: 0, ticks: 0 };

    pub fn of_ticks(ticks: u64) -> Budget {
        if ticks == 0 { Budget::NONE } else { Budget { pauses: u64::MAX, ticks } }
    }

    pub fn of_microseconds(microseconds: u64) -> Budget {
        Budget::of_ticks(microseconds.saturating_mul(1000 * TICKS_PER_NANOSECOND))
    }

    pub fn of_pauses(pauses: u64) -> Budget {
        if pauses == 0 { Budget::NONE } else { Budget { pauses, ticks: u64::MAX } }
    }

    pub fn min(self, other: Budget) -> Budget {
        Budget { pauses: self.pauses.min(other.pauses), ticks: self.ticks.min(other.ticks) }
    }
}

const TICKS_PER_NANOSECOND: u64 = 3;
/// Spinning before sleeping where nothing is said, 2.5 milliseconds: with longer waits being woken, which takes 40 to 120
/// microseconds, is some hundredths of them.
const UNSPECIFIED_TICKS: u64 = 2_500_000 * TICKS_PER_NANOSECOND;
/// Ten seconds.
const ACTIVE_TICKS: u64 = 10_000_000_000 * TICKS_PER_NANOSECOND;
/// About as long as a wake-up takes.
pub const BRIEF_TICKS: u64 = 50_000 * TICKS_PER_NANOSECOND;

/// How long a thread spins, if there are no more runnable threads than processors. `asked` comes from the environment.
pub fn spin_budget(policy: WaitPolicy, asked: Option<Budget>) -> Budget {
    asked.unwrap_or(match policy {
        WaitPolicy::Passive => Budget::NONE,
        WaitPolicy::Active => Budget::of_ticks(ACTIVE_TICKS),
        WaitPolicy::Unspecified => Budget::of_ticks(UNSPECIFIED_TICKS),
    })
}

/// Whether the waits after one place of the program are long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Habit {
    /// How many were, without a short one in between.
    long: u8,
}

/// Long waits after which a thread expects another.
const ENOUGH: u8 = 2;

/// How a wait went that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// It ended before the thread slept.
    Awake,
    /// The thread has spun and slept for so many ticks.
    Asleep { ticks: u64 },
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
    /// For how many of the `most` ticks that a thread may spin it should after `place`, an address in the program.
    pub fn ticks(&self, place: usize, most: u64) -> u64 {
        let expects_long = self.0[entry(place)].long >= ENOUGH;
        if expects_long { most.min(BRIEF_TICKS) } else { most }
    }

    /// Learns from a wait after `place`.
    pub fn learn(&mut self, place: usize, waited: Waited) {
        let habit = &mut self.0[entry(place)];
        let is_long = match waited {
            Waited::Awake => false,
            Waited::Asleep { ticks } => ticks > UNSPECIFIED_TICKS,
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
pub fn is_learned(policy: WaitPolicy, asked: Option<Budget>) -> bool {
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

    /// Ticks that are spun in all, and wake-ups, for waits of so many ticks after one place.
    fn spun(waits: impl IntoIterator<Item = u64>) -> (u64, u32) {
        let mut habits = Habits::default();
        let one = |(spun, wakes), wait: u64| {
            let ticks = habits.ticks(0x40, UNSPECIFIED_TICKS);
            let asleep = Waited::Asleep { ticks: wait };
            habits.learn(0x40, if wait > ticks { asleep } else { Waited::Awake });
            (spun + ticks.min(wait), wakes + u32::from(wait > ticks))
        };
        waits.into_iter().fold((0, 0), one)
    }

    #[test]
    fn long_waits_are_slept_through_and_short_ones_are_not() {
        let long = 2 * UNSPECIFIED_TICKS;
        assert_eq!(spun([long; 100]), (2 * UNSPECIFIED_TICKS + 98 * BRIEF_TICKS, 100));
        assert_eq!(spun([UNSPECIFIED_TICKS; 100]), (100 * UNSPECIFIED_TICKS, 0));
        assert_eq!(spun([10; 100]), (1000, 0));
    }

    #[test]
    fn a_thread_that_slept_through_a_short_wait_spins_again() {
        let (long, short) = (2 * UNSPECIFIED_TICKS, UNSPECIFIED_TICKS / 2);
        let (_, wakes) = spun([long, long, long, short, short, short, short]);
        assert_eq!(wakes, 4);
    }

    #[test]
    fn places_have_habits_of_their_own() {
        let mut habits = Habits::default();
        let long = Waited::Asleep { ticks: 2 * UNSPECIFIED_TICKS };
        (0..9).for_each(|_| habits.learn(0x40_1230, long));
        assert_eq!(habits.ticks(0x40_1230, 7), 7);
        assert_eq!(habits.ticks(0x40_1230, UNSPECIFIED_TICKS), BRIEF_TICKS);
        assert_eq!(habits.ticks(0x40_1240, UNSPECIFIED_TICKS), UNSPECIFIED_TICKS);
    }

    #[test]
    fn a_thread_hesitates_longer_and_longer() {
        assert!((0..10).all(|more| hesitation_ticks(more) * 2 == hesitation_ticks(more + 1)));
        assert_eq!(hesitation_ticks(u32::MAX), hesitation_ticks(10));
    }

    #[test]
    fn what_was_asked_for_counts() {
        let seven = Some(Budget::of_pauses(7));
        assert_eq!(spin_budget(WaitPolicy::Passive, seven).pauses, 7);
        assert_eq!(spin_budget(WaitPolicy::Passive, None), Budget::NONE);
        assert_eq!(spin_budget(WaitPolicy::Active, Some(Budget::of_microseconds(0))), Budget::NONE);
        let two = Budget::of_microseconds(2);
        assert_eq!(two.min(Budget::of_pauses(u64::MAX)), two);
        assert!(spin_budget(WaitPolicy::Active, None).ticks > 1_000_000_000);
    }
}
