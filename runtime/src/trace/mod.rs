//! Tracing: what threads do, with times, into a file of Chrome trace events (docs/trace.md).
//!
//! Terms: a *hook* is a function of this file, called where something happens; a *recorder* is a thread's side of
//! tracing. A thread has one if and only if tracing is on, so a hook costs one load and one branch
//! when it is off: of a field in the line that the task path reads anyway.
//!
//! - `recorder`: a thread's side; `open`: its open events, `ring`: the finished ones; `event`: both as words.
//! - `messages`: what is sent to other processes and received; `name`: of the file.
//! - `facts`: what a task carries until it runs; `orders`: whom it comes after.
//! - `sink`: the file; `json`, `text`, `head`: what goes into it; `clock`: ticks as nanoseconds.
//! - `memory`: large blocks and samples of who touches them.
//! - `sites`, `symbols`: names and lines; `finish`: begin, exit, signals, fork; `os`: system calls.
//!
//! Invariants: 1. On one thread events nest: what begins inside another ends before it does. 2. Whoever
//! ends an event has read the clock after everything inside it ended.
#![allow(unsafe_code)]

mod aside;
mod clock;
mod compress;
mod counters;
mod event;
mod facts;
mod finish;
mod head;
mod json;
pub mod memory;
mod messages;
mod name;
mod open;
mod orders;
mod os;
mod recorder;
mod ring;
mod sink;
mod sites;
mod symbols;
mod text;
pub(crate) mod watch;

pub use aside::{SetAside, depth, set_aside, taken_up};
pub use event::{End, Wait};
pub use facts::BYTES as FACT_BYTES;
pub use finish::start;
pub use messages::{Message, message};
pub use recorder::Recorder;
pub(crate) use sites::NUMBERS;
pub(crate) use symbols::LOADED;

use crate::locality;
use crate::private::Private;
use crate::settings::{TraceFull, Vicinity};
use crate::task::TaskRef;
use crate::task::deps::Dependence;
use crate::task::record::flag as task_flag;
use crate::team::{Member, Team};
use crate::thread::clock::ticks;
use crate::thread::{self, Thread};
use crate::tool;
use counters::Counters;
use event::{Extras, Kind, NOWHERE, Places, flag, head};
use facts::Facts;
use std::sync::atomic::{AtomicU64, Ordering};
use vicinity_alloc::topology::machine;
use vicinity_policy::chunks::Range;
use vicinity_policy::topology::LocationId;

/// A thread's buffer.
#[derive(Clone, Copy)]
pub struct Buffer {
    /// A power of two.
    words: usize,
    /// New events take the place of the oldest.
    overwrites: bool,
}

impl Buffer {
    fn of(settings: &Vicinity) -> Buffer {
        let words = (settings.trace_buffer_bytes / 8).max(4 * ring::LONGEST as u64);
        let words = 1 << words.ilog2();
        Buffer { words, overwrites: settings.trace_full == TraceFull::DropOldest }
    }
}

/// A team's side of tracing.
#[derive(Default)]
pub struct TeamTrace {
    /// Master: the region's number and site, and the task that met it. Workers read them after their order.
    region: Private<(u64, u32, u64)>,
    /// When the last region ended that this team ran, in ticks.
    released: AtomicU64,
}

/// Whether anything is traced: for hooks without a thread at hand.
#[inline(always)]
pub fn is_on() -> bool {
    watch::is(watch::TRACE)
}

/// The same, or a tool watches.
#[inline(always)]
pub fn is_watched() -> bool {
    watch::is(watch::TRACE | watch::TOOL)
}

/// The recorder of a thread that is about to have a record, if tracing is on.
pub fn recorder_for(
    gtid: i32,
    is_worker: bool,
    had: Option<&'static Recorder>,
) -> Option<&'static Recorder> {
    let buffer = finish::buffer();
    if buffer.is_none() && !tool::is_on() {
        return None;
    }
    if buffer.is_some() {
        os::provide_stack();
    }
    let recorder = had.unwrap_or_else(|| Recorder::new(gtid as u32, is_worker, buffer));
    recorder.counters.set(Counters::of_this_thread());
    Some(recorder)
}

/// In a forked child, by its only thread.
pub fn in_child() {
    let goes_on = finish::in_child();
    memory::in_child();
    let Some(thread) = thread::try_current() else { return };
    match thread.recorder.get() {
        Some(recorder) if goes_on => recorder.counters.set(Counters::of_this_thread()),
        _ => thread.recorder.set(None),
    }
}

// Tasks -----------------------------------------------------------------------------------------

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

// Regions ---------------------------------------------------------------------------------------

/// The function that names the next region of this thread, and where clang says it is.
#[inline(always)]
pub fn next_region(thread: &Thread, function: usize, location: usize) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.site(function, location);
        recorder.region_function.set(function);
    }
}

/// Master: a region is about to start. Before its workers get their orders.
#[inline(always)]
pub fn region_begins(thread: &Thread, team: &Team, entry: usize, requested: u32) {
    if let Some(recorder) = thread.recorder.get() {
        let function = match recorder.region_function.replace(0) {
            0 => entry,
            function => function,
        };
        let site = recorder.site(function, 0);
        team.trace.region.set((recorder.number(), site, recorder.current()));
        if tool::is_on() {
            tool::regions::begins(thread, team, requested);
        }
    }
}

/// A thread begins its part of a region.
#[inline(always)]
pub fn region_entered(thread: &Thread, member: &'static Member) {
    if let Some(recorder) = thread.recorder.get() {
        let team = member.team();
        recorder.set_place(locality::location_of(member).0);
        let (number, site, parent) = team.trace.region.get();
        recorder.open([
            head(Kind::Region, 0, site),
            ticks(),
            recorder.number(),
            number,
            u64::from(team.size()) << 32 | u64::from(member.num),
            team.nest().level.into(),
            parent,
            std::ptr::from_ref(&team.trace.released) as u64,
        ]);
        if tool::is_on() {
            tool::regions::entered(member);
        }
    }
}

/// A thread runs tasks at this member from now on, outside of every region.
#[inline(always)]
pub fn placed(thread: &Thread, member: &'static Member) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.set_place(locality::location_of(member).0);
    }
}

/// All threads have arrived at a region's end; whoever came last says so before it lets the others go.
#[inline(always)]
pub fn region_released(thread: &Thread, team: &Team) {
    if thread.recorder.get().is_some() {
        // Release: pairs with the Acquire in `Recorder::open_events`; members see it behind the barrier.
        team.trace.released.store(ticks(), Ordering::Release);
    }
}

/// A thread's part of a region is over. It may have slept since the end: then it ended when the last one arrived.
#[inline(always)]
pub fn region_left(thread: &Thread, member: &Member) {
    if let Some(recorder) = thread.recorder.get() {
        let team = member.team();
        let released = team.trace.released.load(Ordering::Relaxed);
        let end = if team.size() > 1 { released.max(recorder.last_end()) } else { ticks() };
        recorder.close(Kind::Region, end);
        if tool::is_on() {
            tool::regions::left(member);
        }
    }
}

/// Master: a region is over, and its thread runs the task again that met it.
#[inline(always)]
pub fn region_ended(thread: &Thread, team: &Team) {
    if thread.recorder.get().is_some() && tool::is_on() {
        tool::regions::ended(thread, team);
    }
}

// Waiting ---------------------------------------------------------------------------------------

/// The current task, or implicit task, begins to wait.
#[inline(always)]
pub fn waits(thread: &Thread, wait: Wait) {
    if let Some(recorder) = thread.recorder.get() {
        let task = recorder.current();
        recorder.open([head(Kind::Wait, 0, wait as u32), ticks(), task, 0, 0, 0, 0, 0]);
        if tool::is_on() {
            tool::sync::waits(thread, wait);
        }
    }
}

/// The innermost wait is over.
#[inline(always)]
pub fn goes_on(thread: &Thread) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.close(Kind::Wait, ticks());
        if tool::is_on() {
            tool::sync::goes_on(thread);
        }
    }
}

/// A taskgroup begins.
#[inline(always)]
pub fn group_begins(thread: &Thread) {
    if thread.recorder.get().is_some() && tool::is_on() {
        tool::sync::group_begins(thread);
    }
}

/// The current task's children are finished, and it knows.
#[inline(always)]
pub fn children_done(thread: &Thread) {
    if let Some(recorder) = thread.recorder.get() {
        recorder.forget_orders();
    }
}

// Worksharing -----------------------------------------------------------------------------------

/// A thread gets a share of worksharing construct `number` of its region, or, with `None`, learns that there is no more; what
/// it had before is done.
#[cold]
pub fn chunk(range: Option<Range>, number: u64) {
    if tool::is_on()
        && let Some(range) = range
    {
        tool::sync::chunk(range.first, range.len);
    }
    let Some(recorder) = thread::try_current().and_then(|thread| thread.recorder.get()) else {
        return;
    };
    let now = ticks();
    if recorder.is_inside(Kind::Chunk) {
        recorder.close(Kind::Chunk, now);
    }
    if let Some(Range { first, len }) = range {
        recorder.open([head(Kind::Chunk, 0, 0), now, recorder.current(), first, len, number, 0, 0]);
    }
}
