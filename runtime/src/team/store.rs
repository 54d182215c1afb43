//! Where teams come from: made to measure, kept hot by the member that used them, spare otherwise.
//!
//! A region gets its threads first and then a team with room for them: members are made for threads that exist,
//! whatever number was asked for. Where memory for so many members cannot be had, the team is smaller.

use super::barrier::Barrier;
use super::own::OwnQueue;
use super::pool::{self, Worker};
use super::region::first_of_parts;
use super::seen::Seen;
use super::sleepers::Sleepers;
use super::{Member, Nest, Order, Team};
use crate::aside;
use crate::memory;
use crate::private::Private;
use crate::process_lock::ProcessLock;
use crate::report::{self, OneWarning};
use crate::task::record::Task;
use crate::thread::{Thread, float_control::FloatControl};
use crate::{trace, wait};
use crossbeam_utils::CachePadded;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use vicinity_policy::tree;

/// What a member takes beside its own bytes: its queue of tasks with room for 64, and its part of the barriers and constructs.
const BESIDE_MEMBER_BYTES: usize = 1920;

/// Workers beyond both, so many times the threads of a region, are more than a team keeps for later: each region looks at
/// every one of them.
const SURPLUS_ABOVE: usize = 64;
const SURPLUS_TIMES: usize = 8;

/// Teams nobody keeps, smallest first use.
pub(crate) static TEAMS: ProcessLock<Vec<&'static Team>> = ProcessLock::new(Vec::new());

impl Team {
    /// The team of a thread outside every region.
    pub(crate) fn initial(_thread: &Thread) -> &'static Team {
        let team = Team::take_some(&mut 1);
        // It may come from a region and say that region's level still.
        team.begin(idle_order());
        team.contention.set(Some(&team.group_count));
        team
    }

    /// A team with at least `capacity` members and no workers; none if there is no memory for a new one.
    fn take(capacity: u32) -> Option<&'static Team> {
        let mut spare = TEAMS.lock();
        let fits = |team: &&Team| {
            let have = team.capacity();
            have >= capacity && (have == 1) == (capacity == 1)
        };
        match spare.iter().position(fits) {
            Some(index) => Some(spare.swap_remove(index)),
            None => {
                drop(spare);
                // Room to grow, if there is memory for that.
                let roomy = capacity.checked_next_power_of_two().unwrap_or(capacity);
                Team::build(roomy).or_else(|| Team::build(capacity))
            }
        }
    }

    /// A team with at least `capacity` members, which becomes less where there is no memory for so many.
    pub(super) fn take_some(capacity: &mut u32) -> &'static Team {
        static FEWER: OneWarning = OneWarning::new();
        let asked = *capacity;
        loop {
            match Team::take(*capacity) {
                Some(team) => return team,
                None if *capacity == 1 => report::fatal("no memory for another team"),
                None => {
                    *capacity /= 2;
                    FEWER.warn(|| format!("no memory for a team of {asked} threads: it has fewer"));
                }
            }
        }
    }

    fn build(capacity: u32) -> Option<&'static Team> {
        let icvs = crate::global::initial_icvs();
        if !memory::has_room_for(capacity as usize, BESIDE_MEMBER_BYTES) {
            return None;
        }
        let members = memory::try_leak(capacity as usize, |num| {
            CachePadded::new(Member {
                num: num as u32,
                team: Private::new(None),
                thread: AtomicPtr::default(),
                deque: OwnQueue::default(),
                told: Private::default(),
                awaited: Default::default(),
                throttle: Private::default(),
                haste: Private::default(),
                implicit: Task::new_implicit(icvs),
                local: Default::default(),
                singles: Private::new(0),
                offer: Default::default(),
                combining: Private::default(),
                tool: Default::default(),
                spot: Private::default(),
                span: Private::default(),
                hot: Default::default(),
            })
        })?;
        let team: &'static Team = Box::leak(Box::new(Team {
            members,
            order: Private::new(idle_order()),
            size: AtomicU32::new(1),
            workers: Private::default(),
            tasked: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
            seats: Default::default(),
            barrier: Barrier::new(capacity),
            join: Barrier::new(capacity),
            regions: AtomicU32::new(0),
            rest: Barrier::new(capacity),
            resting: Private::new(None),
            idle: Default::default(),
            sleepers: Sleepers::new(capacity),
            injector: Default::default(),
            priority: Default::default(),
            located: Default::default(),
            shared: crate::worksharing::Shared::new(capacity),
            single: Default::default(),
            grains: Default::default(),
            reductions: Default::default(),
            contention: Private::new(None),
            group_count: AtomicU32::new(0),
            moves: Private::new(0),
            part: Default::default(),
            trace: Default::default(),
            tool: Default::default(),
            seen: Seen::new(capacity),
            keeps: AtomicBool::new(false),
            kept: Mutex::default(),
        }));
        for member in team.members {
            member.team.set(Some(team));
            member.implicit.team.set(Some(team));
        }
        Some(team)
    }

    pub(super) fn capacity(&self) -> u32 {
        self.members.len() as u32
    }

    /// Brings the reserved workers to what a region of `wanted` threads needs, as far as threads can be had. Returns
    /// the size of the team with them, which may be more than it has members, and how many are new. All of them are at
    /// rest then, so nobody looks at the team any more.
    fn staff(&self, wanted: u32) -> (u32, usize) {
        self.workers.with(|workers| {
            if !self.all_come_to_rest() {
                workers.iter().for_each(|worker| worker.come_to_rest(self));
                self.rest.reset();
            }
            if workers.len() > SURPLUS_ABOVE.max(wanted as usize * SURPLUS_TIMES) {
                let surplus = workers.split_off(wanted as usize - 1);
                self.dock(&surplus);
                pool::release(surplus);
            }
            enlist(workers, wanted)
        })
    }

    /// A team for a region that wants so many threads, `workers` among them, its size, and how many workers are new.
    #[cold]
    fn made_for(wanted: u32, mut workers: Vec<&'static Worker>) -> (&'static Team, u32, usize) {
        let (size, new) = enlist(&mut workers, wanted);
        // A team that could have had several threads is no solo team.
        let mut capacity = size.max(wanted.min(2));
        let team = Team::take_some(&mut capacity);
        let size = size.min(capacity);
        pool::release(workers.split_off(size as usize - 1));
        team.workers.set(workers);
        (team, size, new)
    }

    /// Starts those of a region of `size` threads whom the thread of member `num` is to start; of a flat one that is the master.
    #[inline]
    pub(super) fn start_others(&'static self, num: u32, size: u32) {
        let part = tree::part_of(num, size);
        if part.len() == 1 {
            return;
        }
        let started = first_of_parts(part);
        self.workers.read(|workers| {
            let order = |other: u32| (workers[other as usize - 1], &*self.members[other as usize]);
            Worker::post_each(started.clone().map(order));
        });
        // Behind the fence there. They may have fallen asleep at the end of the last region since its release.
        if self.idle.count() > 0 {
            self.idle.wake_all(self.parkers_of(started));
        }
    }

    fn dock(&self, workers: &[&'static Worker]) {
        workers.iter().for_each(|worker| worker.dock(self));
        // Those that were captured have arrived there.
        self.rest.reset();
        self.resting.set(None);
    }

    /// The number of the region that runs.
    pub(super) fn region(&self) -> u32 {
        // Relaxed, here and below: published with the workers' orders.
        self.regions.load(Ordering::Relaxed)
    }

    /// Whether workers look at the team behind the end of its region: at its tasks, at what is traced of it. Else they see
    /// that they are released and go, so they are at rest from then on.
    pub(super) fn is_looked_at_behind(&self) -> bool {
        self.is_tasked() || trace::is_watched() || aside::is_on()
    }

    /// A worker looks at its region no more. Whoever was captured in it, and awakes in a later one, is not awaited there.
    pub(super) fn rest(&self, num: u32, region: u32) {
        // Before the number of the region: what a later one says comes with its number.
        if !self.join.said() || region != self.region() {
            return;
        }
        let size = self.size();
        if !tree::is_flat(size) && self.rest.arrive(num - 1, size - 1) {
            self.rest.release();
        }
    }

    /// Master: returns true when all workers of the last region are at rest; false where each has to be looked at, because they
    /// are few, or some sleep on at its end: those were counted there before their last look (`idle`), which came too early.
    fn all_come_to_rest(&self) -> bool {
        let awaited = self.resting.replace(None);
        if !self.join.said() {
            // Without a fence: whoever is not seen here is woken for its order.
            return self.idle.count() == 0;
        }
        if self.idle.anyone() {
            return false;
        }
        let rest = |&seen: &u32| wait::until_beside(self.size() - 1, || self.rest.epoch() != seen);
        awaited.inspect(rest).is_some()
    }

    /// Gives the workers of this team, and of those its members keep, back to the pool.
    pub(crate) fn dissolve(&'static self) {
        pool::release(self.let_workers_go());
    }

    /// The workers of this team, docked; those of the teams its members keep go back to the pool.
    fn let_workers_go(&'static self) -> Vec<&'static Worker> {
        self.members.iter().for_each(|member| member.dissolve_hot());
        let workers = self.workers.replace(Vec::new());
        self.dock(&workers);
        workers
    }

    /// Dissolves the teams that this team's members keep.
    pub(crate) fn dissolve_hot(&'static self) {
        self.members.iter().for_each(|member| member.dissolve_hot());
    }
}

/// Brings workers to what a team that wants so many threads needs, as far as threads can be had; returns the size
/// of the team with them, and how many are new.
fn enlist(workers: &mut Vec<&'static Worker>, wanted: u32) -> (u32, usize) {
    let others = wanted as usize - 1;
    let new = if workers.len() < others { pool::reserve(others, workers) } else { 0 };
    // No more than wanted, which is a u32.
    (workers.len().min(others) as u32 + 1, new)
}

impl Member {
    /// A team for a region started from this member that asks for `wanted` threads, and its size: the hot one
    /// if it is large enough. Its threads beyond the master count as runnable from here on.
    pub(super) fn team_for(&self, wanted: u32) -> (&'static Team, u32) {
        let kept = &self.hot[usize::from(wanted > 1)];
        let (team, size, new) = match kept.get() {
            None => Team::made_for(wanted, Vec::new()),
            Some(team) => match team.staff(wanted) {
                (size, new) if size <= team.capacity() => (team, size, new),
                (_, new) => {
                    let (larger, size, more) = Team::made_for(wanted, team.let_workers_go());
                    team.put_by();
                    (larger, size, new + more)
                }
            },
        };
        kept.set(Some(team));
        if size > 1 || new > 0 {
            wait::add_runnable(size as i32 - 1 - new as i32);
        }
        (team, size)
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
        self.put_by();
    }

    /// Puts a team without workers among the spares.
    fn put_by(&'static self) {
        TEAMS.lock().push(self);
    }
}

/// The entry of a team that runs no region.
pub(super) extern "C" fn idle_entry(_data: *mut libc::c_void) {}

/// What a team outside every region stands for.
pub(super) fn idle_order() -> Order {
    Order {
        size: 1,
        entry: idle_entry,
        data: std::ptr::null_mut(),
        nest: Nest { num_teams: 1, ..Nest::default() },
        icvs: crate::global::initial_icvs(),
        avoid: None,
        float_control: FloatControl::default(),
        outer: None,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::thread;

    #[test]
    fn a_team_keeps_no_crowd_for_regions_of_few() {
        let sizes = std::thread::spawn(|| {
            let member = thread::current().member();
            let kept = |wanted: u32| {
                let (team, size) = member.team_for(wanted);
                wait::add_runnable(1 - size as i32);
                assert_eq!(size, wanted);
                team.workers.with(|workers| workers.len())
            };
            [kept(100), kept(50), kept(2), kept(3), kept(100)]
        });
        assert_eq!(sizes.join().unwrap(), [99, 99, 1, 2, 99]);
    }
}
