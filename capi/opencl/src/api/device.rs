//! Devices and sub-devices.

use super::input::{answer, answer_list, status, until_zero};
use crate::core::device::{Device, Wish};
use crate::core::platform;
use crate::error::{Error, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use crate::os::clock::now_ns;
use opencl_sys::*;
use std::ffi::c_void;

pub unsafe extern "C" fn clGetDeviceIDs(
    platform: cl_platform_id,
    device_type: cl_device_type,
    num_entries: cl_uint,
    devices: *mut cl_device_id,
    num_devices: *mut cl_uint,
) -> cl_int {
    status(|| {
        let platform = platform::of(platform)?;
        let all: &[*mut c_void] =
            if platform::offers(device_type)? { &[platform.device().handle()] } else { &[] };
        // SAFETY: the program passes room for as many as it says.
        unsafe { answer_list(all, num_entries, devices, num_devices)? };
        ensure(!all.is_empty(), CL_DEVICE_NOT_FOUND)
    })
}

pub unsafe extern "C" fn clGetDeviceInfo(
    device: cl_device_id,
    name: cl_device_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Device>::of(device)?.info(name, reply))
}

pub unsafe extern "C" fn clCreateSubDevices(
    in_device: cl_device_id,
    properties: *const cl_device_partition_property,
    num_devices: cl_uint,
    out_devices: *mut cl_device_id,
    num_devices_ret: *mut cl_uint,
) -> cl_int {
    status(|| {
        let device = Ref::<Device>::of(in_device)?;
        // SAFETY: the program passes a list that ends with a zero, or null.
        let properties = unsafe { partition_list(properties) }.ok_or(Error(CL_INVALID_VALUE))?;
        let parts = device.divide(&Wish::of(properties)?)?;
        // SAFETY: the program passes room for as many as it says.
        unsafe { answer(num_devices_ret, parts.len() as cl_uint) };
        if out_devices.is_null() {
            return Ok(());
        }
        ensure(num_devices as usize >= parts.len(), CL_INVALID_VALUE)?;
        for (index, part) in parts.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { out_devices.add(index).write(part.into_handle()) };
        }
        Ok(())
    })
}

/// The list without the zero that ends it. An argument of a property may be a zero, too.
unsafe fn partition_list<'a>(
    list: *const cl_device_partition_property,
) -> Option<&'a [cl_device_partition_property]> {
    // SAFETY: the caller's promise.
    let start = unsafe { until_zero(list) }?;
    match *start {
        [CL_DEVICE_PARTITION_EQUALLY | CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN] => {
            // SAFETY: what was read as the end is the argument of the property.
            Some(unsafe { std::slice::from_raw_parts(list, 2) })
        }
        _ => Some(start),
    }
}

/// Of cl_ext_device_fission, which clCreateSubDevices came from and which is not offered.
pub unsafe extern "C" fn clCreateSubDevicesEXT(
    in_device: cl_device_id,
    _properties: *const cl_device_partition_property_ext,
    _num_entries: cl_uint,
    _out_devices: *mut cl_device_id,
    _num_devices: *mut cl_uint,
) -> cl_int {
    status(|| Ref::<Device>::of(in_device).and(Err(Error(CL_INVALID_VALUE))))
}

pub unsafe extern "C" fn clRetainDevice(device: cl_device_id) -> cl_int {
    status(|| match Ref::<Device>::of(device)?.is_root() {
        true => Ok(()),
        false => Ref::<Device>::retain(device),
    })
}

pub unsafe extern "C" fn clReleaseDevice(device: cl_device_id) -> cl_int {
    status(|| match Ref::<Device>::of(device)?.is_root() {
        true => Ok(()),
        false => Ref::<Device>::release(device),
    })
}

pub unsafe extern "C" fn clGetDeviceAndHostTimer(
    device: cl_device_id,
    device_timestamp: *mut cl_ulong,
    host_timestamp: *mut cl_ulong,
) -> cl_int {
    status(|| {
        Ref::<Device>::of(device)?;
        ensure(!device_timestamp.is_null() && !host_timestamp.is_null(), CL_INVALID_VALUE)?;
        let now = now_ns();
        // SAFETY: the program passes places for numbers.
        unsafe {
            device_timestamp.write(now);
            host_timestamp.write(now);
        }
        Ok(())
    })
}

pub unsafe extern "C" fn clGetHostTimer(
    device: cl_device_id,
    host_timestamp: *mut cl_ulong,
) -> cl_int {
    status(|| {
        Ref::<Device>::of(device)?;
        ensure(!host_timestamp.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the program passes a place for a number.
        unsafe { host_timestamp.write(now_ns()) };
        Ok(())
    })
}
