//! The queues: one own queue for each thread, one queue for each location.
//!
//! An owner takes the newest of its own tasks, everybody else the oldest; location queues are first in, first
//! out. Lengths are followed over time. Units: picoseconds, tasks.

use std::collections::VecDeque;

use vicinity_policy::topology::LocationId;

use crate::program::TaskId;

#[derive(Default)]
struct Followed {
    tasks: VecDeque<TaskId>,
    longest: u32,
    /// Length times time, up to `since_ps`.
    area: u128,
    since_ps: u64,
}

impl Followed {
    fn account(&mut self, now_ps: u64) {
        let passed = now_ps.saturating_sub(self.since_ps);
        self.area += u128::from(passed) * self.tasks.len() as u128;
        self.since_ps = self.since_ps.max(now_ps);
    }
}

/// All queues of a team.
pub struct Queues {
    own: Vec<VecDeque<TaskId>>,
    locations: Vec<Followed>,
    /// Tasks in all of them.
    pub queued: usize,
}

impl Queues {
    pub fn new(threads: usize, locations: usize) -> Queues {
        let locations = (0..locations).map(|_| Followed::default()).collect();
        Queues { own: vec![VecDeque::new(); threads], locations, queued: 0 }
    }

    pub fn own_len(&self, thread: u32) -> usize {
        self.own[thread as usize].len()
    }

    pub fn location_len(&self, at: LocationId) -> usize {
        self.locations[at.index()].tasks.len()
    }

    pub fn push_own(&mut self, thread: u32, task: TaskId) {
        self.own[thread as usize].push_back(task);
        self.queued += 1;
    }

    pub fn push_location(&mut self, at: LocationId, task: TaskId, now_ps: u64) {
        let queue = &mut self.locations[at.index()];
        queue.account(now_ps);
        queue.tasks.push_back(task);
        queue.longest = queue.longest.max(queue.tasks.len() as u32);
        self.queued += 1;
    }

    /// The newest that may be taken.
    pub fn pop_own(&mut self, thread: u32, may: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        let queue = &mut self.own[thread as usize];
        let at = queue.iter().rposition(|&task| may(task))?;
        self.queued -= 1;
        queue.remove(at)
    }

    /// The oldest of another thread that may be taken.
    pub fn steal_own(&mut self, thread: u32, may: impl Fn(TaskId) -> bool) -> Option<TaskId> {
        let queue = &mut self.own[thread as usize];
        let at = queue.iter().position(|&task| may(task))?;
        self.queued -= 1;
        queue.remove(at)
    }

    /// The oldest at a location that may be taken.
    pub fn take_location(
        &mut self,
        at: LocationId,
        now_ps: u64,
        may: impl Fn(TaskId) -> bool,
    ) -> Option<TaskId> {
        let queue = &mut self.locations[at.index()];
        let position = queue.tasks.iter().position(|&task| may(task))?;
        queue.account(now_ps);
        self.queued -= 1;
        queue.tasks.remove(position)
    }

    /// Longest and mean length of each location's queue, from 0 to `end_ps`.
    pub fn lengths(&mut self, end_ps: u64) -> (Vec<u32>, Vec<f64>) {
        let end = end_ps.max(1) as f64;
        self.locations.iter_mut().for_each(|queue| queue.account(end_ps));
        let longest = self.locations.iter().map(|queue| queue.longest).collect();
        (longest, self.locations.iter().map(|queue| queue.area as f64 / end).collect())
    }
}
