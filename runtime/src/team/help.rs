//! Waiting that helps: a thread that must wait runs tasks of its team meanwhile.
//!
//! Terms: a *goal* is what the thread waits for. A *choice* is which tasks it may run: at a barrier any;
//! inside a tied task only that task's descendants (the task scheduling constraint, OpenMP 5.2
//! section 12.9), which also bounds the stack by the depth of the task tree.
//!
//! Protocol: look at the goal; look for a task, own queue first (newest first), then the priority and
//! shared queues, then the others' queues (oldest first, a batch at a time when the choice is free);
//! between fruitless looks spin, looking at the goal alone, for gaps that grow; when patience ends, sleep
//! (`idle.rs`). A queue cannot be looked into without taking a task out, and whoever waits inside a tied task may run few of
//! them. What it may run was stolen from it, or is a child of that: so it looks at the thief that was there last, and at that
//! one's thief (leapfrogging: Wagner, Calder 1993), and at all queues only now and then, and before it sleeps.
//!
//! Invariants: 1. A member's own queue holds, from its newest task down to the first that does not
//! descend from the current task, every one of its tasks that does: a thread pushes only children of the
//! task it runs and successors of tasks it finished, and puts others' tasks there only while no such task
//! is left. 2. A stolen task that may not run here is put into the own queue, where others find it; whoever takes a task
//! from one queue and puts it into another announces it like a new one, because a last look may have missed it. 3. A
//! thread that sleeps inside a tied task has an empty queue: it leaves the tasks it may not run, all at once, to the team's
//! ordered queue, which can be searched for an allowed task. So no task stays where only sleepers could
//! run it: a thread that holds one is awake, and ends by running it or by telling everybody.
//! Tied and untied tasks are treated alike when they wait: the constraint costs untied tasks nothing but
//! a choice.

use super::{Member, Team};
use crate::activity::{self, State};
use crate::aside;
use crate::locality::search;
use crate::park::Appetite;
use crate::task::children::{OwnCount, RemoteCount, Until};
use crate::task::record::TaskRef;
use crate::task::run;
use crate::thread::{Foraging, Thread, clock};
use crate::trace;
use crate::wait::Wait;
use crossbeam_deque::Steal;
use std::sync::atomic::Ordering;
use vicinity_policy::{victims, waiting};

/// Which tasks a waiting thread may run.
#[derive(Clone, Copy)]
pub enum Choice {
    Any,
    DescendantsOf(TaskRef),
}

/// What a thread waits for.
pub trait Goal {
    fn is_met(&self) -> bool;
    /// The thread is about to sleep: arranges to be woken when the goal is met. True if it is met.
    fn arm(&self) -> bool {
        self.is_met()
    }
    /// The thread is awake again.
    fn disarm(&self) {}
    /// Where the program is, if the thread is to learn how long it waits there.
    fn place(&self) -> Option<usize> {
        None
    }
    /// Whether somebody wakes the thread when the goal is met; otherwise it never sleeps.
    fn can_wake(&self) -> bool {
        true
    }
}

/// All awaited children came in.
pub struct Children<'a> {
    pub own: &'a OwnCount,
    pub remote: &'a RemoteCount,
    pub until: Until,
}

impl Goal for Children<'_> {
    fn is_met(&self) -> bool {
        self.own.awaited(self.remote, self.until) == 0
    }

    fn arm(&self) -> bool {
        self.own.begin_countdown(self.remote, self.until)
    }

    fn disarm(&self) {
        self.own.end_countdown(self.remote, self.until);
    }
}

/// Whose queues a thread looks at that may run certain tasks alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Circle {
    /// Those of the last threads that stole from it, and from each other.
    Thieves,
    Everybody,
}

/// Longest gap between two looks for tasks, in pauses.
const LONGEST_GAP: u32 = 64;
/// One look in so many reaches all queues: some 200 microseconds.
const LOOKS_NEARBY: u32 = 64;
/// Thieves, and thieves of thieves.
const MOST_THIEVES: usize = 4;

/// Waits for `goal`, running tasks meanwhile.
pub fn help(thread: &'static Thread, choice: Choice, goal: &impl Goal) {
    let (member, aside) = (thread.member(), aside::Manner::here(thread));
    if aside == aside::Manner::Leaves {
        return aside::wait(thread, &|| goal.is_met());
    }
    let (team, serves) = (member.team(), aside == aside::Manner::Serves);
    let apart = serves && choice.is_bound();
    let choice = if apart { Choice::Any } else { choice };
    let mut wait = Wait::after(goal.place(), thread);
    let mut gap = 1;
    let mut waits = false;
    let (mut looks, mut looked_widely) = (0, false);
    let mut hesitation = Hesitation::default();
    while !goal.is_met() {
        let served = serves && aside::serve(thread, waits);
        let has_room = match serves {
            true => !apart || !aside::is_full(thread),
            false => choice.is_bound() || thread.has_stack(),
        };
        let hesitates = hesitation.holds(thread, has_room);
        let found = match hesitation.is_over() || (serves && aside::poll::awaits()) {
            _ if hesitates || !team.is_tasked() => None,
            false => find(thread, member, choice, how_far(looks, looked_widely)),
            true => oldest(thread, member),
        };
        if let Some(task) = found {
            if std::mem::take(&mut waits) {
                activity::goes_to(thread, State::Runs);
            }
            hesitation.pile_up(thread, || run_one(thread, task, apart));
            trace::follows(thread, true);
        }
        if found.is_some() || served {
            wait.begin_anew();
            (gap, looks, looked_widely) = (1, 0, false);
            continue;
        }
        looks += 1;
        if !std::mem::replace(&mut waits, true) {
            activity::goes_to(thread, State::Waits);
        }
        let waited = (0..gap).all(|_| goal.is_met() || wait.spin());
        gap = (gap * 2).min(LONGEST_GAP);
        let may_miss = choice.is_narrow() && team.is_tasked();
        if !waited && may_miss && !std::mem::replace(&mut looked_widely, true) {
            continue;
        }
        if !waited && serves && aside::watches(thread) {
            aside::rest(looks);
        } else if !waited {
            let slept =
                goal.can_wake() && !hesitates && wait.sleep(|| sleep(thread, member, choice, goal));
            if hesitates {
                std::thread::sleep(HESITATION_STEP);
            } else if !slept {
                std::thread::yield_now();
            }
            wait.begin_anew();
            (gap, looked_widely) = (1, false);
        }
    }
    if waits {
        activity::goes_to(thread, State::Runs);
        wait.end();
    }
    trace::follows(thread, false);
}

/// Runs a task, apart from the thread's own stack or on it.
fn run_one(thread: &'static Thread, task: TaskRef, apart: bool) {
    match apart {
        true => aside::run(thread, task),
        false => run::execute(thread, task),
    }
    crate::locality::watch::passed(thread.member().team().size());
}

/// A thread that may run anything, and has used half of its stack, puts others' tasks on top of what it does only if nothing
/// happens for long: they may wait in turn, and so on. It does so in the end, since nobody else might, and each time it
/// waits twice as long: so the stack grows by some ten tasks a second at most, and then by one.
#[derive(Default)]
struct Hesitation {
    since_ticks: u64,
}

/// How long a thread that hesitates sleeps before it looks again.
const HESITATION_STEP: std::time::Duration = std::time::Duration::from_micros(50);

impl Hesitation {
    /// Whether the thread still hesitates.
    fn holds(&mut self, thread: &Thread, has_room: bool) -> bool {
        if has_room {
            return false;
        }
        let now = clock::ticks();
        if self.since_ticks == 0 {
            self.since_ticks = now;
        }
        now.wrapping_sub(self.since_ticks) < waiting::hesitation_ticks(thread.piled_up.get())
    }

    /// Whether it has hesitated for long enough.
    fn is_over(&self) -> bool {
        self.since_ticks != 0
    }

    /// Runs a task, counting it if the thread has hesitated.
    fn pile_up(&mut self, thread: &Thread, run: impl FnOnce()) {
        let by = u32::from(std::mem::take(&mut self.since_ticks) != 0);
        thread.piled_up.set(thread.piled_up.get() + by);
        run();
        thread.piled_up.set(thread.piled_up.get() - by);
    }
}

/// The oldest task of some queue: what many wait for was created before they were. And where messages are awaited, all ranks had
/// better run their tasks in one order: those that wait for each other then wait at the same time.
fn oldest(thread: &'static Thread, member: &'static Member) -> Option<TaskRef> {
    let team = member.team();
    let shared = team.priority.pop(|_| true).or_else(|| settle(|| team.injector.steal()));
    let oldest_of = |num| settle(|| team.stealer(num).steal());
    let own = shared.or_else(|| (0..team.size()).find_map(oldest_of));
    own.or_else(|| find(thread, member, Choice::Any, Circle::Everybody))
}

/// How far a look goes after so many in vain, or the last before sleep.
fn how_far(looks: u32, is_last: bool) -> Circle {
    let far = is_last || looks % LOOKS_NEARBY == LOOKS_NEARBY - 1;
    if far { Circle::Everybody } else { Circle::Thieves }
}

/// Sleeps unless there is something to do; true if it slept.
fn sleep(thread: &'static Thread, member: &Member, choice: Choice, goal: &impl Goal) -> bool {
    let team = member.team();
    let appetite = match choice {
        Choice::Any => Appetite::Any,
        Choice::DescendantsOf(_) => Appetite::Bound,
    };
    thread.slab.flush();
    if appetite == Appetite::Bound {
        if !member.deque.is_empty() {
            strand(team, std::iter::from_fn(|| member.deque.pop()));
        }
        debug_assert!(member.deque.is_empty(), "invariant 3");
    }
    member.goes_to_sleep();
    team.sleepers.add(member.num);
    let slept = team.idle.sleep(&thread.parker, appetite, || {
        goal.arm()
            || match appetite {
                Appetite::Any => team.has_work_for(member),
                Appetite::Bound => team.has_shared_work(|task| choice.allows(task)),
            }
    });
    goal.disarm();
    team.sleepers.remove(member.num);
    member.is_seen();
    slept
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
    if let Some(task) = member.deque.pop() {
        if choice.allows(task) {
            return Some(task);
        }
        put_back(member, task);
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
fn strand(team: &'static Team, tasks: impl Iterator<Item = TaskRef>) {
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

impl Choice {
    /// Whether most tasks are not for this thread. An implicit task is most often the ancestor of all.
    fn is_narrow(self) -> bool {
        matches!(self, Choice::DescendantsOf(ancestor) if ancestor.depth.get() > 0)
    }

    /// Whether it is for certain tasks alone.
    fn is_bound(self) -> bool {
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
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
