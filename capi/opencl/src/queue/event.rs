//! Events: the nodes of the graph, and users' promises.
//!
//! States, in one word, which is also what threads wait for: `CL_QUEUED` (3), `CL_SUBMITTED` (2), `CL_RUNNING` (1),
//! `CL_COMPLETE` (0) or an error (negative). A command is submitted when its last predecessor is finished; user
//! events begin there.
//!
//! Protocol: `unmet` counts predecessors that are not finished, and one for whoever creates the event, who gives it up when
//! all edges are there (`let_go`). Whoever takes the last hands the command to the workers. States change, and
//! edges and callbacks are added, within `core`'s lock.
//!
//! Invariants: 1. A finished event has no successors, callbacks or command. 2. The command's memory objects are given up
//! before the event is finished.

use super::command::Command;
use super::{Queue, run};
use crate::core::context::Context;
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use crate::os::clock::now_ns;
use crate::os::runtime;
use opencl_sys::*;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Called with the status that was waited for, or an error.
pub type Callback = Box<dyn FnOnce(cl_int) + Send>;

pub struct Event {
    context: Ref<Context>,
    /// None: the user's, or nobody's.
    queue: Option<Ref<Queue>>,
    kind: cl_command_type,
    /// A `cl_int`, as the word that it is.
    status: AtomicU32,
    unmet: AtomicU32,
    /// An event of the wait list ended with an error.
    is_doomed: AtomicBool,
    core: Mutex<Core>,
    /// Queued, submitted, started, ended; 0 where nobody may ask. Relaxed: published with the status.
    times_ns: [AtomicU64; 4],
}

#[derive(Default)]
struct Core {
    command: Option<Command>,
    successors: Successors,
    callbacks: Vec<(cl_int, Callback)>,
}

/// Each with whether its wait list named this event.
pub type Successors = SmallVec<[(Ref<Event>, bool); 2]>;

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
        Event::with(context, None, CL_COMMAND_USER, CL_SUBMITTED, None)
    }

    pub(super) fn of(queue: Ref<Queue>, command: Command) -> Result<Ref<Event>> {
        let (context, kind) = (queue.context().clone(), command.kind);
        Event::with(context, Some(queue), kind, CL_QUEUED, Some(command))
    }

    /// Of a command that is in no queue, and of which the program does not know.
    pub(super) fn of_nobody(context: Ref<Context>, command: Command) -> Result<Ref<Event>> {
        Event::with(context, None, command.kind, CL_QUEUED, Some(command))
    }

    fn with(
        context: Ref<Context>,
        queue: Option<Ref<Queue>>,
        kind: cl_command_type,
        status: cl_int,
        command: Option<Command>,
    ) -> Result<Ref<Event>> {
        let event = Event {
            context,
            queue,
            kind,
            status: AtomicU32::new(status as u32),
            unmet: AtomicU32::new(1),
            is_doomed: AtomicBool::new(false),
            core: Mutex::new(Core { command, ..Core::default() }),
            times_ns: Default::default(),
        };
        event.note_time(QUEUED);
        Ref::new(event)
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(|held| held.into_inner())
    }

    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// Where its command should run; nothing, if that is all the same.
    pub(super) fn locations(&self) -> &[u16] {
        self.queue.as_ref().map_or(&[], |queue| queue.device.locations())
    }

    pub fn status(&self) -> cl_int {
        // Acquire: pairs with the Release in `reach`.
        self.status.load(Ordering::Acquire) as cl_int
    }

    pub fn is_finished(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    fn note_time(&self, which: usize) {
        if self.queue.as_ref().is_some_and(|queue| queue.is_profiled()) {
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

    fn is_last_unmet(&self) -> bool {
        // AcqRel: whoever takes the last sees what all predecessors wrote.
        self.unmet.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Adds those of `successors` that are ready now, after an event that ended with `status`.
    pub(super) fn release(successors: Successors, status: cl_int, ready: &mut Vec<Ref<Event>>) {
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

    /// It is handed to the workers: gives out the command, or says that it must not run.
    pub(super) fn submit(&self) -> Option<Command> {
        let mut core = self.core();
        let calls = self.reach(&mut core, CL_SUBMITTED);
        let command = core.command.take();
        drop(core);
        call(calls, CL_SUBMITTED);
        // Relaxed: published with `unmet`.
        command.filter(|_| !self.is_doomed.load(Ordering::Relaxed))
    }

    /// A worker begins with it.
    pub(super) fn begin(&self) {
        self.note_time(STARTED);
        let calls = self.reach(&mut self.core(), CL_RUNNING);
        call(calls, CL_RUNNING);
    }

    /// It is finished: wakes who waits for it, and makes the calls that are asked for.
    pub(super) fn end(&self, status: cl_int) -> Successors {
        self.note_time(ENDED);
        let mut core = self.core();
        let successors = std::mem::take(&mut core.successors);
        let calls = self.reach(&mut core, status);
        drop(core);
        runtime::wake(&self.status);
        self.queue.iter().for_each(|queue| queue.finished());
        call(calls, status);
        successors
    }

    /// The lock's holder: the event's state is `status` now; gives the calls that wait for it or for one before it.
    fn reach(&self, core: &mut Core, status: cl_int) -> Vec<(cl_int, Callback)> {
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
        loop {
            let status = self.status();
            if status <= CL_COMPLETE {
                return;
            }
            runtime::wait(&self.status, status as u32);
        }
    }

    /// An error if one of them ended with one.
    pub fn wait_for_all(events: &[Ref<Event>]) -> Result {
        events.iter().for_each(|event| event.wait());
        let all_well = events.iter().all(|event| event.status() == CL_COMPLETE);
        ensure(all_well, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    }

    pub fn profile(&self, name: cl_profiling_info, reply: Reply) -> Result {
        let is_profiled = self.queue.as_ref().is_some_and(|queue| queue.is_profiled());
        let is_there = is_profiled && self.status() == CL_COMPLETE;
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

/// Has a worker make the calls that were asked for, each with the status it waited for, or the error: a program
/// may hold locks in its own call of ours that it takes in a callback.
fn call(calls: Vec<(cl_int, Callback)>, status: cl_int) {
    if !calls.is_empty() {
        let told = move |wanted| if status < 0 { status } else { wanted };
        run::later(Box::new(move || {
            calls.into_iter().for_each(|(wanted, call)| call(told(wanted)))
        }));
    }
}

impl Ref<Event> {
    /// Its creator has added all edges.
    pub(super) fn let_go(&self) {
        if self.is_last_unmet() {
            run::start(self.clone());
        }
    }

    /// `clSetUserEventStatus`
    pub fn set_status(&self, status: cl_int) -> Result {
        ensure(self.queue.is_none(), CL_INVALID_EVENT)?;
        ensure(status <= CL_COMPLETE, CL_INVALID_VALUE)?;
        let mut core = self.core();
        ensure(self.status() > CL_COMPLETE, CL_INVALID_OPERATION)?;
        let successors = std::mem::take(&mut core.successors);
        let calls = self.reach(&mut core, status);
        drop(core);
        runtime::wake(&self.status);
        call(calls, status);
        let mut ready = Vec::new();
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
        call(vec![(wanted, callback)], status);
        Ok(())
    }

    pub fn info(&self, name: cl_event_info, reply: Reply) -> Result {
        match name {
            CL_EVENT_COMMAND_QUEUE => {
                reply.give(self.queue.as_ref().map_or(ptr::null_mut::<c_void>(), Ref::handle))
            }
            CL_EVENT_CONTEXT => reply.give(self.context.handle()),
            CL_EVENT_COMMAND_TYPE => reply.give(self.kind),
            CL_EVENT_COMMAND_EXECUTION_STATUS => reply.give(self.status()),
            CL_EVENT_REFERENCE_COUNT => reply.give(self.references()),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
