//! Command buffers: made, finalized, enqueued and asked; and what is recorded into them, which is checked where the same is
//! enqueued.

use super::ends::Ends;
use super::enqueue::barrier;
use super::input::{created, list, pairs, status};
use super::mutable::{BUFFER_ASSERTS, ensure_asserts};
use super::pixels::{copy_buffer_to_image, copy_image, copy_image_to_buffer, fill_image};
use super::rectangle::copy_buffer_rect;
use super::svm::{copy_shared, fill_shared};
use super::transfer::{copy_buffer, fill_buffer};
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::info::Reply;
use crate::queue::{CommandBuffer, Queue, Replay, SyncPoint, Work};
use opencl_sys::*;
use std::ffi::c_void;

/// What command buffers may be created with, each of its own extension.
const KNOWN_FLAGS: cl_command_buffer_flags_khr = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
    | CL_COMMAND_BUFFER_MUTABLE_KHR
    | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
/// Replays never know of each other.
const OFFERED_FLAGS: cl_command_buffer_flags_khr =
    CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;

pub unsafe extern "C" fn clCreateCommandBufferKHR(
    num_queues: cl_uint,
    queues: *const cl_command_queue,
    properties: *const cl_command_buffer_properties_khr,
    errcode_ret: *mut cl_int,
) -> cl_command_buffer_khr {
    let create = || {
        // SAFETY: the program passes as many queues as it says.
        let queues = unsafe { list(queues, num_queues as usize) }?;
        let &[queue] = queues else { return Err(Error(CL_INVALID_VALUE)) };
        let queue = Ref::<Queue>::of(queue)?;
        // SAFETY: the program passes a list as the specification has it.
        let list = unsafe { pairs(properties) };
        ensure_properties(list.as_chunks::<2>().0)?;
        CommandBuffer::new(queue, list)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

fn ensure_properties(pairs: &[[cl_command_buffer_properties_khr; 2]]) -> Result {
    let count_of = |name| pairs.iter().filter(|pair| pair[0] == name).count();
    ensure(pairs.iter().all(|pair| count_of(pair[0]) == 1), CL_INVALID_VALUE)?;
    pairs.iter().try_for_each(|&[name, value]| match name {
        CL_COMMAND_BUFFER_FLAGS_KHR => {
            ensure(value & !KNOWN_FLAGS == 0, CL_INVALID_VALUE)?;
            ensure(value & !OFFERED_FLAGS == 0, CL_INVALID_PROPERTY)
        }
        BUFFER_ASSERTS => ensure_asserts(value),
        _ => Err(Error(CL_INVALID_VALUE)),
    })
}

pub unsafe extern "C" fn clRetainCommandBufferKHR(buffer: cl_command_buffer_khr) -> cl_int {
    status(|| Ref::<CommandBuffer>::retain(buffer))
}

pub unsafe extern "C" fn clReleaseCommandBufferKHR(buffer: cl_command_buffer_khr) -> cl_int {
    status(|| Ref::<CommandBuffer>::release(buffer))
}

pub unsafe extern "C" fn clFinalizeCommandBufferKHR(buffer: cl_command_buffer_khr) -> cl_int {
    status(|| Ref::<CommandBuffer>::of(buffer)?.finalize())
}

pub unsafe extern "C" fn clGetCommandBufferInfoKHR(
    buffer: cl_command_buffer_khr,
    name: cl_command_buffer_info_khr,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the program passes room of the size it says.
    let reply = unsafe { Reply::new(size, value, size_ret) };
    status(|| Ref::<CommandBuffer>::of(buffer)?.info(name, reply))
}

/// Any queue of the same device will do: there are no properties that replays could not do with.
pub unsafe extern "C" fn clEnqueueCommandBufferKHR(
    num_queues: cl_uint,
    queues: *mut cl_command_queue,
    command_buffer: cl_command_buffer_khr,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        let buffer = Ref::<CommandBuffer>::of(command_buffer)?;
        let graph = buffer.graph()?;
        ensure(queues.is_null() == (num_queues == 0) && num_queues <= 1, CL_INVALID_VALUE)?;
        let queue = match queues.is_null() {
            true => buffer.queue().clone(),
            // SAFETY: the program passes as many queues as it says.
            false => Ref::<Queue>::of(unsafe { queues.read() })?,
        };
        ensure(queue.context().is(buffer.context()), CL_INVALID_CONTEXT)?;
        ensure(queue.device().is(buffer.queue().device()), CL_INVALID_DEVICE)?;
        // SAFETY: as above.
        let ends = unsafe { Ends::of(queue, num_events, events, event) }?;
        let work = Work::Replay(Replay::new(graph));
        ends.submit(CL_COMMAND_COMMAND_BUFFER_KHR, work, [], false)
    })
}

fn copy_shared_later(
    ends: Ends,
    target: *mut c_void,
    source: *const c_void,
    size: usize,
) -> Result {
    copy_shared(ends, target, source, size, false)
}

/// Entry points that record what a function does with its ends, and what finds them by name. Between what all of them have in common
/// stands what that function takes.
macro_rules! recorded {
    ($($name:ident: $act:path, ($($argument:ident: $kind:ty),* $(,)?);)*) => {
        /// The entry point of this name; null, if there is none.
        pub fn recorder(name: &[u8]) -> *mut c_void {
            $(
                if name == stringify!($name).as_bytes() {
                    return $name as *mut c_void;
                }
            )*
            std::ptr::null_mut()
        }

        $(
            pub unsafe extern "C" fn $name(
                buffer: cl_command_buffer_khr,
                queue: cl_command_queue,
                properties: *const cl_command_properties_khr,
                $($argument: $kind,)*
                num_sync_points: cl_uint,
                sync_points: *const SyncPoint,
                sync_point: *mut SyncPoint,
                mutable_handle: *mut cl_mutable_command_khr,
            ) -> cl_int {
                // SAFETY: the program passes lists as long as it says, and what the function says of its own.
                #[allow(unused_unsafe)]
                status(|| unsafe {
                    let (count, place) = (num_sync_points, sync_point);
                    let ends = Ends::recording(buffer, queue, count, sync_points, place)?;
                    // Launches alone have properties, and handles that are of use.
                    let has_properties = !properties.is_null() && properties.read() != 0;
                    ensure(!has_properties && mutable_handle.is_null(), CL_INVALID_VALUE)?;
                    $act(ends, $($argument),*)
                })
            }
        )*
    };
}

recorded! {
    clCommandBarrierWithWaitListKHR: barrier, ();
    clCommandCopyBufferKHR: copy_buffer, (
        src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize, dst_offset: usize, size: usize,
    );
    clCommandCopyBufferToImageKHR: copy_buffer_to_image, (
        src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize,
        dst_origin: *const usize, region: *const usize,
    );
    clCommandCopyImageKHR: copy_image, (
        src_image: cl_mem, dst_image: cl_mem,
        src_origin: *const usize, dst_origin: *const usize, region: *const usize,
    );
    clCommandCopyImageToBufferKHR: copy_image_to_buffer, (
        src_image: cl_mem, dst_buffer: cl_mem,
        src_origin: *const usize, region: *const usize, dst_offset: usize,
    );
    clCommandFillBufferKHR: fill_buffer, (
        buffer_to_fill: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize, size: usize,
    );
    clCommandFillImageKHR: fill_image, (
        image: cl_mem, fill_color: *const c_void, origin: *const usize, region: *const usize,
    );
    clCommandSVMMemFillKHR: fill_shared, (
        svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize,
    );
    clCommandSVMMemcpyKHR: copy_shared_later, (
        dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize,
    );
    clCommandCopyBufferRectKHR: copy_buffer_rect, (
        src_buffer: cl_mem, dst_buffer: cl_mem,
        src_origin: *const usize, dst_origin: *const usize, region: *const usize,
        src_row_pitch: usize, src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize,
    );
}
