//! Whether a worker that shares its master's processor moves to another one.
//!
//! If the kernel put it there while others were idle, moving saves milliseconds. If other programs have the
//! other processors, the worker would wait there for a time slice, which costs more than sharing with a
//! master that waits for it. How many threads want to run tells the two apart for this moment, but asking takes
//! microseconds, and the next moment may differ: so a worker asks rarely, half as often each time.
//!
//! Units: ticks of any steady clock; threads and processors are counted.

/// How long it does not ask after the first time, about 100 microseconds at 3 GHz.
const SHORTEST_TICKS: u64 = 300_000;
/// How long at most, about a second: that pays for a wrong move, a time slice of some 4 milliseconds.
const LONGEST_TICKS: u64 = 10_000 * SHORTEST_TICKS;

/// When a worker asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    not_before: u64,
    pause_ticks: u64,
}

impl Moves {
    /// True if a worker that shares its master's processor now asks whether to move.
    pub fn may_ask(&mut self, now: u64) -> bool {
        let may = now >= self.not_before;
        if may {
            self.pause_ticks = (self.pause_ticks * 2).clamp(SHORTEST_TICKS, LONGEST_TICKS);
            self.not_before = now + self.pause_ticks;
        }
        may
    }
}

/// Whether a processor must be idle, where so many threads of the whole system are running or want to run, two of
/// them on one processor, and so many processors are allowed.
pub fn one_is_idle(runnable: u32, processors: u32) -> bool {
    runnable <= processors
}

/// A move and a yield that took this long waited for another program's time slice: about 300 microseconds.
const TAKEN_TICKS: u64 = 900_000;

/// Whether the processor that a worker moved to, which took it so long, is taken by somebody else.
pub fn was_taken(move_ticks: u64) -> bool {
    move_ticks >= TAKEN_TICKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_become_rare() {
        let mut moves = Moves::default();
        let asked = (0..100_000).filter(|index| moves.may_ask(index * SHORTEST_TICKS)).count();
        assert!(moves.pause_ticks == LONGEST_TICKS);
        assert!((10..30).contains(&asked), "{asked}");
    }
}
