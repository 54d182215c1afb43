//! Buffers and sub-buffers.

use super::input::{created, pairs, status};
use crate::core::context::{Context, LastCall};
use crate::core::memory::{Address, CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, Memory};
use crate::error::{Error, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use crate::queue::{Copy, Shape, Work};
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr;

pub unsafe extern "C" fn clCreateBuffer(
    context: cl_context,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    let properties = ptr::null();
    // SAFETY: the same promises.
    unsafe { clCreateBufferWithProperties(context, properties, flags, size, host_ptr, errcode_ret) }
}

pub unsafe extern "C" fn clCreateBufferWithProperties(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    size: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    let create = || {
        let context = Ref::<Context>::of(context)?;
        // SAFETY: the program passes a list as the specification has it.
        let properties = unsafe { pairs(properties) };
        let (list, _) = properties.as_chunks::<2>();
        let is_known = matches!(list, [] | [[CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 0 | 1]]);
        ensure(is_known, CL_INVALID_PROPERTY)?;
        let host = Address::new(host_ptr);
        let buffer = Memory::buffer(context.clone(), flags, size, host, properties)?;
        if flags & CL_MEM_COPY_HOST_PTR != 0 {
            let (target, shape) = (buffer.address(), Shape::contiguous(size));
            Work::Copy(Copy { source: host, target, shape }).carry_out(context)?;
        }
        Ok(buffer)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clCreateSubBuffer(
    buffer: cl_mem,
    flags: cl_mem_flags,
    buffer_create_type: cl_buffer_create_type,
    buffer_create_info: *const c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    let create = || {
        let buffer = Ref::<Memory>::of(buffer)?;
        let is_region = buffer_create_type == CL_BUFFER_CREATE_TYPE_REGION;
        ensure(is_region && !buffer_create_info.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the program passes what the type says.
        let region = unsafe { buffer_create_info.cast::<cl_buffer_region>().read() };
        buffer.part(flags, region.origin, region.size)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clRetainMemObject(memobj: cl_mem) -> cl_int {
    status(|| Ref::<Memory>::retain(memobj))
}

pub unsafe extern "C" fn clReleaseMemObject(memobj: cl_mem) -> cl_int {
    status(|| Ref::<Memory>::release(memobj))
}

pub unsafe extern "C" fn clGetMemObjectInfo(
    memobj: cl_mem,
    name: cl_mem_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Memory>::of(memobj)?.info(name, reply))
}

pub unsafe extern "C" fn clSetMemObjectDestructorCallback(
    memobj: cl_mem,
    pfn_notify: Option<unsafe extern "C" fn(memobj: cl_mem, user_data: *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    status(|| {
        let (handle, data) = (Address::new(memobj), Address::new(user_data));
        let memory = Ref::<Memory>::of(memobj)?;
        let call = pfn_notify.ok_or(Error(CL_INVALID_VALUE))?;
        // SAFETY: the program's function, with what it asked for.
        memory.before_the_end(LastCall::new(move || unsafe {
            call(handle.pointer().cast(), data.pointer().cast());
        }));
        Ok(())
    })
}
