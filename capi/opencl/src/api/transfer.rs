//! Buffers read, written, copied, filled, mapped and migrated.

use super::ends::Ends;
use super::input::{list, objects, pointer, status};
use crate::core::memory::{Address, Memory};
use crate::error::{Error, Result, ensure};
use crate::handle::Ref;
use crate::queue::{Copy, Fill, Shape, Work};
use opencl_sys::*;
use smallvec::SmallVec;
use std::ffi::c_void;

pub unsafe extern "C" fn clEnqueueReadBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking_read: cl_bool,
    offset: usize,
    size: usize,
    ptr: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let buffer = ends.buffer(buffer)?;
        ensure(!ptr.is_null(), CL_INVALID_VALUE)?;
        let source = buffer.range(offset, size)?;
        buffer.ensure_host_reads()?;
        let shape = Shape::contiguous(size);
        let work = Work::Copy(Copy { source, target: Address::new(ptr), shape });
        ends.submit(CL_COMMAND_READ_BUFFER, work, [buffer], blocking_read != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueWriteBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking_write: cl_bool,
    offset: usize,
    size: usize,
    ptr: *const c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let buffer = ends.buffer(buffer)?;
        ensure(!ptr.is_null(), CL_INVALID_VALUE)?;
        let target = buffer.range(offset, size)?;
        buffer.ensure_host_writes()?;
        let shape = Shape::contiguous(size);
        let work = Work::Copy(Copy { source: Address::new(ptr), target, shape });
        ends.submit(CL_COMMAND_WRITE_BUFFER, work, [buffer], blocking_write != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueCopyBuffer(
    queue: cl_command_queue,
    src_buffer: cl_mem,
    dst_buffer: cl_mem,
    src_offset: usize,
    dst_offset: usize,
    size: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        copy_buffer(ends, src_buffer, dst_buffer, src_offset, dst_offset, size)
    })
}

pub fn copy_buffer(
    ends: Ends,
    source: cl_mem,
    target: cl_mem,
    source_offset: usize,
    target_offset: usize,
    size: usize,
) -> Result {
    let (from, to) = (ends.buffer(source)?, ends.buffer(target)?);
    let source = from.range(source_offset, size)?;
    let target = to.range(target_offset, size)?;
    let work = copy(target, source, size)?;
    ends.submit(CL_COMMAND_COPY_BUFFER, work, [from, to], false)
}

/// A copy of bytes that do not overlap.
pub fn copy(target: Address, source: Address, size: usize) -> Result<Work> {
    ensure(source.number().abs_diff(target.number()) >= size, CL_MEM_COPY_OVERLAP)?;
    Ok(Work::Copy(Copy { source, target, shape: Shape::contiguous(size) }))
}

pub unsafe extern "C" fn clEnqueueFillBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the program passes lists as long as it says.
    status(|| unsafe {
        let ends = Ends::new(queue, num_events, events, event)?;
        fill_buffer(ends, buffer, pattern, pattern_size, offset, size)
    })
}

/// # Safety
/// `pattern` is null or has as many bytes as it is said to have.
pub unsafe fn fill_buffer(
    ends: Ends,
    buffer: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
) -> Result {
    let buffer = ends.buffer(buffer)?;
    // SAFETY: the caller's promise.
    let pattern = unsafe { fill_pattern(pattern, pattern_size) }?;
    let target = buffer.range(offset, size)?;
    let is_aligned = offset.is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size);
    ensure(is_aligned, CL_INVALID_VALUE)?;
    let work = Work::Fill(Fill::contiguous(target, size, pattern));
    ends.submit(CL_COMMAND_FILL_BUFFER, work, [buffer], false)
}

/// A copy of a pattern for filling, whose length must be that of a number or a vector.
///
/// # Safety
/// `pattern` is null or has `bytes` bytes.
pub unsafe fn fill_pattern(pattern: *const c_void, bytes: usize) -> Result<SmallVec<[u8; 16]>> {
    let is_length = bytes.is_power_of_two() && bytes <= 128;
    ensure(!pattern.is_null() && is_length, CL_INVALID_VALUE)?;
    // SAFETY: the caller's promise.
    Ok(SmallVec::from_slice(unsafe { std::slice::from_raw_parts(pattern.cast(), bytes) }))
}

const MAP_FLAGS: cl_map_flags = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

/// An error unless these flags for mapping make sense.
pub fn ensure_map_flags(flags: cl_map_flags) -> Result {
    let keeps = flags & (CL_MAP_READ | CL_MAP_WRITE) != 0;
    let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    ensure(flags & !MAP_FLAGS == 0 && !(keeps && invalidates), CL_INVALID_VALUE)
}

pub unsafe extern "C" fn clEnqueueMapBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking_map: cl_bool,
    map_flags: cl_map_flags,
    offset: usize,
    size: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
    errcode_ret: *mut cl_int,
) -> *mut c_void {
    let mapped = || {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let buffer = ends.buffer(buffer)?;
        ensure(size > 0, CL_INVALID_VALUE)?;
        let address = buffer.range(offset, size)?;
        map(ends, CL_COMMAND_MAP_BUFFER, buffer, address, map_flags, blocking_map != CL_FALSE)
    };
    // SAFETY: the program passes a place for an error code, or null.
    unsafe { pointer(mapped(), errcode_ret) }
}

/// A map of a memory object, of which the part that is mapped begins at `address`.
pub fn map(
    ends: Ends,
    kind: cl_command_type,
    memory: Ref<Memory>,
    address: Address,
    flags: cl_map_flags,
    blocking: bool,
) -> Result<*mut c_void> {
    ensure_map_flags(flags)?;
    if flags & CL_MAP_READ != 0 {
        memory.ensure_host_reads()?;
    }
    if flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0 {
        memory.ensure_host_writes()?;
    }
    memory.map();
    match ends.submit(kind, Work::Nothing, [memory.clone()], blocking) {
        Ok(()) => Ok(address.pointer().cast()),
        Err(error) => {
            memory.unmap();
            Err(if blocking { Error(CL_MAP_FAILURE) } else { error })
        }
    }
}

pub unsafe extern "C" fn clEnqueueUnmapMemObject(
    queue: cl_command_queue,
    memobj: cl_mem,
    mapped_ptr: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        let memory = ends.memory(memobj)?;
        let offset = (mapped_ptr as usize).wrapping_sub(memory.address().number());
        ensure(offset < memory.size_bytes(), CL_INVALID_VALUE)?;
        memory.unmap();
        ends.submit(CL_COMMAND_UNMAP_MEM_OBJECT, Work::Nothing, [memory], false)
    })
}

pub unsafe extern "C" fn clEnqueueMigrateMemObjects(
    queue: cl_command_queue,
    num_mem_objects: cl_uint,
    mem_objects: *const cl_mem,
    flags: cl_mem_migration_flags,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        // SAFETY: as above.
        let handles = unsafe { list(mem_objects, num_mem_objects as usize) }?;
        ensure_migration_flags(flags)?;
        let memory = objects::<Memory>(handles)?;
        let is_own = |memory: &Ref<Memory>| memory.context().is(ends.context());
        ensure(memory.iter().all(is_own), CL_INVALID_CONTEXT)?;
        ends.submit(CL_COMMAND_MIGRATE_MEM_OBJECTS, Work::Nothing, memory, false)
    })
}

/// An error unless these flags for migration are known.
pub fn ensure_migration_flags(flags: cl_mem_migration_flags) -> Result {
    const KNOWN: cl_mem_migration_flags =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    ensure(flags & !KNOWN == 0, CL_INVALID_VALUE)
}
