//! libomp's task entry points.
//!
//! The compiler allocates a task, fills in what it captured, and then defers it or runs it itself. A
//! `kmp_task_t` is the payload of our record: shareds pointer, routine, part number, destructor, priority,
//! then the captured variables; the block of shared variables follows it.
//! Source: the calls clang 19 makes; flag values as its `CGOpenMPRuntime` has them.
#![allow(unsafe_code)]

use super::depend::{self, Item};
use super::taskred;
use crate::handle::Pointer;
use libc::{c_int, c_void, size_t};
use vicinity_runtime::task::deps::{self, Dependence};
use vicinity_runtime::task::extra::AffinityRange;
use vicinity_runtime::task::record::{Routine, TaskRef, flag};
use vicinity_runtime::task::{detach, run, wait};
use vicinity_runtime::thread::{self, Thread};

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
    /// Padding in the compiler's eyes: how long the task is, shared variables included.
    payload_bytes: u32,
    destructor: usize,
    priority: i32,
}

/// Allocates a task that is not yet handed over.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_alloc(
    _location: Pointer,
    _gtid: c_int,
    bits: c_int,
    task_bytes: size_t,
    shareds_bytes: size_t,
    routine: Routine,
) -> *mut KmpTask {
    let thread = thread::current();
    let parent = thread.task();
    let shareds_offset = task_bytes.next_multiple_of(16);
    let payload_bytes = shareds_offset + shareds_bytes;
    let flags = record_flags(bits) | parent.inherited_flags();
    let entry = routine as usize;
    let task = TaskRef::allocate(thread, parent, flags, payload_bytes);
    task.entry.set(entry);
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
        let (parent, flags, entry) = (thread.task(), record.flags.get(), record.entry.get());
        let task = TaskRef::allocate(thread, parent, flags, bytes);
        task.entry.set(entry);
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
    let untied = if bits & bits::TIED == 0 { flag::UNTIED } else { 0 };
    let urgent = if bits & bits::PRIORITY != 0 { flag::URGENT } else { 0 };
    PAIRS.iter().fold(flag::ROUTINE | untied | urgent, |flags, &(bit, flag)| {
        if bits & bit != 0 { flags | flag } else { flags }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_target_task_alloc(
    location: Pointer,
    gtid: c_int,
    flags: c_int,
    task_bytes: size_t,
    shareds_bytes: size_t,
    routine: Routine,
    _device: i64,
) -> *mut KmpTask {
    __kmpc_omp_task_alloc(location, gtid, flags, task_bytes, shareds_bytes, routine)
}

/// The record of a task that `__kmpc_omp_task_alloc` returned.
#[inline(always)]
pub fn record(task: *mut KmpTask) -> TaskRef {
    // SAFETY: the compiler passes back what `__kmpc_omp_task_alloc` gave it.
    unsafe { TaskRef::from_payload(task.cast()) }
}

/// Hands a task over; an untied one also calls this on itself at the end of each of its parts.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task(_location: Pointer, _gtid: c_int, task: *mut KmpTask) -> c_int {
    let thread = thread::current();
    let task = record(task);
    let parent = thread.task();
    if task == parent {
        task.flags.set(task.flags.get() | flag::AGAIN);
    } else if !task.is(flag::URGENT | flag::DETACHABLE | flag::FINAL)
        && run::should_run_now(thread, parent)
    {
        run::include_routine(thread, task);
    } else {
        hand_over(thread, task, parent, &[]);
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_parts(
    location: Pointer,
    gtid: c_int,
    task: *mut KmpTask,
) -> c_int {
    __kmpc_omp_task(location, gtid, task)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_task_with_deps(
    location: Pointer,
    gtid: c_int,
    task: *mut KmpTask,
    count: c_int,
    items: *const Item,
    alias_free_count: c_int,
    alias_free: *const Item,
) -> c_int {
    let thread = thread::current();
    // A task that may not run at once must be known to those that depend on it.
    if !record(task).is(flag::URGENT | flag::DETACHABLE)
        && !deps::any_unfinished(thread.task())
        && run::should_run_now(thread, thread.task())
    {
        return __kmpc_omp_task(location, gtid, task);
    }
    // SAFETY: the compiler's arrays, with as many items as it says.
    let list = unsafe { depend::lists(count, items, alias_free_count, alias_free) };
    hand_over(thread, record(task), thread.task(), &list);
    0
}

/// Takes the priority that the compiler put into the task.
fn set_priority(task: TaskRef) {
    if task.is(flag::URGENT) {
        // SAFETY: the payload is a KmpTask; the flag says that the priority is set.
        let asked = unsafe { (*task.payload().cast::<KmpTask>()).priority };
        let most = vicinity_runtime::global::settings().max_task_priority;
        task.priority.set(asked.min(most as i32));
    }
}

/// Defers a share of a taskloop, or runs it at once.
pub fn hand_over_share(thread: &'static Thread, task: TaskRef, parent: TaskRef) {
    set_priority(task);
    let urgent = task.priority.get() > 0;
    if task.is(flag::FINAL) || (!urgent && run::should_run_share_now(thread)) {
        run::include_routine(thread, task);
    } else {
        run::defer(thread, task, parent);
    }
}

/// Defers a task, or runs it at once where that is allowed or required.
pub fn hand_over(
    thread: &'static Thread,
    task: TaskRef,
    parent: TaskRef,
    dependences: &[Dependence],
) {
    set_priority(task);
    let undeferred = task.is(flag::FINAL) && !task.is(flag::DETACHABLE);
    let now = undeferred
        || (!task.is(flag::DETACHABLE)
            && task.priority.get() <= 0
            && run::should_run_dependent_now(thread, parent, dependences));
    match dependences {
        _ if now => wait::take_turn(dependences, |thread| run::include_routine(thread, task)),
        // Nobody else would run it while its creator waits for the event in a way of its own.
        [] if task.is(flag::DETACHABLE) && thread.member().team().size() == 1 => {
            run::count_child(task, parent);
            run::execute(thread, task);
        }
        [] => run::defer(thread, task, parent),
        _ => deps::defer(thread, task, parent, dependences),
    }
}

/// The creator is about to run the routine itself.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_begin_if0(_location: Pointer, _gtid: c_int, task: *mut KmpTask) {
    run::enter(thread::current(), record(task));
}

/// The creator has run the routine.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_complete_if0(
    _location: Pointer,
    _gtid: c_int,
    task: *mut KmpTask,
) {
    let thread = thread::current();
    let task = record(task);
    run::go_on(thread, task);
    run::destroy_copies(thread, task);
    if let Some(parent) = task.parent.get() {
        thread.set_task(parent);
        detach::await_undeferred(thread, task);
        run::leave_included(thread, task, parent);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_taskwait(_location: Pointer, _gtid: c_int) -> c_int {
    wait::taskwait();
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_taskyield(
    _location: Pointer,
    _gtid: c_int,
    _end_part: c_int,
) -> c_int {
    wait::taskyield();
    0
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_wait_deps(
    location: Pointer,
    gtid: c_int,
    count: c_int,
    items: *const Item,
    alias_free_count: c_int,
    alias_free: *const Item,
) {
    // SAFETY: the caller's arguments, passed on.
    unsafe {
        __kmpc_omp_taskwait_deps_51(location, gtid, count, items, alias_free_count, alias_free, 0);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_taskwait_deps_51(
    _location: Pointer,
    _gtid: c_int,
    count: c_int,
    items: *const Item,
    alias_free_count: c_int,
    alias_free: *const Item,
    nowait: c_int,
) {
    // SAFETY: the compiler's arrays, with as many items as it says.
    let list = unsafe { depend::lists(count, items, alias_free_count, alias_free) };
    if nowait != 0 {
        let thread = thread::current();
        let parent = thread.task();
        let empty = TaskRef::allocate(thread, parent, 0, 0);
        deps::defer(thread, empty, parent, &list);
    } else {
        wait::wait_for_dependences(&list);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_taskgroup(_location: Pointer, _gtid: c_int) {
    wait::begin_group();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_taskgroup(_location: Pointer, _gtid: c_int) {
    let registered = taskred::registered();
    wait::end_group();
    taskred::finish(registered);
}

/// Keeps what the `affinity` clause names, for placement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_reg_task_with_affinity(
    _location: Pointer,
    _gtid: c_int,
    task: *mut KmpTask,
    count: c_int,
    list: *const AffinityItem,
) -> c_int {
    if count > 0 && !list.is_null() {
        // SAFETY: the compiler's array, with as many items as it says.
        let items = unsafe { std::slice::from_raw_parts(list, count as usize) };
        let ranges = items
            .iter()
            .map(|item| AffinityRange { address: item.address, length_bytes: item.length_bytes });
        record(task).extra(|extra| extra.affinity.extend(ranges));
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
