//! Detachable tasks: they complete when their body is over and their event is fulfilled, in either order.
//!
//! Protocol: one word with two bits; whoever sets the second bit completes the task. The event's handle
//! is its address, valid until the task is complete.
//! Source: OpenMP 5.2 section 12.5.2 (detach clause), 18.11 (omp_fulfill_event).
#![allow(unsafe_code)]

use super::complete::{self, Queue};
use super::record::{TaskRef, flag};
use crate::team::Team;
use crate::team::help::{Choice, Goal, help};
use crate::thread::Thread;
use crate::trace::{self, Wait};
use std::sync::atomic::{AtomicU32, Ordering};

const BODY_OVER: u32 = 1;
const FULFILLED: u32 = 2;

pub struct Event {
    state: AtomicU32,
    whose: Whose,
}

#[derive(Clone, Copy)]
enum Whose {
    /// A deferred task: completed by whoever sets the second bit.
    Task(TaskRef),
    /// An undeferred task: its creator waits in this team for the event.
    Creator(&'static Team),
}

/// Makes the event of `task` and returns its handle.
pub fn allow_completion(task: TaskRef) -> usize {
    task.extra(|extra| {
        let event = extra.event.get_or_insert_with(|| Box::new(Event::new(Whose::Task(task))));
        std::ptr::from_ref::<Event>(event) as usize
    })
}

/// The body is over. True if the event has still to be fulfilled: the task is not the caller's any more.
pub fn still_awaits_event(task: TaskRef) -> bool {
    let event = task.extra(|extra| extra.event.as_deref().map(std::ptr::from_ref));
    // SAFETY: the event lives until the task completes, which needs the bit set here.
    let event = event.map(|event| unsafe { &*event });
    // AcqRel: whoever completes the task sees what the body and the fulfilling thread wrote.
    event.is_some_and(|event| event.state.fetch_or(BODY_OVER, Ordering::AcqRel) & FULFILLED == 0)
}

/// Fulfills the event with this handle; completes the task if its body is over.
///
/// # Safety
/// `handle` came from `allow_completion` and its task is not complete.
pub unsafe fn fulfill(handle: usize) {
    // SAFETY: the caller's contract.
    let event = unsafe { &*(handle as *const Event) };
    let whose = event.whose;
    // AcqRel: as in `still_awaits_event`.
    let old = event.state.fetch_or(FULFILLED, Ordering::AcqRel);
    match whose {
        Whose::Task(task) if old == BODY_OVER => {
            complete::complete(crate::thread::current(), task, Queue::Shared);
        }
        Whose::Creator(team) if team.idle.anyone() => team.idle.wake_all(team.parkers()),
        _ => (),
    }
}

/// Runs an undeferred detachable task: `body` gets the event's handle; returns once it is fulfilled.
pub fn run_undeferred(thread: &'static Thread, body: impl FnOnce(usize)) {
    let event = Event::new(Whose::Creator(thread.member().team()));
    body(std::ptr::from_ref(&event) as usize);
    trace::waits(thread, Wait::Event);
    help(thread, Choice::DescendantsOf(thread.task()), &Fulfilled(&event));
    trace::goes_on(thread);
}

/// Waits for the event, if it has one, of an undeferred task whose body its creator has run.
pub fn await_undeferred(thread: &'static Thread, task: TaskRef) {
    if !task.is(flag::DETACHABLE) {
        return;
    }
    let event = task.extra(|extra| extra.event.as_deref().map(std::ptr::from_ref));
    if let Some(event) = event {
        // SAFETY: the event lives as long as the task, which its creator frees after this.
        let goal = Fulfilled(unsafe { &*event });
        trace::waits(thread, Wait::Event);
        help(thread, Choice::DescendantsOf(thread.task()), &goal);
        trace::goes_on(thread);
    }
}

struct Fulfilled<'a>(&'a Event);

impl Goal for Fulfilled<'_> {
    fn is_met(&self) -> bool {
        // Acquire: pairs with the AcqRel in `fulfill`.
        self.0.state.load(Ordering::Acquire) & FULFILLED != 0
    }

    fn can_wake(&self) -> bool {
        matches!(self.0.whose, Whose::Creator(_))
    }
}

impl Event {
    fn new(whose: Whose) -> Event {
        Event { state: AtomicU32::new(0), whose }
    }
}
