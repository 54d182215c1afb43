//! Samplers.

use super::input::{created, pairs, status};
use crate::core::context::Context;
use crate::core::sampler::Sampler;
use crate::error::ensure;
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::c_void;

pub unsafe extern "C" fn clCreateSampler(
    context: cl_context,
    normalized_coords: cl_bool,
    addressing_mode: cl_addressing_mode,
    filter_mode: cl_filter_mode,
    errcode_ret: *mut cl_int,
) -> cl_sampler {
    let create = || {
        let context = Ref::<Context>::of(context)?;
        ensure(normalized_coords <= CL_TRUE, CL_INVALID_VALUE)?;
        let is_normalized = normalized_coords == CL_TRUE;
        Sampler::new(context, is_normalized, addressing_mode, filter_mode, Vec::new())
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clCreateSamplerWithProperties(
    context: cl_context,
    properties: *const cl_sampler_properties,
    errcode_ret: *mut cl_int,
) -> cl_sampler {
    let create = || {
        let context = Ref::<Context>::of(context)?;
        // SAFETY: the program passes a list as the specification has it.
        Sampler::of_list(context, unsafe { pairs(properties) })
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clRetainSampler(sampler: cl_sampler) -> cl_int {
    status(|| Ref::<Sampler>::retain(sampler))
}

pub unsafe extern "C" fn clReleaseSampler(sampler: cl_sampler) -> cl_int {
    status(|| Ref::<Sampler>::release(sampler))
}

pub unsafe extern "C" fn clGetSamplerInfo(
    sampler: cl_sampler,
    name: cl_sampler_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Sampler>::of(sampler)?.info(name, reply))
}
