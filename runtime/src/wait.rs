//! Waiting: how long to spin, when to give way, and whether processors are short.
//!
//! Terms: a thread is *runnable* while it takes part in a region; processors are *short* while there
//! are more runnable threads than processors this process may use. Then spinning would only keep
//! others from running, so waiting gives way at once.
//!
//! `RUNNABLE` counts threads beyond the first of each region; it is a hint, so all accesses are Relaxed.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use vicinity_policy::waiting;

static RUNNABLE: AtomicI32 = AtomicI32::new(1);
/// Pauses before sleeping, without and with processors being short.
static BUDGET: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
static PROCESSORS: AtomicI32 = AtomicI32::new(i32::MAX);

/// Takes the policy from the settings, once at start.
pub fn configure(policy: waiting::WaitPolicy, asked: Option<u32>, processors: u32) {
    for (short, budget) in BUDGET.iter().enumerate() {
        budget.store(waiting::spin_budget(policy, asked, short == 1), Ordering::Relaxed);
    }
    PROCESSORS.store(processors as i32, Ordering::Relaxed);
}

/// `count` more threads are runnable; negative when a region ends.
pub fn add_runnable(count: i32) {
    RUNNABLE.fetch_add(count, Ordering::Relaxed);
}

/// In a forked child: the only thread is the caller.
pub fn forget_others() {
    RUNNABLE.store(1, Ordering::Relaxed);
}

pub fn processors_short() -> bool {
    RUNNABLE.load(Ordering::Relaxed) > PROCESSORS.load(Ordering::Relaxed)
}

/// The spin budget of a wait that begins now, in pauses.
pub fn budget() -> u32 {
    BUDGET[usize::from(processors_short())].load(Ordering::Relaxed)
}

/// Pauses between two yields, about 3 microseconds: whom this thread waits for may be queued behind it on
/// the same processor, when another process has the others.
const YIELD_EVERY: u32 = 64;

/// One wait's spinning.
pub struct Patience {
    left: u32,
}

impl Patience {
    pub fn new() -> Patience {
        Patience { left: budget() }
    }

    /// At most so many pauses.
    pub fn at_most(pauses: u32) -> Patience {
        Patience { left: budget().min(pauses) }
    }

    /// Spins a little. False when it is time to sleep.
    #[inline]
    pub fn spin(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if self.left.is_multiple_of(YIELD_EVERY) {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
        true
    }
}

impl Default for Patience {
    fn default() -> Self {
        Patience::new()
    }
}

/// Returns when `done` does: for short waits without a wake-up and without tasks to help with. Spins,
/// then yields, then sleeps a little at a time.
pub fn until(mut done: impl FnMut() -> bool) {
    const YIELDS: u32 = 64;
    const NAP: std::time::Duration = std::time::Duration::from_micros(20);
    let mut patience = Patience::at_most(2000);
    let mut yields = 0;
    while !done() {
        if patience.spin() {
            continue;
        }
        yields += 1;
        if yields < YIELDS {
            std::thread::yield_now();
        } else {
            std::thread::sleep(NAP);
        }
    }
}
