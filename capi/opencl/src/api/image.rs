//! Images: made, and asked about. What is done with them is in `pixels`.

use super::input::{answer, created, pairs, status};
use crate::core::context::Context;
use crate::core::image::{Format, offered};
use crate::core::memory::{Address, FLAGS, Memory, make_sense};
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use crate::queue::{Copy, Shape, Work};
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr;

pub unsafe extern "C" fn clCreateImage(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_desc: *const cl_image_desc,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promises.
    let made = unsafe { create(context, ptr::null(), flags, image_format, image_desc, host_ptr) };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(made, errcode_ret) }
}

pub unsafe extern "C" fn clCreateImageWithProperties(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_desc: *const cl_image_desc,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promises.
    let made = unsafe { create(context, properties, flags, image_format, image_desc, host_ptr) };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(made, errcode_ret) }
}

/// # Safety
/// What the program passes is null, or what the specification says.
unsafe fn create(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    wanted: *const cl_image_desc,
    host_ptr: *mut c_void,
) -> Result<Ref<Memory>> {
    let context = Ref::<Context>::of(context)?;
    // SAFETY: the caller's promise.
    let properties = unsafe { pairs(properties) };
    ensure(properties.len() <= 1, CL_INVALID_PROPERTY)?;
    ensure(make_sense(flags, FLAGS), CL_INVALID_VALUE)?;
    ensure(!format.is_null(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    // SAFETY: the caller's promise.
    let format = Format::of(unsafe { format.read() });
    ensure(format.is_valid(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    ensure(!wanted.is_null(), CL_INVALID_IMAGE_DESCRIPTOR)?;
    // SAFETY: the caller's promise.
    let wanted = unsafe { wanted.read() };
    let host = Address::new(host_ptr);
    if !wanted.buffer.is_null() {
        let whole = Ref::<Memory>::of(wanted.buffer)?;
        ensure(whole.context().is(&context), CL_INVALID_CONTEXT)?;
        ensure(host_ptr.is_null(), CL_INVALID_HOST_PTR)?;
        return whole.image_in(flags, format, &wanted, properties);
    }
    let image = Memory::image_of(context.clone(), flags, format, &wanted, host, properties)?;
    if flags & CL_MEM_COPY_HOST_PTR != 0 {
        let (target, shape) = (image.address(), Shape::contiguous(image.size_bytes()));
        Work::Copy(Copy { source: host, target, shape }).carry_out(context)?;
    }
    Ok(image)
}

fn description(kind: cl_mem_object_type, size: [usize; 3], pitches: [usize; 2]) -> cl_image_desc {
    cl_image_desc {
        image_type: kind,
        image_width: size[0],
        image_height: size[1],
        image_depth: size[2],
        image_array_size: 0,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        buffer: ptr::null_mut(),
    }
}

/// The error of the functions before 1.2 for what was no part of a descriptor then.
fn as_before(Error(code): Error) -> Error {
    Error(if code == CL_INVALID_IMAGE_DESCRIPTOR { CL_INVALID_IMAGE_SIZE } else { code })
}

pub unsafe extern "C" fn clCreateImage2D(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_width: usize,
    image_height: usize,
    image_row_pitch: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    let size = [image_width, image_height, 0];
    let wanted = description(CL_MEM_OBJECT_IMAGE2D, size, [image_row_pitch, 0]);
    // SAFETY: the same promises.
    let made = unsafe { create(context, ptr::null(), flags, image_format, &wanted, host_ptr) };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(made.map_err(as_before), errcode_ret) }
}

pub unsafe extern "C" fn clCreateImage3D(
    context: cl_context,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    image_width: usize,
    image_height: usize,
    image_depth: usize,
    image_row_pitch: usize,
    image_slice_pitch: usize,
    host_ptr: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    let size = [image_width, image_height, image_depth];
    let pitches = [image_row_pitch, image_slice_pitch];
    let wanted = description(CL_MEM_OBJECT_IMAGE3D, size, pitches);
    // SAFETY: the same promises.
    let made = unsafe { create(context, ptr::null(), flags, image_format, &wanted, host_ptr) };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(made.map_err(as_before), errcode_ret) }
}

pub unsafe extern "C" fn clGetSupportedImageFormats(
    context: cl_context,
    flags: cl_mem_flags,
    image_type: cl_mem_object_type,
    num_entries: cl_uint,
    image_formats: *mut cl_image_format,
    num_image_formats: *mut cl_uint,
) -> cl_int {
    status(|| {
        Ref::<Context>::of(context)?;
        let access = flags & !CL_MEM_KERNEL_READ_AND_WRITE;
        ensure(make_sense(access, FLAGS), CL_INVALID_VALUE)?;
        let is_image = (CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER).contains(&image_type);
        ensure(is_image, CL_INVALID_VALUE)?;
        ensure(image_formats.is_null() || num_entries > 0, CL_INVALID_VALUE)?;
        let formats = offered(image_type, flags);
        if !image_formats.is_null() {
            for (index, format) in formats.iter().take(num_entries as usize).enumerate() {
                // SAFETY: the program passes room for as many as it says.
                unsafe { image_formats.add(index).write(format.answer()) };
            }
        }
        // SAFETY: the program passes a place for a number, or null.
        unsafe { answer(num_image_formats, formats.len() as cl_uint) };
        Ok(())
    })
}

pub unsafe extern "C" fn clGetImageInfo(
    image: cl_mem,
    name: cl_image_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<Memory>::of(image)?.image_info(name, reply))
}
