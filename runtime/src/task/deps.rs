//! Dependences among the children of one task.
//!
//! Terms: an *edge* leads from a predecessor to a successor that must wait for it. The *map* of a task
//! remembers, for each address its children named, the tasks that the next one may have to wait for.
//! A *set* is a run of tasks with the same kind of access that do not wait for each other (readers,
//! `inoutset`, `mutexinoutset`), or a single writer.
//!
//! Protocol. The map belongs to the task that creates the children, so only one thread at a time uses it:
//! no lock. Edges are pushed onto the predecessor's list while it runs on another thread: the list is
//! closed by whoever finishes it, in one exchange, and a push onto a closed list means that the
//! predecessor is finished. `unmet` counts a successor's open edges, plus one until its creator has
//! added them all; whoever brings it to zero makes the task ready.
//!
//! Invariants: 1. An entry's `current` set waits, directly or not, for all of `previous`; so a new task
//! that does not join `current` waits for `current` alone. 2. A record that a map mentions is kept by
//! `holds` (see `Task::mentions`). 3. Entries whose tasks are finished are dropped when the map has
//! doubled, and finished readers when a set has doubled, so a map is linear in what is unfinished.
//! Source: OpenMP 5.2 section 15.9.5 (depend clause), 15.9.5.1 (omp_all_memory).
#![allow(unsafe_code)]

mod map;

use super::exclusive;
use super::record::{Task, TaskRef, flag};
use super::run;
use crate::locality::dealing;
use crate::thread::Thread;
use crate::tool;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

pub use map::Map;

/// How a task uses an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    In,
    /// out and inout.
    Out,
    InOutSet,
    MutexInOutSet,
}

/// One item of a depend clause.
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    /// None is `omp_all_memory`.
    pub address: Option<usize>,
    /// 0 where the ABI does not pass it.
    pub length_bytes: usize,
    pub access: Access,
    /// The task uses this data more than the rest (the C API's mark).
    pub intensive: bool,
}

/// One edge: lies in its successor, in the list of its predecessor.
pub struct Edge {
    successor: *mut Task,
    next: *mut Edge,
}

impl Default for Edge {
    fn default() -> Self {
        Edge { successor: null_mut(), next: null_mut() }
    }
}

// SAFETY: an edge is passed between threads through the list's Release and Acquire.
unsafe impl Send for Edge {}

/// The list of a finished task.
const CLOSED: *mut Edge = std::ptr::without_provenance_mut(1);

/// Prepares a fresh record for dependences.
pub fn init(task: TaskRef) {
    let task = task.as_ptr();
    // SAFETY: the record is the creator's alone; these fields are written before they are read.
    unsafe {
        (&raw mut (*task).unmet).write(AtomicU32::new(1));
        (&raw mut (*task).holds).write(AtomicU32::new(1));
        (&raw mut (*task).successors).write(AtomicPtr::new(null_mut()));
        (*task).mentions.set(0);
        (*task).linked.set(0);
    }
}

/// Whether any child of `parent` that named dependences may be unfinished.
#[inline(always)]
pub fn any_unfinished(parent: TaskRef) -> bool {
    parent.extra_if_any(|extra| !extra.map.is_empty()).unwrap_or(false)
}

/// Whether nothing needs to know the dependences of a child of the current task that runs at once: nothing is placed
/// by them, waits for them or records them.
#[inline(always)]
pub fn may_be_skipped(thread: &Thread) -> bool {
    thread.member().team().layout().is_none()
        && !any_unfinished(thread.task())
        && thread.recorder.get().is_none()
}

/// Whether a task with these dependences would find all its predecessors finished.
pub fn all_met(parent: TaskRef, dependences: &[Dependence]) -> bool {
    first_unmet(parent, dependences).is_none()
}

/// A predecessor of a task with these dependences that is not finished. `parent` remembers it at least until it creates
/// another child.
pub fn first_unmet(parent: TaskRef, dependences: &[Dependence]) -> Option<TaskRef> {
    parent.extra_if_any(|extra| extra.map.first_unmet(dependences)).flatten()
}

/// Whether any of these asks for mutual exclusion.
pub fn any_exclusive(dependences: &[Dependence]) -> bool {
    dependences.iter().any(|dependence| dependence.access == Access::MutexInOutSet)
}

/// The locks that an undeferred task with these dependences must hold.
pub fn locks(parent: TaskRef, dependences: &[Dependence]) -> exclusive::Held {
    let locks = parent.extra_if_any(|extra| extra.map.locks(dependences));
    locks.map(exclusive::Held::new).unwrap_or_default()
}

/// Registers a prepared child and adds its edges. True if it is ready at once; otherwise whoever
/// finishes its last predecessor makes it ready.
pub fn register(
    thread: &'static Thread,
    parent: TaskRef,
    task: TaskRef,
    dependences: &[Dependence],
) -> bool {
    enter(thread, parent, task, dependences);
    is_last_unmet(task) && become_ready(task)
}

/// The same for a child that its creator runs itself, once `may_begin`: nobody else makes it ready.
pub fn enter(thread: &'static Thread, parent: TaskRef, task: TaskRef, dependences: &[Dependence]) {
    let exclusive = if any_exclusive(dependences) { flag::EXCLUSIVE } else { 0 };
    // Before the first edge: predecessors that finish look at the flags.
    task.add_flags(flag::DEPENDENT | exclusive);
    let before = thread.registers.replace(true);
    parent.extra(|extra| extra.map.register(thread, parent, task, dependences));
    thread.registers.set(before);
    if task.mentions.get() > 0 {
        // Relaxed: before the hand-over only the creator knows the record... and predecessors, which
        // do not touch `holds`.
        task.holds.fetch_add(1, Ordering::Relaxed);
    }
}

/// Creator of a child that it has entered: whether all predecessors are finished and all locks are the child's. Each
/// call takes those that it can.
pub fn may_begin(task: TaskRef) -> bool {
    // Acquire: pairs with the AcqRel in `is_last_unmet`. The guard is left.
    task.unmet.load(Ordering::Acquire) == 1 && exclusive::try_rest(task)
}

/// Adds edges to a waiter, which the map does not remember.
pub fn link_waiter(parent: TaskRef, waiter: TaskRef, dependences: &[Dependence]) {
    parent.extra(|extra| extra.map.link_only(waiter, dependences));
    is_last_unmet(waiter);
}

fn is_last_unmet(task: TaskRef) -> bool {
    // AcqRel: whoever brings it to zero sees what all predecessors wrote.
    let before = task.unmet.fetch_sub(1, Ordering::AcqRel);
    debug_assert!(before > 0, "a predecessor finishes once");
    before == 1
}

/// All predecessors are finished. True if nothing else holds the task back.
fn become_ready(task: TaskRef) -> bool {
    !task.is(flag::EXCLUSIVE) || exclusive::take_all(task)
}

/// Whether the task is finished, as far as its successors are concerned.
fn is_finished(task: TaskRef) -> bool {
    // Acquire: pairs with the AcqRel in `release_successors`.
    task.successors.load(Ordering::Acquire) == CLOSED
}

/// Makes `successor` wait for `predecessor`, unless that is finished.
fn link(predecessor: TaskRef, successor: TaskRef) {
    if predecessor == successor || is_finished(predecessor) {
        return;
    }
    if tool::is_on() {
        tool::tasks::is_ordered(predecessor, successor);
    }
    let edge = new_edge(successor);
    // Relaxed: the creator's own guard keeps the count above zero.
    successor.unmet.fetch_add(1, Ordering::Relaxed);
    let mut head = predecessor.successors.load(Ordering::Acquire);
    while head != CLOSED {
        // SAFETY: the edge is the creator's until it is in the list.
        unsafe { (*edge).next = head };
        // Release: publishes the edge and the successor to `release_successors`.
        match predecessor.successors.compare_exchange_weak(
            head,
            edge,
            Ordering::Release,
            Ordering::Acquire,
        ) {
            Ok(_) => return,
            Err(now) => head = now,
        }
    }
    successor.unmet.fetch_sub(1, Ordering::Relaxed);
}

/// An edge to `successor`: the record holds the first few, boxes the rest.
fn new_edge(successor: TaskRef) -> *mut Edge {
    let used = successor.linked.get() as usize;
    successor.linked.set(used as u32 + 1);
    let edge = if used < successor.edges.len() {
        // SAFETY: within the record; the creator is the only user of edges that are in no list.
        unsafe { (&raw mut (*successor.as_ptr()).edges).cast::<Edge>().add(used) }
    } else {
        successor.extra(|extra| {
            extra.edges.push(Box::default());
            extra.edges.last_mut().map_or(null_mut(), |edge| std::ptr::from_mut(&mut **edge))
        })
    };
    // SAFETY: as above; a box is a live edge too.
    unsafe { edge.write(Edge { successor: successor.as_ptr(), next: null_mut() }) };
    edge
}

/// A dependent task is finished: closes its list; `ready` gets each successor that became ready.
pub fn release_successors(task: TaskRef, mut ready: impl FnMut(TaskRef)) {
    // AcqRel: Acquire pairs with the Release in `link`; Release publishes the task's writes to whoever
    // finds the list closed.
    let mut edge = task.successors.swap(CLOSED, Ordering::AcqRel);
    debug_assert!(edge != CLOSED, "a task finishes once");
    while !edge.is_null() {
        // SAFETY: an edge and its successor live until the count below is taken.
        let (successor, next) = unsafe { (TaskRef::from_ptr((*edge).successor), (*edge).next) };
        edge = next;
        let waiting = successor.is(flag::WAITER).then(|| successor.executor()).flatten();
        let team = successor.team.get();
        if is_last_unmet(successor) {
            match (waiting, team) {
                (Some(thread), Some(team)) => team.idle.wake(&thread.parker),
                _ if become_ready(successor) => ready(successor),
                _ => (),
            }
        }
    }
}

/// Defers a child with dependences: registers it, and queues it if it is ready.
pub fn defer(thread: &'static Thread, task: TaskRef, parent: TaskRef, dependences: &[Dependence]) {
    let task_is_dealt = task.is(flag::DEALT);
    init(task);
    run::count_child(task, parent);
    if register(thread, parent, task, dependences) {
        run::enqueue(thread, task);
    }
    if task_is_dealt {
        dealing::relieve(thread, parent);
    }
}
