//! What a program answers about itself.

use super::{Origin, Program};
use crate::core::device::Device;
use crate::error::{Error, Result};
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::c_void;
use std::sync::Arc;

impl Program {
    /// The image as bytes; empty if there is none. As long as code is being made it is bare, if the cache will have the code.
    pub fn binary(&self) -> Vec<u8> {
        let making = self.state().making.clone();
        let image = match making {
            Some(making) => making.early().map(Arc::new).or_else(|| making.whole().ok()),
            None => self.image(),
        };
        image.map(|image| image.to_bytes()).unwrap_or_default()
    }

    /// The log, which may grow as long as code is being made. It is not read, but its size is told: then it is the same when it is
    /// read next.
    fn log(&self, is_read: bool) -> String {
        let mut build = self.state();
        let told = build.told_log.take();
        let log = told.unwrap_or_else(|| match &build.making {
            Some(making) => making.log(),
            None => build.log.clone(),
        });
        build.told_log = (!is_read).then(|| log.clone());
        log
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
            let is_read = reply.room_for::<u8>().is_some();
            return reply.give_text(&self.log(is_read));
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
