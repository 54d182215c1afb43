//! Replays: a command buffer carried out as one command, of which the workers run the graph.
//!
//! Terms: a *replay* is one enqueued command buffer. A *step* is how far one of its commands is. Steps are made when the replay begins, so
//! several replays of one command buffer do not know of each other.
//!
//! Protocol: whoever takes the last of a step's `unmet` has the command, and carries it out or hands it to the workers; whoever does the
//! last of its units goes on with those that follow it: one itself, if that is one task, and hands out the others. What follows a single
//! command needs no counting. So a chain of small commands costs a worker a loop, and nobody else anything. Whoever is done
//! with the last end finishes the event.
//!
//! After a failure nothing more is run: the rest counts as done.
//!
//! Invariant: the job, with the graph and the steps, is there until the last end is done, so as long as any command is not. Who may not
//! know of such a one touches nothing of it.
#![allow(unsafe_code)]

use super::Work;
use super::event::Event;
use super::graph::Graph;
use super::hand_out::{Doer, Share, hand_out};
use super::part;
use super::run::{Job, end_replay};
use crate::error::Error;
use crate::handle::Ref;
use crate::os::runtime;
use opencl_sys::{CL_COMPLETE, CL_OUT_OF_HOST_MEMORY};
use smallvec::SmallVec;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

pub struct Replay {
    graph: Arc<Graph>,
    /// One of each command; none before the replay begins.
    steps: Vec<Step>,
    /// Ends that are not done.
    unended: AtomicU32,
}

struct Step {
    /// The reference that all tasks of the replay have in common.
    event: *mut c_void,
    number: u32,
    /// Commands that it follows and that are not done.
    unmet: AtomicU32,
    /// Units that are not done.
    left: AtomicUsize,
    /// Whoever hands it out writes them.
    shares: UnsafeCell<Vec<Share>>,
}

// SAFETY: the reference counts for all tasks, and may be used by any thread.
unsafe impl Send for Step {}
// SAFETY: as above; of the shares, by the protocol.
unsafe impl Sync for Step {}

impl Replay {
    pub fn new(graph: Arc<Graph>) -> Replay {
        let unended = AtomicU32::new(graph.edges().ends());
        Replay { graph, steps: Vec::new(), unended }
    }

    fn make_steps(&mut self, event: *mut c_void) {
        let edges = self.graph.edges();
        let step = |number| Step {
            event,
            number,
            unmet: AtomicU32::new(edges.before(number)),
            left: AtomicUsize::new(0),
            shares: UnsafeCell::default(),
        };
        self.steps = (0..edges.len() as u32).map(step).collect();
    }
}

/// Begins with a replay, which the caller has alone; gives its event back if all is done.
pub fn begin(event: Ref<Event>) -> Option<Ref<Event>> {
    let event = event.into_raw();
    // SAFETY: made by the line above.
    let own = unsafe { Ref::<Event>::from_raw(event) }?;
    // SAFETY: the caller's promise.
    let replay = unsafe { &mut *own.job() }.as_mut().map(Job::work);
    let Some(Work::Replay(replay)) = replay else { return Some(own) };
    replay.make_steps(event);
    let ready: Ready = replay.graph.edges().starts().into();
    if ready.is_empty() {
        return Some(own);
    }
    // Everybody's from here on.
    std::mem::forget(own);
    // SAFETY: the starts are not done.
    unsafe { Walk::new(event, ready) }?.go_on()
}

/// Numbers of commands that follow nothing that is not done.
type Ready = SmallVec<[u32; 8]>;

/// What one worker does of a replay.
struct Walk<'a> {
    event: ManuallyDrop<Ref<Event>>,
    job: &'a Job,
    replay: &'a Replay,
    ready: Ready,
}

impl Walk<'_> {
    /// # Safety
    /// The event is that of a replay of which some command is the caller's and not done.
    unsafe fn new<'a>(event: *mut c_void, ready: Ready) -> Option<Walk<'a>> {
        // SAFETY: the caller's promise.
        let event = ManuallyDrop::new(unsafe { Ref::<Event>::from_raw(event) }?);
        // SAFETY: as above; the tasks of a replay share its job.
        let job = unsafe { &*event.job() }.as_ref()?;
        let replay = job.replay()?;
        Some(Walk { event, job, replay, ready })
    }

    fn is_well(&self) -> bool {
        self.job.outcome() == CL_COMPLETE
    }

    /// Carries out some units of a command.
    fn run(&self, number: u32, begin: usize, end: usize) {
        if self.is_well() {
            self.job.note(self.replay.graph.work(number).run_units(begin, end));
        }
    }

    /// Until all is done, when it gives the event back, or with others.
    fn go_on(mut self) -> Option<Ref<Event>> {
        while let Some((number, units)) = self.next() {
            self.run(number, 0, units);
            if self.is_last(number) {
                return Some(ManuallyDrop::into_inner(self.event));
            }
        }
        None
    }

    /// The same after a command that is done.
    fn go_on_after(mut self, number: u32) -> Option<Ref<Event>> {
        if self.is_last(number) {
            return Some(ManuallyDrop::into_inner(self.event));
        }
        self.go_on()
    }

    /// A command is done: whether all are. Otherwise adds those that are ready now.
    fn is_last(&mut self, number: u32) -> bool {
        let edges = self.replay.graph.edges();
        let followers = edges.followers(number);
        if followers.is_empty() {
            // AcqRel: the last sees what all others did.
            return edges.ends() == 1 || self.replay.unended.fetch_sub(1, Ordering::AcqRel) == 1;
        }
        for &next in followers {
            // AcqRel: whoever has a command sees what those did that it follows.
            let unmet = &self.replay.steps[next as usize].unmet;
            if edges.before(next) == 1 || unmet.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.ready.push(next);
            }
        }
        false
    }

    /// One of the commands that are ready, for the caller, and how many units it has; the others are handed out. After a failure all
    /// are for the caller, who runs none.
    fn next(&mut self) -> Option<(u32, usize)> {
        // In a trace every command is a task.
        let takes_one = !runtime::is_traced();
        let mut own = None;
        while let Some(number) = self.ready.pop() {
            if !self.is_well() {
                if own.is_none() {
                    return Some((number, 0));
                }
                self.ready.push(number);
                break;
            }
            let work = self.replay.graph.work(number);
            let division = work.division();
            let (locations, all) = (self.event.locations(), runtime::locations());
            let parts = part::parts(&division, locations, all, |first, end| work.home(first, end));
            let is_here =
                parts.first().is_none_or(|part| part.location == runtime::current_location());
            if takes_one && own.is_none() && division.is_whole() && is_here {
                own = Some((number, division.units));
                continue;
            }
            let step = &self.replay.steps[number as usize];
            // Relaxed: published by the hand-over.
            step.left.store(division.units, Ordering::Relaxed);
            let argument = (&raw const *step).cast_mut().cast();
            let (doer, subject) = (Doer { whole, block, argument }, work.subject());
            // SAFETY: the command is ours and not done, and with it all steps are there.
            let undone = unsafe { hand_out(doer, &division, &parts, subject, step.shares.get()) };
            if undone > 0 {
                self.job.note(Err(Error(CL_OUT_OF_HOST_MEMORY)));
                // AcqRel: as in `block`.
                if step.left.fetch_sub(undone, Ordering::AcqRel) == undone {
                    self.ready.push(number);
                }
            }
        }
        own
    }
}

unsafe extern "C" fn whole(step: *mut c_void) {
    // SAFETY: `next` gave it; it is there until the command is done.
    let step = unsafe { &*step.cast::<Step>() };
    // SAFETY: as above.
    let Some(walk) = (unsafe { Walk::new(step.event, Ready::new()) }) else { return };
    // Relaxed: published by the hand-over.
    let (number, units) = (step.number, step.left.load(Ordering::Relaxed));
    walk.run(number, 0, units);
    walk.go_on_after(number).into_iter().for_each(end_replay);
}

unsafe extern "C" fn block(begin: usize, end: usize, step: *mut c_void) {
    // SAFETY: `next` gave it; it is there until the command is done, of which these units are not.
    let step = unsafe { &*step.cast::<Step>() };
    // SAFETY: as above.
    let Some(walk) = (unsafe { Walk::new(step.event, Ready::new()) }) else { return };
    let number = step.number;
    walk.run(number, begin, end);
    // AcqRel: who does the last sees what all others did.
    if step.left.fetch_sub(end - begin, Ordering::AcqRel) == end - begin {
        walk.go_on_after(number).into_iter().for_each(end_replay);
    }
}
