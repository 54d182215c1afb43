//! Where a thread that looks for a task finds one: its own queue first (newest first), then the priority and shared queues, then
//! the others' queues (oldest first, a batch at a time when the choice is free).
//!
//! Terms: a *choice* is which tasks a thread may run.
//!
//! Whoever waits inside a tied task may run few tasks. What it may run was stolen from it, or descends from that: so it looks at
//! the queues of those who run stolen children of what it waits in (`task::helpers`), and at all of them now and then, and before
//! it sleeps. It takes the oldest task there if it may run it, and otherwise leaves it where it is (`deque`). Tied and untied
//! tasks are treated alike when they wait: the constraint costs untied tasks nothing but a choice.

use super::deque::Steal;
use super::{Member, Team};
use crate::locality::search;
use crate::task::record::{TaskRef, flag};
use crate::thread::{Foraging, Thread, clock};
use crate::trace;
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
    /// Those of the threads that run what was stolen from it.
    Helpers,
    /// Everybody's, for the oldest task.
    Everybody,
    /// Everybody's, for any task: what lies in front of one that it may run is moved.
    Depths,
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

/// The newest task of the member's own queue, if `choice` allows it.
fn own(member: &Member, choice: Choice) -> Option<TaskRef> {
    match choice {
        Choice::DescendantsOf(ancestor) if member.deque.is_newest_beside(ancestor) => None,
        _ => newest(member, |task| choice.allows(task)),
    }
}

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
    if let Some(task) = own(member, choice) {
        return Some(task);
    }
    trace::follows(thread, false);
    let found = shared(member, choice);
    if found.is_some() {
        return found;
    }
    let may_raid = may_forage(thread);
    let is_near = circle == Circle::Helpers && choice.is_narrow();
    if is_near && may_raid {
        let found = from_helpers(thread, member, choice);
        if found.is_some() {
            return found;
        }
    }
    let may_raid = may_raid && !is_near;
    let found = match team.layout() {
        Some(layout) => search::find(thread, member, layout, choice, may_raid, &mut ()),
        None if may_raid => {
            let mut victims = victims::uniform(thread.random(), member.num, team.size());
            victims.find_map(|victim| steal(thread, member, victim, choice))
        }
        None => None,
    };
    match choice {
        Choice::DescendantsOf(ancestor) if found.is_none() && circle == Circle::Depths => {
            dig(member, ancestor)
        }
        _ => found,
    }
}

/// A task from the queue of a thread that runs a stolen child of the one that `choice` names.
fn from_helpers(
    thread: &'static Thread,
    member: &'static Member,
    choice: Choice,
) -> Option<TaskRef> {
    let Choice::DescendantsOf(parent) = choice else { return None };
    let helpers = parent.helpers.among(member.team().size()).filter(|&num| num != member.num);
    { helpers }.find_map(|helper| steal(thread, member, helper, choice))
}

/// Whether the thread may steal now, after what its last loot was worth.
pub(crate) fn may_forage(thread: &Thread) -> bool {
    thread.foraging.with(|foraging| {
        let now = clock::ticks();
        if foraging.since != 0 {
            let luck = foraging.luck;
            let busy_ticks = now.wrapping_sub(foraging.since);
            let luck = luck.after(foraging.loot, busy_ticks, thread.member().team().size());
            let not_before = now + luck.wait_ticks;
            *foraging = Foraging { since: 0, luck, not_before, ..*foraging };
        }
        now >= foraging.not_before
    })
}

/// A task that `choice` allows from the queue that belongs to nobody.
fn shared(member: &Member, choice: Choice) -> Option<TaskRef> {
    let team = member.team();
    if team.injector.is_empty() {
        return None;
    }
    let task = from_injector(team)?;
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
    let queue = team.queue(victim);
    if queue.is_empty() {
        return None;
    }
    let task = match choice {
        Choice::Any => insist(|| queue.steal_half(&member.deque)),
        Choice::DescendantsOf(ancestor) => insist(|| queue.steal_below(ancestor)),
    }?;
    debug_assert!(choice.allows(task));
    task.add_flags(flag::STOLEN);
    // The loot was in no queue for a moment: who made its last look then is to take its part of it.
    if !member.deque.is_empty() {
        team.announce_queue(&member.deque);
    } else if !queue.is_empty() {
        team.announce_again();
    }
    let loot = member.deque.len() as u32 + 1;
    thread.foraging.with(|foraging| (foraging.since, foraging.loot) = (clock::ticks(), loot));
    Some(task)
}

/// Puts a task that may not run here into the own queue. It was in no queue for a moment: who made its last look then is
/// woken if it may run it.
pub(crate) fn put_back(member: &Member, task: TaskRef) {
    member.deque.push(task);
    member.team().announce_work(task);
}

/// A descendant of `ancestor` that lies behind others in some queue, after those were moved to the own one: for a thread that is
/// about to sleep. All threads that may run what lies in front may be asleep. In the own queue what was moved before may lie in
/// front, too: that goes round.
#[cold]
fn dig(member: &'static Member, ancestor: TaskRef) -> Option<TaskRef> {
    let team = member.team();
    let queues = (0..team.size()).map(|num| team.queue(num));
    let found = { queues }.filter(|queue| queue.holds_below(ancestor)).find_map(|queue| {
        (0..queue.len()).map_while(|_| insist(|| queue.steal())).find(|&task| {
            let is_found = task.descends_from(ancestor);
            if !is_found {
                put_back(member, task);
                member.told.set(false);
            }
            is_found
        })
    })?;
    found.add_flags(flag::STOLEN);
    Some(found)
}

/// Repeats an attempt that lost a race; gives up after a few.
fn insist(mut attempt: impl FnMut() -> Steal<TaskRef>) -> Option<TaskRef> {
    match (0..4).map(|_| attempt()).find(|outcome| *outcome != Steal::Lost)? {
        Steal::Taken(task) => Some(task),
        _ => None,
    }
}

/// A task from the queue that belongs to nobody.
fn from_injector(team: &Team) -> Option<TaskRef> {
    let steal = || team.injector.steal();
    (0..4).map(|_| steal()).find(|outcome| !outcome.is_retry())?.success()
}

/// The oldest task of some queue: what many wait for was created before they were.
pub(crate) fn oldest(thread: &'static Thread, member: &'static Member) -> Option<TaskRef> {
    let team = member.team();
    let shared = team.priority.pop(|_| true).or_else(|| from_injector(team));
    let oldest_of = |num| insist(|| team.queue(num).steal());
    let own = shared.or_else(|| (0..team.size()).find_map(oldest_of));
    own.or_else(|| find(thread, member, Choice::Any, Circle::Everybody))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::helpers::Help;
    use crate::task::{Task, run};
    use crate::team::region::{Request, barrier, parallel};
    use crate::thread;
    use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

    /// Whoever waits inside a tied task looks at the queues of threads that run a stolen child of it, and takes nothing that it
    /// may not run; it digs for its own in the end.
    #[test]
    fn a_waiter_inside_a_task_takes_nothing_but_its_own() {
        static MINE: AtomicPtr<Task> = AtomicPtr::new(std::ptr::null_mut());
        static QUEUED: AtomicBool = AtomicBool::new(false);
        static DONE: AtomicBool = AtomicBool::new(false);

        fn until(flag: &AtomicBool) {
            // Acquire: pairs with the Release of who sets it.
            while !flag.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        }
        fn wait_inside_a_task(thread: &'static Thread, implicit: TaskRef) {
            let member = thread.member();
            let team = member.team();
            thread.foraging.set(Foraging::default());
            let task = TaskRef::allocate(thread, implicit, 0, 0);
            let [running, child] = [task; 2].map(|task| TaskRef::allocate(thread, task, 0, 0));
            // Release: pairs with the Acquire of the other thread.
            MINE.store(child.as_ptr(), Ordering::Release);
            until(&QUEUED);
            let look = |circle| {
                let found = find(thread, member, Choice::DescendantsOf(task), circle);
                (found, member.deque.len(), team.queue(1).len())
            };
            assert_eq!(look(Circle::Helpers), (None, 0, 2));
            let help = Help::begin(running, 1).expect("the parent is no implicit task");
            assert_eq!(look(Circle::Helpers), (None, 0, 2), "the oldest is the child of another");
            assert_eq!(look(Circle::Everybody), (None, 0, 2));
            assert_eq!(look(Circle::Depths), (Some(child), 1, 0));
            member.deque.push(child);
            let Steal::Taken(other) = member.deque.steal() else { panic!("it was moved here") };
            member.deque.push(other);
            assert_eq!(look(Circle::Helpers), (None, 2, 0), "the newest is the child of another");
            assert_eq!(look(Circle::Depths), (Some(child), 1, 0));
            help.end();
            assert_eq!(task.helpers.among(2).count(), 0);
            // SAFETY: nobody else knows of them any more.
            #[allow(unsafe_code)]
            [child, running, task].iter().for_each(|task| unsafe { task.free(thread) });
        }
        fn queue_both(thread: &'static Thread, implicit: TaskRef) {
            let own = TaskRef::allocate(thread, implicit, 0, 0);
            run::defer(thread, own, implicit);
            while MINE.load(Ordering::Acquire).is_null() {
                std::thread::yield_now();
            }
            // SAFETY: it lives until the other thread has found it here.
            #[allow(unsafe_code)]
            let child = unsafe { TaskRef::from_ptr(MINE.load(Ordering::Relaxed)) };
            thread.member().deque.push(child);
            QUEUED.store(true, Ordering::Release);
            until(&DONE);
        }
        extern "C" fn region(_data: *mut libc::c_void) {
            let thread = thread::current();
            match thread.member().num {
                0 => wait_inside_a_task(thread, thread.task()),
                _ => queue_both(thread, thread.task()),
            }
            DONE.store(true, Ordering::Release);
            barrier();
        }
        parallel(region, std::ptr::null_mut(), Request { num_threads: 2, proc_bind: None });
    }
}
