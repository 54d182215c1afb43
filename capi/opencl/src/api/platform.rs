//! Platforms, and extensions of the interface.

use super::command_buffer;
use super::enqueue::clGetKernelSuggestedLocalWorkSizeKHR;
use super::files;
use super::input::{answer_list, status};
use super::kernel::{clSetKernelArgDevicePointerEXT, clSetKernelArgSVMPointer};
use super::messages;
use super::mutable;
use super::program::clCreateProgramWithIL;
use super::queue::clCreateCommandQueueWithProperties;
use super::usm;
use crate::core::platform::{self, platform};
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;

pub unsafe extern "C" fn clGetPlatformIDs(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    status(|| {
        let all = [platform()?.handle()];
        // SAFETY: the program passes room for as many as it says.
        unsafe { answer_list(&all, num_entries, platforms, num_platforms) }
    })
}

pub unsafe extern "C" fn clGetPlatformInfo(
    platform: cl_platform_id,
    name: cl_platform_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| platform::of(platform)?.info(name, reply))
}

pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    if name.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: the program passes a text that ends with a zero.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"clIcdGetPlatformIDsKHR" => clGetPlatformIDs as *mut c_void,
        b"clCreateCommandQueueWithPropertiesKHR" => {
            clCreateCommandQueueWithProperties as *mut c_void
        }
        b"clGetKernelSuggestedLocalWorkSizeKHR" => {
            clGetKernelSuggestedLocalWorkSizeKHR as *mut c_void
        }
        b"clCreateProgramWithILKHR" => clCreateProgramWithIL as *mut c_void,
        b"clCommandNDRangeKernelKHR" => mutable::clCommandNDRangeKernelKHR as *mut c_void,
        b"clUpdateMutableCommandsKHR" => mutable::clUpdateMutableCommandsKHR as *mut c_void,
        b"clGetMutableCommandInfoKHR" => mutable::clGetMutableCommandInfoKHR as *mut c_void,
        name if name.starts_with(b"clCommand") => command_buffer::recorder(name),
        b"clCreateCommandBufferKHR" => command_buffer::clCreateCommandBufferKHR as *mut c_void,
        b"clRetainCommandBufferKHR" => command_buffer::clRetainCommandBufferKHR as *mut c_void,
        b"clReleaseCommandBufferKHR" => command_buffer::clReleaseCommandBufferKHR as *mut c_void,
        b"clFinalizeCommandBufferKHR" => command_buffer::clFinalizeCommandBufferKHR as *mut c_void,
        b"clEnqueueCommandBufferKHR" => command_buffer::clEnqueueCommandBufferKHR as *mut c_void,
        b"clGetCommandBufferInfoKHR" => command_buffer::clGetCommandBufferInfoKHR as *mut c_void,
        b"clSetKernelArgDevicePointerEXT" => clSetKernelArgDevicePointerEXT as *mut c_void,
        b"clHostMemAllocINTEL" => usm::clHostMemAllocINTEL as *mut c_void,
        b"clDeviceMemAllocINTEL" => usm::clDeviceMemAllocINTEL as *mut c_void,
        b"clSharedMemAllocINTEL" => usm::clSharedMemAllocINTEL as *mut c_void,
        b"clMemFreeINTEL" => usm::clMemFreeINTEL as *mut c_void,
        b"clMemBlockingFreeINTEL" => usm::clMemBlockingFreeINTEL as *mut c_void,
        b"clGetMemAllocInfoINTEL" => usm::clGetMemAllocInfoINTEL as *mut c_void,
        b"clSetKernelArgMemPointerINTEL" => clSetKernelArgSVMPointer as *mut c_void,
        b"clEnqueueMemFillINTEL" => usm::clEnqueueMemFillINTEL as *mut c_void,
        b"clEnqueueMemcpyINTEL" => usm::clEnqueueMemcpyINTEL as *mut c_void,
        b"clEnqueueMigrateMemINTEL" => usm::clEnqueueMigrateMemINTEL as *mut c_void,
        b"clEnqueueMemAdviseINTEL" => usm::clEnqueueMemAdviseINTEL as *mut c_void,
        name => {
            messages::function(name).or_else(|| files::function(name)).unwrap_or(ptr::null_mut())
        }
    }
}

pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    match platform::of(platform) {
        // SAFETY: the same promise.
        Ok(_) => unsafe { clGetExtensionFunctionAddress(name) },
        Err(_) => ptr::null_mut(),
    }
}
