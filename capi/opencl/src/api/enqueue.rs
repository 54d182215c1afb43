//! Kernels, functions of the program, markers and barriers into a queue.

use super::ends::Ends;
use super::input::{list, objects, optional_list, room, status};
use crate::core::context::Context;
use crate::core::device::MOST_ITEMS;
use crate::core::kernel::Kernel;
use crate::core::memory::Memory;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::queue::{Event, Launch, Native, Queue, Range, Work};
use opencl_sys::*;
use std::ffi::c_void;

pub unsafe extern "C" fn clEnqueueNDRangeKernel(
    queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    local_work_size: *const usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the program passes lists as long as it says, and a number for each dimension.
    status(|| unsafe {
        let ends = Ends::new(queue, num_events, events, event)?;
        let kernel = Ref::<Kernel>::of(kernel)?;
        let range = range(work_dim, global_work_offset, global_work_size, local_work_size)?;
        submit_launch(ends, kernel, range, CL_COMMAND_NDRANGE_KERNEL)
    })
}

/// # Safety
/// Each pointer is null, or points to a number for each dimension.
pub unsafe fn range(
    work_dim: cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
) -> Result<Range> {
    ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
    let dimensions = work_dim as usize;
    // SAFETY: the caller's promise.
    unsafe {
        let offset = numbers(offset, dimensions, 0).unwrap_or_default();
        // None at all are no items, which is no error since 2.1.
        let global = numbers(global, dimensions, 1).unwrap_or([0; 3]);
        Ok(Range { dimensions, offset, global, local: numbers(local, dimensions, 1) })
    }
}

pub unsafe extern "C" fn clEnqueueTask(
    queue: cl_command_queue,
    kernel: cl_kernel,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let one = Range { dimensions: 1, offset: [0; 3], global: [1; 3], local: Some([1; 3]) };
        submit_launch(ends, Ref::<Kernel>::of(kernel)?, one, CL_COMMAND_TASK)
    })
}

/// `None` if there are none; `rest` in the dimensions that are not used.
///
/// # Safety
/// `pointer` is null or points to a number for each dimension.
pub unsafe fn numbers(pointer: *const usize, dimensions: usize, rest: usize) -> Option<[usize; 3]> {
    // SAFETY: the caller's promise.
    let number = |at: usize| if at < dimensions { unsafe { *pointer.add(at) } } else { rest };
    (!pointer.is_null()).then(|| std::array::from_fn(number))
}

pub fn submit_launch(
    ends: Ends,
    kernel: Ref<Kernel>,
    range: Range,
    kind: cl_command_type,
) -> Result {
    let work = work(ends.context(), kernel, range)?;
    ends.submit(kind, work, [], false)
}

/// What is to be done for a launch.
pub fn work(context: &Ref<Context>, kernel: Ref<Kernel>, range: Range) -> Result<Work> {
    Ok(launch(context, kernel, range)?.map_or(Work::Nothing, Work::Kernel))
}

/// The launch, if all is right that the program asks for; `None` if it has no items.
fn launch(context: &Ref<Context>, kernel: Ref<Kernel>, range: Range) -> Result<Option<Launch>> {
    ensure(kernel.program().context().is(context), CL_INVALID_CONTEXT)?;
    kernel.ready()?;
    let Range { dimensions, offset, global, local } = range;
    let local = group_size(&kernel, local, global)?;
    let end = |at: usize| offset[at].checked_add(global[at]);
    let fits = |end: usize| isize::try_from(end).is_ok();
    ensure((0..dimensions).all(|at| fits(global[at])), CL_INVALID_GLOBAL_WORK_SIZE)?;
    ensure((0..dimensions).all(|at| end(at).is_some_and(fits)), CL_INVALID_GLOBAL_OFFSET)?;
    let items = global.iter().try_fold(1usize, |all, &size| all.checked_mul(size));
    let items = items.ok_or(Error(CL_INVALID_GLOBAL_WORK_SIZE))?;
    kernel.ensure_fits(local.map_or(1, |local| local.iter().product()))?;
    let arguments = kernel.block()?;
    let range = Range { dimensions, offset, global, local };
    Ok((items > 0).then(|| Launch::new(kernel, arguments, range)))
}

/// The local size that a launch without one gets.
pub unsafe extern "C" fn clGetKernelSuggestedLocalWorkSizeKHR(
    queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    suggested_local_work_size: *mut usize,
) -> cl_int {
    status(|| {
        let (queue, kernel) = (Ref::<Queue>::of(queue)?, Ref::<Kernel>::of(kernel)?);
        ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
        let dimensions = work_dim as usize;
        // SAFETY: the program passes a number for each dimension, or null.
        let (offset, global) = unsafe {
            let offset = numbers(global_work_offset, dimensions, 0).unwrap_or_default();
            (offset, numbers(global_work_size, dimensions, 1))
        };
        let global = global.ok_or(Error(CL_INVALID_GLOBAL_WORK_SIZE))?;
        ensure(!suggested_local_work_size.is_null(), CL_INVALID_VALUE)?;
        let range = Range { dimensions, offset, global, local: None };
        let launch =
            launch(queue.context(), kernel, range)?.ok_or(Error(CL_INVALID_GLOBAL_WORK_SIZE))?;
        for (at, size) in launch.suggested_size().into_iter().enumerate().take(dimensions) {
            // SAFETY: the program has a place for each dimension.
            unsafe { suggested_local_work_size.add(at).write(size) };
        }
        Ok(())
    })
}

/// The local size, if the program or the kernel says one.
fn group_size(
    kernel: &Kernel,
    local: Option<[usize; 3]>,
    global: [usize; 3],
) -> Result<Option<[usize; 3]>> {
    let required = kernel.description().required_size;
    let Some(local) = local.or(required) else { return Ok(None) };
    ensure(required.is_none_or(|required| required == local), CL_INVALID_WORK_GROUP_SIZE)?;
    ensure(!local.contains(&0), CL_INVALID_WORK_GROUP_SIZE)?;
    ensure(local.iter().all(|&size| size <= MOST_ITEMS), CL_INVALID_WORK_ITEM_SIZE)?;
    // What a kernel requires is no choice of the program's: that there is no memory for it is another error.
    let most = if required.is_some() { MOST_ITEMS } else { kernel.most_items() };
    ensure(local.iter().product::<usize>() <= most, CL_INVALID_WORK_GROUP_SIZE)?;
    let is_whole = (0..3).all(|at| global[at].is_multiple_of(local[at]));
    ensure(is_whole || !kernel.description().uniform_groups, CL_INVALID_WORK_GROUP_SIZE)?;
    Ok(Some(local))
}

pub unsafe extern "C" fn clEnqueueNativeKernel(
    queue: cl_command_queue,
    user_func: Option<unsafe extern "C" fn(*mut c_void)>,
    args: *mut c_void,
    cb_args: usize,
    num_mem_objects: cl_uint,
    mem_list: *const cl_mem,
    args_mem_loc: *mut *const c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let function = user_func.ok_or(Error(CL_INVALID_VALUE))?;
        ensure(args.is_null() == (cb_args == 0), CL_INVALID_VALUE)?;
        ensure(!args.is_null() || num_mem_objects == 0, CL_INVALID_VALUE)?;
        // SAFETY: as above.
        let (handles, places) = unsafe {
            let count = num_mem_objects as usize;
            (optional_list(mem_list, count)?, optional_list(args_mem_loc.cast_const(), count)?)
        };
        let memory = objects::<Memory>(handles)?;
        let words = cb_args.div_ceil(size_of::<u64>());
        let mut block = room(words)?;
        block.resize(words, 0u64);
        // SAFETY: the program's block is as long as it says; ours has room for it.
        unsafe { args.cast::<u8>().copy_to_nonoverlapping(block.as_mut_ptr().cast(), cb_args) };
        for (object, place) in memory.iter().zip(places) {
            let at = (*place as usize).checked_sub(args as usize);
            let at = at.filter(|at| at + size_of::<usize>() <= cb_args);
            let at = at.ok_or(Error(CL_INVALID_VALUE))?;
            let address = object.address().number();
            // SAFETY: inside the block, by the line above.
            unsafe { block.as_mut_ptr().byte_add(at).cast::<usize>().write_unaligned(address) };
        }
        let arguments = (!args.is_null()).then_some(block);
        let work = Work::Native(Native { function, arguments });
        ends.submit(CL_COMMAND_NATIVE_KERNEL, work, memory, false)
    })
}

pub unsafe extern "C" fn clEnqueueMarkerWithWaitList(
    queue: cl_command_queue,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the same promises.
    let ends = unsafe { Ends::new(queue, num_events, events, event) };
    status(|| ends?.submit(CL_COMMAND_MARKER, Work::Nothing, [], false))
}

pub unsafe extern "C" fn clEnqueueBarrierWithWaitList(
    queue: cl_command_queue,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the same promises.
    let ends = unsafe { Ends::new(queue, num_events, events, event) };
    status(|| barrier(ends?))
}

pub fn barrier(ends: Ends) -> Result {
    ends.submit(CL_COMMAND_BARRIER, Work::Nothing, [], false)
}

/// Of OpenCL 1.0, as the two below.
pub unsafe extern "C" fn clEnqueueMarker(queue: cl_command_queue, event: *mut cl_event) -> cl_int {
    if event.is_null() {
        return CL_INVALID_VALUE;
    }
    // SAFETY: the same promises.
    unsafe { clEnqueueMarkerWithWaitList(queue, 0, std::ptr::null(), event) }
}

pub unsafe extern "C" fn clEnqueueWaitForEvents(
    queue: cl_command_queue,
    num_events: cl_uint,
    events: *const cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes as many events as it says.
        objects::<Event>(unsafe { list(events, num_events as usize) }?)?;
        // SAFETY: the same promises.
        let ends = unsafe { Ends::new(queue, num_events, events, std::ptr::null_mut()) }?;
        ends.submit(CL_COMMAND_BARRIER, Work::Nothing, [], false)
    })
}

pub unsafe extern "C" fn clEnqueueBarrier(queue: cl_command_queue) -> cl_int {
    // SAFETY: an empty list, and no place for an event.
    unsafe { clEnqueueBarrierWithWaitList(queue, 0, std::ptr::null(), std::ptr::null_mut()) }
}
