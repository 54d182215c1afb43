//! Where teams come from: made to measure, kept hot by the member that used them, spare otherwise.

use super::barrier::Barrier;
use super::{Member, Nest, Order, Team, pool};
use crate::private::Private;
use crate::task::record::Task;
use crate::thread::{self, Thread};
use crossbeam_deque::Worker as Deque;
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};
use std::sync::{Mutex, MutexGuard};

/// Teams nobody keeps, smallest first use.
static SPARE: Mutex<Vec<&'static Team>> = Mutex::new(Vec::new());

impl Team {
    /// The team of a thread outside every region.
    pub(crate) fn initial(_thread: &Thread) -> &'static Team {
        let team = Team::take(1);
        // It may come from a region and say that region's level still.
        team.begin(idle_order());
        team.contention.set(Some(&team.group_count));
        team
    }

    /// A team with at least `capacity` members and no workers.
    pub(super) fn take(capacity: u32) -> &'static Team {
        let mut spare = thread::lock(&SPARE);
        let fits = |team: &&Team| {
            let have = team.capacity();
            have >= capacity && (have == 1) == (capacity == 1)
        };
        match spare.iter().position(fits) {
            Some(index) => spare.swap_remove(index),
            None => {
                drop(spare);
                Team::build(if capacity == 1 { 1 } else { capacity.next_power_of_two() })
            }
        }
    }

    fn build(capacity: u32) -> &'static Team {
        let icvs = crate::global::initial_icvs();
        let members: Box<[_]> = (0..capacity)
            .map(|num| {
                CachePadded::new(Member {
                    num,
                    team: Private::new(None),
                    thread: AtomicPtr::default(),
                    deque: Deque::new_lifo(),
                    throttle: Private::default(),
                    implicit: Task::new_implicit(icvs),
                    local: Default::default(),
                    singles: Private::new(0),
                    offer: Default::default(),
                    combining: Private::default(),
                    spot: Private::default(),
                    span: Private::default(),
                    hot: Default::default(),
                })
            })
            .collect();
        let team: &'static Team = Box::leak(Box::new(Team {
            stealers: members.iter().map(|member| member.deque.stealer()).collect(),
            members,
            order: Private::new(idle_order()),
            size: AtomicU32::new(1),
            workers: Private::default(),
            tasked: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
            seats: Default::default(),
            barrier: Barrier::new(capacity),
            join: Barrier::new(capacity),
            idle: Default::default(),
            injector: Default::default(),
            priority: Default::default(),
            located: Default::default(),
            shared: crate::worksharing::Shared::new(),
            single: Default::default(),
            reductions: Default::default(),
            contention: Private::new(None),
            group_count: AtomicU32::new(0),
            moves: Private::new(0),
            trace: Default::default(),
            kept: Mutex::default(),
        }));
        for member in &team.members {
            member.team.set(Some(team));
            member.implicit.team.set(Some(team));
        }
        team
    }

    pub(super) fn capacity(&self) -> u32 {
        self.members.len() as u32
    }

    /// Brings the reserved workers to what a region of `size` threads needs; returns the size possible.
    /// All of them are at rest then, so nobody looks at the team any more.
    pub(super) fn staff(&self, size: u32) -> u32 {
        self.workers.with(|workers| {
            workers.iter().for_each(|worker| worker.come_to_rest(&self.idle));
            if workers.len() + 1 < size as usize {
                pool::reserve(size as usize - 1, workers);
            }
            size.min(workers.len() as u32 + 1)
        })
    }

    pub(super) fn post_orders(&self, size: u32) {
        self.workers.with(|workers| {
            for (worker, member) in workers.iter().zip(&self.members[1..size as usize]) {
                // SAFETY: teams, and so members, are never deallocated.
                #[allow(unsafe_code)]
                let member: &'static Member = unsafe { &*std::ptr::from_ref::<Member>(member) };
                worker.post(Some(member));
            }
        });
    }

    /// Gives the workers of this team, and of those its members keep, back to the pool.
    pub(crate) fn dissolve(&'static self) {
        self.members.iter().for_each(|member| member.dissolve_hot());
        let workers = self.workers.replace(Vec::new());
        workers.iter().for_each(|worker| worker.dock(&self.idle));
        pool::release(workers);
    }

    /// Dissolves the teams that this team's members keep.
    pub(crate) fn dissolve_hot(&'static self) {
        self.members.iter().for_each(|member| member.dissolve_hot());
    }
}

/// Keeps other threads from the list of spare teams (for fork).
pub(crate) fn quiesced() -> MutexGuard<'static, Vec<&'static Team>> {
    thread::lock(&SPARE)
}

impl Member {
    /// A team for a region of `size` threads started from this member: the hot one if it is large enough.
    pub(super) fn team_for(&self, size: u32) -> &'static Team {
        let kept = &self.hot[usize::from(size > 1)];
        match kept.get() {
            Some(team) if team.capacity() >= size => team,
            small => {
                small.into_iter().for_each(Team::retire);
                let team = Team::take(size);
                kept.set(Some(team));
                team
            }
        }
    }

    /// In a forked child: the teams kept for the next region have lost their workers.
    pub(crate) fn forget_hot(&self) {
        self.hot.iter().for_each(|kept| kept.set(None));
    }

    pub(crate) fn dissolve_hot(&self) {
        self.hot.iter().filter_map(|kept| kept.replace(None)).for_each(Team::retire);
    }
}

impl Team {
    fn retire(&'static self) {
        self.dissolve();
        thread::lock(&SPARE).push(self);
    }
}

/// The entry of a team that runs no region.
pub(super) extern "C" fn idle_entry(_data: *mut libc::c_void) {}

/// What a team outside every region stands for.
fn idle_order() -> Order {
    Order {
        size: 1,
        entry: idle_entry,
        data: std::ptr::null_mut(),
        nest: Nest { num_teams: 1, ..Nest::default() },
        icvs: crate::global::initial_icvs(),
        avoid: None,
        outer: None,
    }
}
