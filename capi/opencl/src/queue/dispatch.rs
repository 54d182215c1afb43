//! Launches in command buffers that have handles, by which programs ask for them and change them.
//!
//! Source: `cl_khr_command_buffer_mutable_dispatch` 0.9.5.

use super::launch::Range;
use super::recording::CommandBuffer;
use crate::core::kernel::Kernel;
use crate::error::{Error, Result};
use crate::handle::{Kind, Name, Object, Ref};
use crate::info::{Plain, Reply};
use opencl_sys::*;

/// What a handle of a command means. The command buffer keeps it alive.
pub struct MutableCommand {
    buffer: Name<CommandBuffer>,
    number: u32,
}

/// A launch as the program said it.
#[derive(Clone)]
pub struct Dispatch {
    /// The program's.
    pub kernel: Ref<Kernel>,
    /// Another one, which has the arguments of this launch.
    pub own: Ref<Kernel>,
    pub range: Range,
    /// What may be changed.
    pub fields: cl_mutable_dispatch_fields_khr,
    /// It was recorded as one that may get its arguments later.
    pub may_lack_arguments: bool,
    /// It has all arguments.
    pub is_complete: bool,
    /// As the program passed them, with the zero that ends them; empty if it passed none.
    pub properties: Vec<cl_command_properties_khr>,
}

impl Object for MutableCommand {
    const KIND: Kind = Kind::MutableCommand;
    const INVALID: cl_int = CL_INVALID_MUTABLE_COMMAND_KHR;
}

impl MutableCommand {
    pub fn new(buffer: Name<CommandBuffer>, number: u32) -> MutableCommand {
        MutableCommand { buffer, number }
    }

    /// The number of the command, which must be one of that buffer.
    pub fn number_in(&self, buffer: &Ref<CommandBuffer>) -> Result<u32> {
        let is_own = self.buffer.is(buffer);
        if is_own { Ok(self.number) } else { Err(Error(CL_INVALID_MUTABLE_COMMAND_KHR)) }
    }

    pub fn info(&self, name: cl_mutable_command_info_khr, reply: Reply) -> Result {
        let invalid = Error(CL_INVALID_MUTABLE_COMMAND_KHR);
        let buffer = self.buffer.object().map_err(|_| invalid)?;
        let Dispatch { kernel, range, properties, .. } = buffer.dispatch(self.number)?;
        match name {
            CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR => reply.give(buffer.queue().handle()),
            CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR => reply.give(buffer.handle()),
            CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR => reply.give(CL_COMMAND_NDRANGE_KERNEL),
            CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR => reply.give_all(&properties),
            CL_MUTABLE_DISPATCH_KERNEL_KHR => reply.give(kernel.handle()),
            CL_MUTABLE_DISPATCH_DIMENSIONS_KHR => reply.give(range.dimensions as cl_uint),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR => give(reply, &range, range.offset),
            CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR => give(reply, &range, range.global),
            CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR => {
                give(reply, &range, range.local.unwrap_or_default())
            }
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

/// A value for each dimension.
fn give<T: Plain>(reply: Reply, range: &Range, values: [T; 3]) -> Result {
    reply.give_all(&values[..range.dimensions])
}
