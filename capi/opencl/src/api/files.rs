//! Commands of `cl_vicinity_data_transfer` that read and write files (`CL/cl_vicinity.h`).
//!
//! Flags of a buffer about the host's access do not count: it is the device that reads and writes.

use super::ends::Ends;
use super::input::status;
use crate::error::{Error, Result, ensure};
use crate::os::file::{Direction, Mode, Stream, duplicate, has_offsets};
use crate::queue::{FileTransfer, Place};
use opencl_sys::*;
use std::ffi::{c_int, c_void};
use std::os::fd::RawFd;

const CL_COMMAND_READ_BUFFER_TO_FILE_VICINITY: cl_command_type = 0x5F10;
const CL_COMMAND_WRITE_BUFFER_FROM_FILE_VICINITY: cl_command_type = 0x5F11;
/// Where the descriptor is.
const CL_FILE_POSITION_VICINITY: cl_long = -1;

/// The entry point of a name, if there is one.
pub fn function(name: &[u8]) -> Option<*mut c_void> {
    Some(match name {
        b"clEnqueueReadBufferToStdioFile" => clEnqueueReadBufferToStdioFile as *mut c_void,
        b"clEnqueueWriteBufferFromStdioFile" => clEnqueueWriteBufferFromStdioFile as *mut c_void,
        b"clEnqueueReadBufferToFile" => clEnqueueReadBufferToFile as *mut c_void,
        b"clEnqueueWriteBufferFromFile" => clEnqueueWriteBufferFromFile as *mut c_void,
        _ => return None,
    })
}

/// Which bytes of which buffer.
struct Part {
    buffer: cl_mem,
    offset: usize,
    size: usize,
}

pub unsafe extern "C" fn clEnqueueReadBufferToStdioFile(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    file: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says, and an open stream.
        let (ends, stream) =
            unsafe { (Ends::new(queue, num_events, events, event)?, stream(file)?) };
        let part = Part { buffer, offset, size };
        of_stream(ends, part, stream, Direction::ToFile, blocking)
    })
}

pub unsafe extern "C" fn clEnqueueWriteBufferFromStdioFile(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    file: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says, and an open stream.
        let (ends, stream) =
            unsafe { (Ends::new(queue, num_events, events, event)?, stream(file)?) };
        let part = Part { buffer, offset, size };
        of_stream(ends, part, stream, Direction::FromFile, blocking)
    })
}

pub unsafe extern "C" fn clEnqueueReadBufferToFile(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    file: c_int,
    file_offset: cl_long,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let part = Part { buffer, offset, size };
        of_descriptor(ends, part, (file, file_offset), Direction::ToFile, blocking)
    })
}

pub unsafe extern "C" fn clEnqueueWriteBufferFromFile(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    file: c_int,
    file_offset: cl_long,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let part = Part { buffer, offset, size };
        of_descriptor(ends, part, (file, file_offset), Direction::FromFile, blocking)
    })
}

/// # Safety
/// `file` is null or a stream that is open until the command is over.
unsafe fn stream(file: *mut c_void) -> Result<Stream> {
    ensure(!file.is_null(), CL_INVALID_VALUE)?;
    // SAFETY: the caller's promise.
    Ok(unsafe { Stream::new(file.cast()) })
}

fn of_stream(
    ends: Ends,
    part: Part,
    stream: Stream,
    direction: Direction,
    blocking: cl_bool,
) -> Result {
    transfer(ends, part, (stream.descriptor(), Place::Stream(stream)), direction, blocking)
}

fn of_descriptor(
    ends: Ends,
    part: Part,
    (descriptor, offset): (RawFd, cl_long),
    direction: Direction,
    blocking: cl_bool,
) -> Result {
    let place = match offset {
        CL_FILE_POSITION_VICINITY => Place::Descriptor,
        _ => Place::Offset(u64::try_from(offset).map_err(|_| Error(CL_INVALID_VALUE))?),
    };
    transfer(ends, part, (descriptor, place), direction, blocking)
}

fn transfer(
    ends: Ends,
    part: Part,
    (descriptor, place): (RawFd, Place),
    direction: Direction,
    blocking: cl_bool,
) -> Result {
    let buffer = ends.buffer(part.buffer)?;
    let memory = buffer.range(part.offset, part.size)?;
    let mode = Mode::of(descriptor).map_err(|_| Error(CL_INVALID_VALUE))?;
    ensure(mode.allows(direction), CL_INVALID_OPERATION)?;
    let file = duplicate(descriptor).map_err(|_| Error(CL_OUT_OF_RESOURCES))?;
    if let Place::Offset(offset) = place {
        let end = i64::try_from(part.size).ok().and_then(|size| (offset as i64).checked_add(size));
        let has_offsets = has_offsets(&file) && !(mode.appends() && direction == Direction::ToFile);
        ensure(has_offsets && end.is_some(), CL_INVALID_VALUE)?;
    }
    let kind = match direction {
        Direction::ToFile => CL_COMMAND_READ_BUFFER_TO_FILE_VICINITY,
        Direction::FromFile => CL_COMMAND_WRITE_BUFFER_FROM_FILE_VICINITY,
    };
    let bytes = part.size;
    let work = FileTransfer { file, place, memory, bytes, direction }.work(mode);
    ends.submit(kind, work, [buffer], blocking != CL_FALSE)
}
