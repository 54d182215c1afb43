//! Waiting that helps: a thread that must wait runs tasks of its team meanwhile.
//!
//! Terms: a *goal* is what the thread waits for. A *choice* is which tasks it may run: at a barrier any;
//! inside a tied task only that task's descendants (the task scheduling constraint, OpenMP 5.2
//! section 12.9), which also bounds the stack by the depth of the task tree.
//!
//! Protocol: look at the goal; look for a task, own queue first (newest first), then the priority and
//! shared queues, then the others' queues (oldest first, a batch at a time when the choice is free);
//! between fruitless looks spin, looking at the goal alone, for gaps that grow; when patience ends, sleep
//! (`idle.rs`).
//!
//! Invariants: 1. A member's own queue holds, from its newest task down to the first that does not
//! descend from the current task, every one of its tasks that does: a thread pushes only children of the
//! task it runs and successors of tasks it finished, and puts others' tasks there only while no such task
//! is left. 2. A stolen task that may not run here is put into the own queue, where others find it; whoever takes a task
//! from one queue and puts it into another announces it like a new one, because a last look may have missed it. 3. A
//! thread that sleeps inside a tied task has an empty queue: it leaves the tasks it may not run to the team's
//! ordered queue, which can be searched for an allowed task. So no task stays where only sleepers could
//! run it: a thread that holds one is awake, and ends by running it or by telling everybody.
//! Tied and untied tasks are treated alike when they wait: the constraint costs untied tasks nothing but
//! a choice.

use super::{Member, Team};
use crate::activity::{self, State};
use crate::locality::search;
use crate::park::Appetite;
use crate::task::children::{OwnCount, RemoteCount, Until};
use crate::task::record::TaskRef;
use crate::task::run;
use crate::thread::{Foraging, Thread, clock};
use crate::trace;
use crate::wait::Patience;
use crossbeam_deque::Steal;
use vicinity_policy::victims;

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

/// Longest gap between two looks for tasks, in pauses.
const LONGEST_GAP: u32 = 64;

/// Waits for `goal`, running tasks meanwhile.
pub fn help(thread: &'static Thread, choice: Choice, goal: &impl Goal) {
    let member = thread.member();
    let team = member.team();
    let mut patience = Patience::new();
    let mut gap = 1;
    let mut waits = false;
    while !goal.is_met() {
        if team.is_tasked()
            && let Some(task) = find(thread, member, choice)
        {
            if std::mem::take(&mut waits) {
                activity::goes_to(thread, State::Runs);
            }
            run::execute(thread, task);
            trace::follows(thread, true);
            (patience, gap) = (Patience::new(), 1);
            continue;
        }
        if !std::mem::replace(&mut waits, true) {
            activity::goes_to(thread, State::Waits);
        }
        let waited = (0..gap).all(|_| goal.is_met() || patience.spin());
        gap = (gap * 2).min(LONGEST_GAP);
        if !waited {
            let slept = goal.can_wake() && sleep(thread, member, choice, goal);
            if !slept {
                std::thread::yield_now();
            }
            (patience, gap) = (Patience::new(), 1);
        }
    }
    if waits {
        activity::goes_to(thread, State::Runs);
    }
    trace::follows(thread, false);
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
        std::iter::from_fn(|| member.deque.pop()).for_each(|task| strand(team, task));
        debug_assert!(member.deque.is_empty(), "invariant 3");
    }
    let slept = team.idle.sleep(&thread.parker, appetite, || {
        goal.arm()
            || match appetite {
                Appetite::Any => team.has_work_for(member),
                Appetite::Bound => team.has_shared_work(|task| choice.allows(task)),
            }
    });
    goal.disarm();
    slept
}

/// A task that `choice` allows, taken from wherever one is.
pub fn find(thread: &'static Thread, member: &'static Member, choice: Choice) -> Option<TaskRef> {
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
        None if may_forage(thread) => {
            let mut victims = victims::uniform(thread.random(), member.num, team.size());
            victims.find_map(|victim| steal(thread, member, victim, choice))
        }
        None => None,
    }
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
    strand(team, task);
    None
}

/// Puts a task that may not run here where those that may can see it without taking it out, and tells them.
fn strand(team: &'static Team, task: TaskRef) {
    team.priority.push(task);
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
    #[inline]
    pub(crate) fn allows(self, task: TaskRef) -> bool {
        match self {
            Choice::Any => true,
            Choice::DescendantsOf(ancestor) => task.descends_from(ancestor),
        }
    }
}
