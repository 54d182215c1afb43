//! Which translators of this process work at a time.
//!
//! Terms: one is *in front* until its program is declared, and somebody waits for it in a build; then it is *held*, until its *turn*
//! comes to make code.
//! Policy: as many are in front as there are processors, two at least. Half as many have their turn, one at least, since each makes code
//! by as many threads as there are processors; so a build goes on beside them. Where somebody waits for code, the turn comes
//! at once. Few enough are held that they fit in memory: then the next build waits.

use crate::core::device::facts;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard};

/// Each has some tens of MiB, with a program of the usual size.
const MOST_HELD: usize = 32;

/// Where a translator is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Front,
    Held,
    Turn,
}

/// A translator's seat.
pub struct Seat(Stage);

/// How many are in each stage, and in which process.
struct Seats {
    process: u32,
    counts: [usize; 3],
}

static SEATS: Mutex<Seats> = Mutex::new(Seats { process: 0, counts: [0; 3] });
static CHANGED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Seats> {
    SEATS.lock().unwrap_or_else(|held| held.into_inner())
}

impl Seats {
    /// Those of another process are not ours.
    fn count(&mut self, stage: Stage) -> &mut usize {
        let process = std::process::id();
        if self.process != process {
            *self = Seats { process, counts: [0; 3] };
        }
        &mut self.counts[stage as usize]
    }

    fn enter(&mut self, stage: Stage) -> Stage {
        *self.count(stage) += 1;
        stage
    }

    fn leave(&mut self, stage: Stage) {
        let count = self.count(stage);
        *count = count.saturating_sub(1);
        CHANGED.notify_all();
    }
}

/// Waits until `is_free`.
fn wait_until(mut is_free: impl FnMut(&mut Seats) -> bool) -> MutexGuard<'static, Seats> {
    let mut seats = lock();
    while !is_free(&mut seats) {
        seats = CHANGED.wait(seats).unwrap_or_else(|held| held.into_inner());
    }
    seats
}

/// Something has become urgent.
pub fn look_again() {
    // Who looked before this waits by now.
    drop(lock());
    CHANGED.notify_all();
}

impl Seat {
    /// One in front, which is waited for.
    pub fn take() -> Seat {
        let most = facts().processors.len().max(2);
        let mut seats = wait_until(|seats| {
            *seats.count(Stage::Front) < most && *seats.count(Stage::Held) < MOST_HELD
        });
        Seat(seats.enter(Stage::Front))
    }

    /// Of a program that is declared.
    pub fn wait_for_turn(&mut self, is_urgent: &AtomicBool) {
        self.go_to(lock(), Stage::Held);
        let most = (facts().processors.len() / 2).max(1);
        let seats = wait_until(|seats| *seats.count(Stage::Turn) < most || is_urgent.load(Relaxed));
        self.go_to(seats, Stage::Turn);
    }

    fn go_to(&mut self, mut seats: MutexGuard<Seats>, stage: Stage) {
        seats.leave(self.0);
        self.0 = seats.enter(stage);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock().leave(self.0);
    }
}
