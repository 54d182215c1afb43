//! Unified shared memory (`cl_intel_unified_shared_memory`): allocated, freed, asked for, copied, filled, and hints.

use super::ends::Ends;
use super::input::{pairs, pointer, status};
use super::svm::fill;
use super::transfer::{copy, ensure_migration_flags};
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::memory::Address;
use crate::core::usm::{self, Owner, Wish};
use crate::error::{Result, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use crate::queue::Work;
use opencl_sys::*;
use std::ffi::c_void;

const CL_COMMAND_MEMFILL_INTEL: cl_command_type = 0x4204;
const CL_COMMAND_MEMCPY_INTEL: cl_command_type = 0x4205;
const CL_COMMAND_MIGRATEMEM_INTEL: cl_command_type = 0x4206;
const CL_COMMAND_MEMADVISE_INTEL: cl_command_type = 0x4207;

/// A device that must be one of the context's.
fn device_of(context: &Ref<Context>, device: cl_device_id) -> Result<Ref<Device>> {
    let device = Ref::<Device>::of(device)?;
    context.ensure_device(&device)?;
    Ok(device)
}

pub unsafe extern "C" fn clHostMemAllocINTEL(
    context: cl_context,
    properties: *const cl_mem_properties,
    size: usize,
    alignment: cl_uint,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    // SAFETY: the program's promises.
    unsafe {
        allocate(context, (Owner::Host, |_| Ok(None)), properties, (size, alignment), errcode_ret)
    }
}

pub unsafe extern "C" fn clDeviceMemAllocINTEL(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_mem_properties,
    size: usize,
    alignment: cl_uint,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    let device = |context: &Ref<Context>| device_of(context, device).map(Some);
    // SAFETY: the program's promises.
    unsafe {
        allocate(context, (Owner::Device, device), properties, (size, alignment), errcode_ret)
    }
}

pub unsafe extern "C" fn clSharedMemAllocINTEL(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_mem_properties,
    size: usize,
    alignment: cl_uint,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    let device = |context: &Ref<Context>| {
        if device.is_null() { Ok(None) } else { device_of(context, device).map(Some) }
    };
    // SAFETY: the program's promises.
    unsafe {
        allocate(context, (Owner::Shared, device), properties, (size, alignment), errcode_ret)
    }
}

/// # Safety
/// The properties are a list as the specification has it, or null; the place for an error code is one, or null.
unsafe fn allocate(
    context: cl_context,
    (owner, device): (Owner, impl FnOnce(&Ref<Context>) -> Result<Option<Ref<Device>>>),
    properties: *const cl_mem_properties,
    (size_bytes, alignment): (usize, cl_uint),
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    let allocate = || {
        let context = Ref::<Context>::of(context)?;
        let device = device(&context)?;
        // SAFETY: the caller's promise.
        let properties = unsafe { pairs(properties) };
        let alignment_bytes = alignment as usize;
        let wish = Wish { owner, device, properties, size_bytes, alignment_bytes };
        usm::allocate(&context, wish).map(|address| address.pointer().cast())
    };
    // SAFETY: the caller's promise.
    unsafe { pointer(allocate(), errcode_ret) }
}

pub unsafe extern "C" fn clMemFreeINTEL(context: cl_context, ptr: *mut c_void) -> cl_int {
    free(context, ptr, |_| Ok(()))
}

/// Which commands use the memory is not known, so all end before.
pub unsafe extern "C" fn clMemBlockingFreeINTEL(context: cl_context, ptr: *mut c_void) -> cl_int {
    free(context, ptr, |context| context.finish())
}

fn free(context: cl_context, ptr: *mut c_void, before: impl FnOnce(&Context) -> Result) -> cl_int {
    status(|| {
        let context = Ref::<Context>::of(context)?;
        if ptr.is_null() {
            return Ok(());
        }
        let address = Address::new(ptr);
        usm::ensure_beginning(&context, address)?;
        before(&context)?;
        usm::free(address);
        Ok(())
    })
}

pub unsafe extern "C" fn clGetMemAllocInfoINTEL(
    context: cl_context,
    ptr: *const c_void,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| usm::info(&Ref::<Context>::of(context)?, Address::new(ptr), name, reply))
}

pub unsafe extern "C" fn clEnqueueMemFillINTEL(
    queue: cl_command_queue,
    dst_ptr: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        ensure(!dst_ptr.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the program passes a pattern as long as it says.
        let work = unsafe { fill(dst_ptr, pattern, pattern_size, size) }?;
        ends.submit(CL_COMMAND_MEMFILL_INTEL, work, [], false)
    })
}

pub unsafe extern "C" fn clEnqueueMemcpyINTEL(
    queue: cl_command_queue,
    blocking: cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        ensure(!dst_ptr.is_null() && !src_ptr.is_null(), CL_INVALID_VALUE)?;
        let work = copy(Address::new(dst_ptr), Address::new(src_ptr), size)?;
        ends.submit(CL_COMMAND_MEMCPY_INTEL, work, [], blocking != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueMigrateMemINTEL(
    queue: cl_command_queue,
    _ptr: *const c_void,
    _size: usize,
    flags: cl_mem_migration_flags,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        ensure_migration_flags(flags)?;
        ends.submit(CL_COMMAND_MIGRATEMEM_INTEL, Work::Nothing, [], false)
    })
}

/// No advice has a name yet.
pub unsafe extern "C" fn clEnqueueMemAdviseINTEL(
    queue: cl_command_queue,
    _ptr: *const c_void,
    _size: usize,
    advice: cl_uint,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        ensure(advice == 0, CL_INVALID_VALUE)?;
        ends.submit(CL_COMMAND_MEMADVISE_INTEL, Work::Nothing, [], false)
    })
}
