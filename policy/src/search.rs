//! Searching: what an idle thread looks at, one step at a time.
//!
//! Terms: at each location there are the *own queues* of the threads there, with tasks that were not
//! dealt, and one *location queue*, with dealt tasks. To *raid* is to steal from own queues. The
//! *reserve* of a location queue is what is left to the threads there: distance in hops times threads per
//! location. A *vicinity* is the locations a thread may steal from, nearest first. A *sweep* is one search
//! that found nothing; sweeps count as steps of a back-off, each twice as long as the last and the first some
//! ten microseconds.
//!
//! The order: the thread's own queue and its location's queue; own queues of its neighbours; own queues where
//! it last raided with success, because one producer often feeds all; then, location by location as distance
//! grows, the location queue if it is longer than its reserve, and the own queues there. Locations equally
//! far are visited in an order that starts at random. A thief that finds nothing halves the reserves with each step
//! of its back-off, so that what is left at the end of a region does not wait for its owners while others
//! idle. Not at once: its own task may be on the way, and the owners of a short queue may be about to take
//! theirs (on 63 home caches halving after the first microsecond took most tasks of a map from their data).
//!
//! Source: Muddukrishna, Jonsson, Brorsson 2015, section 4, "work-stealing". Units: tasks.

use crate::topology::{LocationId, Topology};
use std::ops::Range;

/// How idle threads steal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steal {
    /// From anybody with equal chance.
    Uniform,
    /// Nearest first.
    Nearest,
    /// Nearest first, only from the nearest `reach` locations (itself counts), leaving the reserve.
    Vicinity { reserve_per_hop: u32, reach: u32 },
}

/// What the searcher does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Take from the own queue, else from the queue of the own location.
    PopLocal,
    /// Find out how long this location's queue is.
    Peek(LocationId),
    /// Take from this location's queue.
    StealFrom(LocationId),
    /// Steal from the own queues of the threads at this location.
    Raid(LocationId),
    /// Steal from the own queue of any thread of the team.
    RaidAll,
    /// There is nothing; wait before the next sweep.
    Idle,
}

/// What came of the last action. Nobody asks on after a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There was none.
    Start,
    Empty,
    /// Answer to a peek, in tasks.
    Length(usize),
}

/// One sweep of an idle thread.
#[derive(Clone, Debug)]
pub struct Search {
    how: Steal,
    home: LocationId,
    sweep: u32,
    /// Where to raid first.
    fruitful: Option<LocationId>,
    /// Position, in the order of distance from home, of the location being looked at.
    position: usize,
    /// Positions of all that are as far, and the one the thread looked at first.
    ring: Range<usize>,
    first: usize,
    last: Action,
}

impl Search {
    /// `sweep`: how many steps of its back-off this thread has found nothing.
    pub fn new(how: Steal, home: LocationId, sweep: u32) -> Search {
        let (position, first) = (0, 0);
        Search { how, home, sweep, fruitful: None, position, ring: 0..1, first, last: Action::Idle }
    }

    /// The same, by a thread that last raided `location` with success.
    pub fn having_raided(self, location: Option<LocationId>) -> Search {
        Search { fruitful: location, ..self }
    }

    /// The next action. `random` is any number, a new one each time; `saw`: what the last action brought.
    pub fn next(&mut self, topology: &Topology, random: u32, saw: Outcome) -> Action {
        self.last = match (self.last, saw) {
            (Action::Idle, _) | (_, Outcome::Start) => Action::PopLocal,
            (Action::PopLocal, _) => match self.how {
                Steal::Uniform => Action::RaidAll,
                Steal::Nearest | Steal::Vicinity { .. } => Action::Raid(self.home),
            },
            (Action::Peek(at), Outcome::Length(tasks)) if tasks > self.reserve(topology, at) => {
                Action::StealFrom(at)
            }
            (Action::Peek(at) | Action::StealFrom(at), _) if self.how != Steal::Uniform => {
                Action::Raid(at)
            }
            (Action::RaidAll | Action::Raid(_) | Action::Peek(_) | Action::StealFrom(_), _) => {
                match self.fruitful.take().filter(|&at| self.may_raid_first(topology, at)) {
                    Some(at) => Action::Raid(at),
                    None => self.go_on(topology, random),
                }
            }
        };
        self.last
    }

    /// Locations within reach.
    fn reach(&self, topology: &Topology) -> usize {
        match self.how {
            Steal::Vicinity { reach, .. } => (reach as usize).min(topology.len()),
            Steal::Uniform | Steal::Nearest => topology.len(),
        }
    }

    fn may_raid_first(&self, topology: &Topology, at: LocationId) -> bool {
        let near = &topology.near(self.home)[..self.reach(topology)];
        self.how != Steal::Uniform && at != self.home && near.contains(&at)
    }

    /// Looks at the next location, if there is one within reach.
    fn go_on(&mut self, topology: &Topology, random: u32) -> Action {
        let reach = self.reach(topology);
        let ring = self.ring.clone();
        let after = if self.position + 1 == ring.end { ring.start } else { self.position + 1 };
        if after != self.first {
            self.position = after;
        } else if ring.end < reach {
            self.enter_ring(topology, ring.end, reach, random);
        } else {
            return Action::Idle;
        }
        Action::Peek(topology.near(self.home)[self.position])
    }

    /// Begins with the locations one step farther, at a random one of them.
    fn enter_ring(&mut self, topology: &Topology, at: usize, reach: usize, random: u32) {
        let end = match self.how {
            Steal::Uniform => reach,
            Steal::Nearest | Steal::Vicinity { .. } => {
                topology.equally_far(self.home, at).end.min(reach)
            }
        };
        self.ring = at..end;
        self.position = at + ((u64::from(random) * (end - at) as u64) >> 32) as usize;
        self.first = self.position;
    }

    /// Tasks that this thread must leave in the queue at `at`.
    fn reserve(&self, topology: &Topology, at: LocationId) -> usize {
        match self.how {
            Steal::Vicinity { reserve_per_hop, .. } if topology.threads(at) > 0 => {
                let reserve = topology.hops(self.home, at).saturating_mul(reserve_per_hop);
                reserve.checked_shr(self.sweep).unwrap_or(0) as usize
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Action::{Idle, Peek, PopLocal, Raid, RaidAll, StealFrom};

    const L: [LocationId; 4] = [LocationId(0), LocationId(1), LocationId(2), LocationId(3)];
    const NUMA: Steal = Steal::Vicinity { reserve_per_hop: 2, reach: 4 };

    fn square() -> Topology {
        let distances = vec![10, 16, 16, 22, 16, 10, 22, 16, 16, 22, 10, 16, 22, 16, 16, 10];
        Topology::new(vec![2; 4], distances, 0).unwrap()
    }

    /// All actions of a sweep that finds queues of these lengths and fails to steal.
    fn sweep(mut search: Search, random: u32, lengths: [usize; 4]) -> Vec<Action> {
        let topology = square();
        let mut saw = Outcome::Start;
        let mut actions = Vec::new();
        loop {
            let action = search.next(&topology, random, saw);
            actions.push(action);
            saw = match action {
                Peek(at) => Outcome::Length(lengths[at.index()]),
                Idle => return actions,
                _ => Outcome::Empty,
            };
        }
    }

    #[test]
    fn nearest_first_and_everyone_once() {
        let actions = sweep(Search::new(Steal::Nearest, L[1], 0), 0, [0; 4]);
        let order = [L[0], L[3], L[2]].into_iter().flat_map(|at| [Peek(at), Raid(at)]);
        let expected: Vec<Action> =
            [PopLocal, Raid(L[1])].into_iter().chain(order).chain([Idle]).collect();
        assert_eq!(actions, expected);
        let other = sweep(Search::new(Steal::Nearest, L[1], 0), u32::MAX, [0; 4]);
        assert_eq!(other[2..6], [Peek(L[3]), Raid(L[3]), Peek(L[0]), Raid(L[0])]);
    }

    #[test]
    fn near_empty_queues_are_left_to_their_owners_for_a_while() {
        let stolen = |sweeps| {
            let actions = sweep(Search::new(NUMA, L[0], sweeps), 0, [9, 3, 2, 4]);
            actions.into_iter().filter(|action| matches!(action, StealFrom(_))).collect::<Vec<_>>()
        };
        assert_eq!(stolen(0), [StealFrom(L[1])]);
        assert_eq!(stolen(1), [StealFrom(L[1]), StealFrom(L[2]), StealFrom(L[3])]);
    }

    #[test]
    fn where_it_raided_it_goes_first() {
        let search = |how, at| Search::new(how, L[0], 0).having_raided(Some(at));
        let actions = sweep(search(Steal::Nearest, L[3]), 0, [0; 4]);
        assert_eq!(actions[..5], [PopLocal, Raid(L[0]), Raid(L[3]), Peek(L[1]), Raid(L[1])]);
        assert_eq!(actions.len(), 2 + 1 + 3 * 2 + 1);
        let near = Steal::Vicinity { reserve_per_hop: 2, reach: 3 };
        assert_eq!(sweep(search(near, L[3]), 0, [0; 4])[2], Peek(L[1]), "out of reach");
        assert_eq!(sweep(search(Steal::Nearest, L[0]), 0, [0; 4])[2], Peek(L[1]), "at home");
    }

    #[test]
    fn a_vicinity_ends_somewhere() {
        let how = Steal::Vicinity { reserve_per_hop: 0, reach: 2 };
        assert_eq!(
            sweep(Search::new(how, L[0], 0), 0, [5; 4]),
            [PopLocal, Raid(L[0]), Peek(L[1]), StealFrom(L[1]), Raid(L[1]), Idle]
        );
        let alone = Steal::Vicinity { reserve_per_hop: 0, reach: 1 };
        assert_eq!(sweep(Search::new(alone, L[0], 0), 0, [5; 4]), [PopLocal, Raid(L[0]), Idle]);
    }

    #[test]
    fn uniform_knows_no_distance() {
        let actions = sweep(Search::new(Steal::Uniform, L[2], 0), 0, [0, 1, 0, 0]);
        assert_eq!(
            actions,
            [PopLocal, RaidAll, Peek(L[0]), Peek(L[3]), Peek(L[1]), StealFrom(L[1]), Idle]
        );
    }
}
