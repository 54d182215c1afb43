//! Pipes: not offered. Handles are looked at first, then comes what the specification says for devices without them.

use super::input::{pointer, status};
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::error::Error;
use crate::handle::Ref;
use opencl_sys::*;
use std::ffi::c_void;

pub unsafe extern "C" fn clCreatePipe(
    context: cl_context,
    _flags: cl_mem_flags,
    _packet_size: cl_uint,
    _max_packets: cl_uint,
    _properties: *const cl_pipe_properties,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    let refused = Ref::<Context>::of(context).and(Err(Error(CL_INVALID_OPERATION)));
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { pointer(refused, errcode_ret) }
}

/// No memory object is a pipe.
pub unsafe extern "C" fn clGetPipeInfo(
    pipe: cl_mem,
    _name: cl_pipe_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl_int {
    status(|| Ref::<Memory>::of(pipe).and(Err(Error(CL_INVALID_MEM_OBJECT))))
}
