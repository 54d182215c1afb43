//! What a kernel answers about itself.

use super::Kernel;
use crate::core::device::facts;
use crate::core::program::description::{Argument, ArgumentKind, ImageAccess};
use crate::error::{Error, Result};
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;

impl Kernel {
    pub fn argument_info(&self, index: usize, name: cl_kernel_arg_info, reply: Reply) -> Result {
        let arguments = &self.description().arguments;
        let argument = arguments.get(index).ok_or(Error(CL_INVALID_ARG_INDEX))?;
        match name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => reply.give(address_space(argument.kind)),
            CL_KERNEL_ARG_ACCESS_QUALIFIER => reply.give(access(argument)),
            CL_KERNEL_ARG_TYPE_NAME => reply.give_text(&argument.type_name),
            CL_KERNEL_ARG_TYPE_QUALIFIER => reply.give(qualifiers(argument)),
            CL_KERNEL_ARG_NAME => reply.give_text(&argument.name),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }

    pub fn work_group_info(&self, name: cl_kernel_work_group_info, reply: Reply) -> Result {
        if name != CL_KERNEL_COMPILE_WORK_GROUP_SIZE {
            self.ready()?;
        }
        let description = self.description();
        match name {
            CL_KERNEL_WORK_GROUP_SIZE => reply.give(self.most_items()),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                reply.give_all(&description.required_size.unwrap_or([0; 3]))
            }
            CL_KERNEL_LOCAL_MEM_SIZE => reply.give(self.local_bytes() as cl_ulong),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                let widths = description.vectorized.iter().map(|it| it.width as usize);
                let lanes = facts().vector_bytes as usize / size_of::<cl_float>();
                reply.give(widths.max().filter(|&width| width > 0).unwrap_or(lanes))
            }
            // Registers that do not suffice are not counted apart.
            CL_KERNEL_SPILL_MEM_SIZE_INTEL => reply.give(0 as cl_ulong),
            CL_KERNEL_PRIVATE_MEM_SIZE => {
                reply.give(description.private_bytes_per_item as cl_ulong)
            }
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

impl Ref<Kernel> {
    pub fn info(&self, name: cl_kernel_info, reply: Reply) -> Result {
        let description = self.description();
        match name {
            CL_KERNEL_FUNCTION_NAME => reply.give_text(&description.name),
            CL_KERNEL_NUM_ARGS => reply.give(description.arguments.len() as cl_uint),
            CL_KERNEL_REFERENCE_COUNT => reply.give(self.references()),
            CL_KERNEL_CONTEXT => reply.give(self.program().context().handle()),
            CL_KERNEL_PROGRAM => reply.give(self.program().handle()),
            CL_KERNEL_ATTRIBUTES => reply.give_text(match self.program().is_of_binary() {
                true => "",
                false => &description.attributes,
            }),
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

fn address_space(kind: ArgumentKind) -> cl_kernel_arg_address_qualifier {
    match kind {
        ArgumentKind::Global | ArgumentKind::Image => CL_KERNEL_ARG_ADDRESS_GLOBAL,
        ArgumentKind::Constant => CL_KERNEL_ARG_ADDRESS_CONSTANT,
        ArgumentKind::Local => CL_KERNEL_ARG_ADDRESS_LOCAL,
        ArgumentKind::Value | ArgumentKind::Sampler | ArgumentKind::Other => {
            CL_KERNEL_ARG_ADDRESS_PRIVATE
        }
    }
}

fn access(argument: &Argument) -> cl_kernel_arg_access_qualifier {
    match argument.access {
        ImageAccess::None => CL_KERNEL_ARG_ACCESS_NONE,
        ImageAccess::ReadOnly => CL_KERNEL_ARG_ACCESS_READ_ONLY,
        ImageAccess::WriteOnly => CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        ImageAccess::ReadWrite => CL_KERNEL_ARG_ACCESS_READ_WRITE,
    }
}

fn qualifiers(argument: &Argument) -> cl_kernel_arg_type_qualifier {
    argument.qualifiers.iter().fold(0, |all, word| {
        all | match word.as_str() {
            "const" => CL_KERNEL_ARG_TYPE_CONST,
            "restrict" => CL_KERNEL_ARG_TYPE_RESTRICT,
            "volatile" => CL_KERNEL_ARG_TYPE_VOLATILE,
            "pipe" => CL_KERNEL_ARG_TYPE_PIPE,
            _ => 0,
        }
    })
}
