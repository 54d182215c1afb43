//! What a program answers about itself.

use super::image::Image;
use super::{Origin, Program};
use crate::core::device::Device;
use crate::error::{Error, Result};
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::c_void;

impl Program {
    /// The image as bytes, which is waited for; empty if there is none.
    pub fn binary(&self) -> Vec<u8> {
        let making = self.state().making.clone();
        let image = match making {
            Some(making) => making.whole().ok(),
            None => self.image(),
        };
        image.map(|image| Image::to_bytes(&image)).unwrap_or_default()
    }

    fn log(&self) -> String {
        let build = self.state();
        let (log, making) = (build.log.clone(), build.making.clone());
        drop(build);
        making.map_or(log, |making| making.log())
    }

    /// All devices of the context have the same answers.
    pub fn build_info(
        &self,
        device: &Ref<Device>,
        name: cl_program_build_info,
        reply: Reply,
    ) -> Result {
        self.context.ensure_device(device)?;
        if name == CL_PROGRAM_BUILD_LOG {
            return reply.give_text(&self.log());
        }
        let build = self.state();
        match name {
            CL_PROGRAM_BUILD_STATUS => reply.give(build.status),
            CL_PROGRAM_BUILD_OPTIONS => reply.give_text(&build.options),
            CL_PROGRAM_BINARY_TYPE => reply.give(
                build
                    .image
                    .as_ref()
                    .map_or(CL_PROGRAM_BINARY_TYPE_NONE, |image| image.form.binary_type()),
            ),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                let executable = build.executable.as_ref();
                let bytes = executable.map_or(0, |it| it.description().program_variables_bytes);
                reply.give(bytes as usize)
            }
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}

impl Ref<Program> {
    pub fn info(&self, name: cl_program_info, reply: Reply) -> Result {
        let devices = self.context.devices();
        match name {
            CL_PROGRAM_REFERENCE_COUNT => reply.give(self.references()),
            CL_PROGRAM_CONTEXT => reply.give(self.context.handle()),
            CL_PROGRAM_NUM_DEVICES => reply.give(devices.len() as cl_uint),
            CL_PROGRAM_DEVICES => {
                let handles: Vec<*mut c_void> = devices.iter().map(Ref::handle).collect();
                reply.give_all(&handles)
            }
            CL_PROGRAM_SOURCE => reply.give_text(&match &self.origin {
                Origin::Source(source) => String::from_utf8_lossy(source),
                _ => "".into(),
            }),
            CL_PROGRAM_IL => reply.give_all(match &self.origin {
                Origin::Il(il) => il.bytes(),
                _ => &[],
            }),
            CL_PROGRAM_BINARY_SIZES => reply.give_all(&vec![self.binary().len(); devices.len()]),
            CL_PROGRAM_NUM_KERNELS => reply.give(self.executable()?.description().kernels.len()),
            CL_PROGRAM_KERNEL_NAMES => {
                let executable = self.executable()?;
                let kernels = executable.description().kernels.iter();
                let names: Vec<&str> = kernels.map(|kernel| kernel.name.as_str()).collect();
                reply.give_text(&names.join(";"))
            }
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT => {
                reply.give_bool(!self.executable()?.description().constructors.is_empty())
            }
            CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                reply.give_bool(!self.executable()?.description().destructors.is_empty())
            }
            _ => Err(Error(CL_INVALID_VALUE)),
        }
    }
}
