//! Where a thread that looks for a task finds one: its own queue first (newest first), then the priority and shared queues, then
//! the others' queues (oldest first, a batch at a time when the choice is free).
//!
//! Terms: a *choice* is which tasks a thread may run. A *thief* of a member is the one that stole from it last.
//!
//! A queue cannot be looked into without taking a task out, and whoever waits inside a tied task may run few of them. What it
//! may run was stolen from it, or is a child of that: so it looks at the thief that was there last, and at that one's thief
//! (leapfrogging: Wagner, Calder 1993), and at all queues only now and then, and before it sleeps. Tied and untied tasks are
//! treated alike when they wait: the constraint costs untied tasks nothing but a choice.

use super::{Member, Team};
use crate::locality::search;
use crate::task::record::TaskRef;
use crate::thread::{Foraging, Thread, clock};
use crate::trace;
use crossbeam_deque::Steal;
use std::sync::atomic::Ordering;
use vicinity_policy::victims;

/// Which tasks a waiting thread may run.
#[derive(Clone, Copy)]
pub enum Choice {
    Any,
    DescendantsOf(TaskRef),
}

impl Choice {
    /// Whether most tasks are not for this thread. An implicit task is most often the ancestor of all.
    pub(super) fn is_narrow(self) -> bool {
        matches!(self, Choice::DescendantsOf(ancestor) if ancestor.depth.get() > 0)
    }

    /// Whether it is for certain tasks alone.
    pub(super) fn is_bound(self) -> bool {
        matches!(self, Choice::DescendantsOf(_))
    }

    #[inline]
    pub(crate) fn allows(self, task: TaskRef) -> bool {
        match self {
            Choice::Any => true,
            Choice::DescendantsOf(ancestor) => task.descends_from(ancestor),
        }
    }
}

/// Whose queues a thread looks at that may run certain tasks alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Circle {
    /// Those of the last threads that stole from it, and from each other.
    Thieves,
    Everybody,
}

/// The newest task of the member's own queue, if it may be run.
pub(crate) fn newest(member: &Member, may_run: impl Fn(TaskRef) -> bool) -> Option<TaskRef> {
    let task = member.deque.pop()?;
    if may_run(task) {
        return Some(task);
    }
    put_back(member, task);
    None
}

/// Thieves, and thieves of thieves.
const MOST_THIEVES: usize = 4;

/// A task that `choice` allows, taken from wherever one is.
pub fn find(
    thread: &'static Thread,
    member: &'static Member,
    choice: Choice,
    circle: Circle,
) -> Option<TaskRef> {
    let team = member.team();
    if !team.priority.is_empty()
        && let Some(task) = team.priority.pop(|task| choice.allows(task))
    {
        return Some(task);
    }
    debug_assert!(member.is_seat_of(thread), "a queue has one thread that pops");
    if let Some(task) = newest(member, |task| choice.allows(task)) {
        return Some(task);
    }
    trace::follows(thread, false);
    let found = shared(member, choice);
    if found.is_some() {
        return found;
    }
    match team.layout() {
        Some(layout) => search::find(thread, member, layout, choice, &mut ()),
        None if !may_forage(thread) => None,
        None if circle == Circle::Thieves && choice.is_narrow() => {
            thieves_of(member).find_map(|thief| steal(thread, member, thief, choice))
        }
        None => {
            let mut victims = victims::uniform(thread.random(), member.num, team.size());
            victims.find_map(|victim| steal(thread, member, victim, choice))
        }
    }
}

/// The last thief of `member`, the last of that one, and so on, as far as they are others.
fn thieves_of(member: &'static Member) -> impl Iterator<Item = u32> {
    let team = member.team();
    let thief_of = |num: u32| {
        // Relaxed: a hint. The thief may be one of a larger region before this one.
        let thief = team.members().get(num as usize)?.thief.load(Ordering::Relaxed);
        (thief < team.size() && thief != member.num && thief != num).then_some(thief)
    };
    std::iter::successors(thief_of(member.num), move |&num| thief_of(num)).take(MOST_THIEVES)
}

/// Whether the thread may steal now, after what its last loot was worth.
pub(crate) fn may_forage(thread: &Thread) -> bool {
    thread.foraging.with(|foraging| {
        let now = clock::ticks();
        if foraging.since != 0 {
            let luck = foraging.luck.after(foraging.loot, now.wrapping_sub(foraging.since));
            let not_before = now + luck.wait_ticks;
            *foraging = Foraging { since: 0, luck, not_before, ..*foraging };
        }
        now >= foraging.not_before
    })
}

/// A task from the queue that belongs to nobody.
fn shared(member: &Member, choice: Choice) -> Option<TaskRef> {
    let team = member.team();
    if team.injector.is_empty() {
        return None;
    }
    let task = settle(|| team.injector.steal())?;
    if choice.allows(task) {
        return Some(task);
    }
    strand(team, std::iter::once(task));
    None
}

/// Puts tasks that may not run here where those that may can see them without taking them out, and tells them.
pub(crate) fn strand(team: &'static Team, tasks: impl Iterator<Item = TaskRef>) {
    team.priority.extend(tasks);
    team.announce_to_all();
}

/// Steals from another member's own queue.
pub(crate) fn steal(
    thread: &'static Thread,
    member: &Member,
    victim: u32,
    choice: Choice,
) -> Option<TaskRef> {
    let team = member.team();
    let queue = team.stealer(victim);
    if queue.is_empty() {
        return None;
    }
    let task = match choice {
        Choice::Any => settle(|| queue.steal_batch_and_pop(&member.deque)),
        Choice::DescendantsOf(_) => settle(|| queue.steal()),
    }?;
    let robbed = &team.members[victim as usize];
    // Relaxed: a hint. Not written again and again, since its owner reads it.
    if robbed.thief.load(Ordering::Relaxed) != member.num {
        robbed.thief.store(member.num, Ordering::Relaxed);
    }
    if !choice.allows(task) {
        put_back(member, task);
        return None;
    }
    // The loot was in no queue for a moment: who made its last look then is to take its part of it.
    if !queue.is_empty() || !member.deque.is_empty() {
        team.announce_work();
    }
    let loot = member.deque.len() as u32 + 1;
    thread.foraging.with(|foraging| (foraging.since, foraging.loot) = (clock::ticks(), loot));
    Some(task)
}

/// Puts a task that may not run here into the own queue. It was in no queue for a moment: who made its last look then is
/// woken if it may run it.
pub(crate) fn put_back(member: &Member, task: TaskRef) {
    member.deque.push(task);
    member.team().announce_again();
}

/// Repeats an attempt that lost a race; gives up after a few.
fn settle(mut attempt: impl FnMut() -> Steal<TaskRef>) -> Option<TaskRef> {
    (0..4).map(|_| attempt()).find(|outcome| !outcome.is_retry())?.success()
}

/// The oldest task of some queue: what many wait for was created before they were.
pub(crate) fn oldest(thread: &'static Thread, member: &'static Member) -> Option<TaskRef> {
    let team = member.team();
    let shared = team.priority.pop(|_| true).or_else(|| settle(|| team.injector.steal()));
    let oldest_of = |num| settle(|| team.stealer(num).steal());
    let own = shared.or_else(|| (0..team.size()).find_map(oldest_of));
    own.or_else(|| find(thread, member, Choice::Any, Circle::Everybody))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::run;
    use crate::team::region::{Request, barrier, parallel};
    use crate::thread;

    /// Whoever waits inside a tied task leaves the queues of threads alone that never stole from it, until it looks everywhere.
    #[test]
    fn a_waiter_inside_a_task_looks_at_its_thieves_first() {
        fn wait_inside_a_task(thread: &'static Thread, implicit: TaskRef) {
            let member = thread.member();
            let team = member.team();
            thread.foraging.set(Foraging::default());
            // The team may have been another test's.
            member.thief.store(0, Ordering::Relaxed);
            let task = TaskRef::allocate(thread, implicit, 0, 0);
            let queued = || (member.deque.len(), team.stealer(1).len());
            let look = |circle| {
                let found = find(thread, member, Choice::DescendantsOf(task), circle);
                assert!(found.is_none(), "it is the child of another");
                queued()
            };
            assert_eq!(look(Circle::Thieves), (0, 1));
            member.thief.store(1, Ordering::Relaxed);
            assert_eq!(look(Circle::Thieves), (1, 0));
            assert_eq!(team.members()[1].thief.load(Ordering::Relaxed), 0);
            // SAFETY: nobody else knew of it.
            #[allow(unsafe_code)]
            unsafe {
                task.free(thread)
            };
        }
        extern "C" fn region(_data: *mut libc::c_void) {
            let thread = thread::current();
            let implicit = thread.task();
            if thread.member().num == 1 {
                let task = TaskRef::allocate(thread, implicit, 0, 0);
                run::defer(thread, task, implicit);
            }
            let begun = thread.member().team().stealer(1);
            while thread.member().num == 0 && begun.is_empty() {
                std::thread::yield_now();
            }
            if thread.member().num == 0 {
                wait_inside_a_task(thread, implicit);
                // Release: pairs with the Acquire below.
                DONE.store(true, Ordering::Release);
            }
            while !DONE.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            barrier();
        }
        static DONE: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        parallel(region, std::ptr::null_mut(), Request { num_threads: 2, proc_bind: None });
    }
}
