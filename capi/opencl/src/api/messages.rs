//! Commands of `cl_vicinity_data_transfer` that send and receive, and events of requests (`CL/cl_vicinity.h`).
//!
//! Flags of a buffer about the host's access do not count, as for files.

use super::ends::Ends;
use super::input::{created, status};
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::error::{Result, ensure};
use crate::handle::Ref;
use crate::os::mpi::{Functions, Handle, Letter, Mpi};
use crate::queue::{Event, Message, request};
use opencl_sys::*;
use std::ffi::{c_int, c_void};

const CL_COMMAND_SEND_BUFFER_VICINITY: cl_command_type = 0x5F12;
const CL_COMMAND_RECV_BUFFER_VICINITY: cl_command_type = 0x5F13;
const CL_COMMAND_SENDRECV_BUFFER_VICINITY: cl_command_type = 0x5F14;
const CL_COMMAND_MPI_REQUEST_VICINITY: cl_command_type = 0x5F15;

/// The entry point of a name, if there is one.
pub fn function(name: &[u8]) -> Option<*mut c_void> {
    Some(match name {
        b"clEnqueueSendBuffer" => clEnqueueSendBuffer as *mut c_void,
        b"clEnqueueRecvBuffer" => clEnqueueRecvBuffer as *mut c_void,
        b"clEnqueueSendrecvBuffer" => clEnqueueSendrecvBuffer as *mut c_void,
        b"clCreateEventFromMPIRequest" => clCreateEventFromMPIRequest as *mut c_void,
        b"clCheckMPIVicinity" => clCheckMPIVicinity as *mut c_void,
        _ => return None,
    })
}

/// Bytes of a buffer that must be there, to or from a rank.
fn letter(
    ends: &Ends,
    buffer: cl_mem,
    (offset, size): (usize, usize),
    (rank, tag): (c_int, c_int),
) -> Result<(Ref<Memory>, Letter)> {
    let buffer = ends.buffer(buffer)?;
    let memory = buffer.range(offset, size)?;
    Ok((buffer, Letter { memory, bytes: size, rank, tag }))
}

fn message(
    communicator: Handle,
    sends: Option<Letter>,
    receives: Option<Letter>,
) -> Result<Message> {
    // SAFETY: the program passes the functions of the header.
    let mpi = unsafe { Mpi::of(communicator.functions) }?;
    let communicator = communicator.number;
    sends.iter().try_for_each(|letter| mpi.check(letter, communicator, false))?;
    receives.iter().try_for_each(|letter| mpi.check(letter, communicator, true))?;
    Ok(Message { mpi, communicator, sends, receives })
}

pub unsafe extern "C" fn clEnqueueSendBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    destination: c_int,
    tag: c_int,
    communicator: Handle,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let (buffer, letter) = letter(&ends, buffer, (offset, size), (destination, tag))?;
        let work = message(communicator, Some(letter), None)?.work();
        ends.submit(CL_COMMAND_SEND_BUFFER_VICINITY, work, [buffer], blocking != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueRecvBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    source: c_int,
    tag: c_int,
    communicator: Handle,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let (buffer, letter) = letter(&ends, buffer, (offset, size), (source, tag))?;
        let work = message(communicator, None, Some(letter))?.work();
        ends.submit(CL_COMMAND_RECV_BUFFER_VICINITY, work, [buffer], blocking != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueSendrecvBuffer(
    queue: cl_command_queue,
    send_buffer: cl_mem,
    blocking: cl_bool,
    send_offset: usize,
    send_size: usize,
    destination: c_int,
    send_tag: c_int,
    recv_buffer: cl_mem,
    recv_offset: usize,
    recv_size: usize,
    source: c_int,
    recv_tag: c_int,
    communicator: Handle,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let (from, sends) =
            letter(&ends, send_buffer, (send_offset, send_size), (destination, send_tag))?;
        let (to, receives) =
            letter(&ends, recv_buffer, (recv_offset, recv_size), (source, recv_tag))?;
        ensure(!overlap(&sends, &receives), CL_MEM_COPY_OVERLAP)?;
        let work = message(communicator, Some(sends), Some(receives))?.work();
        ends.submit(CL_COMMAND_SENDRECV_BUFFER_VICINITY, work, [from, to], blocking != CL_FALSE)
    })
}

fn overlap(one: &Letter, other: &Letter) -> bool {
    let is_before =
        |one: &Letter, other: &Letter| one.memory.number() + one.bytes <= other.memory.number();
    !is_before(one, other) && !is_before(other, one)
}

pub unsafe extern "C" fn clCreateEventFromMPIRequest(
    context: cl_context,
    request_of_mpi: Handle,
    errcode_ret: *mut cl_int,
) -> cl_event {
    let create = || {
        let context = Ref::<Context>::of(context)?;
        // SAFETY: the program passes the functions of the header.
        let mpi = unsafe { Mpi::of(request_of_mpi.functions) }?;
        let work = request(mpi, request_of_mpi.number);
        Event::of_work(context, CL_COMMAND_MPI_REQUEST_VICINITY, work)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { created(create(), errcode_ret) }
}

pub unsafe extern "C" fn clCheckMPIVicinity(functions: *const Functions) -> cl_int {
    // SAFETY: the program passes the functions of the header.
    status(|| unsafe { Mpi::of(functions) }.map(|_| ()))
}
