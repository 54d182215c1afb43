//! Parallel regions: start a team, run the implicit tasks, join; and the barriers inside.
//!
//! Source: OpenMP 5.2 sections 10.1 (parallel), 15.3 (barriers).

use super::find::Choice;
use super::help::{Children, Goal, help};
use super::{Barrier, Member, Nest, Order, Team, apart, places, size};
use crate::activity;
use crate::aside;
use crate::locality;
use crate::share;
use crate::task::children::Until;
use crate::task::record::Body;
use crate::thread::{self, Thread};
use crate::tool;
use crate::trace::{self, Wait};
use crate::worksharing::Seat;
use std::ops::Range;
use std::sync::atomic::Ordering;
use vicinity_policy::tree;

/// What a parallel construct asks for.
#[derive(Clone, Copy, Default)]
pub struct Request {
    /// num_threads clause; 0 without one. However large: the team gets the threads that can be had.
    pub num_threads: u32,
    pub proc_bind: Option<places::Clause>,
}

/// Runs `entry(data)` on a team of threads.
pub fn parallel(entry: Body, data: *mut libc::c_void, request: Request) {
    parallel_with(entry, data, request, |_| ());
}

/// Like `parallel`; `preset` sets up a worksharing construct before any thread starts.
pub fn parallel_with(
    entry: Body,
    data: *mut libc::c_void,
    request: Request,
    preset: impl FnOnce(Seat),
) {
    start(entry, data, request, preset);
    // SAFETY: the program's outlined function and its data, as the compiler's ABI passes them.
    #[allow(unsafe_code)]
    unsafe {
        entry(data)
    };
    end();
}

/// Starts a region whose master goes on in the caller; `end` joins it.
pub fn start(entry: Body, data: *mut libc::c_void, request: Request, preset: impl FnOnce(Seat)) {
    start_team(entry, data, request, |team| preset(team.master().at_constructs()));
}

/// Like `start`; `preset` gets the team before any of its workers starts.
pub fn start_team(
    entry: Body,
    data: *mut libc::c_void,
    request: Request,
    preset: impl FnOnce(&'static Team),
) {
    let thread = thread::current();
    let outer = thread.member();
    let icvs = thread.task().icvs.get();
    let outside = outer.team().nest();
    let group = size::group_of(outer.team(), icvs);
    let (wanted, claim) = size::take(outer.team(), group, icvs, outside, request.num_threads);
    let (team, size) = outer.team_for(wanted);
    if size < wanted {
        size::give_back(group, wanted - size);
    }
    let nest = Nest {
        level: outside.level + 1,
        active_level: outside.active_level + u32::from(size > 1),
        ..outside
    };
    let icvs = crate::global::inherited(icvs, nest.level).map_or(icvs, |own| team.keep(own.into()));
    let here = if size > 1 { team.master().is_seen() } else { None };
    let avoid = here.filter(|_| apart::is_wanted());
    let around = Some((outer, thread.task()));
    team.begin(Order { avoid, outer: around, ..Order::here(size, entry, data, nest, icvs) });
    if places::need_attention() {
        places::assign(outer, team, request.proc_bind);
    }
    if size > 1 || team.layout().is_some() {
        locality::seat(outer, team);
    }
    team.contention.set(group);
    share::begin(&team.part, &outer.team().part, claim, size);
    preset(team);
    if size > 1 {
        locality::watch::region_begins(thread);
    }
    activity::region_begins(thread);
    trace::region_begins(thread, team, entry as usize, request.num_threads);
    if size > 1 {
        team.start_others(0, size);
    }
    team.master().enter(thread);
    trace::region_entered(thread, team.master());
}

/// The master's end of a region.
pub fn end() {
    let thread = thread::current();
    let member = thread.member();
    let team = member.team();
    join(thread, member);
    let (size, outer) = team.order.read(|order| (order.size, order.outer));
    if size > 1 {
        crate::wait::add_runnable(1 - size as i32);
        size::give_back(team.contention.get(), size - 1);
    }
    share::leave(&team.part);
    team.finish();
    if let Some((member, task)) = outer {
        thread.set_member(member);
        thread.set_task(task);
        if aside::is_on() {
            aside::sits_down(thread, member);
        }
    }
    if size > 1 {
        locality::watch::region_ends(thread);
    }
    activity::region_ends(thread);
    trace::region_ended(thread, team);
}

/// A worker's part of a region; returns the region's place in the program.
pub fn run_as_worker(thread: &'static Thread, member: &'static Member) -> usize {
    let team = member.team();
    let region = team.region();
    if !tree::is_flat(team.size()) {
        team.start_others(member.num, team.size());
    }
    let here = member.is_seen();
    member.enter(thread);
    trace::region_entered(thread, member);
    locality::watch::worker_enters(thread);
    let (entry, data, avoid) = team.order.read(|order| {
        order.float_control.take_over();
        (order.entry, order.data, order.avoid)
    });
    if let Some(processor) = avoid
        && avoid == here
    {
        apart::leave(thread, team, processor);
    }
    // SAFETY: as in `parallel_with`.
    #[allow(unsafe_code)]
    unsafe {
        entry(data)
    };
    join(thread, member);
    team.rest(member.num, region);
    entry as usize
}

/// Waits until the whole team and all its tasks are done.
fn join(thread: &'static Thread, member: &'static Member) {
    pass(thread, member, &member.team().join, Meeting::End);
    trace::region_left(thread, member);
    member.implicit.leave();
}

/// The barrier construct. A cancelled region cuts it short, since threads may have left for good: true if it did.
///
/// The caller should then go to the end of the region. Where the compiler does not ask for that, as in a function
/// that the region calls, it goes on without the others.
pub fn barrier() -> bool {
    let thread = thread::current();
    let member = thread.member();
    pass(thread, member, &member.team().barrier, Meeting::Barrier)
}

/// Arrives at a barrier with nothing left to do and waits for the others; true if cancelled meanwhile.
fn pass(
    thread: &'static Thread,
    member: &'static Member,
    barrier: &Barrier,
    meeting: Meeting,
) -> bool {
    trace::waits(thread, meeting.wait());
    let cancelled = meet(thread, member, barrier, meeting);
    if meeting != Meeting::End {
        trace::goes_on(thread);
    }
    if member.num == 0 {
        locality::watch::passed(member.team().size());
    }
    cancelled
}

fn meet(
    thread: &'static Thread,
    member: &'static Member,
    barrier: &Barrier,
    meeting: Meeting,
) -> bool {
    let team = member.team();
    finish_subtree(thread, member);
    let cancellable = meeting == Meeting::Barrier;
    if cancellable && team.is_cancelled() {
        return true;
    }
    let size = team.size();
    if size == 1 {
        team.shared.clear_cancelled();
        return false;
    }
    let place = meeting.place_in(team.order.read(|order| order.entry as usize));
    let seen = barrier.epoch();
    if barrier.arrive(member.num, size) {
        team.shared.clear_cancelled();
        if meeting == Meeting::End {
            trace::region_released(thread, team);
        }
        member.local.settle();
        barrier.release_saying(meeting == Meeting::End && team.is_looked_at_behind());
        match meeting {
            // Workers that sleep here go on sleeping until the next region needs them.
            // A tool hears now that they leave.
            Meeting::End if tool::is_on() => team.wake_members(0..size),
            Meeting::End => team.master().parker().into_iter().for_each(|it| team.idle.wake(it)),
            Meeting::Barrier => team.wake_others(member.num, size, true),
        }
        return false;
    }
    let goal = Release { barrier, seen, team: cancellable.then_some(team), place };
    help(thread, Choice::Any, &goal);
    let released = barrier.epoch() != seen;
    if released && meeting == Meeting::Barrier {
        member.local.settle();
        team.wake_others(member.num, size, false);
    }
    !released
}

/// What threads meet for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// A barrier, which a cancelled region cuts short.
    Barrier,
    /// The end of the region.
    End,
}

impl Meeting {
    /// A place in the program for each meeting of a region that begins there.
    fn place_in(self, entry: usize) -> usize {
        entry + if self == Meeting::End { 16 } else { 32 }
    }

    fn wait(self) -> Wait {
        if self == Meeting::End { Wait::Join } else { Wait::Barrier }
    }
}

/// The barrier was released, or the region cancelled where that counts.
struct Release<'a> {
    barrier: &'a Barrier,
    seen: u32,
    team: Option<&'a Team>,
    place: usize,
}

impl Goal for Release<'_> {
    #[inline]
    fn is_met(&self) -> bool {
        self.is_past() || self.team.is_some_and(Team::is_cancelled)
    }

    #[inline]
    fn is_past(&self) -> bool {
        self.barrier.epoch() != self.seen
    }

    fn place(&self) -> Option<usize> {
        Some(self.place)
    }
}

/// Helps until all tasks that descend from the member's implicit task are gone.
fn finish_subtree(thread: &'static Thread, member: &Member) {
    let task = &member.implicit;
    if task.own.created() == 0 {
        return;
    }
    let goal = Children { own: &task.own, remote: &task.remote, until: Until::Gone };
    help(thread, Choice::Any, &goal);
    task.own.reset();
    task.remote.reset();
    task.forget_dependences(thread);
}

impl Team {
    /// Master: sets the region's fields (invariant 2 of the module above).
    pub(super) fn begin(&self, order: Order) {
        debug_assert!(!self.has_any_work(), "a region begins without tasks");
        self.size.store(order.size, Ordering::Relaxed);
        self.regions.store(self.region().wrapping_add(1), Ordering::Relaxed);
        self.resting.set((!tree::is_flat(order.size)).then(|| self.rest.epoch()));
        self.order.set(order);
        // Relaxed: published with the workers' orders.
        self.tasked.store(false, Ordering::Relaxed);
        if self.cancelled.load(Ordering::Relaxed) {
            self.cancelled.store(false, Ordering::Relaxed);
            self.barrier.reset();
        }
        self.single.reset();
        self.shared.reset();
    }

    /// Wakes those that sleep at a barrier, after its release, whom the thread of member `num` is to wake in a region of
    /// `size`: few do it for all others if these are few, each for some if they are many.
    fn wake_others(&'static self, num: u32, size: u32, is_releaser: bool) {
        let part = tree::part_of(num, size);
        match (tree::is_flat(size), is_releaser) {
            (true, true) => self.wake_members(0..size),
            (true, false) => (),
            (false, true) => self.wake_members(std::iter::once(0).chain(first_of_parts(part))),
            (false, false) if part.len() > 1 => self.wake_members(first_of_parts(part)),
            (false, false) => (),
        }
    }

    fn wake_members(&'static self, members: impl Iterator<Item = u32> + Clone) {
        if self.idle.anyone() {
            self.idle.wake_all(self.parkers_of(members.inspect(|&num| self.seen.wakes(num))));
        }
    }

    fn master(&'static self) -> &'static Member {
        &self.members[0]
    }

    /// Master: nothing of the region is in use any more.
    fn finish(&self) {
        debug_assert!(!self.has_any_work(), "a region ends after its tasks");
        self.reductions.clear();
        // Relaxed: members keep things before they arrive at the join.
        if self.keeps.load(Ordering::Relaxed) {
            self.keeps.store(false, Ordering::Relaxed);
            let mut kept = thread::lock(&self.kept);
            kept.icvs.clear();
            kept.events.clear();
        }
    }
}

pub(super) fn first_of_parts(part: Range<u32>) -> impl Iterator<Item = u32> + Clone {
    tree::parts(part).map(|part| part.start)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::locality::described;
    use crate::locality::layout;
    use crate::task::record::TaskRef;
    use crate::team::store::idle_order;
    use std::sync::atomic::AtomicU32;
    use vicinity_policy::topology::LocationId;

    /// Large regions learn otherwise than small ones that their workers are at rest, and differently if some sleep.
    #[test]
    fn regions_of_changing_sizes_have_all_their_threads() {
        static COUNTS: [AtomicU32; 40] = [const { AtomicU32::new(0) }; 40];
        extern "C" fn count(_data: *mut libc::c_void) {
            let num = thread::current().member().num;
            COUNTS[num as usize].fetch_add(1, Ordering::Relaxed);
            match num % 5 {
                0 => std::thread::yield_now(),
                1 => std::thread::sleep(std::time::Duration::from_micros(u64::from(num) * 10)),
                _ => (),
            }
        }
        let sizes = [12, 3, 40, 16, 40, 2, 11, 10, 9, 40];
        for round in 0..40 {
            for num_threads in sizes {
                let request = Request { num_threads, proc_bind: None };
                parallel(count, std::ptr::null_mut(), request);
                if round % 8 == 0 {
                    thread::current().member().dissolve_hot();
                }
            }
        }
        for (num, count) in COUNTS.iter().enumerate() {
            let regions = sizes.iter().filter(|&&size| num < size as usize).count() as u32;
            assert_eq!(count.load(Ordering::Relaxed), 40 * regions, "thread {num}");
        }
    }

    /// A worker that makes its last look before it sleeps may have been captured by its master for a region that does not
    /// have its member.
    #[test]
    fn a_last_look_may_see_the_next_region() {
        let machine = described::eight_cores();
        let team = Team::take_some(&mut 8);
        let begin = |size: u32| {
            let at = (0..size as u16).map(|num| LocationId(num % 4)).collect();
            team.begin(Order { size, ..idle_order() });
            team.located.set(layout::of(&machine, at), &machine);
        };
        begin(8);
        assert!(!team.has_work_for(&team.members[7]));
        begin(2);
        assert!(!team.has_work_for(&team.members[7]), "it has no member there");
        let task = TaskRef::implicit(&team.members[0].implicit);
        team.members[0].deque.push(task);
        assert!(team.has_work_for(&team.members[1]));
    }
}
