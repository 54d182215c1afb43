//! Objects of OpenGL and EGL: sharing with them is not offered, and no extension says so; loaders have entry points
//! for it all the same.

use super::ends::Ends;
use super::input::{pointer, status};
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::error::Error;
use crate::handle::Ref;
use opencl_sys::cl_egl::*;
use opencl_sys::*;
use std::ffi::c_void;

unsafe fn no_object(context: cl_context, errcode_ret: *mut cl_int) -> *mut c_void {
    let refused = Ref::<Context>::of(context).and(Err(Error(CL_INVALID_OPERATION)));
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { pointer(refused, errcode_ret) }
}

pub unsafe extern "C" fn clCreateFromGLBuffer(
    context: cl_context,
    _flags: cl_mem_flags,
    _object: cl_GLuint,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clCreateFromGLTexture(
    context: cl_context,
    _flags: cl_mem_flags,
    _target: cl_GLenum,
    _miplevel: cl_GLint,
    _texture: cl_GLuint,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clCreateFromEGLImageKHR(
    context: cl_context,
    _display: CLeglDisplayKHR,
    _image: CLeglImageKHR,
    _flags: cl_mem_flags,
    _properties: *const cl_egl_image_properties_khr,
    errcode_ret: *mut cl_int,
) -> cl_mem {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clCreateEventFromGLsyncKHR(
    context: cl_context,
    _sync: cl_GLsync,
    errcode_ret: *mut cl_int,
) -> cl_event {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

pub unsafe extern "C" fn clCreateEventFromEGLSyncKHR(
    context: cl_context,
    _sync: CLeglSyncKHR,
    _display: CLeglDisplayKHR,
    errcode_ret: *mut cl_int,
) -> cl_event {
    // SAFETY: the same promise.
    unsafe { no_object(context, errcode_ret) }
}

/// No memory object was made from one of OpenGL.
fn no_answer(memobj: cl_mem) -> cl_int {
    status(|| Ref::<Memory>::of(memobj).and(Err(Error(CL_INVALID_GL_OBJECT))))
}

pub unsafe extern "C" fn clGetGLObjectInfo(
    memobj: cl_mem,
    _gl_object_type: *mut cl_gl_object_type,
    _gl_object_name: *mut cl_GLuint,
) -> cl_int {
    no_answer(memobj)
}

pub unsafe extern "C" fn clGetGLTextureInfo(
    memobj: cl_mem,
    _name: cl_gl_texture_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl_int {
    no_answer(memobj)
}

/// Acquires and releases what is shared.
pub unsafe extern "C" fn clEnqueueSharedObjects(
    queue: cl_command_queue,
    _num_objects: cl_uint,
    _mem_objects: *const cl_mem,
    num_events: cl_uint,
    events: *const cl_event,
    _event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        unsafe { Ends::new(queue, num_events, events, std::ptr::null_mut()) }?;
        Err(Error(CL_INVALID_OPERATION))
    })
}

pub unsafe extern "C" fn clGetGLContextInfoKHR(
    _properties: *const cl_context_properties,
    _name: cl_gl_context_info,
    _size: usize,
    _value: *mut c_void,
    _size_ret: *mut usize,
) -> cl_int {
    CL_INVALID_OPERATION
}
