//! OMPT: a tool in the process is told what threads, regions and tasks do, while they do it (docs/ompt.md).
//!
//! Terms: a *tool* is what `ompt_start_tool` names; an *event* is one of OMPT's; the *facts* of a thing are what is kept for
//! the tool about it.
//!
//! Cost: where a tool is, every thread has a recorder (`trace`), if only one that keeps nothing. So the paths of tasks,
//! regions and waits ask once whether anybody watches, a tool or a trace, and cost without a tool what they cost without
//! tracing. Locks, work and the like ask [`is_on`].
//!
//! Invariants: 1. A tool is there for all tasks and threads or for none: it starts before the first thread has a record,
//! and ends with the process. 2. Events of a task are told by the thread that runs it.
//!
//! - `abi`: types and numbers of the interface; `callbacks`: what the tool has set; `lookup`: what it may ask.
//! - `caller`: where the program called the runtime.
//! - `find`: finding the tool, its start and its end; `frames`: calling tasks where a tool can see it; `facts`: what is kept for it.
//! - `sanitizer`: what ThreadSanitizer must know for a tool that uses it.
//! - `threads`, `regions`, `tasks`, `sync`, `mutex`: the events.
//!
//! Not here: events of devices, of which there are none.
//! Source: OpenMP 5.2, chapter 19 (OMPT).
#![allow(unsafe_code)]

pub mod abi;
mod callbacks;
mod caller;
mod facts;
mod find;
pub mod frames;
mod lookup;
pub mod mutex;
pub mod regions;
mod sanitizer;
pub mod sync;
pub mod tasks;
pub mod threads;

pub use facts::{BYTES as FACT_BYTES, TaskFacts, TeamFacts, ThreadFacts};
pub use find::{finalize, in_child, start};

use crate::thread::{self, Thread};
use crate::trace::watch;
use std::ffi::{c_int, c_void};

/// Whether a tool is there.
#[inline(always)]
pub fn is_on() -> bool {
    watch::is(watch::TOOL)
}

fn set_on(on: bool) {
    watch::set(watch::TOOL, on);
}

/// The facts of a thread while a tool is there.
fn of_thread(thread: &Thread) -> Option<&'static ThreadFacts> {
    if !is_on() {
        return None;
    }
    thread.recorder.get().map(|recorder| &recorder.tool)
}

/// The calling thread, if it has a record and a tool is there.
fn here() -> Option<&'static Thread> {
    if is_on() { thread::try_current() } else { None }
}

/// The team's and the current task's eight bytes.
fn places(thread: &Thread) -> (*mut abi::Data, *mut abi::Data) {
    let parallel = thread.member().team().tool.parallel.address();
    (parallel, TaskFacts::of(thread.task()).data.address())
}

/// The error directive: 1 is a warning, 2 a fatal error.
pub fn error(severity: c_int, message: &[u8]) {
    if here().is_some() {
        callbacks::error(severity, message.as_ptr().cast(), message.len());
    }
}

/// `omp_control_tool`: what the tool answers; `None` without a callback of it.
pub fn control(command: c_int, modifier: c_int, argument: *mut c_void) -> Option<c_int> {
    let (command, modifier) = (command as u64, modifier as u64);
    let facts = here().map(|thread| TaskFacts::of(thread.task()))?;
    facts.is_inside(true);
    let answer = callbacks::control_tool(command, modifier, argument);
    facts.is_inside(false);
    answer
}
