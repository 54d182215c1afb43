//! From a command that is ready to one that is finished.
//!
//! Terms: a command's *units* are what it is divided by: work-groups, rows or blocks of bytes. A *job* is a command and how far
//! it is carried out, as one task, or as a range of tasks of at least `grain` units each.
//!
//! Protocol: the last task of a job finishes the event; of the commands that are ready then it carries out one itself, if
//! that is one task, and hands the others over. A chain of small commands so costs no hand-over.
//!
//! What there is no memory for, or no task, ends its event with an error: units that were not handed over count as done, and
//! those that come after a failure do nothing.
//!
//! The job lies in its event. It is its creator's until he lets go of the event; then his who takes the last share of
//! `unmet`, which makes it ready; from `hand_over` on its tasks share it; and the last of them has it alone.
#![allow(unsafe_code)]

use super::command::{Command, Work};
use super::event::{Event, Ready};
use super::hand_out::{Doer, Share, hand_out};
use super::outside;
use super::part::{self, Part};
use super::replay::{self, Replay};
use crate::error::Error;
use crate::handle::Ref;
use crate::os::runtime;
use opencl_sys::{
    CL_COMPLETE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_HOST_MEMORY, cl_int,
};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

pub struct Job {
    command: Command,
    shares: Vec<Share>,
    /// Units that are not done.
    left: AtomicUsize,
    begun: AtomicBool,
    /// What its event ends with: `CL_COMPLETE`, or an error.
    outcome: AtomicI32,
}

/// How a command is divided.
pub struct Division {
    pub units: usize,
    pub grain: usize,
}

impl Division {
    pub const WHOLE: Division = Division { units: 1, grain: 1 };

    pub fn is_whole(&self) -> bool {
        self.units <= self.grain
    }
}

impl Job {
    pub fn new(command: Command) -> Job {
        let (left, begun) = (AtomicUsize::new(0), AtomicBool::new(false));
        let outcome = AtomicI32::new(CL_COMPLETE);
        Job { command, shares: Vec::new(), left, begun, outcome }
    }

    pub fn work(&mut self) -> &mut Work {
        &mut self.command.work
    }

    /// What is replayed, if this is a replay.
    pub fn replay(&self) -> Option<&Replay> {
        match &self.command.work {
            Work::Replay(replay) => Some(replay),
            _ => None,
        }
    }

    /// Notes how a part of it went. Relaxed: `left` publishes it to the last.
    pub fn note(&self, part: crate::error::Result) {
        if let Err(Error(code)) = part {
            self.outcome.store(code, Ordering::Relaxed);
        }
    }

    pub fn outcome(&self) -> cl_int {
        self.outcome.load(Ordering::Relaxed)
    }

    /// These units will not be done, or are: whether they were the last.
    fn settle(&self, units: usize) -> bool {
        // AcqRel: the last sees what all others did before it drops the job and finishes the event.
        self.left.fetch_sub(units, Ordering::AcqRel) == units
    }
}

/// A command that is ready, and where its parts should run; nowhere in particular, if there are none.
struct Start {
    event: Ref<Event>,
    division: Division,
    parts: Vec<Part>,
}

impl Start {
    /// Whether it is one task, which may run where the calling thread is.
    fn may_go_on_here(&self) -> bool {
        let is_here = |part: &Part| part.location == runtime::current_location();
        let is_one = self.division.is_whole() && self.parts.first().is_none_or(is_here);
        // In a trace every command is a task.
        is_one && !runtime::is_traced()
    }

    fn takes_at_most(&self, most_ns: u64) -> bool {
        // SAFETY: it is ready, so the caller has its job alone.
        let job = unsafe { &*self.event.job() }.as_ref();
        job.and_then(|job| job.command.work.expected_ns()).is_some_and(|ns| ns <= most_ns)
    }
}

/// A command is ready: hands it to the workers. By any thread.
pub fn start(event: Ref<Event>) {
    let mut ready = Ready::from_iter([event]);
    while let Some(event) = ready.pop() {
        if let Some(start) = prepare(event, &mut ready) {
            hand_over(start, &mut ready);
        }
    }
}

/// The same by the thread that enqueued it, which carries it out if it takes no longer than that.
pub fn start_within(event: Ref<Event>, most_ns: u64) {
    let mut ready = Ready::new();
    match prepare(event, &mut ready) {
        Some(start) if start.may_go_on_here() && start.takes_at_most(most_ns) => {
            start.event.begin();
            if let Some(event) = carry_out(start.event) {
                ready.append(&mut finish(event, &mut Spent::default()));
            }
        }
        Some(start) => hand_over(start, &mut ready),
        None => {}
    }
    // What another thread enqueued meanwhile is for the workers.
    ready.into_iter().for_each(start);
}

/// What is to be done for a ready command; nothing, for one that is finished with that, whose successors are `ready`
/// then.
fn prepare(event: Ref<Event>, ready: &mut Ready) -> Option<Start> {
    let may_run = event.submit();
    // SAFETY: it is ready, so the caller has its job alone.
    let job = unsafe { &mut *event.job() };
    if let Some(Job { command: Command { work: Work::Outside(begin), .. }, .. }) = job
        && may_run
        && let Some(begin) = begin.take()
    {
        outside::begin(event, begin, ready);
        return None;
    }
    let status = match job {
        Some(job) if may_run && !matches!(job.command.work, Work::Nothing) => {
            let work = &mut job.command.work;
            match work.prepare() {
                Ok(()) => {
                    let division = work.division();
                    let home = |first, end| work.home(first, end);
                    let (own, all) = (event.locations(), runtime::locations());
                    let parts = part::parts(&division, own, all, home);
                    *job.left.get_mut() = division.units;
                    return Some(Start { event, division, parts });
                }
                Err(Error(code)) => code,
            }
        }
        _ if may_run => {
            event.begin();
            CL_COMPLETE
        }
        _ => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    };
    // Memory objects go before the event is finished.
    *job = None;
    Event::release(event.end(status), status, ready);
    None
}

/// Gives a command to the workers. Where they do not take it, it ends with an error; those that are `ready` then are added.
fn hand_over(Start { event, division, parts }: Start, ready: &mut Ready) {
    // SAFETY: it is ready, so the caller has its job alone.
    let Some(job) = (unsafe { &mut *event.job() }) else { return };
    let subject = job.command.work.subject();
    let (shares, event) = (&raw mut job.shares, event.into_raw());
    let doer = Doer { whole, block, argument: event };
    // SAFETY: the reference is the tasks', until the last unit is done.
    let undone = unsafe { hand_out(doer, &division, &parts, subject, shares) };
    if undone > 0 {
        leave_undone(event, undone, ready);
    }
}

/// There are no tasks for these units of a command that was handed over: it ends with an error, at once if there are no tasks for
/// any.
fn leave_undone(event: *mut c_void, units: usize, ready: &mut Ready) {
    // SAFETY: the tasks have the reference in common, and with them whoever speaks for units that have none.
    let Some(event) = (unsafe { Ref::<Event>::from_raw(event) }).map(ManuallyDrop::new) else {
        return;
    };
    // SAFETY: the job is there until its last unit is done.
    let Some(job) = (unsafe { &*event.job() }) else { return };
    job.note(Err(Error(CL_OUT_OF_HOST_MEMORY)));
    if job.settle(units) {
        let event = ManuallyDrop::into_inner(event);
        let status = job.outcome();
        // SAFETY: these were the last units.
        unsafe { *event.job() = None };
        Event::release(event.end(status), status, ready);
    }
}

/// Events that a worker has finished. The jobs of some are still there: of those after which it goes on with one that uses
/// all that they use, and so keeps it alive.
///
/// They are dropped many at a time: the counts of references to what all of them use lie in memory that enqueuing
/// threads change for each command as well, and so does the queue of free slots.
#[derive(Default)]
struct Spent(SmallVec<[Ref<Event>; MOST_SPENT]>);

const MOST_SPENT: usize = 32;

impl Spent {
    fn push(&mut self, event: Ref<Event>) {
        if self.0.len() == MOST_SPENT {
            self.clear();
        }
        self.0.push(event);
    }

    fn clear(&mut self) {
        // SAFETY: whoever finished them, the last of their tasks, put them here.
        self.0.drain(..).for_each(|event| unsafe { *event.job() = None });
    }
}

impl Drop for Spent {
    fn drop(&mut self) {
        self.clear();
    }
}

unsafe extern "C" fn whole(event: *mut c_void) {
    // SAFETY: `hand_over` gave it.
    carry_on(unsafe { Ref::from_raw(event) });
}

/// Carries out a job that is ready and one task, and those after it.
fn carry_on(mut next: Option<Ref<Event>>) {
    let mut spent = Spent::default();
    while let Some(event) = next {
        event.begin();
        let Some(event) = carry_out(event) else { return };
        next = take_one(finish(event, &mut spent), &mut spent);
    }
}

/// All of a job that is one task; gives the event back, unless other workers go on with its replay.
fn carry_out(event: Ref<Event>) -> Option<Ref<Event>> {
    // SAFETY: the job is this task's.
    let Some(job) = (unsafe { &mut *event.job() }) else { return Some(event) };
    if job.replay().is_some() {
        return replay::begin(event);
    }
    let done = job.command.work.run_whole();
    job.note(done);
    Some(event)
}

/// The last command of a replay is done.
pub fn end_replay(event: Ref<Event>) {
    go_on_after(event);
}

/// Finishes the event of a job that is done, and goes on with what it can.
fn go_on_after(event: Ref<Event>) {
    let mut spent = Spent::default();
    let next = take_one(finish(event, &mut spent), &mut spent);
    drop(spent);
    carry_on(next);
}

unsafe extern "C" fn block(begin: usize, end: usize, event: *mut c_void) {
    // SAFETY: all tasks have the reference in common, which is good until the last unit is done.
    let Some(event) = (unsafe { Ref::<Event>::from_raw(event) }).map(ManuallyDrop::new) else {
        return;
    };
    // SAFETY: its tasks share the job.
    let Some(job) = (unsafe { &*event.job() }) else { return };
    // Relaxed: one of the first blocks says so; nothing depends on which.
    if !job.begun.load(Ordering::Relaxed) && !job.begun.swap(true, Ordering::Relaxed) {
        event.begin();
    }
    // Nobody needs the rest of what failed.
    if job.outcome() == CL_COMPLETE {
        job.note(job.command.work.run_units(begin, end));
    }
    if job.settle(end - begin) {
        let event = ManuallyDrop::into_inner(event);
        go_on_after(event);
    }
}

/// The job is done: finishes its event; gives those that are ready then.
fn finish(event: Ref<Event>, spent: &mut Spent) -> Ready {
    // SAFETY: the caller is the last of its tasks.
    let status = unsafe { &*event.job() }.as_ref().map_or(CL_COMPLETE, Job::outcome);
    let is_well = status == CL_COMPLETE;
    if !is_well || !event.is_followed(|next| uses_as_much(next, &event)) {
        spent.clear();
        // SAFETY: the caller is the last of its tasks.
        unsafe { *event.job() = None };
    }
    let mut ready = Ready::new();
    Event::release(event.end(status), status, &mut ready);
    spent.push(event);
    ready
}

/// Hands over what is ready, but for one that is one task, which it gives.
fn take_one(mut ready: Ready, spent: &mut Spent) -> Option<Ref<Event>> {
    let mut own = None;
    while let Some(event) = ready.pop() {
        match prepare(event, &mut ready) {
            Some(start) if own.is_none() && start.may_go_on_here() => {
                own = Some(start.event);
            }
            Some(start) => {
                spent.clear();
                hand_over(start, &mut ready);
            }
            None => {}
        }
    }
    own
}

/// Whether all that `event` keeps alive stays so until `next`, which waits for it alone, is finished.
fn uses_as_much(next: &Event, event: &Event) -> bool {
    // SAFETY: the caller is the last task of the one, and while it is not finished nobody changes the other.
    let (next, own) = unsafe { (&*next.job(), &*event.job()) };
    match (next, own) {
        (Some(next), Some(own)) => next.command.uses_as_much(&own.command),
        _ => false,
    }
}

/// Has a worker do something soon; where that cannot be, the caller does it.
pub fn later(deed: Box<dyn FnOnce() + Send>) {
    unsafe extern "C" fn act(deed: *mut c_void) {
        // SAFETY: made below.
        let deed = unsafe { Box::from_raw(deed.cast::<Box<dyn FnOnce() + Send>>()) };
        deed();
    }
    let deed = Box::into_raw(Box::new(deed)).cast();
    // SAFETY: the deed is the task's, or ours if there is none.
    unsafe {
        if !runtime::task(act, deed, None, std::ptr::null()) {
            act(deed);
        }
    }
}
