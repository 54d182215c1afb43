//! Which tasks begin first where tasks are set aside.
//!
//! A task of a function whose tasks were set aside for a message before, or yielded, is expected to wait for one, too. It takes
//! little time, and others wait for what it sends or receives: so it begins before those that compute. What waits for tasks of
//! its own, or for a lock, computes: the newest task goes on, so that a tree of tasks is gone through in depth. Tasks that are expected to wait begin in
//! the order in which they became ready: ranks whose programs make tasks in one order then wait for each other at the same
//! time. They stand in the team's queue of tasks with a priority, behind those that have one.
//!
//! A thread that has set very many tasks aside (`MOST_ASIDE`) hesitates to begin another one of a function that has its share of
//! them. Tasks of other functions go past those: what messages make ready, and what sends when very many wait to receive.

use super::is_on;
use crate::process_lock::ProcessLock;
use crate::task::record::TaskRef;
use crate::team::{Member, find};
use crate::thread::{Thread, clock};
use std::sync::atomic::{AtomicUsize, Ordering};
use vicinity_policy::waiting;

/// MPI looks for the message of each in a list of all, and each has a stack of some 8 KiB in use. A thread that hesitates keeps
/// other ranks waiting.
const MOST_ASIDE: u32 = 1500;

/// The functions of tasks that were set aside for a message, in the order in which that became known: there are as many as a
/// program has such tasks in its text.
pub(crate) static WAITED: ProcessLock<Vec<usize>> = ProcessLock::new(Vec::new());
/// How many those are. Relaxed: who sees it late has tasks begin in another order for that while.
static KNOWN: AtomicUsize = AtomicUsize::new(0);

/// What a thread knows of these functions, in their order.
#[derive(Default)]
pub struct Waited(Vec<Function>);

struct Function {
    entry: usize,
    /// Of its tasks the thread has set so many aside.
    count: u32,
}

impl Waited {
    fn find(&mut self, entry: usize) -> Option<&mut Function> {
        self.0.iter_mut().find(|function| function.entry == entry)
    }

    /// A task of this function is set aside for a message. False if that is not known to happen.
    fn count_in(&mut self, entry: usize) -> bool {
        self.find(entry).map(|function| function.count += 1).is_some()
    }

    /// A task of this function goes on.
    pub(super) fn count_out(&mut self, entry: usize) {
        self.find(entry).into_iter().for_each(|function| function.count -= 1);
    }
}

/// A task of this function is set aside for a message.
pub(super) fn begins_to_wait(thread: &Thread, entry: usize) {
    let count_in = || thread.aside.waited.with(|waited| waited.count_in(entry));
    if !count_in() {
        learn(thread, Some(entry));
        count_in();
    }
}

/// Learns what others have found, or finds a function. Tasks that are queued here go in another order from now on.
#[cold]
fn learn(thread: &Thread, found: Option<usize>) {
    let mut all = WAITED.lock();
    let new = found.filter(|entry| !all.contains(entry));
    all.extend(new);
    KNOWN.store(all.len(), Ordering::Relaxed);
    thread.aside.waited.with(|waited| {
        let new = all[waited.0.len()..].iter().map(|&entry| Function { entry, count: 0 });
        waited.0.extend(new);
    });
    drop(all);
    sort(thread);
}

/// Moves the tasks that go first out of the thread's own queue.
fn sort(thread: &Thread) {
    let member = thread.member();
    if !member.is_seat_of(thread) {
        return;
    }
    let mut queued: Vec<TaskRef> = std::iter::from_fn(|| member.deque.pop()).collect();
    queued.reverse();
    let (first, others): (Vec<_>, Vec<_>) =
        queued.into_iter().partition(|&task| is_expected(thread, task));
    find::strand(member.team(), first.into_iter());
    others.into_iter().for_each(|task| find::put_back(member, task));
}

/// Whether a task that became ready begins before those that compute.
#[inline(always)]
pub(crate) fn is_first(thread: &Thread, task: TaskRef) -> bool {
    is_on() && is_expected_by_anyone(thread, task)
}

fn is_expected_by_anyone(thread: &Thread, task: TaskRef) -> bool {
    if KNOWN.load(Ordering::Relaxed) > thread.aside.waited.with(|waited| waited.0.len()) {
        learn(thread, None);
    }
    is_expected(thread, task)
}

/// Whether a task is expected to wait, for all that the thread knows.
fn is_expected(thread: &Thread, task: TaskRef) -> bool {
    thread.aside.waited.with(|waited| waited.find(task.entry()).is_some())
}

/// Whether so many tasks are set aside that the thread should rather see what becomes of them.
pub(crate) fn is_full(thread: &Thread) -> bool {
    thread.aside.count() >= MOST_ASIDE
}

/// Of a thread that is full: whether this function has its share of what is set aside. One has, at least.
fn has_its_share(thread: &Thread, entry: usize) -> bool {
    thread.aside.waited.with(|waited| {
        let functions = waited.0.len() as u32;
        waited.find(entry).is_some_and(|function| function.count * functions >= MOST_ASIDE)
    })
}

/// Whether a thread that is full, and yields inside a task, may begin another one all the same: the one that it yields for may be
/// among those of which there are too many. So once in a while, as threads that hesitate do.
pub(super) fn may_exceed(thread: &Thread) -> bool {
    let (now, last) = (clock::ticks(), thread.aside.exceeded_ticks.get());
    let may = now.wrapping_sub(last) >= waiting::hesitation_ticks(0);
    if may {
        thread.aside.exceeded_ticks.set(now);
    }
    may
}

/// For a thread that is full of some tasks: one of another function.
pub(crate) fn find_another(thread: &Thread, member: &Member) -> Option<TaskRef> {
    let team = member.team();
    if !team.priority.is_empty()
        && let Some(task) = team.priority.pop_of(|entry| !has_its_share(thread, entry))
    {
        return Some(task);
    }
    while let Some(task) = member.deque.pop() {
        if !has_its_share(thread, task.entry()) {
            return Some(task);
        }
        find::strand(team, std::iter::once(task));
    }
    None
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::task::run;
    use crate::team::region::{Request, barrier, parallel};
    use crate::thread;
    use std::sync::atomic::AtomicU32;

    static RUN: AtomicU32 = AtomicU32::new(0);

    extern "C" fn receives(_data: *mut libc::c_void) {
        RUN.fetch_add(1, Ordering::Relaxed);
    }

    extern "C" fn sends(_data: *mut libc::c_void) {
        RUN.fetch_add(10, Ordering::Relaxed);
    }

    extern "C" fn computes(_data: *mut libc::c_void) {
        RUN.fetch_add(100, Ordering::Relaxed);
    }

    /// Makes tasks of two kinds that wait and one that does not, in the order `made`, and sets tasks aside as it goes on.
    extern "C" fn region(_data: *mut libc::c_void) {
        let thread = thread::current();
        let (member, implicit) = (thread.member(), thread.task());
        let functions = [receives, sends, computes].map(|body| body as *const () as usize);
        let make = |kind: usize| {
            let task = TaskRef::allocate(thread, implicit, 0, 0);
            task.set_entry(functions[kind]);
            run::defer(thread, task, implicit);
            task
        };
        let made = [0, 2, 1, 0].map(make);
        begins_to_wait(thread, functions[0]);
        begins_to_wait(thread, functions[1]);
        let later = [2, 0, 1].map(make);
        sort(thread);
        let next = || find_another(thread, member);
        assert!(
            next() == Some(made[0]) && next() == Some(made[3]),
            "the oldest that is expected to wait"
        );
        (1..MOST_ASIDE / 2).for_each(|_| begins_to_wait(thread, functions[0]));
        assert!(next() == Some(made[2]) && next() == Some(later[2]), "sends go past what receives");
        assert!(next() == Some(later[0]) && next() == Some(made[1]), "the newest that computes");
        assert!(next().is_none(), "another one to receive must wait");
        thread.aside.waited.with(|waited| waited.count_out(functions[0]));
        assert!(next() == Some(later[1]));
        made.into_iter().chain(later).for_each(|task| find::put_back(member, task));
        barrier();
    }

    #[test]
    fn tasks_that_will_wait_begin_first_and_let_others_pass() {
        parallel(region, std::ptr::null_mut(), Request { num_threads: 1, proc_bind: None });
        assert_eq!(RUN.load(Ordering::Relaxed), 223);
    }
}
