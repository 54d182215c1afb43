//! Command buffers: commands that are recorded once and enqueued many times.
//!
//! States: *recording*, until the program finalizes it; *finalized*, while launches lack arguments that were left for later;
//! *executable*. What is enqueued is the graph that the buffer has at that moment, so the buffer may be changed, enqueued again or
//! released while it is carried out.
//!
//! Source: OpenCL 3.1 API, 5.17; `cl_khr_command_buffer` 0.9.8, `cl_khr_command_buffer_mutable_dispatch` 0.9.5.

use super::command::Command;
use super::dispatch::{Dispatch, MutableCommand};
use super::draft::{Draft, SyncPoint};
use super::graph::Graph;
use super::{Queue, Work};
use crate::core::context::Context;
use crate::error::{Error, Result, ensure};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use opencl_sys::*;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

pub struct CommandBuffer {
    queue: Ref<Queue>,
    /// As the program passed them, with the zero that ends them; empty if it passed none.
    properties: Vec<cl_command_buffer_properties_khr>,
    state: Mutex<State>,
}

struct State {
    stage: Stage,
    /// Launches with handles, by their commands' numbers.
    dispatches: BTreeMap<u32, (Dispatch, Ref<MutableCommand>)>,
}

enum Stage {
    Recording(Draft),
    Finalized(Arc<Graph>),
}

impl Object for CommandBuffer {
    const KIND: Kind = Kind::CommandBuffer;
    const INVALID: cl_int = CL_INVALID_COMMAND_BUFFER_KHR;
}

impl CommandBuffer {
    pub fn new(
        queue: Ref<Queue>,
        properties: Vec<cl_command_buffer_properties_khr>,
    ) -> Result<Ref<CommandBuffer>> {
        let stage = Stage::Recording(Draft::default());
        let state = Mutex::new(State { stage, dispatches: BTreeMap::new() });
        Ref::new(CommandBuffer { queue, properties, state })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|held| held.into_inner())
    }

    pub fn context(&self) -> &Ref<Context> {
        self.queue.context()
    }

    pub fn queue(&self) -> &Ref<Queue> {
        &self.queue
    }

    /// What the program passed under this name; 0 if it passed none.
    pub fn property(&self, name: cl_command_buffer_properties_khr) -> cl_properties {
        let (pairs, _) = self.properties.as_chunks::<2>();
        pairs.iter().find(|pair| pair[0] == name).map_or(0, |pair| pair[1])
    }

    pub fn ensure_recording(&self) -> Result {
        ensure(matches!(self.state().stage, Stage::Recording(_)), CL_INVALID_OPERATION)
    }

    /// The command is carried out after those that the sync points name, and those that the order of the queue says.
    pub fn record(&self, command: Command, sync_points: &[SyncPoint]) -> Result<SyncPoint> {
        self.state().record(command, sync_points, self.queue.is_in_order())
    }

    pub fn finalize(&self) -> Result {
        let mut state = self.state();
        let Stage::Recording(draft) = &state.stage else {
            return Err(Error(CL_INVALID_OPERATION));
        };
        state.stage = Stage::Finalized(Arc::new(draft.finalized()?));
        Ok(())
    }

    /// What is to be enqueued.
    pub fn graph(&self) -> Result<Arc<Graph>> {
        let mut state = self.state();
        let State { stage, dispatches } = &mut *state;
        let Stage::Finalized(graph) = stage else { return Err(Error(CL_INVALID_OPERATION)) };
        let is_complete = dispatches.values().all(|(dispatch, _)| dispatch.is_complete);
        ensure(is_complete, CL_INVALID_OPERATION)?;
        let current = Graph::brought_up_to_date(graph)?;
        *graph = current.clone();
        Ok(current)
    }

    /// The launch that a handle stands for, as it is now.
    pub fn dispatch(&self, number: u32) -> Result<Dispatch> {
        let state = self.state();
        let dispatch = state.dispatches.get(&number).map(|(dispatch, _)| dispatch.clone());
        dispatch.ok_or(Error(CL_INVALID_MUTABLE_COMMAND_KHR))
    }

    pub fn ensure_mutable(&self) -> Result {
        let is_finalized = matches!(self.state().stage, Stage::Finalized(_));
        let flags = self.property(CL_COMMAND_BUFFER_FLAGS_KHR);
        ensure(is_finalized && flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0, CL_INVALID_OPERATION)
    }

    /// Launches are others from now on, all or none. Those that still lack arguments have no work.
    pub fn change(&self, changes: Vec<(u32, Dispatch, Option<Work>)>) -> Result {
        let mut state = self.state();
        let State { stage, dispatches } = &mut *state;
        let Stage::Finalized(graph) = stage else { return Err(Error(CL_INVALID_OPERATION)) };
        let mut works = Vec::new();
        let mut changed = Vec::new();
        for (number, mut dispatch, work) in changes {
            dispatch.is_complete |= work.is_some();
            works.extend(work.map(|work| (number, work)));
            changed.push((number, dispatch));
        }
        *graph = Arc::new(graph.with(works)?);
        for (number, dispatch) in changed {
            dispatches.entry(number).and_modify(|(before, _)| *before = dispatch);
        }
        Ok(())
    }
}

impl State {
    fn record(
        &mut self,
        command: Command,
        sync_points: &[SyncPoint],
        is_in_order: bool,
    ) -> Result<SyncPoint> {
        match &mut self.stage {
            Stage::Recording(draft) => draft.add(command, sync_points, is_in_order),
            Stage::Finalized(_) => Err(Error(CL_INVALID_OPERATION)),
        }
    }

    fn name(&self) -> cl_command_buffer_state_khr {
        let is_complete = self.dispatches.values().all(|(dispatch, _)| dispatch.is_complete);
        match self.stage {
            Stage::Recording(_) => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            Stage::Finalized(_) if is_complete => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
            Stage::Finalized(_) => CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
        }
    }
}

impl Ref<CommandBuffer> {
    /// A launch with a handle; without work, if it lacks arguments.
    pub fn record_dispatch(
        &self,
        mut dispatch: Dispatch,
        work: Option<Work>,
        sync_points: &[SyncPoint],
    ) -> Result<(SyncPoint, cl_mutable_command_khr)> {
        dispatch.is_complete = work.is_some();
        let work = work.unwrap_or(Work::Nothing);
        let (kind, keep) = (CL_COMMAND_NDRANGE_KERNEL, SmallVec::new());
        let mut state = self.state();
        let command = Command { kind, work, keep };
        let sync_point = state.record(command, sync_points, self.queue.is_in_order())?;
        let number = sync_point - 1;
        let handle = Ref::new(MutableCommand::new(self.name(), number))?;
        let name = handle.handle();
        state.dispatches.insert(number, (dispatch, handle));
        Ok((sync_point, name))
    }

    pub fn info(&self, name: cl_command_buffer_info_khr, reply: Reply) -> Result {
        match name {
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR => reply.give(1u32),
            CL_COMMAND_BUFFER_QUEUES_KHR => reply.give(self.queue.handle()),
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => reply.give(self.references()),
            CL_COMMAND_BUFFER_STATE_KHR => reply.give(self.state().name()),
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => reply.give_all(&self.properties),
            CL_COMMAND_BUFFER_CONTEXT_KHR => reply.give(self.context().handle()),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
