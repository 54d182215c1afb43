//! Shared virtual memory: allocated, freed, copied, filled, mapped and migrated.

use super::ends::Ends;
use super::input::{list, optional_list, room, status};
use super::transfer::{copy, ensure_map_flags, ensure_migration_flags, fill_pattern};
use crate::core::context::Context;
use crate::core::device::{ALIGNMENT_BYTES, most_bytes};
use crate::core::memory::Address;
use crate::core::svm;
use crate::error::{Result, ensure};
use crate::handle::Ref;
use crate::queue::{Fill, Work};
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr;

const DEVICE_ACCESS: cl_svm_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;

pub unsafe extern "C" fn clSVMAlloc(
    context: cl_context,
    flags: cl_svm_mem_flags,
    size: usize,
    alignment: cl_uint,
) -> *mut c_void {
    let known = DEVICE_ACCESS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let makes_sense = flags & !known == 0
        && (flags & DEVICE_ACCESS).count_ones() <= 1
        && (flags & CL_MEM_SVM_ATOMICS == 0 || flags & CL_MEM_SVM_FINE_GRAIN_BUFFER != 0);
    let alignment = if alignment == 0 { ALIGNMENT_BYTES } else { alignment as usize };
    let is_alignment = alignment.is_power_of_two() && alignment <= ALIGNMENT_BYTES;
    let is_size = size > 0 && size as u64 <= most_bytes();
    let context =
        Ref::<Context>::of(context).ok().filter(|_| makes_sense && is_alignment && is_size);
    let address = context.and_then(|context| svm::allocate(size, alignment, context.place()));
    address.map_or(ptr::null_mut(), |address| address.pointer().cast())
}

pub unsafe extern "C" fn clSVMFree(context: cl_context, svm_pointer: *mut c_void) {
    if Ref::<Context>::of(context).is_ok() {
        svm::free(Address::new(svm_pointer));
    }
}

pub unsafe extern "C" fn clEnqueueSVMFree(
    queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: *mut *mut c_void,
    pfn_free_func: Option<
        unsafe extern "C" fn(
            queue: cl_command_queue,
            num_svm_pointers: cl_uint,
            svm_pointers: *mut *mut c_void,
            user_data: *mut c_void,
        ),
    >,
    user_data: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        // SAFETY: as above.
        let pointers =
            unsafe { optional_list(svm_pointers.cast_const(), num_svm_pointers as usize) }?;
        let mut addresses = room(pointers.len())?;
        addresses.extend(pointers.iter().map(|&it| Address::new(it)));
        let (queue, data) = (Address::new(queue), Address::new(user_data));
        let free = move || match pfn_free_func {
            None => addresses.iter().for_each(|&address| svm::free(address)),
            Some(call) => {
                let count = addresses.len() as cl_uint;
                let (queue, data) = (queue.pointer().cast(), data.pointer().cast());
                // SAFETY: the program's function, with what it asked for; an address is a pointer.
                unsafe { call(queue, count, addresses.as_mut_ptr().cast(), data) };
            }
        };
        ends.submit(CL_COMMAND_SVM_FREE, Work::Free(Some(Box::new(free))), [], false)
    })
}

pub unsafe extern "C" fn clEnqueueSVMMemcpy(
    queue: cl_command_queue,
    blocking_copy: cl_bool,
    dst_ptr: *mut c_void,
    src_ptr: *const c_void,
    size: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        copy_shared(ends, dst_ptr, src_ptr, size, blocking_copy != CL_FALSE)
    })
}

pub fn copy_shared(
    ends: Ends,
    target: *mut c_void,
    source: *const c_void,
    size: usize,
    blocking: bool,
) -> Result {
    ensure(!(target.is_null() || source.is_null()) || size == 0, CL_INVALID_VALUE)?;
    let work = copy(Address::new(target), Address::new(source), size)?;
    ends.submit(CL_COMMAND_SVM_MEMCPY, work, [], blocking)
}

pub unsafe extern "C" fn clEnqueueSVMMemFill(
    queue: cl_command_queue,
    svm_ptr: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    // SAFETY: the program passes lists as long as it says.
    status(|| unsafe {
        let ends = Ends::new(queue, num_events, events, event)?;
        fill_shared(ends, svm_ptr, pattern, pattern_size, size)
    })
}

/// # Safety
/// `pattern` is null or has as many bytes as it is said to have.
pub unsafe fn fill_shared(
    ends: Ends,
    target: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
) -> Result {
    ensure(!target.is_null() || size == 0, CL_INVALID_VALUE)?;
    // SAFETY: the caller's promise.
    let work = unsafe { fill(target, pattern, pattern_size, size) }?;
    ends.submit(CL_COMMAND_SVM_MEMFILL, work, [], false)
}

/// A fill of bytes.
///
/// # Safety
/// The pattern is null, or as long as it is said to be.
pub unsafe fn fill(
    target: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    bytes: usize,
) -> Result<Work> {
    // SAFETY: the caller's promise.
    let pattern = unsafe { fill_pattern(pattern, pattern_size) }?;
    let target = Address::new(target);
    let is_aligned = target.number().is_multiple_of(pattern_size);
    ensure(is_aligned && bytes.is_multiple_of(pattern_size), CL_INVALID_VALUE)?;
    Ok(Work::Fill(Fill::contiguous(target, bytes, pattern)))
}

pub unsafe extern "C" fn clEnqueueSVMMap(
    queue: cl_command_queue,
    blocking_map: cl_bool,
    flags: cl_map_flags,
    svm_ptr: *mut c_void,
    size: usize,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        ensure(!svm_ptr.is_null() && size > 0, CL_INVALID_VALUE)?;
        ensure_map_flags(flags)?;
        ends.submit(CL_COMMAND_SVM_MAP, Work::Nothing, [], blocking_map != CL_FALSE)
    })
}

pub unsafe extern "C" fn clEnqueueSVMUnmap(
    queue: cl_command_queue,
    svm_ptr: *mut c_void,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        ensure(!svm_ptr.is_null(), CL_INVALID_VALUE)?;
        ends.submit(CL_COMMAND_SVM_UNMAP, Work::Nothing, [], false)
    })
}

pub unsafe extern "C" fn clEnqueueSVMMigrateMem(
    queue: cl_command_queue,
    num_svm_pointers: cl_uint,
    svm_pointers: *mut *const c_void,
    _sizes: *const usize,
    flags: cl_mem_migration_flags,
    num_events: cl_uint,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    status(|| {
        // SAFETY: the program passes lists as long as it says.
        let ends = unsafe { Ends::new(queue, num_events, events, event) }?;
        // SAFETY: as above.
        let all = unsafe { list(svm_pointers.cast_const(), num_svm_pointers as usize) }?;
        ensure(all.iter().all(|pointer| !pointer.is_null()), CL_INVALID_VALUE)?;
        ensure_migration_flags(flags)?;
        ends.submit(CL_COMMAND_SVM_MIGRATE_MEM, Work::Nothing, [], false)
    })
}
