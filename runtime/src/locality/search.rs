//! Searching: does what a `policy::search::Search` demands, until there is a task or nothing left to look at.
//!
//! A waiter that has swept in vain for a while, and waits for certain tasks, takes them from outside its vicinity too
//! (invariant 3 of the module above).

use super::queue::End;
use super::{Layout, statistics};
use crate::task::record::{TaskRef, flag};
use crate::team::find::{self, Choice};
use crate::team::{Member, Team};
use crate::thread::Thread;
use vicinity_policy::search::{Action, Outcome, Search};
use vicinity_policy::topology::LocationId;
use vicinity_policy::victims;

/// Sweeps after which a waiter looks outside its vicinity for what it waits for: they take as long as a few steals.
const PATIENT_SWEEPS: u32 = 16;

/// Fruitless sweeps that count for one of the policy's, which halves the reserves every few of its own: they follow
/// each other within 3 microseconds of spinning, or a time slice of others where processors are short.
const SWEEPS_PER_STEP: u32 = 2;

/// Is told what a search asked for, and what it was told: enough to repeat it elsewhere.
pub trait Journal {
    fn begin(&mut self, search: &Search);
    fn step(&mut self, random: u32, saw: Outcome, action: Action);
}

/// Nobody wants to know.
impl Journal for () {
    fn begin(&mut self, _: &Search) {}
    fn step(&mut self, _: u32, _: Outcome, _: Action) {}
}

/// A task that `choice` allows from queues other than the thread's own; from members' queues if it `may_raid`.
pub fn find(
    thread: &'static Thread,
    member: &Member,
    layout: &Layout,
    choice: Choice,
    may_raid: bool,
    journal: &mut impl Journal,
) -> Option<TaskRef> {
    let sweeps = thread.near.sweeps.get();
    let urgent = sweeps >= PATIENT_SWEEPS && matches!(choice, Choice::DescendantsOf(_));
    let how = if urgent { layout.steal_anywhere } else { layout.steal };
    let mut search = Search::new(how, layout.location(member.num), sweeps / SWEEPS_PER_STEP)
        .having_raided(thread.near.raided.get());
    let searcher = Searcher { thread, member, layout, choice, may_raid };
    journal.begin(&search);
    let random = thread.random();
    let mut saw = Outcome::Start;
    loop {
        let action = search.next(&layout.topology, random, saw);
        journal.step(random, saw, action);
        let (found, next) = match action {
            Action::Peek(at) => (None, Outcome::Length(searcher.queue_len(at))),
            Action::Idle => {
                thread.near.sweeps.set(sweeps.saturating_add(1));
                return None;
            }
            _ => (searcher.take(action), Outcome::Empty),
        };
        if found.is_some() {
            thread.near.sweeps.set(0);
            if let Action::Raid(location) = action {
                thread.near.raided.set(Some(location));
            }
            return found;
        }
        saw = next;
    }
}

struct Searcher<'a> {
    thread: &'static Thread,
    member: &'a Member,
    layout: &'a Layout,
    choice: Choice,
    may_raid: bool,
}

impl Searcher<'_> {
    fn team(&self) -> &'static Team {
        self.member.team()
    }

    fn queue_len(&self, location: LocationId) -> usize {
        self.team().located.queue(location).map_or(0, |queue| queue.len())
    }

    fn take(&self, action: Action) -> Option<TaskRef> {
        match action {
            Action::PopLocal => self.take_dealt(self.layout.location(self.member.num)),
            Action::StealFrom(location) => {
                self.take_dealt(location).inspect(|_| self.note_theft(location))
            }
            Action::Raid(location) if self.may_raid => self.raid(self.layout.members_at(location)),
            Action::RaidAll if self.may_raid => self.raid_all(),
            Action::Raid(_) | Action::RaidAll | Action::Peek(_) | Action::Idle => None,
        }
    }

    fn take_dealt(&self, location: LocationId) -> Option<TaskRef> {
        let end = match self.choice {
            Choice::Any => End::Oldest,
            Choice::DescendantsOf(_) => End::Newest,
        };
        let queue = self.team().located.queue(location)?;
        let task = queue.pop(end, |task| self.choice.allows(task))?;
        task.add_flags(flag::STOLEN);
        if !queue.is_empty() {
            self.team().announce_at(self.layout, location);
        }
        Some(task)
    }

    /// Steals from the own queues of `members`, beginning with any of them.
    fn raid(&self, members: &[u32]) -> Option<TaskRef> {
        let count = members.len() as u32;
        let first = ((u64::from(self.thread.random()) * u64::from(count)) >> 32) as usize;
        let others = members[first..].iter().chain(&members[..first]);
        let mut others = others.copied().filter(|&num| num != self.member.num);
        others.find_map(|victim| self.steal(victim))
    }

    fn raid_all(&self) -> Option<TaskRef> {
        let mut others =
            victims::uniform(self.thread.random(), self.member.num, self.team().size());
        others.find_map(|victim| self.steal(victim))
    }

    fn steal(&self, victim: u32) -> Option<TaskRef> {
        let task = find::steal(self.thread, self.member, victim, self.choice)?;
        self.note_theft(self.layout.location(victim));
        Some(task)
    }

    fn note_theft(&self, from: LocationId) {
        if self.layout.observes {
            self.thread.near.loot_from.set(Some(from));
            let home = self.layout.location(self.member.num);
            statistics::stole(self.thread, self.layout, home, from);
        }
    }
}
