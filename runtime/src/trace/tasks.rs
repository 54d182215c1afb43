//! Hooks of tasks: from their creation to their end.
#![allow(unsafe_code)]

use super::Recorder;
use super::event::{Extras, Kind, NOWHERE, Places, flag, head};
use super::facts::Facts;
use crate::task::TaskRef;
use crate::task::deps::Dependence;
use crate::task::record::flag as task_flag;
use crate::thread::Thread;
use crate::thread::clock::ticks;
use crate::tool;
use vicinity_alloc::topology::machine;
use vicinity_policy::topology::LocationId;

/// A record was allocated for a new task of the current one.
#[inline(never)]
pub fn created(recorder: &Recorder, task: TaskRef) {
    let (id, now, extras) = recorder.create();
    // SAFETY: the caller has allocated the bytes for it, and tracing is on.
    unsafe { Facts::begin(task, (id, recorder.place()), recorder.current(), now, extras) };
    if tool::is_on() {
        tool::tasks::created(task);
    }
}

/// The function that names a task, where that is not its entry.
pub fn name(thread: &Thread, task: TaskRef, function: usize) {
    if thread.recorder.get().is_some() {
        // SAFETY: tracing is on.
        let facts = unsafe { Facts::of(task) };
        facts.extras.with(|extras| extras.get_or_insert_default().function = function);
    }
}

/// A function of the program, and the `ident_t` in which clang says where it is.
#[inline(always)]
pub fn construct(thread: &Thread, function: usize, location: usize) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.site(function, location);
    }
}

/// What a task that was just created depends on.
#[inline(always)]
pub fn depends(thread: &Thread, task: TaskRef, dependences: &[Dependence]) {
    if let Some(recorder) = thread.recorder.get()
        && !dependences.is_empty()
    {
        // SAFETY: tracing is on.
        let facts = unsafe { Facts::of(task) };
        facts.extras.with(|extras| recorder.order(facts.id(), dependences, extras));
        if tool::is_on() {
            tool::tasks::announce(thread, task, dependences, true);
        }
    }
}

/// What the next task that this thread creates depends on.
#[inline(always)]
pub fn next_depends(thread: &Thread, dependences: &[Dependence]) {
    if let Some(recorder) = thread.recorder.get()
        && !dependences.is_empty()
    {
        recorder.order_next(dependences);
        if tool::is_on() {
            recorder.tool.pending.set(dependences.to_vec());
        }
    }
}

/// The last predecessor of a task has finished: `just_now` if its end is this thread's last event.
#[inline(always)]
pub fn ready(thread: &Thread, task: TaskRef, just_now: bool) {
    if let Some(recorder) = thread.recorder.get() {
        let now = if just_now { recorder.last_end() } else { ticks() };
        // SAFETY: tracing is on; the task is the caller's until it is queued.
        let facts = unsafe { Facts::of(task) };
        // The predecessor's body may have ended before the task was created, and its successors be released after.
        facts.ready.set(now.max(facts.created.get()));
    }
}

/// How a task runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Deferred,
    Included,
}

/// A task's body begins on top of the thread's current task.
#[inline(always)]
pub fn started(thread: &Thread, task: TaskRef, manner: Manner) {
    if let Some(recorder) = thread.recorder.get() {
        begin_task(recorder, task, manner);
        if tool::is_on() {
            tool::tasks::started(thread, thread.task(), task);
        }
    }
}

/// A task is deferred: it is the creator's no longer when this returns.
#[inline(always)]
pub fn deferred(thread: &Thread, task: TaskRef) {
    if thread.recorder.get().is_some() && tool::is_on() {
        tool::tasks::announce(thread, task, &[], true);
    }
}

#[inline(never)]
fn begin_task(recorder: &Recorder, task: TaskRef, manner: Manner) {
    // SAFETY: tracing is on, and implicit tasks are not started here.
    let facts = unsafe { Facts::of(task) };
    let id = facts.id();
    let start = recorder.start_of(id);
    let mut extras = facts.extras.replace(None);
    let dealt = if task.is(task_flag::PLACED) { placement(task, &mut extras) } else { None };
    let function = match &extras {
        Some(extras) if extras.function != 0 => extras.function,
        _ => task.entry(),
    };
    let site = recorder.site(function, 0);
    let mut flags = 0;
    if manner == Manner::Included {
        flags |= flag::INCLUDED;
        facts.ready.set(start);
    }
    if recorder.is_foreign(id) {
        flags |= flag::STOLEN;
    }
    if task.is(task_flag::DETACHABLE) {
        flags |= flag::DETACHED;
    }
    recorder.count(&mut extras);
    recorder.open([
        head(Kind::Task, flags, site),
        start,
        id,
        facts.parent.get(),
        facts.created.get(),
        facts.ready.get(),
        places(recorder, facts, flags, dealt).word(),
        extras.map_or(0, |extras: Box<Extras>| Box::into_raw(extras) as u64),
    ]);
}

/// Where a task that starts on this thread was dealt, and how it came here.
fn places(recorder: &Recorder, facts: &Facts, flags: u64, dealt: Option<LocationId>) -> Places {
    let at = recorder.place();
    let dealt = dealt.map_or(NOWHERE, |location| location.0);
    let from = match dealt {
        NOWHERE if flags & flag::STOLEN != 0 => facts.home(),
        NOWHERE => NOWHERE,
        _ if dealt == at => NOWHERE,
        _ => dealt,
    };
    let hops = match from {
        NOWHERE => NOWHERE,
        _ if from == at || at == NOWHERE => 0,
        _ => machine().topology.hops(LocationId(from), LocationId(at)) as u16,
    };
    Places { dealt, at, from, hops }
}

/// What dealing found out about a task's data: adds its footprint to `extras`; where it was dealt.
#[cold]
fn placement(task: TaskRef, extras: &mut Option<Box<Extras>>) -> Option<LocationId> {
    task.extra(|extra| {
        let placement = extra.placement.as_ref()?;
        if placement.footprint.total() > 0 {
            extras.get_or_insert_default().bytes = placement.footprint.as_slice().to_vec();
        }
        placement.dealt
    })
}

/// The body of the innermost task that runs on this thread is over.
#[inline(always)]
pub fn ended(thread: &Thread) {
    if let Some(recorder) = thread.recorder.get() {
        end_task(recorder);
        if tool::is_on() {
            tool::tasks::ended(thread.task());
        }
    }
}

#[inline(never)]
fn end_task(recorder: &Recorder) {
    recorder.close(Kind::Task, ticks());
}

/// The thread looks for its next task right after one: what it finds in its own queue begins now.
#[inline(always)]
pub fn follows(thread: &Thread, directly: bool) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.follow(directly);
    }
}
