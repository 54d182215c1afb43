//! The callbacks that a tool has set, and calling them.
#![allow(unsafe_code)]

use super::abi::{Data, Dependence, Frames, Interface, event, set_result};
use super::caller;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// By event number; 0 is none. Relaxed: tools set them while they are initialised, before any other thread is watched;
/// one that is set later is called from some moment on.
static CALLBACKS: [AtomicUsize; event::LAST] = [const { AtomicUsize::new(0) }; event::LAST];

/// `ompt_set_callback`.
pub unsafe extern "C" fn set(which: c_int, callback: Option<Interface>) -> c_int {
    let Some(slot) = usize::try_from(which).ok().and_then(|which| CALLBACKS.get(which)) else {
        return set_result::ERROR;
    };
    slot.store(callback.map_or(0, |callback| callback as usize), Ordering::Relaxed);
    match which as usize {
        which if event::OFFERED.contains(&which) => set_result::ALWAYS,
        which if event::SOMETIMES.contains(&which) => set_result::SOMETIMES,
        _ => set_result::NEVER,
    }
}

/// `ompt_get_callback`.
pub unsafe extern "C" fn get(which: c_int, callback: *mut Option<Interface>) -> c_int {
    let slot = usize::try_from(which).ok().and_then(|which| CALLBACKS.get(which));
    match slot.map(|slot| slot.load(Ordering::Relaxed)) {
        Some(address) if address != 0 && !callback.is_null() => {
            // SAFETY: `set` stored such a function; the tool passes a place for it.
            unsafe { *callback = Some(std::mem::transmute::<usize, Interface>(address)) };
            1
        }
        _ => 0,
    }
}

/// No event is told any more.
pub fn forget() {
    CALLBACKS.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
}

/// Defines a function that calls the callback of an event, if there is one; with `from`, its last argument is where the
/// program called the runtime.
macro_rules! calls {
    ($($(#[$about:meta])* $name:ident = $which:ident($($argument:ident: $type:ty),*) $($from:ident)? $(-> $result:ty)?;)+) => {$(
        $(#[$about])*
        pub fn $name($($argument: $type),*) $(-> Option<$result>)? {
            let address = CALLBACKS[event::$which].load(Ordering::Relaxed);
            calls!(@call address, ($($argument: $type),*) $($from)? $(-> $result)?)
        }
    )+};
    (@call $address:ident, ($($argument:ident: $type:ty),*)) => {
        if $address != 0 {
            // SAFETY: the tool's function for this event, which has this type.
            unsafe {
                std::mem::transmute::<usize, unsafe extern "C" fn($($type),*)>($address)($($argument),*)
            }
        }
    };
    (@call $address:ident, ($($argument:ident: $type:ty),*) from $(-> $result:ty)?) => {
        if $address == 0 {
            calls!(@nothing $($result)?)
        } else {
            // SAFETY: as above.
            let answer = unsafe {
                std::mem::transmute::<usize, unsafe extern "C" fn($($type,)* Return) $(-> $result)?>($address)(
                    $($argument,)* caller::find()
                )
            };
            calls!(@answer answer $($result)?)
        }
    };
    (@nothing) => { () };
    (@nothing $result:ty) => { None };
    (@answer $answer:ident) => { $answer };
    (@answer $answer:ident $result:ty) => { Some($answer) };
}

/// A return address.
type Return = *const c_void;
type Task = *mut Data;
type Parallel = *mut Data;

calls! {
    thread_begin = THREAD_BEGIN(kind: c_int, thread: *mut Data);
    thread_end = THREAD_END(thread: *mut Data);
    parallel_begin = PARALLEL_BEGIN(encountering: Task, frame: *const Frames, parallel: Parallel, requested: c_uint,
        flags: c_int) from;
    parallel_end = PARALLEL_END(parallel: Parallel, encountering: Task, flags: c_int) from;
    implicit_task = IMPLICIT_TASK(endpoint: c_int, parallel: Parallel, task: Task, size: c_uint, number: c_uint,
        flags: c_int);
    task_create = TASK_CREATE(encountering: Task, frame: *const Frames, new: Task, flags: c_int, has_dependences: c_int) from;
    task_schedule = TASK_SCHEDULE(prior: Task, status: c_int, next: Task);
    task_dependence = TASK_DEPENDENCE(before: Task, after: Task);
    dependences_of = DEPENDENCES(task: Task, list: *const Dependence, count: c_int);
    sync_region = SYNC_REGION(kind: c_int, endpoint: c_int, parallel: Parallel, task: Task) from;
    sync_region_wait = SYNC_REGION_WAIT(kind: c_int, endpoint: c_int, parallel: Parallel, task: Task) from;
    reduction = REDUCTION(kind: c_int, endpoint: c_int, parallel: Parallel, task: Task) from;
    work = WORK(kind: c_int, endpoint: c_int, parallel: Parallel, task: Task, count: u64) from;
    masked = MASKED(endpoint: c_int, parallel: Parallel, task: Task) from;
    dispatch = DISPATCH(parallel: Parallel, task: Task, kind: c_int, instance: u64);
    mutex_acquire = MUTEX_ACQUIRE(kind: c_int, hint: c_uint, implementation: c_uint, id: u64) from;
    mutex_acquired = MUTEX_ACQUIRED(kind: c_int, id: u64) from;
    mutex_released = MUTEX_RELEASED(kind: c_int, id: u64) from;
    lock_init = LOCK_INIT(kind: c_int, hint: c_uint, implementation: c_uint, id: u64) from;
    lock_destroy = LOCK_DESTROY(kind: c_int, id: u64) from;
    nest_lock = NEST_LOCK(endpoint: c_int, id: u64) from;
    flush = FLUSH(thread: *mut Data) from;
    cancel = CANCEL(task: Task, flags: c_int) from;
    error = ERROR(severity: c_int, message: *const c_char, length: usize) from;
    control_tool = CONTROL_TOOL(command: u64, modifier: u64, argument: *mut c_void) from -> c_int;
}

/// `cancel` of a task that no call of the program discards.
pub fn cancel_nowhere(task: Task, flags: c_int) {
    let address = CALLBACKS[event::CANCEL].load(Ordering::Relaxed);
    calls!(@call address, (task: Task, flags: c_int, NOWHERE: Return));
}

const NOWHERE: Return = std::ptr::null();

/// Whether somebody wants to know of an event that takes work to describe.
pub fn wants(which: usize) -> bool {
    CALLBACKS[which].load(Ordering::Relaxed) != 0
}
