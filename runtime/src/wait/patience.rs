//! One wait's spinning, or yielding where processors are short.

use super::{Lingering, YIELD_TICKS, are_short_beside, budget_if};
use crate::share;
use crate::team::Member;
use crate::thread::{self, Thread, clock};
use std::sync::atomic::Ordering;
use vicinity_policy::waiting::{BRIEF_TICKS, Budget};

/// Pauses between two looks for threads that this one keeps waiting, about 3 microseconds (`team::seen`).
const LOOK_EVERY: u32 = 64;
/// The same where it kept one waiting when it looked last: threads on one processor go on by turns.
const LOOK_EVERY_CROWDED: u32 = 1;
/// Looks after which it yields in any case: the kernel may have put another behind it.
const YIELD_EVERY: u32 = 256;

/// What is left of a wait before its thread sleeps.
pub struct Patience {
    /// How long it may still spin; by the clock, since it looked first.
    pub(super) left: Budget,
    pub(super) looked_first: Option<u64>,
    before_look: u32,
    looks: u32,
    /// It waits outside of every region, for the next one.
    pub(super) rests: bool,
    lingering: Option<Lingering>,
    /// When it began to yield, once it does.
    yields_since: Option<u64>,
    yields: bool,
}

impl Patience {
    pub fn new() -> Patience {
        Patience::at_most(u64::MAX)
    }

    /// Spins for at most so many ticks.
    pub fn at_most(ticks: u64) -> Patience {
        Patience::beside(0, ticks)
    }

    /// The same, while `more` threads run that do not count as runnable.
    pub(super) fn beside(more: u32, ticks: u64) -> Patience {
        let short = are_short_beside(more);
        Patience {
            left: budget_if(short).min(Budget::of_ticks(ticks)),
            looked_first: None,
            before_look: look_every(thread::current()),
            looks: 0,
            rests: false,
            lingering: None,
            yields: short,
            yields_since: None,
        }
    }

    /// Spins a little. False when it is time to sleep.
    #[inline]
    pub fn spin(&mut self) -> bool {
        if self.left.pauses == 0 {
            return self.give_way();
        }
        self.left.pauses -= 1;
        self.before_look -= 1;
        if self.before_look == 0 {
            self.look();
        } else {
            std::hint::spin_loop();
        }
        true
    }

    #[cold]
    fn look(&mut self) {
        self.looks += 1;
        let now = clock::ticks();
        let spun = now.wrapping_sub(*self.looked_first.get_or_insert(now));
        let disturbs = share::spinning_disturbs() || (self.rests && self.lingers_too_long(spun));
        if spun >= self.left.ticks || disturbs {
            self.left = Budget::NONE;
            self.lingering = None;
            return;
        }
        let thread = thread::current();
        let crowded = thread.last_member().is_some_and(Member::keeps_others_waiting);
        thread.crowded.set(crowded);
        self.before_look = look_every(thread);
        if crowded || self.looks.is_multiple_of(YIELD_EVERY) {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }

    /// Whether a thread that rests, and has spun for that long, takes a processor from those in regions and others that rest.
    fn lingers_too_long(&mut self, spun: u64) -> bool {
        spun > BRIEF_TICKS && self.lingering.get_or_insert_with(Lingering::new).are_too_many()
    }

    /// Yields, if that gives no time slice away. False when it is time to sleep.
    #[cold]
    fn give_way(&mut self) -> bool {
        let yielding = &thread::current().yielding;
        let began = clock::ticks();
        let since = *self.yields_since.get_or_insert(began);
        // Relaxed: written once, at start.
        let in_time = began.wrapping_sub(since) < YIELD_TICKS.load(Ordering::Relaxed);
        let may = self.yields && in_time && yielding.with(|yielding| yielding.may(began));
        if may {
            std::thread::yield_now();
            yielding.with(|yielding| yielding.learn(began, clock::ticks()));
        }
        may
    }
}

fn look_every(thread: &Thread) -> u32 {
    if thread.crowded.get() { LOOK_EVERY_CROWDED } else { LOOK_EVERY }
}

impl Default for Patience {
    fn default() -> Self {
        Patience::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::wait::{Lingering, configure};
    use vicinity_policy::waiting::WaitPolicy;
    use vicinity_policy::yielding::Yielding;

    #[test]
    fn a_thread_yields_for_a_while_and_sleeps_at_once_after_a_lost_time_slice() {
        configure(WaitPolicy::Unspecified, None, 1000);
        // The record may be another test's, whose thread lost a time slice.
        thread::current().yielding.set(Yielding::default());
        let short = || Patience::beside(1000, u64::MAX);
        let mut patience = short();
        assert!(patience.spin());
        while patience.spin() {}
        let now = clock::ticks();
        thread::current().yielding.with(|yielding| yielding.learn(now, now + 100_000_000));
        assert!(!short().spin());
    }

    #[test]
    fn who_rests_spins_on_until_all_processors_are_taken_by_threads_that_run_or_linger() {
        configure(WaitPolicy::Unspecified, None, 1000);
        let mut patience = Patience::new();
        assert!(!patience.lingers_too_long(BRIEF_TICKS) && patience.lingering.is_none());
        assert!(!patience.lingers_too_long(BRIEF_TICKS + 1) && patience.lingering.is_some());
        let others: Vec<Lingering> = (0..1000).map(|_| Lingering::new()).collect();
        assert!(patience.lingers_too_long(BRIEF_TICKS + 1));
        drop(others);
        assert!(!patience.lingers_too_long(BRIEF_TICKS + 1));
    }
}
