//! Cache lines that threads share, in virtual time.
//!
//! A line is with the thread that wrote it last. To write it, another thread waits until those before it have, and then for as long
//! as an access to the memory at that thread's location takes. Looks at what was written are answered one after another too.
//!
//! Units: picoseconds.

use crate::machine::Machine;
use vicinity_policy::topology::LocationId;

/// Writing a line that the thread has: 20 cycles or so of an exclusive operation.
const OWN_PS: u64 = 8_000;
/// How long a look keeps a line from answering the next. Our assumption.
const ANSWER_PS: u64 = 10_000;

/// Where the threads are.
pub struct Seats<'a> {
    pub machine: &'a Machine,
    pub at: Vec<LocationId>,
}

impl Seats<'_> {
    /// How long a line takes from one thread to another.
    fn way_ps(&self, from: u32, to: u32) -> u64 {
        let at = |thread: u32| self.at[thread as usize];
        if from == to { OWN_PS } else { self.machine.latency_ps(at(to), at(from)) }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    holder: u32,
    free_ps: u64,
    /// How often it was written.
    pub writes: u64,
}

impl Line {
    /// A line that this thread wrote last.
    pub fn of(holder: u32) -> Line {
        Line { holder, ..Line::default() }
    }

    /// A thread writes from `at_ps` on; when it has done so.
    pub fn write(&mut self, thread: u32, at_ps: u64, seats: &Seats) -> u64 {
        self.free_ps = at_ps.max(self.free_ps) + seats.way_ps(self.holder, thread);
        self.holder = thread;
        self.writes += 1;
        self.free_ps
    }

    /// A thread writes and does not wait until it has.
    pub fn leave(&mut self, thread: u32) {
        self.holder = thread;
    }

    /// A thread that looks from `at_ps` on sees what was written; when.
    pub fn read(&mut self, thread: u32, at_ps: u64, seats: &Seats) -> u64 {
        let answered_ps = at_ps.max(self.free_ps);
        if thread != self.holder {
            self.free_ps = answered_ps + ANSWER_PS;
        }
        answered_ps + seats.way_ps(self.holder, thread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_policy::presets;

    #[test]
    fn writers_wait_for_each_other_and_for_the_way() {
        let machine = Machine::new(presets::named("opteron6172").expect("a known machine"));
        let at = vec![LocationId(0), LocationId(0), LocationId(3)];
        let seats = Seats { machine: &machine, at };
        let mut line = Line::of(0);
        assert_eq!(line.write(0, 1_000, &seats), 9_000);
        assert_eq!(line.write(1, 2_000, &seats), 9_000 + 75_000);
        assert_eq!(line.write(2, 500_000, &seats), 500_000 + 165_000);
        assert_eq!(line.writes, 3);
        assert_eq!(line.read(0, 0, &seats), 665_000 + 165_000);
        assert_eq!(line.read(1, 0, &seats), 665_000 + ANSWER_PS + 165_000);
    }
}
