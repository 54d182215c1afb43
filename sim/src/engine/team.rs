//! The threads of a simulated team: where they are, what they are in the middle of, who idles.
//!
//! Units: picoseconds.

use vicinity_policy::forage::Luck;
use vicinity_policy::grain::Haste;
use vicinity_policy::throttle::Throttle;
use vicinity_policy::topology::{LocationId, Topology};

use crate::memory::Demand;
use crate::program::TaskId;
use crate::random::Random;

/// A task in the middle of its body.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub task: TaskId,
    /// Its next step.
    pub at: usize,
    pub start_ps: u64,
    /// Stolen from there.
    pub from: Option<LocationId>,
}

/// Work that goes on.
#[derive(Clone, Copy, Debug)]
pub struct Working {
    /// The slice that is under way.
    pub slice: usize,
    /// When the work, and when the slice began.
    pub begin_ps: u64,
    pub moves_data: bool,
}

/// What a thread does when no task's step is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It is busy, or has an event to come.
    No,
    /// It found nothing and comes back by itself.
    BackingOff,
    /// It comes back when somebody wakes it.
    Parked,
}

pub struct Thread {
    pub location: LocationId,
    pub random: Random,
    /// The innermost last.
    pub frames: Vec<Frame>,
    pub working: Option<Working>,
    pub demand: Demand,
    pub rest: Rest,
    /// Searches in a row that found nothing.
    pub sweeps: u32,
    /// When the first of them began.
    pub idle_since_ps: Option<u64>,
    /// Where it last raided with success.
    pub raided: Option<LocationId>,
    pub luck: Luck,
    pub throttle: Throttle,
    pub haste: Haste,
    /// At a predecessor of the tiny task that it is about to create.
    pub looks: u32,
    /// When it last stole, if it has not been back since.
    pub looting_since_ps: Option<u64>,
    /// Events with another number are void.
    pub version: u32,
    pub busy_ps: u64,
}

pub struct Team {
    pub topology: Topology,
    pub threads: Vec<Thread>,
    /// Of each location, its threads.
    at: Vec<Vec<u32>>,
    parked: usize,
}

impl Team {
    /// `count` threads, spread evenly over the cores of all locations; the first is the initial thread.
    pub fn new(machine: &Topology, count: u32, seed: u64) -> Team {
        let mut counts = vec![0_u32; machine.len()];
        for _ in 0..count {
            // The location with the most free cores.
            let free =
                |at: &usize| machine.threads(LocationId(*at as u16)).saturating_sub(counts[*at]);
            let next = (0..machine.len()).rev().max_by_key(free).unwrap_or(0);
            counts[next] += 1;
        }
        let mut threads = Vec::new();
        let mut at = vec![Vec::new(); machine.len()];
        for (location, &here) in counts.iter().enumerate() {
            for _ in 0..here {
                at[location].push(threads.len() as u32);
                threads.push(Thread {
                    location: LocationId(location as u16),
                    random: Random::new(seed, threads.len() as u64),
                    frames: Vec::new(),
                    working: None,
                    demand: Demand::default(),
                    rest: Rest::No,
                    sweeps: 0,
                    idle_since_ps: None,
                    raided: None,
                    luck: Luck::default(),
                    throttle: Throttle::default(),
                    haste: Haste::default(),
                    looks: 0,
                    looting_since_ps: None,
                    version: 0,
                    busy_ps: 0,
                });
            }
        }
        Team { topology: machine.with_threads(counts), threads, at, parked: 0 }
    }

    pub fn size(&self) -> u32 {
        self.threads.len() as u32
    }

    /// Where each thread is.
    pub fn locations(&self) -> Vec<LocationId> {
        self.threads.iter().map(|thread| thread.location).collect()
    }

    pub fn at(&self, location: LocationId) -> &[u32] {
        &self.at[location.index()]
    }

    pub fn park(&mut self, thread: u32) {
        self.threads[thread as usize].rest = Rest::Parked;
        self.parked += 1;
    }

    /// It has something to do.
    pub fn rouse(&mut self, thread: u32) {
        let rest = &mut self.threads[thread as usize].rest;
        self.parked -= usize::from(*rest == Rest::Parked);
        *rest = Rest::No;
    }

    /// A parked thread near `location` that may take tasks there: the nearest, if any.
    pub fn parked_near(&self, location: LocationId, reach: usize) -> Option<u32> {
        self.parked_where(location, |home| {
            reach >= self.topology.len()
                || self.topology.near(home).iter().take(reach).any(|&near| near == location)
        })
    }

    /// The nearest parked thread of those whose home is in reach.
    pub fn parked_where(
        &self,
        location: LocationId,
        in_reach: impl Fn(LocationId) -> bool,
    ) -> Option<u32> {
        if self.parked == 0 {
            return None;
        }
        let near = self.topology.near(location).iter();
        let mut threads = near.filter(|&&home| in_reach(home)).flat_map(|&home| self.at(home));
        threads.find(|&&thread| self.threads[thread as usize].rest == Rest::Parked).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_policy::presets;

    #[test]
    fn threads_are_spread_and_the_nearest_is_woken() {
        let opteron = presets::named("opteron6172").unwrap().topology;
        let mut team = Team::new(&opteron, 9, 1);
        let counts: Vec<u32> = opteron.locations().map(|at| team.at(at).len() as u32).collect();
        assert_eq!(counts, [2, 1, 1, 1, 1, 1, 1, 1]);
        let node = LocationId;
        assert_eq!(team.parked_near(node(3), 8), None);
        team.park(0);
        team.park(team.at(node(2))[0]);
        assert_eq!(team.parked_near(node(3), 8), Some(team.at(node(2))[0]));
        assert_eq!(team.parked_near(node(3), 1), None);
        team.rouse(team.at(node(2))[0]);
        assert_eq!(team.parked_near(node(3), 8), Some(0));
    }
}
