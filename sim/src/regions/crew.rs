//! The threads of a team between two constructs: when each goes on, and how it waited until then.
//!
//! Units: picoseconds.

use super::lines::{Line, Seats};
use std::ops::Range;
use vicinity_policy::tree;
use vicinity_policy::waiting::{Habits, WaitPolicy, Waited, is_learned, spin_budget};

/// Ticks of the clock that the policy counts in, in 1,000 ps.
const TICKS: u64 = 3;
/// What the kernel takes to wake a thread, of whoever asks for it. Our assumption.
const CALL_PS: u64 = 1_500_000;
/// From the call to the first instruction of the thread: about what the policy takes it for.
const WAKE_PS: u64 = 40_000_000;

/// One thread.
#[derive(Clone, Default)]
struct Thread {
    /// When it goes on, or from when on it waits.
    at_ps: u64,
    habits: Habits,
    /// The place of the program after which it waits.
    place: usize,
    spun_ps: u64,
}

/// The threads of a team.
pub struct Crew<'a> {
    pub seats: Seats<'a>,
    threads: Vec<Thread>,
    policy: WaitPolicy,
    pub wakes: u64,
    /// Of shared lines, by thread.
    pub writes: Vec<u64>,
}

impl<'a> Crew<'a> {
    pub fn new(seats: Seats<'a>, policy: WaitPolicy) -> Crew<'a> {
        let size = seats.at.len();
        let threads = vec![Thread::default(); size];
        Crew { seats, threads, policy, wakes: 0, writes: vec![0; size] }
    }

    pub fn size(&self) -> u32 {
        self.threads.len() as u32
    }

    pub fn at_ps(&self, thread: u32) -> u64 {
        self.threads[thread as usize].at_ps
    }

    /// All processor time that was spent on spinning.
    pub fn spun_ps(&self) -> u64 {
        self.threads.iter().map(|thread| thread.spun_ps).sum()
    }

    /// The thread is at work for so long.
    pub fn works(&mut self, thread: u32, for_ps: u64) {
        self.threads[thread as usize].at_ps += for_ps;
    }

    /// The thread writes a line, and goes on then.
    pub fn writes(&mut self, thread: u32, line: &mut Line) {
        let at_ps = line.write(thread, self.at_ps(thread), &self.seats);
        self.threads[thread as usize].at_ps = at_ps;
        self.writes[thread as usize] += 1;
    }

    /// The thread writes the lines of these others, all at once, and goes on when it has written the last; when each is
    /// written.
    pub fn writes_each(&mut self, thread: u32, others: &[u32], lines: &mut [Line]) -> Vec<u64> {
        let from_ps = self.at_ps(thread);
        let write = |&other: &u32| lines[other as usize].write(thread, from_ps, &self.seats);
        let written: Vec<u64> = others.iter().map(write).collect();
        self.threads[thread as usize].at_ps = written.iter().copied().fold(from_ps, u64::max);
        self.writes[thread as usize] += others.len() as u64;
        written
    }

    /// The thread looks at a line that nobody writes before `from_ps`, and goes on then.
    pub fn reads(&mut self, thread: u32, line: &mut Line, from_ps: u64) {
        let at_ps = self.at_ps(thread).max(from_ps);
        self.threads[thread as usize].at_ps = line.read(thread, at_ps, &self.seats);
    }

    /// From here on the thread waits, after this place of the program.
    pub fn waits_after(&mut self, thread: u32, place: usize) {
        self.threads[thread as usize].place = place;
    }

    /// How long the thread spins where it waits now.
    fn patience_ps(&self, thread: u32) -> u64 {
        let Thread { habits, place, .. } = &self.threads[thread as usize];
        let most = spin_budget(self.policy, None).ticks;
        let learns = is_learned(self.policy, None);
        let ticks = if learns { habits.ticks(*place, most) } else { most };
        ticks * 1000 / TICKS
    }

    /// Whether a thread that waits sleeps at that time.
    pub fn sleeps(&self, thread: u32, at_ps: u64) -> bool {
        at_ps > self.at_ps(thread) + self.patience_ps(thread)
    }

    /// The wait of a thread ends at that time, and the thread learns of it.
    pub fn ends_wait(&mut self, thread: u32, at_ps: u64) {
        let patience_ps = self.patience_ps(thread);
        let state = &mut self.threads[thread as usize];
        let waited_ps = at_ps.saturating_sub(state.at_ps);
        state.spun_ps += waited_ps.min(patience_ps);
        let waited = match waited_ps > patience_ps {
            false => Waited::Awake,
            true => Waited::Asleep { ticks: waited_ps * TICKS / 1000 },
        };
        state.habits.learn(state.place, waited);
        state.at_ps = state.at_ps.max(at_ps);
    }

    /// A thread wakes another, which sleeps, and both go on.
    pub fn wakes(&mut self, waker: u32, sleeper: u32) {
        self.works(waker, CALL_PS);
        self.ends_wait(sleeper, self.at_ps(waker) + WAKE_PS);
        self.wakes += 1;
    }

    /// Threads arrive at counters, level by level; the last of all.
    pub fn arrive(&mut self, threads: Range<u32>, levels: &mut [Vec<Line>]) -> u32 {
        let mut arriving: Vec<(u32, u32)> = threads.zip(0..).collect();
        for level in levels {
            let size = arriving.len() as u32;
            arriving.sort_by_key(|&(thread, num)| (self.at_ps(thread), num));
            let mut arrived = vec![0; level.len()];
            let mut above = Vec::new();
            for (thread, num) in arriving {
                let counter = tree::counter(num, size);
                let number = counter.number as usize;
                self.writes(thread, &mut level[number]);
                arrived[number] += 1;
                if arrived[number] == counter.expected {
                    above.push((thread, counter.number));
                }
            }
            arriving = above;
        }
        arriving[0].0
    }
}

/// The counters of a team of `size`, up to the root.
pub fn counters(size: u32) -> Vec<Vec<Line>> {
    let above = |&count: &u32| (count > 1).then(|| count.div_ceil(tree::ARRIVALS));
    let counts = std::iter::successors(Some(size.div_ceil(tree::ARRIVALS)), above);
    counts.map(|count| vec![Line::default(); count as usize]).collect()
}
