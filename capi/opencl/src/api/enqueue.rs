//! Kernels, functions of the program, markers and barriers into a queue; and what all commands have in common.

use super::event::wait_list;
use super::input::{list, objects, optional_list, room, status};
use crate::core::device::MOST_ITEMS;
use crate::core::kernel::Kernel;
use crate::core::memory::Memory;
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::queue::{Command, Event, Launch, Native, Queue, Range, Work};
use opencl_sys::*;
use smallvec::SmallVec;
use std::ffi::c_void;

/// The queue, the events to wait for, and where a new event goes: the ends of every command.
pub struct Ends {
    pub queue: Ref<Queue>,
    waits: Vec<Ref<Event>>,
    event: *mut cl_event,
}

impl Ends {
    /// # Safety
    /// The events are null or as many as there are said to be; `event` is null or a place for one.
    pub unsafe fn new(
        queue: cl_command_queue,
        count: cl_uint,
        events: *const cl_event,
        event: *mut cl_event,
    ) -> Result<Ends> {
        let queue = Ref::<Queue>::of(queue)?;
        // SAFETY: the caller's promise.
        let waits = unsafe { wait_list(queue.context(), count, events) }?;
        Ok(Ends { queue, waits, event })
    }

    /// The live memory object of a handle, of the queue's context.
    pub fn memory(&self, handle: cl_mem) -> Result<Ref<Memory>> {
        let memory = Ref::<Memory>::of(handle)?;
        ensure(memory.context().is(self.queue.context()), CL_INVALID_CONTEXT)?;
        Ok(memory)
    }

    /// A memory object that is no image.
    pub fn buffer(&self, handle: cl_mem) -> Result<Ref<Memory>> {
        let memory = self.memory(handle)?;
        ensure(memory.image().is_none(), CL_INVALID_MEM_OBJECT)?;
        Ok(memory)
    }

    /// A memory object that is one.
    pub fn image(&self, handle: cl_mem) -> Result<Ref<Memory>> {
        let memory = self.memory(handle)?;
        ensure(memory.image().is_some(), CL_INVALID_MEM_OBJECT)?;
        Ok(memory)
    }

    /// Takes the command in, and waits for it if it is `blocking`.
    pub fn submit(
        self,
        kind: cl_command_type,
        work: Work,
        keep: impl IntoIterator<Item = Ref<Memory>>,
        blocking: bool,
    ) -> Result {
        let keep: SmallVec<[Ref<Memory>; 2]> = keep.into_iter().collect();
        let event = self.queue.submit(Command { kind, work, keep }, &self.waits)?;
        let outcome = match blocking {
            true => event.wait_for_success(),
            false => Ok(()),
        };
        if !self.event.is_null() {
            // SAFETY: the promise to `new`.
            unsafe { self.event.write(event.into_handle()) };
        }
        outcome
    }
}

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
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let kernel = Ref::<Kernel>::of(kernel)?;
        ensure((1..=3).contains(&work_dim), CL_INVALID_WORK_DIMENSION)?;
        let dimensions = work_dim as usize;
        // SAFETY: the program passes a number for each dimension, or null.
        let (offset, global, local) = unsafe {
            (
                numbers(global_work_offset, dimensions, 0).unwrap_or_default(),
                // None at all are no items, which is no error since 2.1.
                numbers(global_work_size, dimensions, 1).unwrap_or([0; 3]),
                numbers(local_work_size, dimensions, 1),
            )
        };
        enqueue(
            ends,
            kernel,
            Range { dimensions, offset, global, local },
            CL_COMMAND_NDRANGE_KERNEL,
        )
    })
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
        enqueue(ends, Ref::<Kernel>::of(kernel)?, one, CL_COMMAND_TASK)
    })
}

/// `None` if there are none; `rest` in the dimensions that are not used.
///
/// # Safety
/// `pointer` is null or points to a number for each dimension.
unsafe fn numbers(pointer: *const usize, dimensions: usize, rest: usize) -> Option<[usize; 3]> {
    // SAFETY: the caller's promise.
    let number = |at: usize| if at < dimensions { unsafe { *pointer.add(at) } } else { rest };
    (!pointer.is_null()).then(|| std::array::from_fn(number))
}

fn enqueue(ends: Ends, kernel: Ref<Kernel>, range: Range, kind: cl_command_type) -> Result {
    match launch(&ends.queue, kernel, range)? {
        Some(launch) => ends.submit(kind, Work::Kernel(launch), [], false),
        None => ends.submit(kind, Work::Nothing, [], false),
    }
}

/// The launch, if all is right that the program asks for; `None` if it has no items.
fn launch(queue: &Ref<Queue>, kernel: Ref<Kernel>, range: Range) -> Result<Option<Launch>> {
    ensure(kernel.program().context().is(queue.context()), CL_INVALID_CONTEXT)?;
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
        let launch = launch(&queue, kernel, range)?.ok_or(Error(CL_INVALID_GLOBAL_WORK_SIZE))?;
        for (at, size) in launch.local_size().into_iter().enumerate().take(dimensions) {
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
    status(|| ends?.submit(CL_COMMAND_BARRIER, Work::Nothing, [], false))
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
