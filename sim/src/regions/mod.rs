//! Parallel regions, barriers and reductions in virtual time: what a program without tasks costs with many threads.
//!
//! Who starts, wakes and waits for whom, and whose values are combined by whom, is decided by `policy::tree`, and how long a thread
//! spins before it sleeps by `policy::waiting`, as in the runtime. What is decided here is what cache lines (`lines`) and wake-ups
//! (`crew`) cost. The order of operations is that of `runtime/src/team`.
//!
//! A thread that waits for a region looks at a line of its own, one that waits at a barrier at a line of all. Threads that sleep at the
//! end of a region sleep on until the next has work for them.
//!
//! Units: picoseconds.

mod crew;
mod lines;

use crate::engine::Stuck;
use crate::engine::seats;
use crate::machine::Machine;
use crew::{Crew, counters};
use lines::{Line, Seats};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use vicinity_policy::tree;
use vicinity_policy::waiting::WaitPolicy;

/// What a program does over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// A parallel region.
    Region,
    /// A barrier within one region.
    Barrier,
    /// A reduction, and the barrier behind it, within one region.
    Sum,
}

impl Construct {
    pub const WORDS: &[(&str, Construct)] =
        &[("region", Construct::Region), ("barrier", Construct::Barrier), ("sum", Construct::Sum)];
}

/// What to simulate.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    pub machine: &'a Machine,
    pub construct: Construct,
    pub threads: u32,
    pub policy: WaitPolicy,
    /// Of each thread, between two constructs.
    pub work_ps: u64,
    /// Of the first thread alone, after each construct.
    pub gap_ps: u64,
}

/// What one construct costs, in the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// From its beginning to its end for the first thread, without the work.
    pub time_ps: u64,
    /// Processor time of all threads that spin.
    pub spun_ps: u64,
    pub wakes: f64,
    /// The most writes of shared lines by one thread, and of one line.
    pub writes_by_one: u64,
    pub writes_of_one: u64,
}

/// Constructs before those that count: threads learn how long their waits are.
const WARM_UP: u64 = 10;
const ROUNDS: u64 = 50;
/// Places of a program; the end of a region is another than its beginning.
const START: usize = 0x1000;
const END: usize = 0x1010;
const MIDDLE: usize = 0x1020;

/// Runs the program.
pub fn run(setup: &Setup) -> Result<Cost, Stuck> {
    let at = seats(setup.machine, setup.threads)?;
    let mut team = Team::new(Seats { machine: setup.machine, at }, setup);
    if setup.construct != Construct::Region {
        team.fork();
    }
    (0..WARM_UP).for_each(|_| team.round());
    let before = team.sum();
    (0..ROUNDS).for_each(|_| team.round());
    let after = team.sum();
    Ok(Cost {
        time_ps: (after.time_ps - before.time_ps) / ROUNDS - setup.work_ps - setup.gap_ps,
        spun_ps: (after.spun_ps - before.spun_ps) / ROUNDS,
        wakes: (after.wakes - before.wakes) / ROUNDS as f64,
        writes_by_one: (after.writes_by_one - before.writes_by_one).div_ceil(ROUNDS),
        writes_of_one: (after.writes_of_one - before.writes_of_one).div_ceil(ROUNDS),
    })
}

struct Team<'a> {
    setup: &'a Setup<'a>,
    crew: Crew<'a>,
    /// What a worker waits at for a region.
    orders: Vec<Line>,
    arrivals: Vec<Vec<Line>>,
    /// Some slept on at the end of the last region: the first thread looks at each.
    some_slept: bool,
    epoch: Line,
    offers: Vec<Line>,
}

impl<'a> Team<'a> {
    fn new(seats: Seats<'a>, setup: &'a Setup<'a>) -> Team<'a> {
        let own = || (0..setup.threads).map(Line::of).collect();
        Team {
            crew: Crew::new(seats, setup.policy),
            orders: own(),
            arrivals: counters(setup.threads),
            some_slept: false,
            epoch: Line::default(),
            offers: own(),
            setup,
        }
    }

    /// All until now.
    fn sum(&self) -> Cost {
        let groups = self.arrivals.iter().flatten();
        let lines = groups.chain(&self.orders).chain(&self.offers).chain([&self.epoch]);
        Cost {
            time_ps: self.crew.at_ps(0),
            spun_ps: self.crew.spun_ps(),
            wakes: self.crew.wakes as f64,
            writes_by_one: self.crew.writes.iter().copied().max().unwrap_or(0),
            writes_of_one: lines.map(|line| line.writes).max().unwrap_or(0),
        }
    }

    fn round(&mut self) {
        match self.setup.construct {
            Construct::Region => {
                self.fork();
                self.work();
                self.join();
            }
            Construct::Barrier => {
                self.work();
                self.barrier();
            }
            Construct::Sum => {
                self.work();
                self.combine();
                self.barrier();
            }
        }
        self.crew.works(0, self.setup.gap_ps);
    }

    fn work(&mut self) {
        (0..self.crew.size()).for_each(|num| self.crew.works(num, self.setup.work_ps));
    }

    /// Threads with lower numbers start those with higher ones.
    fn fork(&mut self) {
        let size = self.crew.size();
        if std::mem::take(&mut self.some_slept) {
            (1..size).for_each(|worker| self.crew.reads(0, &mut self.orders[worker as usize], 0));
        }
        for num in 0..size {
            self.post_each(num, tree::parts(tree::part_of(num, size)).map(|part| part.start));
        }
    }

    /// A thread leaves orders, waits until all are seen, and wakes those that sleep.
    fn post_each(&mut self, from: u32, others: impl Iterator<Item = u32>) {
        let others: Vec<u32> = others.collect();
        let posted_ps = self.crew.writes_each(from, &others, &mut self.orders);
        for (to, posted_ps) in others.into_iter().zip(posted_ps) {
            if self.crew.sleeps(to, posted_ps) {
                self.crew.wakes(from, to);
            } else {
                self.crew.ends_wait(to, posted_ps);
                self.crew.reads(to, &mut self.orders[to as usize], posted_ps);
            }
            self.orders[to as usize].leave(to);
        }
    }

    /// Everybody arrives; workers that sleep then sleep on.
    fn join(&mut self) {
        let size = self.crew.size();
        let last = self.arrive(END);
        let released_ps = self.crew.at_ps(last);
        for num in (0..size).filter(|&num| num != last) {
            match self.crew.sleeps(num, released_ps) {
                true if num != 0 => {
                    self.some_slept = true;
                    continue;
                }
                true => self.crew.wakes(last, num),
                false => self.crew.ends_wait(num, released_ps),
            }
            self.crew.reads(num, &mut self.epoch, released_ps);
            self.crew.waits_after(num, START);
        }
        self.crew.waits_after(last, START);
    }

    /// All threads arrive and wait after `place`; the last of them has said so.
    fn arrive(&mut self, place: usize) -> u32 {
        let last = self.crew.arrive(0..self.crew.size(), &mut self.arrivals);
        (0..self.crew.size()).for_each(|num| self.crew.waits_after(num, place));
        self.crew.writes(last, &mut self.epoch);
        last
    }

    /// Everybody arrives and goes on. Each that does so wakes some of those that sleep.
    fn barrier(&mut self) {
        let size = self.crew.size();
        let last = self.arrive(MIDDLE);
        let released_ps = self.crew.at_ps(last);
        let mut asleep: Vec<bool> =
            (0..size).map(|num| num != last && self.crew.sleeps(num, released_ps)).collect();
        let mut going = BinaryHeap::from([Reverse((released_ps, last))]);
        for num in (0..size).filter(|&num| num != last && !asleep[num as usize]) {
            self.crew.ends_wait(num, released_ps);
            self.crew.reads(num, &mut self.epoch, released_ps);
            going.push(Reverse((self.crew.at_ps(num), num)));
        }
        while let Some(Reverse((_, num))) = going.pop() {
            for other in self.woken_by(num, num == last) {
                if std::mem::take(&mut asleep[other as usize]) {
                    self.crew.wakes(num, other);
                    going.push(Reverse((self.crew.at_ps(other), other)));
                }
            }
        }
    }

    /// As `wake_others` of `runtime/src/team/region.rs`.
    fn woken_by(&self, num: u32, is_releaser: bool) -> Vec<u32> {
        let size = self.crew.size();
        let firsts = tree::parts(tree::part_of(num, size)).map(|part| part.start);
        match (tree::is_flat(size), is_releaser) {
            (true, true) => (0..size).collect(),
            (true, false) => Vec::new(),
            (false, true) => std::iter::once(0).chain(firsts).collect(),
            (false, false) => firsts.collect(),
        }
    }

    /// Each combines the values of its children, which have higher numbers, and offers its own.
    fn combine(&mut self) {
        let size = self.crew.size();
        for num in (0..size).rev() {
            for child in tree::values(num, size) {
                let offer = &mut self.offers[child as usize];
                self.crew.reads(num, offer, self.crew.at_ps(child));
                self.crew.writes(num, offer);
            }
            if num > 0 {
                self.crew.writes(num, &mut self.offers[num as usize]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
