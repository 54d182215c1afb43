//! Detachable tasks: they complete when their body is over and their event is fulfilled, in either order.
//!
//! Protocol: one word with two bits, `BODY_OVER` and `FULFILLED`; whoever sets the second of them completes the task. The
//! event's handle is its address, valid until the task is complete. An undeferred task has an event like any other: its
//! creator waits for its body alone. A discarded task is complete without its event, which its region keeps for whoever
//! fulfills it late.
//!
//! Two more bits, for tools alone, are set before those: `ENDING` and `FULFILLING`. The order of these two decides what a tool
//! is told: the event was fulfilled early and the task is complete, or the task was detached and its event fulfilled late.
//! Whoever fulfills an event tells of it while the task cannot be complete yet, so before it sets `FULFILLED`.
//! Source: OpenMP 5.2 section 12.5.2 (detach clause), 18.11 (omp_fulfill_event), 19.4.4.6 (ompt_task_status_t).
#![allow(unsafe_code)]

use super::complete;
use super::extra::Extra;
use super::record::TaskRef;
use crate::{report, tool};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use vicinity_alloc::os;

const BODY_OVER: u32 = 1;
const FULFILLED: u32 = 2;
const ENDING: u32 = 4;
const FULFILLING: u32 = 8;

pub struct Event {
    state: AtomicU32,
    task: TaskRef,
    /// What tells an event from other memory: its address and a number, while it lives.
    seal: AtomicUsize,
}

const SEAL: usize = 0x7E57_AB1E_0DD5_EA15;

impl Drop for Event {
    fn drop(&mut self) {
        // Relaxed: it helps those who make a mistake, and guards nothing.
        self.seal.store(0, Ordering::Relaxed);
    }
}

/// The handle of the event of `task`: its creator makes it, anybody may ask for it again until the task is complete.
pub fn allow_completion(task: TaskRef) -> usize {
    let extra = task.make_extra();
    let event = extra.event().unwrap_or_else(|| {
        let (state, seal) = (AtomicU32::new(0), AtomicUsize::new(0));
        let event = extra.make_event(Event { state, task, seal });
        event.seal.store(std::ptr::from_ref(event).addr() ^ SEAL, Ordering::Relaxed);
        event
    });
    std::ptr::from_ref(event) as usize
}

/// The task is discarded, and so complete: its event means nothing any more, but may yet be fulfilled.
pub fn discard(task: TaskRef) {
    let Some(event) = task.extra_so_far().and_then(Extra::take_event) else { return };
    // Acquire: pairs with the AcqRel in `fulfill`. Whoever tells a tool that the event is fulfilled still uses the task.
    while event.state.load(Ordering::Acquire) & (FULFILLING | FULFILLED) == FULFILLING {
        std::thread::yield_now();
    }
    // Relaxed: there is no body whose writes anybody would have to see.
    let old = event.state.fetch_or(BODY_OVER | FULFILLED, Ordering::Relaxed);
    if old & FULFILLED == 0
        && let Some(team) = task.team.get()
    {
        team.keep_event(event);
    }
}

/// The body is about to be over, and a tool is there. True if the event is not being fulfilled: the task is detached.
pub fn is_detached(task: TaskRef) -> bool {
    let event = task.extra_so_far().and_then(Extra::event);
    // Relaxed: the order of the changes of one word.
    event.is_some_and(|event| event.state.fetch_or(ENDING, Ordering::Relaxed) & FULFILLING == 0)
}

/// The body is over. True if the event has still to be fulfilled: the task is not the caller's any more.
pub fn still_awaits_event(task: TaskRef) -> bool {
    // It lives until the task completes, which needs the bit set here.
    let event = task.extra_so_far().and_then(Extra::event);
    // AcqRel: whoever completes the task sees what the body and the fulfilling thread wrote.
    event.is_some_and(|event| event.state.fetch_or(BODY_OVER, Ordering::AcqRel) & FULFILLED == 0)
}

/// Whether the handle is that of an event. Memory that was an event and is something else by now is no event.
fn is_event(handle: usize) -> bool {
    if handle == 0
        || !handle.is_multiple_of(align_of::<Event>())
        || !os::memory::is_mapped(handle, size_of::<Event>())
    {
        return false;
    }
    // SAFETY: the memory is there, and aligned. Whatever it is, it is looked at as a number.
    let seal = unsafe { &(*(handle as *const Event)).seal };
    seal.load(Ordering::Relaxed) == handle ^ SEAL
}

/// Fulfills the event with this handle; completes the task if its body is over. What is no event ends the program, with a line
/// that says so: whoever waits for the task would wait for ever.
///
/// # Safety
/// `handle` came from `allow_completion` and its task is not complete, or it is no event's.
pub unsafe fn fulfill(handle: usize) {
    if !is_event(handle) {
        report::fatal(&format!(
            "omp_fulfill_event: {handle:#x} is not the event of a task that is not complete"
        ));
    }
    // SAFETY: the caller's contract.
    let event = unsafe { &*(handle as *const Event) };
    let task = event.task;
    if tool::is_on() {
        // Relaxed: as in `is_detached`. A discarded task is no more.
        let old = event.state.fetch_or(FULFILLING, Ordering::Relaxed);
        if old & FULFILLED == 0 {
            tool::tasks::fulfilled(task, old & ENDING != 0);
        }
    }
    // AcqRel: as in `still_awaits_event`.
    let old = event.state.fetch_or(FULFILLED, Ordering::AcqRel);
    if old & (BODY_OVER | FULFILLED) == BODY_OVER {
        complete::complete(crate::thread::current(), task);
    }
}

/// What does this, and then fulfills the event.
///
/// # Safety
/// As for `fulfill`, when it is called.
pub unsafe fn fulfilling(
    handle: usize,
    deed: impl FnOnce() + Send + 'static,
) -> Box<dyn FnOnce() + Send> {
    Box::new(move || {
        deed();
        // SAFETY: the caller's promise.
        unsafe { fulfill(handle) };
    })
}
