//! Events: the nodes of the graph, and users' promises.
//!
//! States, in one word, which is also what threads wait for: `CL_QUEUED` (3), `CL_SUBMITTED` (2), `CL_RUNNING` (1),
//! `CL_COMPLETE` (0) or an error (negative). A command is submitted when its last predecessor is finished; user
//! events begin there.
//!
//! Protocol: `unmet` counts predecessors that are not finished, and one for whoever creates the event, who gives it up when
//! all edges are there (`let_go`). Whoever takes the last has the job from then on, and hands it to the workers (`run`). States
//! change, and edges and callbacks are added, within `core`'s lock.
//!
//! Invariants: 1. A finished event has no successors, callbacks or job. 2. The command's memory objects are given up
//! before the event is finished.
#![allow(unsafe_code)]

use super::asked::Asked;
use super::command::{Command, Work};
use super::run::Job;
use super::{Queue, run};
use crate::core::context::Context;
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use crate::os::clock::now_ns;
use crate::os::runtime;
use opencl_sys::*;
use smallvec::SmallVec;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Called with the event, and the status that was waited for or an error.
pub type Callback = Box<dyn FnOnce(&Ref<Event>, cl_int) + Send>;
/// Those that are to be called now, each with the status that it waited for.
type Calls = Vec<(cl_int, Callback)>;

pub struct Event {
    owner: Owner,
    kind: cl_command_type,
    /// Its times may be asked for.
    is_profiled: bool,
    /// A `cl_int`, as the word that it is.
    status: AtomicU32,
    unmet: AtomicU32,
    asked: Asked,
    /// An event of the wait list ended with an error.
    is_doomed: AtomicBool,
    core: Mutex<Core>,
    /// Queued, submitted, started, ended; 0 where nobody may ask. Relaxed: published with the status.
    times_ns: [AtomicU64; 4],
    /// None: the user's event, or one that is finished. `run` says who may touch it.
    job: UnsafeCell<Option<Job>>,
}

// SAFETY: all but the job is shared by design; the protocol of `run` says who has the job.
unsafe impl Sync for Event {}

enum Owner {
    Queue(Ref<Queue>),
    /// The user's, or nobody's.
    Context(Ref<Context>),
}

#[derive(Default)]
struct Core {
    successors: Successors,
    callbacks: Calls,
}

/// Each with whether its wait list named this event.
pub type Successors = SmallVec<[(Ref<Event>, bool); 1]>;
/// Events that are ready to be handed over.
pub type Ready = SmallVec<[Ref<Event>; 4]>;

const QUEUED: usize = 0;
const SUBMITTED: usize = 1;
const STARTED: usize = 2;
const ENDED: usize = 3;

impl Object for Event {
    const KIND: Kind = Kind::Event;
    const INVALID: cl_int = CL_INVALID_EVENT;
}

impl Event {
    pub fn user(context: Ref<Context>) -> Result<Ref<Event>> {
        Event::with(Owner::Context(context), CL_COMMAND_USER, CL_SUBMITTED, None)
    }

    pub(super) fn of(queue: Ref<Queue>, kind: cl_command_type, job: Job) -> Result<Ref<Event>> {
        Event::with(Owner::Queue(queue), kind, CL_QUEUED, Some(job))
    }

    /// Of work that is in no queue, and begins now.
    pub fn of_work(context: Ref<Context>, kind: cl_command_type, work: Work) -> Result<Ref<Event>> {
        let job = Job::new(Command { kind, work, keep: SmallVec::new() });
        let event = Event::with(Owner::Context(context), kind, CL_QUEUED, Some(job))?;
        event.let_go();
        Ok(event)
    }

    fn with(
        owner: Owner,
        kind: cl_command_type,
        status: cl_int,
        job: Option<Job>,
    ) -> Result<Ref<Event>> {
        let event = Event {
            is_profiled: matches!(&owner, Owner::Queue(queue) if queue.is_profiled()),
            owner,
            kind,
            status: AtomicU32::new(status as u32),
            unmet: AtomicU32::new(1),
            asked: Asked::default(),
            is_doomed: AtomicBool::new(false),
            core: Mutex::default(),
            times_ns: Default::default(),
            job: UnsafeCell::new(job),
        };
        event.note_time(QUEUED);
        Ref::new(event)
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(|held| held.into_inner())
    }

    pub fn context(&self) -> &Ref<Context> {
        match &self.owner {
            Owner::Queue(queue) => queue.context(),
            Owner::Context(context) => context,
        }
    }

    fn queue(&self) -> Option<&Ref<Queue>> {
        match &self.owner {
            Owner::Queue(queue) => Some(queue),
            Owner::Context(_) => None,
        }
    }

    /// Where its command should run; nothing, if that is all the same.
    pub(super) fn locations(&self) -> &[u16] {
        self.queue().map_or(&[], |queue| queue.device.locations())
    }

    pub(super) fn job(&self) -> *mut Option<Job> {
        self.job.get()
    }

    pub fn status(&self) -> cl_int {
        // Acquire: pairs with the Release in `reach`.
        self.status.load(Ordering::Acquire) as cl_int
    }

    pub fn is_finished(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    fn note_time(&self, which: usize) {
        if self.is_profiled {
            self.times_ns[which].store(now_ns(), Ordering::Relaxed);
        }
    }

    // Edges -------------------------------------------------------------------------------------

    /// `successor` waits for this one, because of its queue's order.
    pub(super) fn precede(&self, successor: &Ref<Event>) {
        self.link(successor, false);
    }

    /// `successor` waits for this one, and does not run if it fails.
    pub(super) fn precede_by_list(&self, successor: &Ref<Event>) {
        self.link(successor, true);
    }

    fn link(&self, successor: &Ref<Event>, by_list: bool) {
        let mut core = self.core();
        let status = self.status();
        if status > CL_COMPLETE {
            // Relaxed: its creator still has a share.
            successor.unmet.fetch_add(1, Ordering::Relaxed);
            core.successors.push((successor.clone(), by_list));
        } else if status < 0 && by_list {
            // Relaxed: published with `unmet`.
            successor.is_doomed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether an event for which `is_such` may run as soon as this one is finished, and waits for nothing else.
    pub(super) fn is_followed(&self, is_such: impl Fn(&Event) -> bool) -> bool {
        // Acquire: pairs with the AcqRel of the others that it waited for, who may have doomed it.
        let is_free = |next: &Event| {
            next.unmet.load(Ordering::Acquire) == 1 && !next.is_doomed.load(Ordering::Relaxed)
        };
        self.core().successors.iter().any(|(next, _)| is_free(next) && is_such(next))
    }

    fn is_last_unmet(&self) -> bool {
        // AcqRel: whoever takes the last sees what all predecessors wrote.
        self.unmet.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Adds those of `successors` that are ready now, after an event that ended with `status`.
    pub(super) fn release(successors: Successors, status: cl_int, ready: &mut Ready) {
        for (successor, by_list) in successors {
            if status < 0 && by_list {
                // Relaxed: published with `unmet`.
                successor.is_doomed.store(true, Ordering::Relaxed);
            }
            if successor.is_last_unmet() {
                ready.push(successor);
            }
        }
    }

    // States ------------------------------------------------------------------------------------

    /// The lock's holder: the event's state is `status` now; gives the calls that wait for it or for one before it.
    fn reach(&self, core: &mut Core, status: cl_int) -> Calls {
        if status == CL_SUBMITTED {
            self.note_time(SUBMITTED);
        }
        // Release: pairs with the Acquire in `status`, and in the library's wait.
        self.status.store(status as u32, Ordering::Release);
        if core.callbacks.is_empty() {
            return Vec::new();
        }
        core.callbacks.extract_if(.., |(wanted, _)| status <= *wanted).collect()
    }

    // Waiting and queries -----------------------------------------------------------------------

    /// Returns when it is finished, running other commands meanwhile.
    pub fn wait(&self) {
        self.queue().inspect(|queue| queue.waited());
        self.asked.ask();
        loop {
            let status = self.status();
            if status <= CL_COMPLETE {
                return;
            }
            runtime::wait(&self.status, status as u32);
        }
    }

    /// It is finished: wakes who waits for that.
    fn wake(&self) {
        if self.asked.is_asked() {
            runtime::wake(&self.status);
        }
    }

    /// Whether it is finished before so much time has passed; returns as soon as it is.
    pub(super) fn is_finished_within(&self, ns: u64) -> bool {
        const LOOKS: u32 = 16;
        let end_ns = now_ns() + ns;
        while !self.is_finished() && now_ns() < end_ns {
            // Where one thread runs all kernels, it may need this one's processor.
            match runtime::workers() {
                1 => std::thread::yield_now(),
                _ => (0..LOOKS).for_each(|_| std::hint::spin_loop()),
            }
        }
        self.is_finished()
    }

    /// The same; an error if it ended with one.
    pub fn wait_for_success(&self) -> Result {
        self.wait();
        let status = self.status();
        ensure(status == CL_COMPLETE, status)
    }

    /// An error if one of them ended with one.
    pub fn wait_for_all(events: &[Ref<Event>]) -> Result {
        events.iter().for_each(|event| event.wait());
        let all_well = events.iter().all(|event| event.status() == CL_COMPLETE);
        ensure(all_well, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    }

    pub fn profile(&self, name: cl_profiling_info, reply: Reply) -> Result {
        let is_there = self.is_profiled && self.status() == CL_COMPLETE;
        ensure(is_there, CL_PROFILING_INFO_NOT_AVAILABLE)?;
        let which = match name {
            CL_PROFILING_COMMAND_QUEUED => QUEUED,
            CL_PROFILING_COMMAND_SUBMIT => SUBMITTED,
            CL_PROFILING_COMMAND_START => STARTED,
            CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => ENDED,
            _ => return Err(Error(CL_INVALID_VALUE)),
        };
        reply.give(self.times_ns[which].load(Ordering::Relaxed))
    }
}

impl Ref<Event> {
    /// Has a worker make the calls that were asked for, each with the status it waited for, or the error: a program
    /// may hold locks in its own call of ours that it takes in a callback. The event lives until all are made,
    /// whatever the program releases; it does not keep itself alive before that.
    fn call(&self, calls: Calls, status: cl_int) {
        if !calls.is_empty() {
            let event = self.clone();
            let told = move |wanted| if status < 0 { status } else { wanted };
            run::later(Box::new(move || {
                calls.into_iter().for_each(|(wanted, call)| call(&event, told(wanted)))
            }));
        }
    }

    /// It is handed to the workers; false: it must not run.
    pub(super) fn submit(&self) -> bool {
        let calls = self.reach(&mut self.core(), CL_SUBMITTED);
        self.call(calls, CL_SUBMITTED);
        // Relaxed: published with `unmet`.
        !self.is_doomed.load(Ordering::Relaxed)
    }

    /// A worker begins with it.
    pub(super) fn begin(&self) {
        self.note_time(STARTED);
        let calls = self.reach(&mut self.core(), CL_RUNNING);
        self.call(calls, CL_RUNNING);
    }

    /// Its creator has added all edges.
    pub(super) fn let_go(&self) {
        if self.is_last_unmet() {
            run::start(self.clone());
        }
    }

    /// The same; if it is ready then, and takes no longer than that, the caller carries it out.
    pub(super) fn let_go_within(&self, most_ns: u64) {
        if self.is_last_unmet() {
            run::start_within(self.clone(), most_ns);
        }
    }

    /// It is finished, and has no job any more: wakes who waits for it, and makes the calls that are asked for.
    pub(super) fn end(&self, status: cl_int) -> Successors {
        self.note_time(ENDED);
        let mut core = self.core();
        let successors = std::mem::take(&mut core.successors);
        let calls = self.reach(&mut core, status);
        drop(core);
        self.wake();
        let is_followed = successors.iter().any(|(_, by_list)| !by_list);
        self.queue().inspect(|queue| queue.finished(self, is_followed));
        self.call(calls, status);
        successors
    }

    /// `clSetUserEventStatus`
    pub fn set_status(&self, status: cl_int) -> Result {
        ensure(self.kind == CL_COMMAND_USER, CL_INVALID_EVENT)?;
        ensure(status <= CL_COMPLETE, CL_INVALID_VALUE)?;
        let mut core = self.core();
        ensure(self.status() > CL_COMPLETE, CL_INVALID_OPERATION)?;
        let successors = std::mem::take(&mut core.successors);
        let calls = self.reach(&mut core, status);
        drop(core);
        self.wake();
        self.call(calls, status);
        let mut ready = Ready::new();
        Event::release(successors, status, &mut ready);
        ready.into_iter().for_each(run::start);
        Ok(())
    }

    /// Has `callback` called by a worker once the status is `wanted` or one that follows it.
    pub fn on(&self, wanted: cl_int, callback: Callback) -> Result {
        let mut core = self.core();
        let status = self.status();
        if status > wanted {
            core.callbacks.push((wanted, callback));
            return Ok(());
        }
        drop(core);
        self.call(vec![(wanted, callback)], status);
        Ok(())
    }

    pub fn info(&self, name: cl_event_info, reply: Reply) -> Result {
        match name {
            CL_EVENT_COMMAND_QUEUE => {
                reply.give(self.queue().map_or(ptr::null_mut::<c_void>(), Ref::handle))
            }
            CL_EVENT_CONTEXT => reply.give(self.context().handle()),
            CL_EVENT_COMMAND_TYPE => reply.give(self.kind),
            CL_EVENT_COMMAND_EXECUTION_STATUS => reply.give(self.status()),
            CL_EVENT_REFERENCE_COUNT => reply.give(self.references()),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
