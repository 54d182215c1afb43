//! The functions that the loader looks up by name; there are no other exported symbols.
//!
//! The loader itself exports two of these names, and names of the process go before a library's own. So nothing in
//! here refers to them: they call the entry points, which have no such names.

use super::platform;
use opencl_sys::{cl_int, cl_platform_id, cl_platform_info, cl_uint};
use std::ffi::{c_char, c_void};

#[unsafe(export_name = "clIcdGetPlatformIDsKHR")]
pub unsafe extern "C" fn platform_ids(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    // SAFETY: the same promises.
    unsafe { platform::clGetPlatformIDs(num_entries, platforms, num_platforms) }
}

#[unsafe(export_name = "clGetPlatformInfo")]
pub unsafe extern "C" fn platform_info(
    platform: cl_platform_id,
    name: cl_platform_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the same promises.
    unsafe { platform::clGetPlatformInfo(platform, name, size, value, size_ret) }
}

#[unsafe(export_name = "clGetExtensionFunctionAddress")]
pub unsafe extern "C" fn extension_function(name: *const c_char) -> *mut c_void {
    // SAFETY: the same promise.
    unsafe { platform::clGetExtensionFunctionAddress(name) }
}
