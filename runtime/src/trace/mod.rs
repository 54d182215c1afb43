//! Tracing: what threads do, with times, into a file of Chrome trace events (docs/trace.md).
//!
//! Terms: a *hook* is a function of `tasks` or `regions`, called where something happens; a *recorder* is a thread's side of
//! tracing. A thread has one if and only if tracing is on, so a hook costs one load and one branch
//! when it is off: of a field in the line that the task path reads anyway.
//!
//! - `tasks`, `regions`: the hooks.
//! - `recorder`: a thread's side; `open`: its open events, `ring`: the finished ones; `event`: both as words.
//! - `messages`: what is sent to other processes and received; `name`: of the file.
//! - `facts`: what a task carries until it runs; `orders`: whom it comes after.
//! - `sink`: the file; `json`, `text`, `head`: what goes into it; `clock`: ticks as nanoseconds.
//! - `memory`: large blocks and samples of who touches them.
//! - `sites`, `symbols`: names and lines; `finish`: begin, exit, signals, fork; `os`: system calls.
//!
//! Invariants: 1. On one thread events nest: what begins inside another ends before it does. 2. Whoever
//! ends an event has read the clock after everything inside it ended.

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
mod regions;
mod ring;
mod sink;
mod sites;
mod symbols;
mod tasks;
mod text;
pub(crate) mod watch;

pub use aside::{SetAside, depth, set_aside, taken_up};
pub use event::{End, Wait};
pub use facts::BYTES as FACT_BYTES;
pub use finish::start;
pub use messages::{Message, message};
pub use recorder::Recorder;
pub use regions::{
    TeamTrace, children_done, chunk, goes_on, group_begins, next_region, placed, region_begins,
    region_ended, region_entered, region_left, region_released, waits,
};
pub(crate) use sites::NUMBERS;
pub(crate) use symbols::LOADED;
pub use tasks::{
    Manner, construct, created, deferred, depends, ended, follows, name, next_depends, ready,
    started,
};

use crate::settings::{TraceFull, Vicinity};
use crate::thread;
use crate::tool;
use counters::Counters;

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
