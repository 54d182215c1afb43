//! Images, samplers and pipes: not offered. Handles are looked at first, then comes what the specification says
//! for devices without these.

use super::enqueue::Ends;
use super::input::{answer, pointer, status};
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use opencl_sys::*;
use std::ffi::c_void;

/// What making one of these answers.
unsafe fn no_object(context: cl_context, errcode_ret: *mut cl_int) -> *mut c_void {
    let refused = Ref::<Context>::of(context).and(Err(Error(CL_INVALID_OPERATION)));
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { pointer(refused, errcode_ret) }
}

/// What asking a memory object for what only an image or a pipe has answers.
fn no_answer(memobj: cl_mem) -> cl_int {
    status(|| Ref::<Memory>::of(memobj).and(Err(Error(CL_INVALID_MEM_OBJECT))))
}

/// What a command on an image answers.
unsafe fn no_command(
    queue: cl_command_queue,
    memory: &[cl_mem],
    num_events: cl_uint,
    events: *const cl_event,
) -> Result {
    // SAFETY: the program passes lists as long as it says.
    let ends = unsafe { Ends::new(queue, num_events, events, std::ptr::null_mut()) }?;
    for &handle in memory {
        ends.memory(handle)?;
    }
    Err(Error(CL_INVALID_OPERATION))
}

pub unsafe extern "C" fn clCreateImage(
    context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_desc: *const cl_image_desc,
    _host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clCreateImageWithProperties(
    context: cl_context,
    _properties: *const cl_mem_properties,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_desc: *const cl_image_desc,
    _host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clCreateImage2D(
    context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_width: usize,
    _image_height: usize,
    _image_row_pitch: usize,
    _host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clCreateImage3D(
    context: cl_context,
    _flags: cl_mem_flags,
    _image_format: *const cl_image_format,
    _image_width: usize,
    _image_height: usize,
    _image_depth: usize,
    _image_row_pitch: usize,
    _image_slice_pitch: usize,
    _host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clGetSupportedImageFormats(
    context: cl_context,
    _flags: cl_mem_flags,
    image_type: cl_mem_object_type,
    num_entries: cl_uint,
    image_formats: *mut cl_image_format,
    num_image_formats: *mut cl_uint,
) -> cl_int {
    status(|| {
        Ref::<Context>::of(context)?;
        let is_image = (CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&image_type);
        ensure(is_image, CL_INVALID_VALUE)?;
        ensure(image_formats.is_null() || num_entries > 0, CL_INVALID_VALUE)?;
        // SAFETY: the program passes a place for a number, or null.
        unsafe { answer(num_image_formats, 0) };
        Ok(())
    })
}

pub unsafe extern "C" fn clGetImageInfo(
    image: cl_mem,
    _name: cl_image_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl_int {
    no_answer(image)
}

pub unsafe extern "C" fn clCreatePipe(
    context: cl_context,
    _flags: cl_mem_flags,
    _packet_size: cl_uint,
    _max_packets: cl_uint,
    _properties: *const cl_pipe_properties,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clGetPipeInfo(
    pipe: cl_mem,
    _name: cl_pipe_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl_int {
    no_answer(pipe)
}

pub unsafe extern "C" fn clCreateSampler(
    context: cl_context,
    _normalized_coords: cl_bool,
    _addressing_mode: cl_addressing_mode,
    _filter_mode: cl_filter_mode,
    errcode_ret: *mut cl_int,
) -> cl_sampler {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clCreateSamplerWithProperties(
    context: cl_context,
    _properties: *const cl_sampler_properties,
    errcode_ret: *mut cl_int,
) -> cl_sampler {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

/// There are no samplers, so no handle is one.
pub unsafe extern "C" fn clRetainSampler(_sampler: cl_sampler) -> cl_int {
    CL_INVALID_SAMPLER
}

pub unsafe extern "C" fn clReleaseSampler(_sampler: cl_sampler) -> cl_int {
    CL_INVALID_SAMPLER
}

pub unsafe extern "C" fn clGetSamplerInfo(
    _sampler: cl_sampler,
    _name: cl_sampler_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl_int {
    CL_INVALID_SAMPLER
}

pub unsafe extern "C" fn clEnqueueReadImage(
    queue: cl_command_queue,
    image: cl_mem,
    _blocking_read: cl_bool,
    _origin: *const usize,
    _region: *const usize,
    _row_pitch: usize,
    _slice_pitch: usize,
    _ptr: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    _event: *mut cl_event,
) -> cl_int {
    // SAFETY: the same promises.
    status(|| unsafe { no_command(queue, &[image], num_events, events) })
}

pub unsafe extern "C" fn clEnqueueWriteImage(
    queue: cl_command_queue,
    image: cl_mem,
    _blocking_write: cl_bool,
    _origin: *const usize,
    _region: *const usize,
    _input_row_pitch: usize,
    _input_slice_pitch: usize,
    _ptr: *const c_void,
    num_events: cl_uint,
    events: *const cl_event,
    _event: *mut cl_event,
) -> cl_int {
    // SAFETY: the same promises.
    status(|| unsafe { no_command(queue, &[image], num_events, events) })
}

pub unsafe extern "C" fn clEnqueueFillImage(
    queue: cl_command_queue,
    image: cl_mem,
    _fill_color: *const c_void,
    _origin: *const usize,
    _region: *const usize,
    num_events: cl_uint,
    events: *const cl_event,
    _event: *mut cl_event,
) -> cl_int {
    // SAFETY: the same promises.
    status(|| unsafe { no_command(queue, &[image], num_events, events) })
}

pub unsafe extern "C" fn clEnqueueCopyImage(
    queue: cl_command_queue,
    src_image: cl_mem,
    dst_image: cl_mem,
    _src_origin: *const usize,
    _dst_origin: *const usize,
    _region: *const usize,
    num_events: cl_uint,
    events: *const cl_event,
    _event: *mut cl_event,
) -> cl_int {
    // SAFETY: the same promises.
    status(|| unsafe { no_command(queue, &[src_image, dst_image], num_events, events) })
}

pub unsafe extern "C" fn clEnqueueCopyImageToBuffer(
    queue: cl_command_queue,
    src_image: cl_mem,
    dst_buffer: cl_mem,
    _src_origin: *const usize,
    _region: *const usize,
    _dst_offset: usize,
    num_events: cl_uint,
    events: *const cl_event,
    _event: *mut cl_event,
) -> cl_int {
    // SAFETY: the same promises.
    status(|| unsafe { no_command(queue, &[src_image, dst_buffer], num_events, events) })
}

pub unsafe extern "C" fn clEnqueueCopyBufferToImage(
    queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_image: cl_mem,
    _src_offset: usize,
    _dst_origin: *const usize,
    _region: *const usize,
    num_events: cl_uint,
    events: *const cl_event,
    _event: *mut cl_event,
) -> cl_int {
    // SAFETY: the same promises.
    status(|| unsafe { no_command(queue, &[src_buffer, dst_image], num_events, events) })
}

pub unsafe extern "C" fn clEnqueueMapImage(
    queue: cl_command_queue,
    image: cl_mem,
    _blocking_map: cl_bool,
    _map_flags: cl_map_flags,
    _origin: *const usize,
    _region: *const usize,
    _image_row_pitch: *mut usize,
    _image_slice_pitch: *mut usize,
    num_events: cl_uint,
    events: *const cl_event,
    _event: *mut cl_event,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    // SAFETY: the same promises.
    unsafe {
        let refused = no_command(queue, &[image], num_events, events);
        pointer(refused.map(|()| std::ptr::null_mut()), errcode_ret)
    }
}
