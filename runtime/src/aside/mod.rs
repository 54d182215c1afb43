//! Tasks that are set aside while they wait, so that their thread runs others: for waits whose end only another task, or
//! another process, brings about ([decision 054](../../../docs/decisions/054-waiting-for-messages.md)).
//!
//! Terms: a *fiber* is a stack on which a thread runs tasks and which it can leave in the middle of one (`fiber`). A thread's
//! *own stack* is the one that the system gave it. A task is *set aside* while it waits on a fiber that its thread has left.
//! It goes on on the same thread: so its number, its place and its thread-local variables stay what they were.
//!
//! Protocol: nothing of this happens until somebody asks for it (`switch_on`). Then
//! - no new task runs inside its creator but those that must, and a thread that waits inside a task runs others on
//!   fibers, never on top of what waits, but where it has set very many aside (`nest`);
//! - who waits on a fiber leaves it, with a *condition* that its thread looks at, or with a *pause* that another thread ends;
//! - who waits on the own stack runs other tasks, and goes on with fibers whose wait is over (`serve`).
//!
//! A fiber is left for the own stack alone, and entered from there alone, so two levels are all there is.
//!
//! Invariants: 1. A thread's fibers, and what it keeps of them, are its own; others reach `Here::ended` alone. 2. A condition is
//! looked at until it says yes, and then its fiber goes on without looking again. 3. Fibers are never deallocated.
//! Not here: regions that a task on a fiber starts wait as without fibers, and keep the thread.
#![allow(unsafe_code)]

mod exceptions;
mod fiber;
pub(crate) mod order;
mod pause;
pub mod poll;

pub use fiber::Here;
pub use pause::Pause;

use crate::task::TaskRef;
use crate::team::Member;
use crate::team::find::{self, Choice, Circle};
use crate::team::help::{self, Goal};
use crate::thread::{self, Thread};
use crate::wait::{self, Patience};
use crate::{errno, report, tool};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Tasks in a thread's queue before their creator runs some of them.
const MOST_QUEUED: usize = 512;
/// Fruitless looks in a row after which a thread that watches for messages yields, and after which it sleeps a little.
const YIELDS: u32 = 200;
const NAP: Duration = Duration::from_micros(20);
/// Of a thread that is alone in its team, whom nobody makes tasks for: each nap takes its processor from whoever else runs there.
const LONGEST_NAP: Duration = Duration::from_micros(200);
/// So many naps of a length follow each other, before those that are `NAP` longer.
const NAPS_ALIKE: u32 = 4;
/// How long a thread waits for other members before it looks for tasks, in ticks: some 5 microseconds.
const SHORT_WAIT: u64 = 15_000;

/// Relaxed: set once, while the program is about to begin; who sees it late waits as before for that while.
static ON: AtomicBool = AtomicBool::new(false);

#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// From now on tasks that wait are set aside. False if a tool watches, which is told of tasks that nest.
pub fn switch_on() -> bool {
    if tool::is_on() {
        return false;
    }
    ON.store(true, Ordering::Relaxed);
    let thread = thread::current();
    sits_down(thread, thread.member());
    true
}

/// Whether a task that waits here could make room for others.
pub fn helps() -> bool {
    let helps =
        |thread: &Thread| Manner::of(thread) != Manner::Stays && thread.member().team().is_tasked();
    is_on() && thread::try_current().is_some_and(helps)
}

/// What becomes of a thread that waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It does as if there were no fibers.
    Stays,
    /// It leaves the fiber that it is on.
    Leaves,
    /// It runs other tasks on fibers, and goes on with those that are set aside.
    Serves,
}

impl Manner {
    #[inline(always)]
    pub fn here(thread: &Thread) -> Manner {
        if is_on() { Manner::of(thread) } else { Manner::Stays }
    }

    fn of(thread: &Thread) -> Manner {
        match thread.aside.fiber() {
            // The workers of the open team come and go.
            None if !thread.member().team().has_master() => Manner::Stays,
            None => Manner::Serves,
            Some(fiber) if fiber.is_home(thread) => Manner::Leaves,
            Some(_) => Manner::Stays,
        }
    }
}

/// A thread sits down at `member`: inside a region its new tasks are all deferred, since inside their creator none could be
/// set aside without it.
pub(crate) fn sits_down(thread: &Thread, member: &Member) {
    let team = member.team();
    thread.runs_new_tasks(team.nest().level == 0 || !team.has_master());
}

/// Waits until `condition` says yes, which it does once.
pub(crate) fn wait(thread: &'static Thread, condition: &dyn Fn() -> bool) {
    match thread.aside.fiber().filter(|fiber| fiber.is_home(thread)) {
        Some(_) if condition() => (),
        Some(fiber) => fiber.leave_until(condition),
        // Meanwhile the thread asks others and sleeps, on the stack of the task that waits.
        None => errno::kept(|| {
            help::help(thread, Choice::DescendantsOf(thread.task()), &Condition::of(condition));
        }),
    }
}

/// A task waits for all its children, on a fiber of a thread that has set very many tasks aside: those that are newest run on top
/// of it, so that a deep tree of tasks does not need a stack for each of them. It could not go on before they end anyhow.
pub(crate) fn nest(thread: &'static Thread, done: &dyn Fn() -> bool) {
    let Some(fiber) = thread.aside.fiber() else { return };
    let task = thread.task();
    while order::is_full(thread) && fiber.has_room() && !done() {
        let child = find::newest(thread.member(), |newest| newest.parent.get() == Some(task));
        let Some(child) = child else { return };
        crate::task::run::execute(thread, child);
    }
}

/// Returns when `done` says yes, which it does once. For waits for other members of the team, who wake nobody; one of them may
/// wait for a task that this thread has set aside.
pub(crate) fn until(mut done: impl FnMut() -> bool) {
    if !is_on() {
        return wait::until(done);
    }
    let mut patience = Patience::at_most(SHORT_WAIT);
    while !done() {
        if !patience.spin() {
            return until_aside(done);
        }
    }
}

fn until_aside(done: impl FnMut() -> bool) {
    let thread = thread::current();
    if Manner::of(thread) == Manner::Stays {
        return wait::until(done);
    }
    let done = RefCell::new(done);
    wait(thread, &|| (done.borrow_mut())());
}

/// A condition as a goal: once it has said yes it is not asked again (invariant 2).
struct Condition<'a> {
    holds: &'a dyn Fn() -> bool,
    held: Cell<bool>,
}

impl<'a> Condition<'a> {
    fn of(holds: &'a dyn Fn() -> bool) -> Condition<'a> {
        Condition { holds, held: Cell::new(false) }
    }
}

impl Goal for Condition<'_> {
    fn is_met(&self) -> bool {
        if !self.held.get() {
            self.held.set((self.holds)());
        }
        self.held.get()
    }

    fn can_wake(&self) -> bool {
        false
    }
}

/// Runs a ready task where it can be set aside.
pub(crate) fn run(thread: &'static Thread, task: TaskRef) {
    if thread.aside.fiber().is_none()
        && let Some(fiber) = thread.aside.vacant(thread)
    {
        return fiber.begin(task);
    }
    crate::task::run::execute(thread, task);
}

/// On the own stack: asks for messages, and goes on with tasks whose wait is over. True if there was one.
pub(crate) fn serve(thread: &'static Thread, is_idle: bool) -> bool {
    poll::poll(is_idle);
    thread.aside.go_on()
}

/// Whether the thread must not sleep until it is woken: nobody wakes it for a message, or for a condition.
pub(crate) fn watches(thread: &Thread) -> bool {
    poll::awaits() || thread.aside.count() > 0
}

/// A thread that watches has looked in vain so many times in a row.
pub(crate) fn rest(thread: &Thread, looks: u32) {
    match looks.checked_sub(YIELDS) {
        None => std::thread::yield_now(),
        Some(naps) => std::thread::sleep(nap(naps, thread.member().team().size() == 1)),
    }
}

/// How long a thread naps that has done so this often: after the first ones at most half as long as it has napped in all.
fn nap(naps: u32, is_alone: bool) -> Duration {
    match is_alone {
        true => (NAP * (1 + naps / NAPS_ALIKE)).min(LONGEST_NAP),
        false => NAP,
    }
}

/// The current task is about to defer another one: where there are very many already, waits until some have run.
#[cold]
#[inline(never)]
pub(crate) fn make_room(thread: &'static Thread) {
    let member = thread.member();
    let queued = move || member.deque.len() + member.team().priority.len();
    let enough = move || queued() < MOST_QUEUED || order::is_full(thread);
    if is_on() && !thread.registers.get() && !enough() {
        wait(thread, &enough);
    }
}

/// The taskyield construct. A task begins even if another one goes on: those that go on may yield for what one that has not begun
/// will do.
pub(crate) fn taskyield(thread: &'static Thread) {
    match Manner::of(thread) {
        Manner::Stays => return,
        Manner::Leaves => return wait_a_turn(thread),
        Manner::Serves => (),
    }
    serve(thread, true);
    let member = thread.member();
    let found = match order::is_full(thread) {
        _ if !member.team().is_tasked() => None,
        true => order::find_another(thread, member)
            .or_else(|| order::may_exceed(thread).then(|| find::oldest(thread, member)).flatten()),
        false => find::find(thread, member, Choice::Any, Circle::Everybody),
    };
    found.into_iter().for_each(|task| run(thread, task));
}

/// Leaves the fiber, and goes on when its thread comes to it again.
fn wait_a_turn(thread: &Thread) {
    thread.aside.fiber().inspect(|fiber| fiber.leave_for_a_turn());
}

/// There is no memory for another stack.
fn complain(error: &std::io::Error) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        report::warn(&format!(
            "no memory for another stack ({error}): some tasks that wait for messages keep their threads"
        ));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn naps_of_lone_threads_grow_with_what_they_have_waited() {
        assert!((0..1000).all(|naps| nap(naps, false) == NAP));
        assert_eq!((nap(0, true), nap(u32::MAX - YIELDS, true)), (NAP, LONGEST_NAP));
        let waited = |naps| (0..naps).map(|nap_before| nap(nap_before, true)).sum::<Duration>();
        assert!((NAPS_ALIKE..1000).all(|naps| nap(naps, true) <= waited(naps) / 2));
    }
}
