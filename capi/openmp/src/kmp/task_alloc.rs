//! libomp's tasks before they are handed over: allocated, copied, given affinity and an event.
//!
//! The compiler allocates a task and fills in what it captured. A `kmp_task_t` is the payload of our record:
//! shareds pointer, routine, part number, destructor, priority, then the captured variables; the block of
//! shared variables follows it.
//! Source: the calls clang 19 makes; flag values as its `CGOpenMPRuntime` has them.
#![allow(unsafe_code)]

use crate::handle::Pointer;
use libc::{c_int, c_void, size_t};
use vicinity_runtime::locality::data::DataRange;
use vicinity_runtime::locality::dealing;
use vicinity_runtime::task::detach;
use vicinity_runtime::task::record::{Routine, TaskRef, flag};
use vicinity_runtime::thread::{self, Thread};
use vicinity_runtime::trace;

/// Bits of the flags argument of `__kmpc_omp_task_alloc`.
mod bits {
    pub const TIED: i32 = 1;
    pub const FINAL: i32 = 1 << 1;
    pub const DESTRUCTORS: i32 = 1 << 3;
    /// Completed by `__kmpc_proxy_task_completed`.
    pub const PROXY: i32 = 1 << 4;
    pub const PRIORITY: i32 = 1 << 5;
    pub const DETACHABLE: i32 = 1 << 6;
}

/// The start of what the compiler takes for a task.
#[repr(C)]
pub struct KmpTask {
    pub shareds: *mut c_void,
    pub routine: Routine,
    part: i32,
    /// Padding in the compiler's eyes: how long the task is, shared variables and what is behind them included.
    pub payload_bytes: u32,
    destructor: usize,
    pub priority: i32,
}

/// Allocates a task that is not yet handed over.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_alloc(
    location: Pointer,
    _gtid: c_int,
    bits: c_int,
    task_bytes: size_t,
    shareds_bytes: size_t,
    routine: Routine,
) -> *mut KmpTask {
    allocate(location, bits, [task_bytes, shareds_bytes, 0], routine)
}

/// The same, with some bytes behind what the compiler asks for.
#[inline(always)]
pub fn allocate(
    location: Pointer,
    bits: c_int,
    [task_bytes, shareds_bytes, behind_bytes]: [size_t; 3],
    routine: Routine,
) -> *mut KmpTask {
    let thread = thread::current();
    let parent = thread.task();
    let shareds_offset = task_bytes.next_multiple_of(16);
    let payload_bytes = shareds_offset + shareds_bytes + behind_bytes;
    let flags = record_flags(bits) | parent.inherited_flags();
    let entry = routine as usize;
    let task = if thread.recorder.get().is_some() {
        let task = TaskRef::allocate_included(thread, parent, flags, payload_bytes);
        trace::construct(thread, entry, location as usize);
        task
    } else {
        TaskRef::allocate_unrecorded(thread, parent, flags, payload_bytes)
    };
    task.set_entry(entry);
    task.priority.set(0);
    let payload = task.payload();
    let shareds = match shareds_bytes {
        0 => std::ptr::null_mut(),
        _ => payload.wrapping_add(shareds_offset).cast(),
    };
    let payload_bytes = payload_bytes as u32;
    let fields = KmpTask { shareds, routine, part: 0, payload_bytes, destructor: 0, priority: 0 };
    // SAFETY: the payload has at least `task_bytes` bytes, which is no less than a KmpTask's.
    unsafe { payload.cast::<KmpTask>().write(fields) };
    if bits & bits::PROXY != 0 {
        detach::allow_completion(task);
    }
    payload.cast()
}

/// A copy of a task that is not yet handed over, as another child of the current task.
pub fn duplicate(thread: &'static Thread, pattern: *mut KmpTask) -> *mut KmpTask {
    let record = record(pattern);
    // SAFETY: the pattern is as long as it says, and the duplicate as long as the pattern.
    unsafe {
        let bytes = (*pattern).payload_bytes as usize;
        let (parent, flags, entry) = (thread.task(), record.flags(), record.entry());
        let task = TaskRef::allocate(thread, parent, flags, bytes);
        task.set_entry(entry);
        let copy = task.payload();
        std::ptr::copy_nonoverlapping(pattern.cast::<u8>(), copy, bytes);
        let copy = copy.cast::<KmpTask>();
        if !(*pattern).shareds.is_null() {
            let offset = (*pattern).shareds.byte_offset_from(pattern);
            (*copy).shareds = copy.byte_offset(offset).cast();
        }
        copy
    }
}

#[inline(always)]
fn record_flags(bits: c_int) -> u32 {
    const PAIRS: [(i32, u32); 4] = [
        (bits::FINAL, flag::FINAL),
        (bits::DESTRUCTORS, flag::DESTRUCTORS),
        (bits::DETACHABLE, flag::DETACHABLE),
        (bits::PROXY, flag::DETACHABLE),
    ];
    if bits == bits::TIED {
        return flag::ROUTINE;
    }
    let untied = if bits & bits::TIED == 0 { flag::UNTIED } else { 0 };
    let urgent = if bits & bits::PRIORITY != 0 { flag::URGENT } else { 0 };
    PAIRS.iter().fold(flag::ROUTINE | untied | urgent, |flags, &(bit, flag)| {
        if bits & bit != 0 { flags | flag } else { flags }
    })
}

/// The record of a task that `__kmpc_omp_task_alloc` returned.
#[inline(always)]
pub fn record(task: *mut KmpTask) -> TaskRef {
    // SAFETY: the compiler passes back what `__kmpc_omp_task_alloc` gave it.
    unsafe { TaskRef::from_payload(task.cast()) }
}

/// Takes note of what the `affinity` clause names, where that decides about where a task runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_reg_task_with_affinity(
    _location: Pointer,
    _gtid: c_int,
    task: *mut KmpTask,
    count: c_int,
    list: *const AffinityItem,
) -> c_int {
    if count > 0 && !list.is_null() && thread::current().member().team().layout().is_some() {
        // SAFETY: the compiler's array, with as many items as it says.
        let items = unsafe { std::slice::from_raw_parts(list, count as usize) };
        let ranges = items
            .iter()
            .map(|item| DataRange { address: item.address, length_bytes: item.length_bytes });
        dealing::name_data(record(task), ranges);
    }
    0
}

#[repr(C)]
pub struct AffinityItem {
    address: usize,
    length_bytes: usize,
    flags: i32,
}

/// The event of a detachable task.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_allow_completion_event(
    _location: Pointer,
    _gtid: c_int,
    task: *mut KmpTask,
) -> usize {
    detach::allow_completion(record(task))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_fulfill_event(event: usize) {
    // SAFETY: the program passes an event of a task that is not complete (its obligation).
    unsafe { detach::fulfill(event) };
}
