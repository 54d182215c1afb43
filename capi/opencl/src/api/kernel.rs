//! Kernels and their arguments.

use super::input::{self, answer, created, status, text};
use crate::core::device::Device;
use crate::core::kernel::{Kernel, Value};
use crate::core::memory::Address;
use crate::core::program::Program;
use crate::core::program::description::ArgumentKind;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::{c_char, c_void};

pub unsafe extern "C" fn clCreateKernel(
    program: cl_program,
    kernel_name: *const c_char,
    errcode_ret: *mut cl_int,
) -> cl_kernel {
    let create = || {
        let program = Ref::<Program>::of(program)?;
        ensure(!kernel_name.is_null(), CL_INVALID_VALUE)?;
        // SAFETY: the program passes a text that ends with a zero.
        Kernel::named(&program, &unsafe { text(kernel_name) })
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clCreateKernelsInProgram(
    program: cl_program,
    num_kernels: cl_uint,
    kernels: *mut cl_kernel,
    num_kernels_ret: *mut cl_uint,
) -> cl_int {
    status(|| {
        let program = Ref::<Program>::of(program)?;
        let count = program.executable()?.description().kernels.len();
        if !kernels.is_null() {
            ensure(num_kernels as usize >= count, CL_INVALID_VALUE)?;
            for (index, kernel) in Kernel::all(&program)?.into_iter().enumerate() {
                // SAFETY: the program passes room for as many as it says.
                unsafe { kernels.add(index).write(kernel.into_handle()) };
            }
        }
        // SAFETY: the program passes a place for a number, or null.
        unsafe { answer(num_kernels_ret, count as cl_uint) };
        Ok(())
    })
}

pub unsafe extern "C" fn clCloneKernel(
    source_kernel: cl_kernel,
    errcode_ret: *mut cl_int,
) -> cl_kernel {
    let clone = || Ref::<Kernel>::of(source_kernel)?.cloned();
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(clone(), errcode_ret) }
}

pub unsafe extern "C" fn clRetainKernel(kernel: cl_kernel) -> cl_int {
    status(|| Ref::<Kernel>::retain(kernel))
}

pub unsafe extern "C" fn clReleaseKernel(kernel: cl_kernel) -> cl_int {
    status(|| Ref::<Kernel>::release(kernel))
}

pub unsafe extern "C" fn clSetKernelArg(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_size: usize,
    arg_value: *const c_void,
) -> cl_int {
    status(|| {
        let kernel = Ref::<Kernel>::of(kernel)?;
        // SAFETY: the program passes a value as long as it says.
        kernel.set_argument(arg_index as usize, unsafe { argument(arg_size, arg_value) }?)
    })
}

/// What a program passes for an argument.
///
/// # Safety
/// The value is null, or as long as it is said to be.
pub unsafe fn argument<'a>(size: usize, value: *const c_void) -> Result<Value<'a>> {
    if value.is_null() {
        return Ok(Value::Nothing { size_bytes: size });
    }
    // No argument is as large as this; what is longer need not be there to be refused.
    ensure(size <= isize::MAX as usize, CL_INVALID_ARG_SIZE)?;
    // SAFETY: the caller's promise.
    Ok(Value::Bytes(unsafe { std::slice::from_raw_parts(value.cast(), size) }))
}

pub unsafe extern "C" fn clSetKernelArgSVMPointer(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_value: *const c_void,
) -> cl_int {
    status(|| {
        let kernel = Ref::<Kernel>::of(kernel)?;
        kernel.set_argument(arg_index as usize, Value::Shared(Address::new(arg_value)))
    })
}

/// An address of a buffer; all addresses are the program's own. For pointers to global memory alone.
pub unsafe extern "C" fn clSetKernelArgDevicePointerEXT(
    kernel: cl_kernel,
    arg_index: cl_uint,
    arg_value: cl_ulong,
) -> cl_int {
    status(|| {
        let (kernel, index) = (Ref::<Kernel>::of(kernel)?, arg_index as usize);
        let argument = kernel.description().arguments.get(index);
        let is_global = argument.is_some_and(|argument| argument.kind == ArgumentKind::Global);
        ensure(is_global, CL_INVALID_ARG_INDEX)?;
        kernel.set_argument(index, Value::Shared(Address::new(arg_value as *const c_void)))
    })
}

/// From the extensions for unified shared memory and for addresses of buffers.
const FIRST_INDIRECT_ACCESS: cl_kernel_exec_info = 0x4200;
const LAST_INDIRECT_ACCESS: cl_kernel_exec_info = 0x4202;
const USM_PTRS: cl_kernel_exec_info = 0x4203;
const DEVICE_PTRS: cl_kernel_exec_info = 0x5002;

/// All memory of the process is shared with kernels, so what they may use need not be told.
pub unsafe extern "C" fn clSetKernelExecInfo(
    kernel: cl_kernel,
    name: cl_kernel_exec_info,
    size: usize,
    value: *const c_void,
) -> cl_int {
    status(|| {
        Ref::<Kernel>::of(kernel)?;
        ensure_exec_info(name, size, value)
    })
}

/// An error unless this can be told.
pub fn ensure_exec_info(name: cl_kernel_exec_info, size: usize, value: *const c_void) -> Result {
    match name {
        // An empty list takes back an earlier one.
        CL_KERNEL_EXEC_INFO_SVM_PTRS | USM_PTRS | DEVICE_PTRS => {
            let is_list = size.is_multiple_of(size_of::<*const c_void>());
            ensure(is_list && value.is_null() == (size == 0), CL_INVALID_VALUE)
        }
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
        | FIRST_INDIRECT_ACCESS..=LAST_INDIRECT_ACCESS => {
            ensure(!value.is_null() && size == size_of::<cl_bool>(), CL_INVALID_VALUE)
        }
        _ => Err(Error(CL_INVALID_VALUE)),
    }
}

pub unsafe extern "C" fn clGetKernelInfo(
    kernel: cl_kernel,
    name: cl_kernel_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Kernel>::of(kernel)?.info(name, reply))
}

pub unsafe extern "C" fn clGetKernelArgInfo(
    kernel: cl_kernel,
    arg_index: cl_uint,
    name: cl_kernel_arg_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Kernel>::of(kernel)?.argument_info(arg_index as usize, name, reply))
}

pub unsafe extern "C" fn clGetKernelWorkGroupInfo(
    kernel: cl_kernel,
    device: cl_device_id,
    name: cl_kernel_work_group_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| kernel_on(kernel, device)?.work_group_info(name, reply))
}

pub unsafe extern "C" fn clGetKernelSubGroupInfo(
    kernel: cl_kernel,
    device: cl_device_id,
    name: cl_kernel_sub_group_info,
    input_size: usize,
    input_value: *const c_void,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| {
        let kernel = kernel_on(kernel, device)?;
        // SAFETY: the program passes as many bytes as it says.
        let input = unsafe { input::sizes(input_value, input_size) };
        kernel.sub_group_info(name, input, reply)
    })
}

/// The kernel, if it is one of a context with this device; null where that has one.
fn kernel_on(kernel: cl_kernel, device: cl_device_id) -> Result<Ref<Kernel>> {
    let kernel = Ref::<Kernel>::of(kernel)?;
    let context = kernel.program().context();
    match device.is_null() {
        true => ensure(context.devices().len() == 1, CL_INVALID_DEVICE)?,
        false => context.ensure_device(&Ref::<Device>::of(device)?)?,
    }
    Ok(kernel)
}
