//! Which commands the thread that enqueues them carries out itself, *on the spot*, in place of handing them to a worker.
//!
//! A worker that is handed a command gets some ten lines of the cache from the other processor, which keeps both from the next command
//! for a microsecond; where it sleeps, to wake it takes five and more, and so does the wait for it. A command that takes no longer than that
//! costs less on the spot, in time and in processor time. If the program waits for it anyway, it loses nothing by somewhat longer ones, nor
//! where one thread runs all kernels.
//!
//! A command that follows one that is not finished is for whoever is at that: so a worker would stay with a program that enqueues brief
//! commands until that waits. So the program lets the worker catch up: when as many commands as a power of two wait for it, and they take
//! no longer than a moment. If that was in vain, it does not do so again until the queue was idle.
//!
//! A pure value: it is told what the program does. Units: nanoseconds.

/// What is brief for every program: about what handing a command over costs both threads, and half as much again for the estimate.
const BRIEF_NS: u64 = 3_000;
/// What is brief where the program waits: below that, launches are one block (`grain`).
const AWAITED_NS: u64 = 8_000;
/// What is brief where one worker runs all: what it takes to wake and to wait for it, where both have one processor.
const ALONE_NS: u64 = 16_000;
/// A program that waits after no more commands than that...
const FEW: u32 = 4;
/// ...so often in a row will do so again.
const ENOUGH: u8 = 2;
/// What a worker needs for a command that was handed to it, beside what the command takes.
const HANDED_NS: u64 = 1_000;
/// How long the program lets a worker catch up, at most.
const MOST_CATCH_UP_NS: u64 = 100_000;

/// The pace of the program at one queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// Commands since the program last waited.
    unawaited: u32,
    /// How often in a row it waited after few.
    soon: u8,
    /// Commands since the queue was idle, and when the second of them came.
    busy: u32,
    busy_since_ns: u64,
    /// The worker did not catch up since then.
    in_vain: bool,
}

impl Pace {
    /// A command comes in.
    pub fn enqueued(&mut self) {
        self.unawaited = self.unawaited.saturating_add(1);
    }

    /// The program waits.
    pub fn waited(&mut self) {
        // Waiting twice is waiting once.
        if self.unawaited > 0 {
            let is_soon = self.unawaited <= FEW;
            self.soon = if is_soon { self.soon.saturating_add(1).min(ENOUGH) } else { 0 };
            self.unawaited = 0;
        }
    }

    /// How long a command may take that is carried out on the spot.
    pub fn most_ns(&self, workers: usize, is_awaited: bool) -> u64 {
        let waits_soon = self.soon >= ENOUGH && self.unawaited <= FEW;
        match workers {
            0 | 1 => ALONE_NS,
            _ if is_awaited || waits_soon => AWAITED_NS,
            _ => BRIEF_NS,
        }
    }

    /// A command comes behind one that is not finished, or the queue is idle: whether to ask for `catch_up_ns`.
    pub fn follows(&mut self, is_behind: bool) -> bool {
        if !is_behind {
            (self.busy, self.in_vain) = (0, false);
            return false;
        }
        self.busy = self.busy.saturating_add(1);
        self.busy.is_power_of_two() && !self.in_vain
    }

    /// How long the program should wait for the worker to catch up, if the commands before take about as long as this one.
    pub fn catch_up_ns(&mut self, command_ns: u64, now_ns: u64) -> u64 {
        if self.busy == 1 {
            self.busy_since_ns = now_ns;
        }
        let all_ns = u64::from(self.busy).saturating_mul(command_ns.saturating_add(HANDED_NS));
        let left_ns = all_ns.saturating_sub(now_ns.saturating_sub(self.busy_since_ns));
        let is_worth_it = self.busy > 1 && command_ns <= BRIEF_NS && left_ns <= MOST_CATCH_UP_NS;
        // The estimate may be half of it.
        if is_worth_it { left_ns.max(HANDED_NS) * 2 } else { 0 }
    }

    /// It waited in vain.
    pub fn waited_in_vain(&mut self) {
        self.in_vain = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_soon_and_again_carries_out_longer_commands() {
        let mut pace = Pace::default();
        let mut most = |commands: u32| {
            (0..commands).for_each(|_| pace.enqueued());
            let most = pace.most_ns(2, false);
            (0..2).for_each(|_| pace.waited());
            most
        };
        assert_eq!([1, 4, 1, 4].map(&mut most), [BRIEF_NS, BRIEF_NS, AWAITED_NS, AWAITED_NS]);
        assert_eq!([5, 1, 1, 1].map(&mut most), [BRIEF_NS, BRIEF_NS, BRIEF_NS, AWAITED_NS]);
    }

    #[test]
    fn one_worker_and_blocking_commands_are_as_good_as_a_wait() {
        let pace = Pace::default();
        assert_eq!(pace.most_ns(1, false), ALONE_NS);
        assert_eq!(pace.most_ns(2, true), AWAITED_NS);
    }

    #[test]
    fn a_worker_may_catch_up_now_and_then_if_that_is_soon() {
        let mut pace = Pace::default();
        let mut wait = |now_ns, command_ns| {
            if pace.follows(true) { pace.catch_up_ns(command_ns, now_ns) } else { 0 }
        };
        let waits: Vec<u64> = (0..1024).map(|at| wait(1_000_000 + at * 500, 500)).collect();
        // One and a half microseconds each, less what has passed.
        assert_eq!(waits[..8], [0, 5000, 0, 9000, 0, 0, 0, 17_000]);
        assert_eq!(waits.iter().filter(|&&ns| ns > 0).count(), 6, "too many wait then");
        assert!(!pace.follows(false));
        assert!(pace.follows(true) && pace.catch_up_ns(BRIEF_NS + 1, 0) == 0);
        assert!(pace.follows(true) && pace.catch_up_ns(BRIEF_NS + 1, 0) == 0);
        pace.waited_in_vain();
        assert!((0..100).all(|_| !pace.follows(true)));
        assert!(!pace.follows(false));
        assert!(pace.follows(true));
    }
}
