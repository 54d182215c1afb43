//! Waiting that helps: a thread that must wait runs tasks of its team meanwhile.
//!
//! Terms: a *goal* is what the thread waits for. A *choice* is which tasks it may run: at a barrier any;
//! inside a tied task only that task's descendants (the task scheduling constraint, OpenMP 5.2
//! section 12.9), which also bounds the stack by the depth of the task tree.
//!
//! Protocol: look at the goal; look for a task (`find`); between fruitless looks spin, looking at the goal alone, for gaps
//! that grow; when patience ends, sleep (`idle`).
//!
//! Invariants: 1. A member's own queue holds, from its newest task down to the first that does not
//! descend from the current task, every one of its tasks that does: a thread pushes only children of the
//! task it runs and successors of tasks it finished, and puts others' tasks there only while no such task
//! is left. 2. Whoever takes a task from one queue and puts it into another announces it like a new one, because a last look
//! may have missed it. 3. A thread that falls asleep inside a tied task may leave tasks in its queue, which it may not run. It
//! wakes all before that may run one of them, once for the same tasks. Its last look reaches all tasks in all queues, and what it may run there it
//! gets, from behind others too (`find::dig`). So no task stays where only sleepers could run it: whoever fell asleep before it
//! was queued there is told, and whoever does so afterwards sees it.

use super::Member;
use super::find::{self, Choice, Circle};
use super::hesitation::{self, Hesitation};
use crate::activity::{self, State};
use crate::aside::{self, Manner};
use crate::park::Appetite;
use crate::share;
use crate::task::children::{OwnCount, RemoteCount, Until};
use crate::task::record::TaskRef;
use crate::task::run;
use crate::thread::Thread;
use crate::trace;
use crate::wait::Wait;

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
    /// Whether the region may be over that the thread waits in, and tasks that are there be the next one's.
    fn is_past(&self) -> bool {
        false
    }
    /// Whether all children of the current task must have finished.
    fn is_all_children(&self) -> bool {
        false
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

    fn is_all_children(&self) -> bool {
        matches!(self.until, Until::Finished)
    }
}

/// Longest gap between two looks for tasks, in pauses.
const LONGEST_GAP: u32 = 64;
/// One look in so many reaches all queues: it reads lines of every member.
const LOOKS_NEARBY: u32 = 16;
/// One look in so many reaches all tasks in them, as the last one before sleeping does: for those that never sleep.
const LOOKS_OUTSIDE_DEPTHS: u32 = 1024;
/// Waits for `goal`, running tasks meanwhile.
pub fn help(thread: &'static Thread, choice: Choice, goal: &impl Goal) {
    match Manner::here(thread) {
        Manner::Leaves => {
            if goal.is_all_children() {
                aside::nest(thread, &|| goal.is_met());
            }
            aside::wait(thread, &|| goal.is_met());
        }
        manner => Helper::new(thread, choice, manner, goal.place()).help_until(goal),
    }
}

/// A thread that waits on its own stack.
struct Helper {
    thread: &'static Thread,
    member: &'static Member,
    choice: Choice,
    /// It goes on with tasks that were set aside.
    serves: bool,
    /// It runs tasks where they can be set aside: then it may run any.
    apart: bool,
    /// A task to run next, which is in no queue.
    next: Option<TaskRef>,
    wait: Wait<'static>,
    hesitation: Hesitation,
    hesitates: bool,
    /// Pauses between two looks for tasks.
    gap: u32,
    /// Fruitless ones in a row.
    looks: u32,
    /// The last look before it sleeps.
    looks_widely: bool,
    /// It has found nothing to do.
    waits: bool,
}

impl Helper {
    fn new(
        thread: &'static Thread,
        choice: Choice,
        manner: Manner,
        place: Option<usize>,
    ) -> Helper {
        let serves = manner == Manner::Serves;
        let apart = serves && choice.is_bound();
        thread.member().told.set(false);
        Helper {
            thread,
            member: thread.member(),
            choice: if apart { Choice::Any } else { choice },
            serves,
            apart,
            next: None,
            wait: Wait::after(place, thread),
            hesitation: Hesitation::default(),
            hesitates: false,
            gap: 1,
            looks: 0,
            looks_widely: false,
            waits: false,
        }
    }

    #[inline]
    fn help_until(mut self, goal: &impl Goal) {
        while !goal.is_met() {
            if self.work(goal) {
                self.member.told.set(false);
                self.wait.begin_anew();
                (self.gap, self.looks, self.looks_widely) = (1, 0, false);
            } else {
                self.pause(goal);
            }
        }
        self.put_next_back();
        if self.waits {
            activity::goes_to(self.thread, State::Runs);
            self.wait.end();
        }
        trace::follows(self.thread, false);
    }

    /// Runs a task, or goes on with some that were set aside; false if there are none.
    #[inline]
    fn work(&mut self, goal: &impl Goal) -> bool {
        let served = self.serves && aside::serve(self.thread, self.waits);
        self.hesitates = self.hesitation.holds(self.thread, self.has_room());
        let Some(task) = self.next.take().or_else(|| self.look(goal)) else { return served };
        if std::mem::take(&mut self.waits) {
            activity::goes_to(self.thread, State::Runs);
        }
        self.next = self.hesitation.pile_up(self.thread, || run_one(self.thread, task, self.apart));
        if self.next.is_some() && !self.has_room() {
            self.put_next_back();
        }
        trace::follows(self.thread, true);
        true
    }

    fn put_next_back(&mut self) {
        self.next.take().into_iter().for_each(|next| run::enqueue(self.thread, next));
    }

    fn has_room(&self) -> bool {
        match self.serves {
            true => !self.apart || !aside::order::is_full(self.thread),
            false => self.choice.is_bound() || self.thread.has_stack(),
        }
    }

    /// A task, if there are any; none of the next region: whoever sees that there are some sees that this one is over.
    fn look(&mut self, goal: &impl Goal) -> Option<TaskRef> {
        if !self.member.team().is_tasked() || goal.is_past() {
            return None;
        }
        if self.hesitates {
            return self.look_past_waiters();
        }
        if self.hesitation.is_over() {
            find::oldest(self.thread, self.member)
        } else {
            find::find(self.thread, self.member, self.choice, self.circle())
        }
    }

    /// Whose queues it looks at this time.
    fn circle(&self) -> Circle {
        let is_each = |of: u32| self.looks % of == of - 1;
        match () {
            () if self.looks_widely || is_each(LOOKS_OUTSIDE_DEPTHS) => Circle::Depths,
            () if is_each(LOOKS_NEARBY) => Circle::Everybody,
            () => Circle::Helpers,
        }
    }

    /// A task that will hardly add to those that are set aside; on the own stack any would add to what is there.
    fn look_past_waiters(&mut self) -> Option<TaskRef> {
        if !self.apart {
            return None;
        }
        let found = aside::order::find_another(self.thread, self.member)?;
        self.hesitation = Hesitation::default();
        Some(found)
    }

    /// Waits until it is time for the next look.
    #[inline]
    fn pause(&mut self, goal: &impl Goal) {
        self.looks += 1;
        if !std::mem::replace(&mut self.waits, true) {
            activity::goes_to(self.thread, State::Waits);
        }
        let spun = (0..self.gap).all(|_| goal.is_met() || self.wait.spin());
        self.gap = (self.gap * 2).min(LONGEST_GAP);
        let may_miss = || self.choice.is_bound() && self.member.team().is_tasked();
        if !spun && !self.looks_widely && may_miss() {
            self.looks_widely = true;
        } else if !spun && self.serves && aside::watches(self.thread) {
            aside::rest(self.thread, self.looks);
        } else if !spun {
            self.sleep(goal);
        }
    }

    fn sleep(&mut self, goal: &impl Goal) {
        let (thread, member, choice) = (self.thread, self.member, self.choice);
        if !member.deque.is_empty() && !member.told.replace(true) {
            member.team().announce_queue(&member.deque);
        }
        if self.hesitates {
            std::thread::sleep(hesitation::STEP);
        } else if !goal.can_wake() || !self.wait.sleep(|| sleep(thread, member, choice, goal)) {
            std::thread::yield_now();
        }
        self.wait.begin_anew();
        (self.gap, self.looks_widely) = (1, false);
    }
}

/// Runs a task, apart from the thread's own stack or on it; gives back one that is to be run next.
fn run_one(thread: &'static Thread, task: TaskRef, apart: bool) -> Option<TaskRef> {
    let next = match apart {
        true => {
            aside::run(thread, task);
            None
        }
        false => run::execute_one(thread, task),
    };
    crate::locality::watch::passed(thread.member().team().size());
    next
}

/// Sleeps unless there is something to do; true if it slept.
fn sleep(thread: &'static Thread, member: &Member, choice: Choice, goal: &impl Goal) -> bool {
    let team = member.team();
    let appetite = match choice {
        Choice::Any => Appetite::Any,
        Choice::DescendantsOf(_) => Appetite::Bound,
    };
    thread.slab.flush();
    member.awaited.set(match choice {
        Choice::Any => None,
        Choice::DescendantsOf(ancestor) => Some(ancestor),
    });
    member.goes_to_sleep();
    team.sleepers.add(member.num);
    let look = || {
        goal.arm()
            || match choice {
                Choice::Any => team.has_work_for(member),
                Choice::DescendantsOf(ancestor) => team.has_work_below(ancestor),
            }
    };
    let slept = share::lend(&team.part, || team.idle.sleep(&thread.parker, appetite, look));
    goal.disarm();
    team.sleepers.remove(member.num);
    member.is_seen();
    slept
}
