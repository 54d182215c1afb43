//! `Parker`: one thread's place to sleep.
//!
//! States of the word (bits 0 and 1): `AWAKE` the owner runs; `ANY` the owner sleeps, or is about to,
//! and would run any task; `BOUND` likewise, but it waits inside a tied task and may run that task's
//! descendants alone; `NOTIFIED` somebody woke the owner and it has not noticed yet. In `ANY` and
//! `BOUND` the other bits say with which `Idle` it sleeps: a thread that a team knows may meanwhile
//! sit in another one, and a wake-up meant for the first must not be spent there. `CAPTURED` the owner slept
//! in `ANY`, or was about to, and sleeps on until its captor resumes it.
//!
//! Invariants: 1. The owner alone moves AWAKE to ANY or BOUND, and NOTIFIED to AWAKE. 2. One waker
//! wins: the move to NOTIFIED is a compare-exchange, and only the winner calls the kernel.
//! 3. `announce` is followed by a check of the awaited condition before `park` (see `team::idle` for
//! the fence that makes this safe).

use crate::effort;
use crate::sync::{AtomicU32, Ordering};

const AWAKE: u32 = 0;
const ANY: u32 = 1;
const BOUND: u32 = 2;
const NOTIFIED: u32 = 3;
/// As no number of an `Idle` with either low bit reads.
const CAPTURED: u32 = 4;

/// What a sleeping thread could be woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appetite {
    /// Any task of the team.
    Any,
    /// Descendants of its suspended tied task alone.
    Bound,
}

/// The word of an owner that sleeps.
fn asleep(idle: u32, appetite: Appetite) -> u32 {
    idle << 2 | if appetite == Appetite::Any { ANY } else { BOUND }
}

#[derive(Default)]
pub struct Parker {
    state: AtomicU32,
    #[cfg(loom)]
    bell: loom::sync::Notify,
}

impl Parker {
    /// Owner: says that it is about to sleep with the `Idle` of this number.
    pub fn announce(&self, idle: u32, appetite: Appetite) {
        let state = asleep(idle, appetite);
        // Release: pairs with the Acquire in `capture`. Ordered against the check that follows by the
        // caller's SeqCst fence or read-modify-write (see team::idle and task::children).
        self.state.store(state, Ordering::Release);
    }

    /// Owner: takes the announcement back. False if a waker came first, whose wake-up is then consumed, or a
    /// captor, whose `resume` is then awaited: both have counted the owner as gone already.
    pub fn retract(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        // Acquire: pairs with the Release in `wake`.
        let withdrawn = state != NOTIFIED
            && state != CAPTURED
            && self
                .state
                .compare_exchange(state, AWAKE, Ordering::Acquire, Ordering::Acquire)
                .is_ok();
        if !withdrawn {
            self.park();
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

    /// Wakes the owner if it sleeps there with `appetite`. True if this call did it.
    pub fn wake_if(&self, idle: u32, appetite: Appetite) -> bool {
        self.wake_from(asleep(idle, appetite))
    }

    /// Wakes the owner if it sleeps there. True if this call did it.
    pub fn wake(&self, idle: u32) -> bool {
        self.wake_if(idle, Appetite::Any) || self.wake_if(idle, Appetite::Bound)
    }

    /// Keeps the owner asleep, if it sleeps there for any task, until `resume`: nobody else wakes it.
    pub fn capture(&self, idle: u32) -> bool {
        let state = asleep(idle, Appetite::Any);
        // Acquire: what the owner did before `announce` happens before what the captor does now; pairs
        // with the Release there. The owner may still be making its last check.
        self.state.load(Ordering::Relaxed) == state
            && self
                .state
                .compare_exchange(state, CAPTURED, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
    }

    /// Captor: wakes the owner.
    pub fn resume(&self) {
        effort::writes(&self.state);
        // Release: pairs with the Acquire in `park`.
        self.state.store(NOTIFIED, Ordering::Release);
        self.ring();
    }

    fn wake_from(&self, state: u32) -> bool {
        // Release: pairs with the Acquire in `park` and `retract`.
        effort::looks(1);
        let won = self.state.load(Ordering::Relaxed) == state
            && self
                .state
                .compare_exchange(state, NOTIFIED, Ordering::Release, Ordering::Relaxed)
                .is_ok();
        if won {
            effort::writes(&self.state);
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
        parker.announce(7, Appetite::Any);
        assert!(!parker.wake_if(7, Appetite::Bound));
        assert!(!parker.wake(8), "it sleeps elsewhere");
        assert!(parker.wake(7));
        assert!(!parker.wake(7), "one waker wins");
        parker.park();
        parker.announce(7, Appetite::Bound);
        assert!(parker.retract());
        assert!(!parker.wake(7), "nobody sleeps");
    }
}
