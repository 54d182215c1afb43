//! `Hesitation`: how the stack of a thread that waits stays bounded.

use crate::thread::{Thread, clock};
use std::time::Duration;
use vicinity_policy::waiting;

/// A thread that may run anything, and has used half of its stack, puts others' tasks on top of what it does only if nothing
/// happens for long: they may wait in turn, and so on. It does so in the end, since nobody else might, and each time it
/// waits twice as long: so the stack grows by some ten tasks a second at most, and then by one.
#[derive(Default)]
pub(super) struct Hesitation {
    since_ticks: u64,
}

/// How long a thread that hesitates sleeps before it looks again.
pub(super) const STEP: Duration = Duration::from_micros(50);

impl Hesitation {
    /// Whether the thread still hesitates.
    pub(super) fn holds(&mut self, thread: &Thread, has_room: bool) -> bool {
        if has_room {
            return false;
        }
        let now = clock::ticks();
        if self.since_ticks == 0 {
            self.since_ticks = now;
        }
        now.wrapping_sub(self.since_ticks) < waiting::hesitation_ticks(thread.piled_up.get())
    }

    /// Whether it has hesitated for long enough.
    pub(super) fn is_over(&self) -> bool {
        self.since_ticks != 0
    }

    /// Runs a task, counting it if the thread has hesitated.
    pub(super) fn pile_up<R>(&mut self, thread: &Thread, run: impl FnOnce() -> R) -> R {
        let by = u32::from(std::mem::take(&mut self.since_ticks) != 0);
        thread.piled_up.set(thread.piled_up.get() + by);
        let result = run();
        thread.piled_up.set(thread.piled_up.get() - by);
        result
    }
}
