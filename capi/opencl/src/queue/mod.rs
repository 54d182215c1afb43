//! Queues, commands and events.
//!
//! The entry points make a `Command` of what the program asks for, checked and complete; `Queue::submit` has it
//! carried out.

mod command;
mod event;

pub use command::{Command, Copy, Fill, Launch, Native, Shape, Work};
pub use event::{Event, now_ns};

use crate::core::context::Context;
use crate::core::device::Device;
use crate::error::{Error, Result};
use crate::handle::{Kind, Object, Ref};
use crate::info::Reply;
use opencl_sys::*;
use std::ptr;

pub struct Queue {
    context: Ref<Context>,
    device: Ref<Device>,
    properties: cl_command_queue_properties,
    /// As the program passed them, with the zero that ends them; empty if it passed none.
    list: Vec<cl_queue_properties>,
}

impl Object for Queue {
    const KIND: Kind = Kind::Queue;
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;
}

impl Queue {
    pub fn new(
        context: Ref<Context>,
        device: Ref<Device>,
        properties: cl_command_queue_properties,
        list: Vec<cl_queue_properties>,
    ) -> Result<Ref<Queue>> {
        Ref::new(Queue { context, device, properties, list })
    }

    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    #[allow(dead_code)]
    pub fn device(&self) -> &Ref<Device> {
        &self.device
    }

    pub fn properties(&self) -> cl_command_queue_properties {
        self.properties
    }

    pub fn flush(&self) -> Result {
        Ok(())
    }

    pub fn finish(&self) -> Result {
        Ok(())
    }
}

impl Ref<Queue> {
    /// Takes a command in; it runs after the events it waits for.
    pub fn submit(&self, command: Command, waits: &[Ref<Event>]) -> Result<Ref<Event>> {
        let event = Event::of(self.clone(), command.kind)?;
        let outcome = Event::wait_for_all(waits);
        event.start();
        if outcome.is_ok() {
            command.run();
        }
        event.end(outcome.err().map(|_| CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST));
        Ok(event)
    }

    pub fn info(&self, name: cl_command_queue_info, reply: Reply) -> Result {
        match name {
            CL_QUEUE_CONTEXT => reply.give(self.context.handle()),
            CL_QUEUE_DEVICE => reply.give(self.device.handle()),
            CL_QUEUE_REFERENCE_COUNT => reply.give(self.references()),
            CL_QUEUE_PROPERTIES => reply.give(self.properties),
            CL_QUEUE_PROPERTIES_ARRAY => reply.give_all(&self.list),
            // Of queues on the device, which there are none.
            CL_QUEUE_SIZE => Err(Error(CL_INVALID_COMMAND_QUEUE)),
            CL_QUEUE_DEVICE_DEFAULT => reply.give(ptr::null_mut()),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
