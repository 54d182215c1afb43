//! From a command that is ready to one that is finished.
//!
//! Terms: a command's *units* are what it is divided by: work-groups, rows or blocks of bytes. A *job* is a command that
//! is being carried out, as one task, or as a range of tasks of at least `grain` units each.
//!
//! Protocol: the last task of a job finishes the event; of the commands that are ready then it carries out one itself, if
//! that is one task, and hands the others over. A chain of small commands so costs no hand-over.
#![allow(unsafe_code)]

use super::command::{Command, Work};
use super::event::Event;
use super::part::{self, Part};
use crate::handle::Ref;
use crate::os::runtime;
use opencl_sys::{CL_COMPLETE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

struct Job {
    event: Ref<Event>,
    command: Command,
    /// Where it should run; none: anywhere.
    parts: Vec<Part>,
    shares: Vec<Share>,
    /// Units that are not done.
    left: AtomicUsize,
    begun: AtomicBool,
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
    /// Whether it is one task, which may run where the calling thread is.
    fn may_go_on_here(&self) -> bool {
        let is_here = |part: &Part| part.location == runtime::current_location();
        self.command.work.division().is_whole() && self.parts.first().is_none_or(is_here)
    }
}

/// A command is ready: hands it to the workers. By any thread.
pub fn start(event: Ref<Event>) {
    let mut ready = vec![event];
    while let Some(event) = ready.pop() {
        if let Some(job) = prepare(event, &mut ready) {
            hand_over(job);
        }
    }
}

/// What is to be done for a ready command; nothing, for one that is finished with that, whose successors are `ready`
/// then.
fn prepare(event: Ref<Event>, ready: &mut Vec<Ref<Event>>) -> Option<Box<Job>> {
    let status = match event.submit() {
        None => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        Some(Command { work: Work::Nothing, .. }) => {
            event.begin();
            CL_COMPLETE
        }
        Some(mut command) => {
            command.work.prepare();
            let division = command.work.division();
            let home = |first, end| command.work.home(first, end);
            let parts = part::parts(&division, event.locations(), runtime::locations(), home);
            let (shares, left) = (Vec::new(), AtomicUsize::new(division.units));
            let begun = AtomicBool::new(false);
            return Some(Box::new(Job { event, command, parts, shares, left, begun }));
        }
    };
    let successors = event.end(status);
    Event::release(successors, status, ready);
    None
}

fn hand_over(mut job: Box<Job>) {
    let division = job.command.work.division();
    let (subject, parts) = (job.command.work.subject(), std::mem::take(&mut job.parts));
    let job = Box::into_raw(job);
    if division.is_whole() {
        let location = parts.first().map(|part| part.location);
        // SAFETY: the job is the task's.
        return unsafe { runtime::task(whole, job.cast(), location, subject) };
    }
    if parts.is_empty() {
        // SAFETY: the job lives until its last unit is done.
        return unsafe {
            runtime::range(block, job.cast(), division.units, division.grain, None, subject);
        };
    }
    let shares = parts.iter().map(|part| Share { job, first: part.first }).collect();
    // SAFETY: nobody else has the job yet. What is read of it below is not changed until its last unit is
    // done, of which the part that is handed over last has one.
    let shares = unsafe {
        (*job).shares = shares;
        (*job).shares.as_mut_ptr()
    };
    for (index, part) in parts.iter().enumerate() {
        // SAFETY: as above.
        unsafe {
            let share = shares.add(index).cast();
            runtime::range(
                block_of_share,
                share,
                part.count,
                division.grain,
                Some(part.location),
                subject,
            );
        }
    }
}

/// A part of a job.
struct Share {
    job: *mut Job,
    first: usize,
}

unsafe extern "C" fn whole(job: *mut c_void) {
    // SAFETY: `hand_over` gave it.
    let mut next = Some(unsafe { Box::from_raw(job.cast::<Job>()) });
    while let Some(mut job) = next {
        job.event.begin();
        job.command.work.run_whole();
        next = finish(*job);
    }
}

unsafe extern "C" fn block(begin: usize, end: usize, job: *mut c_void) {
    // SAFETY: the job lives until its last unit is done.
    unsafe { run_units(job.cast(), begin, end) };
}

unsafe extern "C" fn block_of_share(begin: usize, end: usize, share: *mut c_void) {
    // SAFETY: shares live as long as their job, which lives until its last unit is done.
    let Share { job, first } = unsafe { &*share.cast::<Share>() };
    // SAFETY: as above.
    unsafe { run_units(*job, first + begin, first + end) };
}

/// # Safety
/// The job has these units left to do.
unsafe fn run_units(job: *mut Job, begin: usize, end: usize) {
    // SAFETY: the caller's promise.
    let shared = unsafe { &*job };
    // Relaxed: one of the first blocks says so; nothing depends on which.
    if !shared.begun.load(Ordering::Relaxed) && !shared.begun.swap(true, Ordering::Relaxed) {
        shared.event.begin();
    }
    shared.command.work.run_units(begin, end);
    // AcqRel: the last sees what all blocks did before it frees the job and finishes the event.
    if shared.left.fetch_sub(end - begin, Ordering::AcqRel) == end - begin {
        // SAFETY: nobody else uses it any more.
        if let Some(next) = finish(*unsafe { Box::from_raw(job) }) {
            // SAFETY: the job is this call's.
            unsafe { whole(Box::into_raw(next).cast()) };
        }
    }
}

/// The job is done: finishes its event; gives one of the jobs that are ready then and are one task.
fn finish(job: Job) -> Option<Box<Job>> {
    let Job { event, command, .. } = job;
    // Memory objects go before the event is finished.
    let Command { work, keep, .. } = command;
    drop((work, keep));
    let mut ready = Vec::new();
    Event::release(event.end(CL_COMPLETE), CL_COMPLETE, &mut ready);
    let mut own = None;
    // In a trace every command is a task.
    let takes_one = !runtime::is_traced();
    while let Some(event) = ready.pop() {
        match prepare(event, &mut ready) {
            Some(job) if takes_one && own.is_none() && job.may_go_on_here() => own = Some(job),
            Some(job) => hand_over(job),
            None => {}
        }
    }
    own
}

/// Has a worker do something soon.
pub fn later(deed: Box<dyn FnOnce() + Send>) {
    unsafe extern "C" fn act(deed: *mut c_void) {
        // SAFETY: made below.
        let deed = unsafe { Box::from_raw(deed.cast::<Box<dyn FnOnce() + Send>>()) };
        deed();
    }
    let deed = Box::into_raw(Box::new(deed)).cast();
    // SAFETY: the deed is the task's.
    unsafe { runtime::task(act, deed, None, std::ptr::null()) };
}
