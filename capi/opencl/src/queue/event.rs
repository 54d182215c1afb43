//! Events: commands and users' promises, to wait for.

use super::Queue;
use crate::core::context::Context;
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

/// Called with the status that was reached: `CL_COMPLETE` or an error.
pub type Callback = Box<dyn FnOnce(cl_int) + Send>;

pub struct Event {
    context: Ref<Context>,
    /// None: the user's.
    queue: Option<Ref<Queue>>,
    kind: cl_command_type,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    status: cl_int,
    callbacks: Vec<(cl_int, Callback)>,
    /// Queued and submitted, started, ended.
    times_ns: [u64; 3],
}

impl Object for Event {
    const KIND: Kind = Kind::Event;
    const INVALID: cl_int = CL_INVALID_EVENT;
}

/// The time that events are told in.
pub fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

impl Event {
    pub fn user(context: Ref<Context>) -> Result<Ref<Event>> {
        Event::with(context, None, CL_COMMAND_USER, CL_SUBMITTED)
    }

    pub(super) fn of(queue: Ref<Queue>, kind: cl_command_type) -> Result<Ref<Event>> {
        Event::with(queue.context().clone(), Some(queue), kind, CL_QUEUED)
    }

    fn with(
        context: Ref<Context>,
        queue: Option<Ref<Queue>>,
        kind: cl_command_type,
        status: cl_int,
    ) -> Result<Ref<Event>> {
        let times_ns = [now_ns(), 0, 0];
        let state = Mutex::new(State { status, callbacks: Vec::new(), times_ns });
        Ref::new(Event { context, queue, kind, state, changed: Condvar::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|held| held.into_inner())
    }

    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    pub(super) fn start(&self) {
        let mut state = self.state();
        (state.status, state.times_ns[1]) = (CL_RUNNING, now_ns());
    }

    pub(super) fn end(&self, error: Option<cl_int>) {
        self.reach(error.unwrap_or(CL_COMPLETE));
    }

    fn reach(&self, status: cl_int) {
        let mut state = self.state();
        (state.status, state.times_ns[2]) = (status, now_ns());
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.changed.notify_all();
        callbacks.into_iter().for_each(|(wanted, call)| call(status.min(wanted)));
    }

    /// `clSetUserEventStatus`
    pub fn set_status(&self, status: cl_int) -> Result {
        ensure(self.queue.is_none(), CL_INVALID_EVENT)?;
        ensure(status <= CL_COMPLETE, CL_INVALID_VALUE)?;
        ensure(self.state().status > CL_COMPLETE, CL_INVALID_OPERATION)?;
        self.reach(status);
        Ok(())
    }

    /// Has `call` called once the status is `wanted` or one that follows it.
    pub fn on(&self, wanted: cl_int, call: Callback) -> Result {
        let mut state = self.state();
        if state.status > wanted {
            state.callbacks.push((wanted, call));
            return Ok(());
        }
        let status = state.status;
        drop(state);
        call(status.min(wanted));
        Ok(())
    }

    /// An error if one of them ended with one.
    pub fn wait_for_all(events: &[Ref<Event>]) -> Result {
        let mut all = Ok(());
        for event in events {
            let mut state = event.state();
            while state.status > CL_COMPLETE {
                state = event.changed.wait(state).unwrap_or_else(|held| held.into_inner());
            }
            if state.status < 0 {
                all = Err(Error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
            }
        }
        all
    }

    pub fn profile(&self, name: cl_profiling_info, reply: Reply) -> Result {
        let queue = self.queue.as_ref().ok_or(Error(CL_PROFILING_INFO_NOT_AVAILABLE))?;
        let state = self.state();
        let is_there =
            queue.properties & CL_QUEUE_PROFILING_ENABLE != 0 && state.status == CL_COMPLETE;
        ensure(is_there, CL_PROFILING_INFO_NOT_AVAILABLE)?;
        match name {
            CL_PROFILING_COMMAND_QUEUED | CL_PROFILING_COMMAND_SUBMIT => {
                reply.give(state.times_ns[0])
            }
            CL_PROFILING_COMMAND_START => reply.give(state.times_ns[1]),
            CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => {
                reply.give(state.times_ns[2])
            }
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

impl Ref<Event> {
    pub fn info(&self, name: cl_event_info, reply: Reply) -> Result {
        match name {
            CL_EVENT_COMMAND_QUEUE => {
                reply.give(self.queue.as_ref().map_or(ptr::null_mut::<c_void>(), Ref::handle))
            }
            CL_EVENT_CONTEXT => reply.give(self.context.handle()),
            CL_EVENT_COMMAND_TYPE => reply.give(self.kind),
            CL_EVENT_COMMAND_EXECUTION_STATUS => reply.give(self.state().status),
            CL_EVENT_REFERENCE_COUNT => reply.give(self.references()),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
