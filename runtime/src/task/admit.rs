//! Admitting a new task: run it now, run it after its predecessors, or defer it; and doing what was decided.
//!
//! Every entry point of either ABI that makes a task asks `admit`. What the clauses settle says
//! `vicinity_policy::admission`; what they leave open, the throttle decides by how much there is to do.
//!
//! A task that its creator runs is *included*: it is no child that anybody waits for. One with an event is a child
//! all the same, since its event may be fulfilled long after its body; its creator goes on when the body is over.
//! Sources: OpenMP 5.2 section 12.5 (task), 12.5.2 (detach), 12.3 (final).

use super::children::Until;
use super::deps::{self, Dependence};
use super::record::{Task, TaskRef, flag};
use super::{grain, run, wait};
use crate::aside;
use crate::locality::dealing;
use crate::thread::Thread;
use vicinity_policy::admission::{self, Ruling};
use vicinity_policy::grain::Haste;
use vicinity_policy::throttle::{self, Creator};

pub use vicinity_policy::admission::{Admission, Clauses};

/// What decides about a new task.
#[derive(Clone, Copy, Default)]
pub struct Spec<'a> {
    pub clauses: Clauses,
    pub dependences: &'a [Dependence],
    /// The function that is the task's body, where that tells it from others; else 0.
    pub function: usize,
    /// For a share of a taskloop: how many there were before it.
    pub share: Option<u64>,
}

impl Spec<'_> {
    #[inline(always)]
    fn creator(&self, parent: TaskRef) -> Creator {
        match self.share {
            Some(shares) => Creator::Loop { shares },
            None => parent.as_creator(),
        }
    }
}

/// How a new child of `parent`, the current task, is run.
#[inline(always)]
pub fn admit(thread: &'static Thread, parent: TaskRef, spec: &Spec) -> Admission {
    let now = match spec.clauses.ruling() {
        Ruling::Settled(admission) => return admission,
        Ruling::Lonely => is_alone(thread) && deps::all_met(parent, spec.dependences),
        Ruling::Open if spec.dependences.is_empty() => {
            should_run_now(thread, || spec.creator(parent))
        }
        Ruling::Open => should_run_dependent_now(thread, parent, spec),
    };
    if now { Admission::Inline } else { Admission::Deferred }
}

/// Whether a new task without dependences or other clauses surely runs at once: `admit` for the common case. It changes
/// nothing, so that whoever gets a no may ask `admit`.
#[inline(always)]
pub fn surely_runs_now(thread: &Thread, parent: TaskRef) -> bool {
    debug_assert!(matches!(Clauses::default().ruling(), Ruling::Open));
    let member = thread.member();
    let size = member.team().size();
    let queued = || member.deque.len() as u32;
    let throttle = || member.throttle.get();
    thread.has_stack()
        && (throttle::is_alone(size)
            || throttle().surely_runs_now(queued(), parent.as_creator(), size))
}

/// How a task is run whose dependences have not been read, since nothing needs to know them
/// (`deps::may_be_skipped`) unless it is deferred.
#[inline(always)]
pub fn admit_unread(thread: &Thread, clauses: Clauses, function: usize) -> Admission {
    match clauses.ruling() {
        Ruling::Settled(admission) => admission,
        Ruling::Lonely | Ruling::Open if is_alone(thread) => Admission::Inline,
        Ruling::Open if grain::is_tiny(thread, function) && thread.has_stack() => Admission::Inline,
        Ruling::Lonely | Ruling::Open => Admission::Deferred,
    }
}

/// The priority of a task that asks for one.
pub fn priority(asked: i32) -> i32 {
    admission::priority(asked, crate::global::settings().max_task_priority)
}

impl Task {
    /// What the throttle may know of this task, which creates others one by one.
    #[inline(always)]
    pub fn as_creator(&self) -> Creator {
        Creator::Task { children: self.own.created(), depth: self.depth.get() }
    }
}

/// Whether a new task of the current one, without dependences, should run at once.
#[inline(always)]
fn should_run_now(thread: &'static Thread, creator: impl FnOnce() -> Creator) -> bool {
    let member = thread.member();
    let size = member.team().size();
    if !thread.has_stack() {
        aside::make_room(thread);
        return false;
    }
    if throttle::is_alone(size) {
        return true;
    }
    let mut throttle = member.throttle.get();
    let runs_now = throttle.run_now(member.deque.len() as u32, creator(), size);
    member.throttle.set(throttle);
    runs_now
}

/// Whether a new task with dependences should run at once. While the backlog is full but predecessors are
/// unfinished, runs tasks of the own queue, which may be those; and tiny ones so that a tiny task may run.
#[inline(never)]
fn should_run_dependent_now(thread: &'static Thread, parent: TaskRef, spec: &Spec) -> bool {
    let threads = thread.member().team().size();
    let is_alone = throttle::is_alone(threads);
    let mut looks = 0;
    if aside::is_on() {
        aside::make_room(thread);
    }
    while thread.has_stack() {
        let grain = grain::of(thread, spec.function);
        let unfinished = parent.own.awaited(&parent.remote, Until::Finished);
        let is_behind = is_alone || grain.backlog_is_full(unfinished, threads);
        if !is_behind {
            return false;
        }
        let Some(unmet) = deps::first_unmet(parent, spec.dependences) else {
            thread.member().haste.set(Haste::default());
            if unfinished == 0 && deps::any_unfinished(parent) {
                // Those that follow need not ask.
                parent.forget_dependences(thread);
            }
            return !deps::any_exclusive(spec.dependences);
        };
        let goes_on = match grain.is_tiny() {
            false => run::run_own(thread, parent, |_| true),
            true => come_closer(thread, parent, unmet, &mut looks),
        };
        if !goes_on {
            return false;
        }
    }
    false
}

/// The creator of a tiny task does what it can for a predecessor of it: runs tiny tasks of its own queue, or gives whoever
/// runs the predecessor a moment, as long as such moments have been enough. False if it has done all.
fn come_closer(thread: &'static Thread, parent: TaskRef, unmet: TaskRef, looks: &mut u32) -> bool {
    let is_tiny = |task: TaskRef| grain::is_tiny(thread, task.entry());
    if !is_tiny(unmet) {
        return false;
    }
    if run::run_own(thread, parent, is_tiny) {
        return true;
    }
    *looks += 1;
    let haste = thread.member().haste.get();
    if *looks > haste.looks() {
        thread.member().haste.set(haste.after_vain_looks());
        return false;
    }
    std::hint::spin_loop();
    true
}

/// Whether nobody else could run a task: its creator has no reason to go ahead.
#[inline(always)]
fn is_alone(thread: &Thread) -> bool {
    throttle::is_alone(thread.member().team().size()) && thread.has_stack()
}

/// Does what was decided about an allocated child of `parent`, the current task.
pub fn carry_out(
    thread: &'static Thread,
    parent: TaskRef,
    task: TaskRef,
    dependences: &[Dependence],
    admission: Admission,
) {
    match admission {
        Admission::Deferred => defer(thread, parent, task, dependences),
        _ if task.is(flag::DETACHABLE) => run_as_child(thread, parent, task, dependences),
        _ => wait::take_turn(dependences, |thread| {
            if task.is(flag::PLACED) {
                dealing::observe_task(thread, task);
            }
            if dependences.is_empty() {
                return run::include_allocated(thread, task);
            }
            grain::run_inline(thread, task.entry(), || run::include_allocated(thread, task));
        }),
    }
}

/// Defers an allocated child of `parent`, the current task.
pub fn defer(thread: &'static Thread, parent: TaskRef, task: TaskRef, dependences: &[Dependence]) {
    match dependences {
        [] => run::defer(thread, task, parent),
        _ => deps::defer(thread, task, parent, dependences),
    }
}

/// Runs the body of a task that stays a child until its event is fulfilled.
fn run_as_child(
    thread: &'static Thread,
    parent: TaskRef,
    task: TaskRef,
    dependences: &[Dependence],
) {
    if !dependences.is_empty() {
        wait::wait_for_dependences(dependences);
    }
    run::count_child(task, parent);
    if !dependences.is_empty() {
        deps::init(task);
        deps::enter(thread, parent, task, dependences);
        wait::wait_to_begin(thread, parent, task);
    }
    run::execute(thread, task);
}
