//! Programs.

use super::input::{answer, bytes, created, list, objects, optional_list, pointer, status, text};
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::platform;
use crate::core::program::{Header, Program, il};
use crate::error::{Error, Result, code, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use opencl_sys::*;
use std::ffi::{c_char, c_uchar, c_void};

type Notify = Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)>;

pub unsafe extern "C" fn clCreateProgramWithSource(
    context: cl_context,
    count: cl_uint,
    strings: *mut *const c_char,
    lengths: *const usize,
    errcode_ret: *mut cl_int,
) -> cl_program {
    let create = || {
        let context = Ref::<Context>::of(context)?;
        // SAFETY: the program passes as many strings as it says.
        let strings = unsafe { list(strings.cast_const(), count as usize) }?;
        let mut source = Vec::new();
        for (index, &string) in strings.iter().enumerate() {
            // SAFETY: as above; lengths are null, or as many.
            let length = if lengths.is_null() { 0 } else { unsafe { *lengths.add(index) } };
            // SAFETY: the program passes texts as long as it says, or ended by a zero.
            let text = unsafe { bytes(string, length) }?;
            source.try_reserve(text.len()).map_err(|_| Error(CL_OUT_OF_HOST_MEMORY))?;
            source.extend_from_slice(text);
        }
        Program::from_source(context, source)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clCreateProgramWithBinary(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    lengths: *const usize,
    binaries: *mut *const c_uchar,
    binary_status: *mut cl_int,
    errcode_ret: *mut cl_int,
) -> cl_program {
    let create = || {
        let context = Ref::<Context>::of(context)?;
        let count = num_devices as usize;
        // SAFETY: the program passes lists as long as it says.
        let (devices, lengths, binaries) = unsafe {
            let binaries = list(binaries.cast_const(), count);
            (list(device_list, count)?, list(lengths, count)?, binaries?)
        };
        for device in objects::<Device>(devices)? {
            context.ensure_device(&device)?;
        }
        let mut made = Err(Error(CL_INVALID_VALUE));
        for (index, (&binary, &length)) in binaries.iter().zip(lengths).enumerate() {
            // SAFETY: the program passes blocks as long as it says.
            let one = unsafe { list(binary, length) }
                .and_then(|binary| Program::from_binary(context.clone(), binary));
            if !binary_status.is_null() {
                let status = one.as_ref().map_or_else(|error| error.0, |_| CL_SUCCESS);
                // SAFETY: a place for each device.
                unsafe { binary_status.add(index).write(status) };
            }
            // All devices are one machine: the first binary is as good as the others.
            made = if index == 0 || one.is_err() { one } else { made };
            made.as_ref().map_err(|&error| error)?;
        }
        made
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

/// There are no built-in kernels, so no name is one's.
pub unsafe extern "C" fn clCreateProgramWithBuiltInKernels(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    _kernel_names: *const c_char,
    errcode_ret: *mut cl_int,
) -> cl_program {
    let refuse = || {
        let context = Ref::<Context>::of(context)?;
        // SAFETY: the program passes as many devices as it says.
        for device in objects::<Device>(unsafe { list(device_list, num_devices as usize) }?)? {
            context.ensure_device(&device)?;
        }
        Err(Error(CL_INVALID_VALUE))
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { pointer(refuse(), errcode_ret) }
}

pub unsafe extern "C" fn clCreateProgramWithIL(
    context: cl_context,
    module: *const c_void,
    length: usize,
    errcode_ret: *mut cl_int,
) -> cl_program {
    let create = || {
        let context = Ref::<Context>::of(context)?;
        ensure(il::reader().is_some(), CL_INVALID_OPERATION)?;
        // SAFETY: the program passes a block as long as it says.
        Program::from_il(context, unsafe { list(module.cast::<u8>(), length) }?)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clRetainProgram(program: cl_program) -> cl_int {
    status(|| Ref::<Program>::retain(program))
}

pub unsafe extern "C" fn clReleaseProgram(program: cl_program) -> cl_int {
    status(|| Ref::<Program>::release(program))
}

/// The devices to build for, which must be the context's; none: all of them.
unsafe fn check_devices(context: &Context, count: cl_uint, devices: *const cl_device_id) -> Result {
    // SAFETY: the program passes as many devices as it says.
    for device in objects::<Device>(unsafe { optional_list(devices, count as usize) }?)? {
        context.ensure_device(&device)?;
    }
    Ok(())
}

/// Tells the program that a build is over: at once, because it is, before the entry point returns.
unsafe fn notify(call: Notify, program: cl_program, user_data: *mut c_void) {
    if let Some(call) = call {
        // SAFETY: the program's function, with what it asked for.
        unsafe { call(program, user_data) };
    }
}

fn ensure_notify(call: Notify, user_data: *mut c_void) -> Result {
    ensure(call.is_some() || user_data.is_null(), CL_INVALID_VALUE)
}

/// What a build that has a function to call answers: that it began; what came of it, the function asks.
fn begun(outcome: Result, call: Notify, failure: cl_int) -> Result {
    match outcome {
        Err(Error(code)) if call.is_some() && code == failure => Ok(()),
        outcome => outcome,
    }
}

/// A build or compilation that was begun is over: tells the program, and what the call answers then. One that was
/// refused tells nobody.
///
/// # Safety
/// The function may be called with these arguments.
unsafe fn over(
    outcome: Result,
    failure: cl_int,
    call: Notify,
    program: cl_program,
    user_data: *mut c_void,
) -> Result {
    if outcome.as_ref().map_or_else(|&Error(code)| code == failure, |()| true) {
        // SAFETY: the caller's promise.
        unsafe { notify(call, program, user_data) };
    }
    begun(outcome, call, failure)
}

pub unsafe extern "C" fn clBuildProgram(
    program: cl_program,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    pfn_notify: Notify,
    user_data: *mut c_void,
) -> cl_int {
    status(|| {
        let it = Ref::<Program>::of(program)?;
        // SAFETY: the program passes lists as long as it says, and a text or null.
        let options = unsafe {
            check_devices(it.context(), num_devices, device_list)?;
            text(options)
        };
        ensure_notify(pfn_notify, user_data)?;
        let outcome = it.build(&options);
        // SAFETY: as above.
        unsafe { over(outcome, CL_BUILD_PROGRAM_FAILURE, pfn_notify, program, user_data) }
    })
}

pub unsafe extern "C" fn clCompileProgram(
    program: cl_program,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    num_input_headers: cl_uint,
    input_headers: *const cl_program,
    header_include_names: *mut *const c_char,
    pfn_notify: Notify,
    user_data: *mut c_void,
) -> cl_int {
    status(|| {
        let it = Ref::<Program>::of(program)?;
        let count = num_input_headers as usize;
        // SAFETY: the program passes lists as long as it says, and texts or null.
        let (options, headers, names) = unsafe {
            check_devices(it.context(), num_devices, device_list)?;
            let names = optional_list(header_include_names.cast_const(), count)?;
            (text(options), optional_list(input_headers, count)?, names)
        };
        ensure_notify(pfn_notify, user_data)?;
        ensure(names.iter().all(|name| !name.is_null()), CL_INVALID_VALUE)?;
        let named = objects::<Program>(headers)?.into_iter().zip(names);
        // SAFETY: texts that end with a zero.
        let named = named.map(|(program, &name)| Header { name: unsafe { text(name) }, program });
        let outcome = it.compile(&options, &named.collect::<Vec<_>>());
        // SAFETY: as above.
        unsafe { over(outcome, CL_COMPILE_PROGRAM_FAILURE, pfn_notify, program, user_data) }
    })
}

pub unsafe extern "C" fn clLinkProgram(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    num_input_programs: cl_uint,
    input_programs: *const cl_program,
    pfn_notify: Notify,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_program {
    let link = || {
        let context = Ref::<Context>::of(context)?;
        // SAFETY: the program passes lists as long as it says, and a text or null.
        let (options, inputs) = unsafe {
            check_devices(&context, num_devices, device_list)?;
            (text(options), list(input_programs, num_input_programs as usize)?)
        };
        ensure_notify(pfn_notify, user_data)?;
        let (program, outcome) = Program::link(context, &options, &objects::<Program>(inputs)?)?;
        let handle = program.into_handle();
        // SAFETY: as above.
        unsafe { notify(pfn_notify, handle, user_data) };
        Ok((handle, begun(outcome, pfn_notify, CL_LINK_PROGRAM_FAILURE)))
    };
    match link() {
        Ok((handle, outcome)) => {
            // SAFETY: the program passes a place for an error code, or null.
            unsafe { answer(errcode_ret, code(outcome)) };
            handle
        }
        // SAFETY: as above.
        Err(error) => unsafe { pointer(Err(error), errcode_ret) },
    }
}

/// The compiler is another program, which is not kept.
pub unsafe extern "C" fn clUnloadPlatformCompiler(platform: cl_platform_id) -> cl_int {
    status(|| platform::of(platform).map(|_| ()))
}

pub unsafe extern "C" fn clUnloadCompiler() -> cl_int {
    CL_SUCCESS
}

pub unsafe extern "C" fn clGetProgramInfo(
    program: cl_program,
    name: cl_program_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| {
        let program = Ref::<Program>::of(program)?;
        if name == CL_PROGRAM_BINARIES {
            let binary = program.binary();
            let all = vec![binary.as_slice(); program.context().devices().len()];
            // SAFETY: the program passes places with room for the binaries, whose sizes it asked for.
            return unsafe { reply.fill_places(&all) };
        }
        program.info(name, reply)
    })
}

pub unsafe extern "C" fn clGetProgramBuildInfo(
    program: cl_program,
    device: cl_device_id,
    name: cl_program_build_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| {
        let program = Ref::<Program>::of(program)?;
        program.build_info(&Ref::<Device>::of(device)?, name, reply)
    })
}

/// Programs have no destructors of their own that a device would run.
pub unsafe extern "C" fn clSetProgramReleaseCallback(
    program: cl_program,
    pfn_notify: Notify,
    _user_data: *mut c_void,
) -> cl_int {
    status(|| {
        Ref::<Program>::of(program)?;
        ensure(pfn_notify.is_some(), CL_INVALID_VALUE)?;
        Err(Error(CL_INVALID_OPERATION))
    })
}

pub unsafe extern "C" fn clSetProgramSpecializationConstant(
    program: cl_program,
    spec_id: cl_uint,
    spec_size: usize,
    spec_value: *const c_void,
) -> cl_int {
    status(|| {
        let it = Ref::<Program>::of(program)?;
        ensure(il::reader().is_some(), CL_INVALID_OPERATION)?;
        // SAFETY: the program passes a value as long as it says.
        it.specialize(spec_id, unsafe { list(spec_value.cast::<u8>(), spec_size) }?)
    })
}
