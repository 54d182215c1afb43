//! `Latch`: a count that threads wait for: the tasks of a handle or a group of the C API.
//!
//! Protocol. Whoever adds work counts it in before it can finish; whoever finishes some counts it out.
//! A waiter that is about to sleep sets `WAITING`. The one that brings the count to zero then turns
//! `WAITING` into `WAKING`, wakes the waiter's team, and only then clears `WAKING`, its last access; a
//! waiter leaves only when that bit is clear too, so its team is still the one that is woken.
//!
//! Layout of the word: bit 0 `WAITING`, bit 1 `WAKING`, the count from bit 2.
//!
//! Invariant: sleepers of a latch belong to one team, `team`: that of the first that wanted to sleep.
//! Threads of other teams wait awake.

use crate::sync::{AtomicU64, Ordering};
use crate::team::Team;
use crate::team::find::Choice;
use crate::team::help::{Goal, help};
use crate::{thread, wait};
use std::ptr;
use std::sync::atomic::AtomicPtr;

const WAITING: u64 = 1;
const WAKING: u64 = 2;
const ONE: u64 = 4;

#[derive(Default)]
pub struct Latch {
    word: AtomicU64,
    team: AtomicPtr<Team>,
}

impl Latch {
    /// A latch that `count` finishes open.
    pub fn new(count: u32) -> Latch {
        Latch { word: AtomicU64::new(u64::from(count) * ONE), ..Latch::default() }
    }

    /// Counts in; the caller itself is counted, or nobody waits yet. Relaxed: the work is published with
    /// the task.
    pub fn add(&self) {
        self.word.fetch_add(ONE, Ordering::Relaxed);
    }

    /// Counts one out. True if it was the last.
    pub fn finish(&self) -> bool {
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let last = word / ONE == 1;
            let wake = last && word & WAITING != 0;
            let next = if wake { WAKING } else { word - ONE };
            // AcqRel: Release publishes the work to `is_open`; Acquire sees the waiter's team.
            match self.word.compare_exchange_weak(word, next, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) if wake => {
                    self.wake();
                    return true;
                }
                Ok(_) => return last,
                Err(now) => word = now,
            }
        }
    }

    #[cold]
    fn wake(&self) {
        // Relaxed: written before the WAITING that was acquired in `finish`.
        let team = self.team.load(Ordering::Relaxed);
        // SAFETY: teams are never deallocated.
        #[allow(unsafe_code)]
        if let Some(team) = unsafe { team.as_ref() } {
            team.idle.wake_all(team.parkers());
        }
        // Release: the waiter leaves after this. Work may have been added meanwhile: its bits stay.
        self.word.fetch_and(!WAKING, Ordering::Release);
    }

    /// Whether nothing is counted in. Acquire: pairs with the Release in `finish`.
    pub fn is_open(&self) -> bool {
        self.word.load(Ordering::Acquire) / ONE == 0
    }

    /// Waits until the latch is open, helping with tasks meanwhile.
    pub fn wait(&self, choice: Choice) {
        if !self.is_open() {
            let thread = thread::current();
            let team = ptr::from_ref(thread.member().team()).cast_mut();
            // Relaxed: published with WAITING.
            let none = ptr::null_mut();
            let (relaxed, set) = (Ordering::Relaxed, self.team.load(Ordering::Relaxed));
            let ours =
                set == team || self.team.compare_exchange(none, team, relaxed, relaxed).is_ok();
            help(thread, choice, &Opening { latch: self, can_sleep: ours });
        }
        // Acquire: pairs with the Release in `wake`.
        wait::until(|| self.word.load(Ordering::Acquire) & WAKING == 0);
    }
}

struct Opening<'a> {
    latch: &'a Latch,
    can_sleep: bool,
}

impl Goal for Opening<'_> {
    fn is_met(&self) -> bool {
        self.latch.is_open()
    }

    fn arm(&self) -> bool {
        // Release: publishes the team, and the announcement that the thread sleeps, to `finish`.
        self.latch.word.fetch_or(WAITING, Ordering::AcqRel) / ONE == 0
    }

    fn can_wake(&self) -> bool {
        self.can_sleep
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn opens_with_the_last_finish() {
        let latch = Latch::new(1);
        latch.add();
        assert!(!latch.finish() && !latch.is_open());
        assert!(latch.finish() && latch.is_open());
        latch.wait(Choice::Any);
    }

    #[test]
    fn a_sleeper_is_woken() {
        let latch = Latch::new(1);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                latch.finish();
            });
            latch.wait(Choice::Any);
        });
        assert!(latch.is_open());
    }
}
