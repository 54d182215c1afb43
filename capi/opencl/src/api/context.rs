//! Contexts.

use super::input::{created, list, objects, pairs, status};
use crate::core::context::{Context, LastCall};
use crate::core::device::Device;
use crate::core::memory::Address;
use crate::core::platform;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::{c_char, c_void};

/// Where the program wants errors of a context told; there are none that an entry point does not answer.
type Notify = Option<
    unsafe extern "C" fn(
        errinfo: *const c_char,
        private_info: *const c_void,
        cb: usize,
        user_data: *mut c_void,
    ),
>;

pub unsafe extern "C" fn clCreateContext(
    properties: *const cl_context_properties,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    pfn_notify: Notify,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_context {
    let create = || {
        // SAFETY: the program passes lists as the specification has them.
        let (properties, devices) =
            unsafe { (pairs(properties), list(devices, num_devices as usize)?) };
        ensure(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE)?;
        check(&properties)?;
        let mut distinct = Vec::new();
        for device in objects::<Device>(devices)? {
            if !distinct.iter().any(|known: &Ref<Device>| known.is(&device)) {
                distinct.push(device);
            }
        }
        Context::new(distinct, properties)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clCreateContextFromType(
    properties: *const cl_context_properties,
    device_type: cl_device_type,
    pfn_notify: Notify,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_context {
    let create = || {
        // SAFETY: the program passes a list as the specification has it.
        let properties = unsafe { pairs(properties) };
        ensure(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE)?;
        check(&properties)?;
        ensure(platform::offers(device_type)?, CL_DEVICE_NOT_FOUND)?;
        Context::new(vec![platform::platform()?.device().clone()], properties)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

/// Properties that are known, each once, with values that are.
fn check(properties: &[cl_context_properties]) -> Result {
    let (pairs, _) = properties.as_chunks::<2>();
    for (index, [name, value]) in pairs.iter().enumerate() {
        ensure(!pairs[..index].iter().any(|pair| pair[0] == *name), CL_INVALID_PROPERTY)?;
        match *name {
            CL_CONTEXT_PLATFORM => {
                ensure(*value != 0, CL_INVALID_PLATFORM)?;
                platform::of(*value as cl_platform_id)?;
            }
            CL_CONTEXT_INTEROP_USER_SYNC => {
                ensure((0..=1).contains(value), CL_INVALID_PROPERTY)?;
            }
            _ => return Err(Error(CL_INVALID_PROPERTY)),
        }
    }
    Ok(())
}

pub unsafe extern "C" fn clRetainContext(context: cl_context) -> cl_int {
    status(|| Ref::<Context>::retain(context))
}

pub unsafe extern "C" fn clReleaseContext(context: cl_context) -> cl_int {
    status(|| Ref::<Context>::release(context))
}

pub unsafe extern "C" fn clGetContextInfo(
    context: cl_context,
    name: cl_context_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Context>::of(context)?.info(name, reply))
}

pub unsafe extern "C" fn clSetContextDestructorCallback(
    context: cl_context,
    pfn_notify: Option<unsafe extern "C" fn(context: cl_context, user_data: *mut c_void)>,
    user_data: *mut c_void,
) -> cl_int {
    status(|| {
        let (handle, data) = (Address::new(context), Address::new(user_data));
        let context = Ref::<Context>::of(context)?;
        let call = pfn_notify.ok_or(Error(CL_INVALID_VALUE))?;
        // SAFETY: the program's function, with what it asked for.
        context.before_the_end(LastCall::new(move || unsafe {
            call(handle.pointer().cast(), data.pointer().cast());
        }));
        Ok(())
    })
}
