//! Waiting: how long to spin, when to give way, and whether processors are short.
//!
//! Terms: a thread is *runnable* while it takes part in a region; processors are *short* while there
//! are more runnable threads than processors this process may use. Then spinning would only keep
//! others from running, so who waits yields, and soon sleeps.
//!
//! A thread *lingers* while it spins outside of every region, and has done so for longer than a wake-up takes.
//!
//! `RUNNABLE` counts threads beyond the first of each region; it is a hint, so all accesses are Relaxed. So it is with
//! `LINGERING`.

mod patience;

pub use patience::Patience;

use crate::effort;
use crate::share;
use crate::thread::{Thread, clock};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use vicinity_policy::{
    waiting::{self, Budget, Waited},
    yielding,
};

static RUNNABLE: AtomicI32 = AtomicI32::new(1);
static LINGERING: AtomicI32 = AtomicI32::new(0);
/// What a thread spins before it sleeps, unless processors are short: a `Budget`.
static SPIN_PAUSES: AtomicU64 = AtomicU64::new(0);
static SPIN_TICKS: AtomicU64 = AtomicU64::new(0);
/// For how long it yields before it sleeps, if they are.
static YIELD_TICKS: AtomicU64 = AtomicU64::new(0);
/// Nobody said how long to spin.
static LEARNS: AtomicBool = AtomicBool::new(false);
static PROCESSORS: AtomicI32 = AtomicI32::new(i32::MAX);

/// Takes the policy from the settings, once at start.
pub fn configure(policy: waiting::WaitPolicy, asked: Option<Budget>, processors: u32) {
    let budget = waiting::spin_budget(policy, asked);
    SPIN_PAUSES.store(budget.pauses, Ordering::Relaxed);
    SPIN_TICKS.store(budget.ticks, Ordering::Relaxed);
    YIELD_TICKS.store(yielding::most_ticks(policy, asked), Ordering::Relaxed);
    LEARNS.store(waiting::is_learned(policy, asked), Ordering::Relaxed);
    PROCESSORS.store(processors as i32, Ordering::Relaxed);
}

/// `count` more threads are runnable; negative when a region ends.
pub fn add_runnable(count: i32) {
    effort::writes(&RUNNABLE);
    RUNNABLE.fetch_add(count, Ordering::Relaxed);
}

/// In a forked child: the only thread is the caller.
pub fn forget_others() {
    RUNNABLE.store(1, Ordering::Relaxed);
    LINGERING.store(0, Ordering::Relaxed);
}

pub fn processors_short() -> bool {
    are_short_beside(0)
}

/// Whether processors are short, `more` threads running that do not count.
fn are_short_beside(more: u32) -> bool {
    RUNNABLE.load(Ordering::Relaxed) + more as i32 > PROCESSORS.load(Ordering::Relaxed)
        || share::spinning_disturbs()
}

/// A thread that lingers is counted as long as it has this.
struct Lingering;

impl Lingering {
    fn new() -> Lingering {
        LINGERING.fetch_add(1, Ordering::Relaxed);
        Lingering
    }

    /// Whether there are more of them than processors that nobody runs on.
    fn are_too_many(&self) -> bool {
        are_short_beside(lingering())
    }
}

/// How many threads linger: the system counts them as running.
pub fn lingering() -> u32 {
    LINGERING.load(Ordering::Relaxed) as u32
}

impl Drop for Lingering {
    fn drop(&mut self) {
        LINGERING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How long a wait that begins now may spin.
pub fn budget() -> Budget {
    budget_if(processors_short())
}

/// With more runnable threads than processors, a waiting thread gives way at once, whatever was asked for.
fn budget_if(short: bool) -> Budget {
    if short {
        return Budget::NONE;
    }
    // Relaxed, both: written once, at start. A program that sets them may see them mixed once.
    Budget {
        pauses: SPIN_PAUSES.load(Ordering::Relaxed),
        ticks: SPIN_TICKS.load(Ordering::Relaxed),
    }
}

/// One wait of a thread that learns how long its waits after some place of the program are, if there is such a place and
/// nobody said how long to spin.
pub struct Wait<'a> {
    thread: &'a Thread,
    place: Option<usize>,
    /// How long it still spins; none before it begins to: many threads that wait find something else to do.
    spinning: Option<Patience>,
    /// Outside of every region.
    rests: bool,
    has_slept: bool,
}

impl<'a> Wait<'a> {
    /// `place`: an address in the program.
    pub fn after(place: Option<usize>, thread: &'a Thread) -> Wait<'a> {
        Wait { thread, place, spinning: None, rests: false, has_slept: false }
    }

    /// The same, outside of every region.
    pub fn resting_after(place: Option<usize>, thread: &'a Thread) -> Wait<'a> {
        Wait { rests: true, ..Wait::after(place, thread) }
    }

    /// Spins a little. False when it is time to sleep.
    #[inline]
    pub fn spin(&mut self) -> bool {
        match &mut self.spinning {
            Some(patience) => patience.spin(),
            None => self.begin(),
        }
    }

    #[inline(never)]
    fn begin(&mut self) -> bool {
        let mut patience = Patience::new();
        patience.rests = self.rests;
        // Relaxed: written once, at start.
        let learns = patience.left.pauses > 0 && LEARNS.load(Ordering::Relaxed);
        self.place = self.place.filter(|_| learns);
        if let Some(place) = self.place {
            let most = patience.left.ticks;
            patience.left.ticks = self.thread.habits.with(|habits| habits.ticks(place, most));
        }
        self.spinning.insert(patience).spin()
    }

    /// The thread did something else, or was woken: it begins to wait anew.
    pub fn begin_anew(&mut self) {
        self.spinning = None;
    }

    /// Has the thread sleep.
    pub fn sleep<R>(&mut self, sleep: impl FnOnce() -> R) -> R {
        let Some(place) = self.place else { return sleep() };
        let now = clock::ticks();
        let began = self.spinning.as_ref().and_then(|it| it.looked_first).unwrap_or(now);
        let result = sleep();
        let waited = Waited::Asleep { ticks: clock::ticks().wrapping_sub(began) };
        self.thread.habits.with(|habits| habits.learn(place, waited));
        self.has_slept = true;
        result
    }

    /// It is over.
    pub fn end(self) {
        if let (Some(place), Some(_)) = (self.place, &self.spinning)
            && !self.has_slept
        {
            self.thread.habits.with(|habits| habits.learn(place, Waited::Awake));
        }
    }
}

/// Returns when `done` does: for short waits without a wake-up and without tasks to help with. Spins,
/// or yields if processors are short, then sleeps a little at a time.
pub fn until(done: impl FnMut() -> bool) {
    until_beside(0, done);
}

/// The same, while `more` threads run that do not count as runnable: those of a region that has ended.
pub fn until_beside(more: u32, mut done: impl FnMut() -> bool) {
    const NAP: std::time::Duration = std::time::Duration::from_micros(20);
    const SHORT_TICKS: u64 = 2 * waiting::BRIEF_TICKS;
    let mut patience = Patience::beside(more, SHORT_TICKS);
    while !done() {
        if !patience.spin() {
            std::thread::sleep(NAP);
        }
    }
}

/// Waits for so many ticks of the clock: for less than it takes to look at what another thread writes.
pub fn pause(ticks: u64) {
    let begins = clock::ticks();
    while clock::ticks().wrapping_sub(begins) < ticks {
        std::hint::spin_loop();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::thread;

    #[test]
    fn a_thread_learns_to_sleep_at_once_and_to_spin_again() {
        configure(waiting::WaitPolicy::Unspecified, None, 1000);
        let thread = thread::current();
        let wait = || {
            let mut wait = Wait::after(Some(0x1230), thread);
            wait.spin();
            wait
        };
        let left = |wait: &Wait| wait.spinning.as_ref().map(|patience| patience.left.ticks);
        let most = budget().ticks;
        let nap = || std::thread::sleep(std::time::Duration::from_millis(10));
        for _ in 0..2 {
            let mut wait = wait();
            assert_eq!(left(&wait), Some(most));
            wait.sleep(nap);
            wait.begin_anew();
            wait.end();
        }
        assert_eq!(left(&wait()), Some(waiting::BRIEF_TICKS));
        wait().end();
        assert_eq!(left(&wait()), Some(most));
    }
}
