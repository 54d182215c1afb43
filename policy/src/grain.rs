//! What tasks of one kind are worth: whether a thread other than their creator is worth the trouble.
//!
//! A task that waits for others costs a record, edges and a hand-over, and the lines of all of these move to the
//! thread that runs it: half a microsecond and more, of which a task that its creator runs at once costs nothing.
//! Tasks that are smaller than that make a program slower the more threads help. The queues do not show
//! it: in a chain of empty tasks the others have nothing to do either way. So whoever runs a task says how long it took.
//!
//! Each kind of task has an account. A task that was deferred takes its price from the account and pays in the time that it
//! kept a thread busy; one that its creator ran paid no price, and what is longer than a price is paid in. An account that
//! cannot pay belongs to tiny tasks. So the price of deferring is never more than what the tasks do, and one that suddenly takes
//! long is enough for those after it to be spread again.
//!
//! Terms: a task's *site* is where the program creates it, known by the function that is its body: it tells kinds apart.
//! Units: ticks of any steady clock, some 3 in a nanosecond.

use crate::throttle;

/// What deferring a task costs, about 1 microsecond.
pub const PRICE_TICKS: u32 = 3_000;
/// What an account holds at most: after a phase of large tasks so many prices are lost on tiny ones.
const MOST_TICKS: u32 = 512 * PRICE_TICKS;
/// What a new account holds: so many tiny tasks are deferred until they are known.
const HOPE_TICKS: u32 = 64 * PRICE_TICKS;
/// With less than this, no more tasks are deferred and unfinished than the account has prices for.
const RICH_TICKS: u32 = 96 * PRICE_TICKS;

/// The account of one kind of task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grain {
    credit_ticks: u32,
}

impl Default for Grain {
    /// Hopeful.
    fn default() -> Grain {
        Grain { credit_ticks: HOPE_TICKS }
    }
}

impl Grain {
    /// True if a task should be run by its creator, even if the others have nothing to do.
    #[inline(always)]
    pub fn is_tiny(self) -> bool {
        self.credit_ticks < PRICE_TICKS
    }

    /// True if a task's creator should run one before it defers more, itself perhaps.
    ///
    /// `unfinished`: its children that are not finished.
    #[inline]
    pub fn backlog_is_full(self, unfinished: u32, threads: u32) -> bool {
        match self.credit_ticks {
            RICH_TICKS.. => throttle::backlog_is_full(unfinished, threads),
            poor => unfinished >= (poor / PRICE_TICKS).saturating_mul(threads / 2),
        }
    }

    /// After a deferred task that took so long.
    #[must_use]
    pub fn after_deferred(self, ticks: u64) -> Grain {
        let paid = ticks.min(u64::from(MOST_TICKS)) as u32;
        let credit_ticks = (self.credit_ticks + paid).saturating_sub(PRICE_TICKS).min(MOST_TICKS);
        Grain { credit_ticks }
    }

    /// After a task that took so long and was run by its creator.
    #[must_use]
    pub fn after_inline(self, ticks: u64) -> Grain {
        if ticks < u64::from(PRICE_TICKS) { self } else { self.after_deferred(ticks) }
    }

    /// The account as a word: what `from_word` gives back.
    pub fn to_word(self) -> u32 {
        self.credit_ticks
    }

    pub fn from_word(word: u32) -> Grain {
        Grain { credit_ticks: word.min(MOST_TICKS) }
    }
}

/// How long the creator of a tiny task waits for predecessors that another thread is about to finish: they are tiny
/// too, unless that thread lost its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Haste {
    looks: u32,
}

impl Default for Haste {
    fn default() -> Haste {
        Haste { looks: 64 }
    }
}

impl Haste {
    /// How many looks at a predecessor it takes.
    pub fn looks(self) -> u32 {
        self.looks
    }

    /// After so many looks the predecessor was not finished.
    #[must_use]
    pub fn after_vain_looks(self) -> Haste {
        Haste { looks: self.looks / 4 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: u64 = PRICE_TICKS as u64;

    fn tiny() -> Grain {
        (0..100).fold(Grain::default(), |grain, _| grain.after_deferred(50))
    }

    #[test]
    fn tiny_tasks_are_known_soon_and_large_ones_at_once() {
        assert!(!Grain::default().is_tiny());
        assert!(tiny().is_tiny());
        assert!(!tiny().after_inline(2 * PRICE).is_tiny());
        assert!(tiny().after_inline(PRICE / 2).is_tiny());
    }

    #[test]
    fn large_tasks_stay_spread_whatever_tiny_ones_are_among_them() {
        (0..100).fold(tiny().after_inline(1000 * PRICE), |grain, turn| {
            let grain = grain.after_deferred(if turn % 10 == 0 { 20 * PRICE } else { 50 });
            assert!(!grain.is_tiny());
            grain
        });
    }

    #[test]
    fn what_large_tasks_paid_in_is_used_up() {
        let rich = (0..10_000).fold(Grain::default(), |grain, _| grain.after_deferred(u64::MAX));
        let lost = (1..).scan(rich, |grain, count| {
            *grain = grain.after_deferred(0);
            Some((count, *grain))
        });
        let known = lost.skip_while(|(_, grain)| !grain.is_tiny()).map(|(count, _)| count).next();
        assert_eq!(known, Some(512));
    }

    #[test]
    fn a_backlog_grows_with_the_team_and_with_what_is_known() {
        let rich = (0..100).fold(Grain::default(), |grain, _| grain.after_deferred(9 * PRICE));
        assert!(rich.backlog_is_full(512, 2) && !rich.backlog_is_full(512, 3));
        let new = Grain::default();
        assert!(new.backlog_is_full(64, 2) && !new.backlog_is_full(63, 2));
        let one = tiny().after_inline(3 * PRICE);
        assert!(one.backlog_is_full(2, 2) && !one.backlog_is_full(1, 2));
        assert!(tiny().backlog_is_full(0, 2));
    }

    #[test]
    fn looking_in_vain_is_given_up() {
        let haste = (0..4).fold(Haste::default(), |haste, _| haste.after_vain_looks());
        assert!(Haste::default().looks() > 0 && haste.looks() == 0);
    }

    #[test]
    fn an_account_survives_as_a_word() {
        let grain = Grain::default().after_deferred(7 * PRICE);
        assert_eq!(Grain::from_word(grain.to_word()), grain);
        assert!(!Grain::from_word(u32::MAX).after_deferred(u64::MAX).is_tiny());
    }
}
