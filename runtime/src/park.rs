//! `Parker`: one thread's place to sleep.
//!
//! States of the word: `AWAKE` the owner runs; `ANY` the owner sleeps, or is about to, and would run
//! any task; `BOUND` likewise, but it waits inside a tied task and may run that task's descendants
//! alone; `NOTIFIED` somebody woke the owner and it has not noticed yet.
//!
//! Invariants: 1. The owner alone moves AWAKE to ANY or BOUND, and NOTIFIED to AWAKE. 2. One waker
//! wins: the move to NOTIFIED is a compare-exchange, and only the winner calls the kernel.
//! 3. `announce` is followed by a check of the awaited condition before `park` (see `team::idle` for
//! the fence that makes this safe).

use crate::sync::{AtomicU32, Ordering};

const AWAKE: u32 = 0;
const ANY: u32 = 1;
const BOUND: u32 = 2;
const NOTIFIED: u32 = 3;

/// What a sleeping thread could be woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appetite {
    /// Any task of the team.
    Any,
    /// Descendants of its suspended tied task alone.
    Bound,
}

#[derive(Default)]
pub struct Parker {
    state: AtomicU32,
    #[cfg(loom)]
    bell: loom::sync::Notify,
}

impl Parker {
    /// Owner: says that it is about to sleep.
    pub fn announce(&self, appetite: Appetite) {
        let state = if appetite == Appetite::Any { ANY } else { BOUND };
        // Relaxed: ordered against the check that follows by the caller's SeqCst fence or
        // read-modify-write (see team::idle and task::children).
        self.state.store(state, Ordering::Relaxed);
    }

    /// Owner: takes the announcement back. False if a waker came first; the wake-up is then consumed.
    pub fn retract(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        // Acquire: pairs with the Release in `wake`.
        let withdrawn = state != NOTIFIED
            && self
                .state
                .compare_exchange(state, AWAKE, Ordering::Acquire, Ordering::Acquire)
                .is_ok();
        if !withdrawn {
            self.state.store(AWAKE, Ordering::Relaxed);
        }
        withdrawn
    }

    /// Owner: sleeps until woken.
    pub fn park(&self) {
        loop {
            // Acquire: pairs with the Release in `wake`.
            let state = self.state.load(Ordering::Acquire);
            if state == NOTIFIED {
                break;
            }
            self.sleep_while(state);
        }
        self.state.store(AWAKE, Ordering::Relaxed);
    }

    /// Wakes the owner if it sleeps with `appetite`. True if this call did it.
    pub fn wake_if(&self, appetite: Appetite) -> bool {
        let state = if appetite == Appetite::Any { ANY } else { BOUND };
        self.wake_from(state)
    }

    /// Wakes the owner if it sleeps. True if this call did it.
    pub fn wake(&self) -> bool {
        self.wake_from(ANY) || self.wake_from(BOUND)
    }

    fn wake_from(&self, state: u32) -> bool {
        // Release: pairs with the Acquire in `park` and `retract`.
        let won = self.state.load(Ordering::Relaxed) == state
            && self
                .state
                .compare_exchange(state, NOTIFIED, Ordering::Release, Ordering::Relaxed)
                .is_ok();
        if won {
            self.ring();
        }
        won
    }

    #[cfg(not(loom))]
    fn sleep_while(&self, state: u32) {
        crate::futex::wait(&self.state, state);
    }

    #[cfg(not(loom))]
    fn ring(&self) {
        crate::futex::wake(&self.state, 1);
    }

    #[cfg(loom)]
    fn sleep_while(&self, _state: u32) {
        self.bell.wait();
    }

    #[cfg(loom)]
    fn ring(&self) {
        self.bell.notify();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_wake_before_park_is_not_lost() {
        let parker = Parker::default();
        parker.announce(Appetite::Any);
        assert!(!parker.wake_if(Appetite::Bound));
        assert!(parker.wake());
        assert!(!parker.wake(), "one waker wins");
        parker.park();
        parker.announce(Appetite::Bound);
        assert!(parker.retract());
        assert!(!parker.wake(), "nobody sleeps");
    }
}
