//! Command queues.

use super::input::{answer, created, pairs, status};
use crate::core::context::Context;
use crate::core::device::Device;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use crate::queue::Queue;
use opencl_sys::*;
use std::ffi::c_void;

const OFFERED: cl_command_queue_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
/// Known, and not offered.
const ON_DEVICE: cl_command_queue_properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

/// How urgent its commands are, and how much power they may take: they are remembered, and nothing else.
const HINT_PRIORITY: cl_command_queue_info = CL_QUEUE_PRIORITY_KHR as cl_command_queue_info;
const HINT_THROTTLE: cl_command_queue_info = CL_QUEUE_THROTTLE_KHR as cl_command_queue_info;

/// High, medium or low, one of them.
fn is_hint(value: cl_queue_properties) -> bool {
    [1, 2, 4].contains(&value)
}

pub unsafe extern "C" fn clCreateCommandQueue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    errcode_ret: *mut cl_int,
) -> cl_command_queue {
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(context, device, properties, Vec::new()), errcode_ret) }
}

pub unsafe extern "C" fn clCreateCommandQueueWithProperties(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_queue_properties,
    errcode_ret: *mut cl_int,
) -> cl_command_queue {
    let create = || {
        // SAFETY: the program passes a list as the specification has it.
        let list = unsafe { pairs(properties) };
        let (pairs, _) = list.as_chunks::<2>();
        let mut bits = 0;
        for &[name, value] in pairs {
            match name as cl_command_queue_info {
                CL_QUEUE_PROPERTIES => bits = value,
                // Of a queue on the device.
                CL_QUEUE_SIZE => return Err(Error(CL_INVALID_QUEUE_PROPERTIES)),
                HINT_PRIORITY | HINT_THROTTLE => ensure(is_hint(value), CL_INVALID_VALUE)?,
                _ => return Err(Error(CL_INVALID_VALUE)),
            }
        }
        create(context, device, bits, list)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

fn create(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    list: Vec<cl_queue_properties>,
) -> Result<Ref<Queue>> {
    let context = Ref::<Context>::of(context)?;
    let device = Ref::<Device>::of(device)?;
    context.ensure_device(&device)?;
    ensure(properties & !(OFFERED | ON_DEVICE) == 0, CL_INVALID_VALUE)?;
    ensure(properties & ON_DEVICE == 0, CL_INVALID_QUEUE_PROPERTIES)?;
    Queue::new(context, device, properties, list)
}

pub unsafe extern "C" fn clRetainCommandQueue(queue: cl_command_queue) -> cl_int {
    status(|| Ref::<Queue>::retain(queue))
}

/// Commands that are in it are submitted first, and run whether or not the queue is there.
pub unsafe extern "C" fn clReleaseCommandQueue(queue: cl_command_queue) -> cl_int {
    status(|| {
        Ref::<Queue>::of(queue)?.flush()?;
        Ref::<Queue>::release(queue)
    })
}

pub unsafe extern "C" fn clGetCommandQueueInfo(
    queue: cl_command_queue,
    name: cl_command_queue_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Queue>::of(queue)?.info(name, reply))
}

/// Of OpenCL 1.0; devices since then need not change queues, and this one does not.
pub unsafe extern "C" fn clSetCommandQueueProperty(
    queue: cl_command_queue,
    properties: cl_command_queue_properties,
    _enable: cl_bool,
    old_properties: *mut cl_command_queue_properties,
) -> cl_int {
    status(|| {
        let queue = Ref::<Queue>::of(queue)?;
        ensure(properties & !OFFERED == 0, CL_INVALID_VALUE)?;
        // SAFETY: the program passes a place for the properties, or null.
        unsafe { answer(old_properties, queue.properties()) };
        Err(Error(CL_INVALID_OPERATION))
    })
}

pub unsafe extern "C" fn clFlush(queue: cl_command_queue) -> cl_int {
    status(|| Ref::<Queue>::of(queue)?.flush())
}

pub unsafe extern "C" fn clFinish(queue: cl_command_queue) -> cl_int {
    status(|| Ref::<Queue>::of(queue)?.finish())
}

/// There are no queues on the device.
pub unsafe extern "C" fn clSetDefaultDeviceCommandQueue(
    context: cl_context,
    device: cl_device_id,
    _queue: cl_command_queue,
) -> cl_int {
    status(|| {
        let context = Ref::<Context>::of(context)?;
        context.ensure_device(&Ref::<Device>::of(device)?)?;
        Err(Error(CL_INVALID_OPERATION))
    })
}
