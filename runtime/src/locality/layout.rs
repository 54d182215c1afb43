//! `Layout`: at which location each member of a team is, and what follows from that.
//!
//! Layouts are immutable and never deallocated, so a thread that looks at a team while its master prepares the next
//! region sees the old one or the new one, both whole. Equal layouts are one: there are about as many as there
//! are team sizes.

use super::Machine;
use crate::process_lock::ProcessLock;
use std::collections::BTreeMap;
use vicinity_policy::deal::Deal;
use vicinity_policy::search::Steal;
use vicinity_policy::topology::{LocationId, Topology};

pub struct Layout {
    /// The machine with the team's threads at each location.
    pub topology: Topology,
    pub deal: Deal,
    pub steal: Steal,
    /// How threads steal that wait for a task they may not leave to others.
    pub steal_anywhere: Steal,
    /// Bytes of data from which on a task is of interest; none, if no task is.
    pub least_bytes: Option<u64>,
    /// Somebody wants to know what becomes of tasks.
    pub observes: bool,
    /// Of each member.
    at: Box<[LocationId]>,
    /// Of each location: its members.
    members: Box<[Box<[u32]>]>,
    /// Of each location: how many of those nearest to it, itself first, are in its vicinity.
    reach: usize,
}

/// Layouts in use, by the location of each member.
pub(crate) type Known = BTreeMap<Vec<LocationId>, &'static Layout>;

pub(crate) static KNOWN: ProcessLock<Known> = ProcessLock::new(BTreeMap::new());

/// The layout of a team whose members are at these locations.
pub fn of(machine: &Machine, at: Vec<LocationId>) -> &'static Layout {
    let mut known = KNOWN.lock();
    known.entry(at).or_insert_with_key(|at| Box::leak(Box::new(Layout::new(machine, at))))
}

impl Layout {
    fn new(machine: &Machine, at: &[LocationId]) -> Layout {
        let members: Box<[Box<[u32]>]> = machine
            .topology
            .locations()
            .map(|location| {
                (0..at.len() as u32).filter(|&num| at[num as usize] == location).collect()
            })
            .collect();
        let threads = members.iter().map(|members| members.len() as u32).collect();
        let topology = machine.topology.with_threads(threads);
        Layout {
            deal: machine.scheduler.deal(&topology),
            steal: machine.scheduler.steal(&topology, machine.reach),
            steal_anywhere: machine.scheduler.steal(&topology, None),
            reach: machine.reach.map_or(topology.len(), |reach| topology.len().min(reach as usize)),
            least_bytes: machine.least_bytes(),
            observes: machine.observes,
            at: at.into(),
            members,
            topology,
        }
    }

    /// Where a member is.
    #[inline]
    pub fn location(&self, num: u32) -> LocationId {
        self.at[num as usize]
    }

    /// The same for a thread that may look at a team after its master has begun a smaller region: none of a member
    /// that this layout does not have.
    #[inline]
    pub fn seat(&self, num: u32) -> Option<LocationId> {
        self.at.get(num as usize).copied()
    }

    pub fn members_at(&self, location: LocationId) -> &[u32] {
        &self.members[location.index()]
    }

    /// The locations whose queues a thread at `from` may take from, nearest first.
    pub fn vicinity(&self, from: LocationId) -> &[LocationId] {
        &self.topology.near(from)[..self.vicinity_len()]
    }

    fn vicinity_len(&self) -> usize {
        if self.steal == self.steal_anywhere { self.topology.len() } else { self.reach }
    }

    /// The other members in a member's vicinity, nearest first. At each location it begins with the one that has
    /// its own rank there, so that members of one location do not all meet at the same.
    pub fn others_near(&self, num: u32) -> impl Iterator<Item = u32> {
        let home = self.location(num);
        let rank = self.members_at(home).iter().position(|&it| it == num).unwrap_or(0);
        let at = self.vicinity(home).iter().flat_map(move |&location| {
            let members = self.members_at(location);
            let start = if members.is_empty() { 0 } else { rank % members.len() };
            members[start..].iter().chain(&members[..start])
        });
        at.copied().filter(move |&it| it != num)
    }

    /// The members that may take from a queue at `location`, nearest first.
    pub fn takers(&self, location: LocationId) -> impl Iterator<Item = u32> + Clone {
        let near = self.topology.near(location).iter();
        let len = self.vicinity_len();
        let within = near.filter(move |&&from| self.topology.rank(from, location) < len);
        within.flat_map(|&from| self.members_at(from)).copied()
    }
}
