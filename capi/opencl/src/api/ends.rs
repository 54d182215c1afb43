//! Where commands come from and go: into a queue, or into a command buffer that is being recorded.
//!
//! An entry point makes `Ends` of what all commands have in common, checks what is its own, and submits the command. So what a queue
//! and a command buffer both take is checked by the same code.

use super::event::wait_list;
use super::input::{answer, optional_list};
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::queue::{Command, CommandBuffer, Event, Queue, SyncPoint, Work};
use opencl_sys::*;
use smallvec::SmallVec;

pub enum Ends {
    /// The events to wait for, and where a new event goes.
    Queue { queue: Ref<Queue>, waits: Vec<Ref<Event>>, event: *mut cl_event },
    /// The same of sync points.
    Recording { buffer: Ref<CommandBuffer>, waits: Vec<SyncPoint>, place: *mut SyncPoint },
}

impl Ends {
    /// # Safety
    /// The events are null or as many as there are said to be; `event` is null or a place for one.
    pub unsafe fn new(
        queue: cl_command_queue,
        count: cl_uint,
        events: *const cl_event,
        event: *mut cl_event,
    ) -> Result<Ends> {
        // SAFETY: the caller's promise.
        unsafe { Ends::of(Ref::of(queue)?, count, events, event) }
    }

    /// The same, of a queue that is known.
    ///
    /// # Safety
    /// As of `new`.
    pub unsafe fn of(
        queue: Ref<Queue>,
        count: cl_uint,
        events: *const cl_event,
        event: *mut cl_event,
    ) -> Result<Ends> {
        // SAFETY: the caller's promise.
        let waits = unsafe { wait_list(queue.context(), count, events) }?;
        Ok(Ends::Queue { queue, waits, event })
    }

    /// # Safety
    /// The sync points are null or as many as there are said to be; `place` is null or one for a sync point.
    pub unsafe fn recording(
        buffer: cl_command_buffer_khr,
        queue: cl_command_queue,
        count: cl_uint,
        sync_points: *const SyncPoint,
        place: *mut SyncPoint,
    ) -> Result<Ends> {
        let buffer = Ref::<CommandBuffer>::of(buffer)?;
        // A buffer has one queue, which therefore need not be named.
        ensure(queue.is_null(), CL_INVALID_COMMAND_QUEUE)?;
        // SAFETY: the caller's promise.
        let waits = unsafe { optional_list(sync_points, count as usize) };
        let waits = waits.map_err(|_| Error(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR))?.to_vec();
        buffer.ensure_recording()?;
        Ok(Ends::Recording { buffer, waits, place })
    }

    pub fn context(&self) -> &Ref<Context> {
        match self {
            Ends::Queue { queue, .. } => queue.context(),
            Ends::Recording { buffer, .. } => buffer.context(),
        }
    }

    /// The live memory object of a handle, of the same context.
    pub fn memory(&self, handle: cl_mem) -> Result<Ref<Memory>> {
        let memory = Ref::<Memory>::of(handle)?;
        ensure(memory.context().is(self.context()), CL_INVALID_CONTEXT)?;
        Ok(memory)
    }

    /// A memory object that is no image.
    pub fn buffer(&self, handle: cl_mem) -> Result<Ref<Memory>> {
        let memory = self.memory(handle)?;
        ensure(memory.image().is_none(), CL_INVALID_MEM_OBJECT)?;
        Ok(memory)
    }

    /// A memory object that is one.
    pub fn image(&self, handle: cl_mem) -> Result<Ref<Memory>> {
        let memory = self.memory(handle)?;
        ensure(memory.image().is_some(), CL_INVALID_MEM_OBJECT)?;
        Ok(memory)
    }

    /// Takes the command in, and waits for it if it is `blocking`, as none is that is recorded.
    pub fn submit(
        self,
        kind: cl_command_type,
        work: Work,
        keep: impl IntoIterator<Item = Ref<Memory>>,
        blocking: bool,
    ) -> Result {
        let keep: SmallVec<[Ref<Memory>; 2]> = keep.into_iter().collect();
        let mut command = Command { kind, work, keep };
        match self {
            Ends::Queue { queue, waits, event } => {
                if event.is_null()
                    && waits.is_empty()
                    && let Some(outcome) = queue.carry_out(&mut command, blocking)
                {
                    return if blocking { outcome } else { Ok(()) };
                }
                let submitted = queue.submit(command, &waits, blocking)?;
                let outcome = match blocking {
                    true => submitted.wait_for_success(),
                    false => Ok(()),
                };
                if !event.is_null() {
                    // SAFETY: the promise to `new`.
                    unsafe { event.write(submitted.into_handle()) };
                }
                outcome
            }
            Ends::Recording { buffer, waits, place } => {
                let sync_point = buffer.record(command, &waits)?;
                // SAFETY: the promise to `recording`.
                unsafe { answer(place, sync_point) };
                Ok(())
            }
        }
    }
}
