//! Target regions of clang's programs that need not be waited for: tasks, whose device clang tells.
//!
//! Others are plain code of the host where clang was not told of a device (`-fopenmp-targets`): nobody is asked about them.
//! The number of the device lies behind what the compiler asks a task to hold.
//! Source: the calls clang 19 makes; OpenMP 5.2 section 13.8 (target).
#![allow(unsafe_code)]

use super::task_alloc::{KmpTask, allocate, record};
use crate::gomp::target::device_of;
use crate::handle::Pointer;
use libc::{c_int, c_void, size_t};
use vicinity_runtime::task::detach;
use vicinity_runtime::task::record::{Routine, flag};
use vicinity_runtime::{devices, teams, thread};

/// Allocates the task of a region: one of a device sends its region there, and is complete when that is over.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_target_task_alloc(
    location: Pointer,
    _gtid: c_int,
    bits: c_int,
    task_bytes: size_t,
    shareds_bytes: size_t,
    routine: Routine,
    device: i64,
) -> *mut KmpTask {
    let device = device_of(c_int::try_from(device).unwrap_or(c_int::MAX));
    let behind = if device.is_some() { size_of::<c_int>() } else { 0 };
    let task = allocate(location, bits, [task_bytes, shareds_bytes, behind], routine);
    if let Some(device) = device {
        let thread = thread::current();
        let is_awaited = thread.task().is(flag::FINAL);
        record(task).set_entry(if is_awaited { run_there } else { send } as Routine as usize);
        // SAFETY: there is room for it, wherever that begins.
        unsafe { device_behind(task).write_unaligned(device) };
        if !is_awaited {
            record(task).add_flags(flag::DETACHABLE);
            detach::allow_completion(record(task));
        }
    }
    task
}

/// Where the number of the device is.
fn device_behind(task: *mut KmpTask) -> *mut c_int {
    // SAFETY: a task that `allocate` made; nobody else changes how long it is.
    let bytes = unsafe { (*task).payload_bytes } as usize;
    task.wrapping_byte_add(bytes - size_of::<c_int>()).cast()
}

/// In place of a task's routine: returns at once, and the task is complete when its region is over.
unsafe extern "C" fn send(_gtid: c_int, task: *mut c_void) -> c_int {
    let task = task.cast::<KmpTask>();
    // SAFETY: `__kmpc_omp_target_task_alloc` put it there.
    let device = unsafe { device_behind(task).read_unaligned() };
    let event = detach::allow_completion(record(task));
    // SAFETY: the event is that of the task, which stays until it is complete.
    let job = unsafe { detach::fulfilling(event, region_of(task)) };
    devices::post(device, devices::Queue::Regions, job);
    0
}

/// The same, returning when the region is over.
unsafe extern "C" fn run_there(_gtid: c_int, task: *mut c_void) -> c_int {
    let task = task.cast::<KmpTask>();
    // SAFETY: `__kmpc_omp_target_task_alloc` put it there.
    let device = unsafe { device_behind(task).read_unaligned() };
    devices::run(device, region_of(task));
    0
}

/// Runs the region of a task, which stays meanwhile.
fn region_of(task: *mut KmpTask) -> devices::Job {
    let task = task.expose_provenance();
    Box::new(move || teams::run_target(region, std::ptr::with_exposed_provenance_mut(task), 0))
}

/// What clang made of a region.
unsafe extern "C" fn region(task: *mut c_void) {
    // SAFETY: a task that the compiler made, with its routine.
    unsafe { ((*task.cast::<KmpTask>()).routine)(thread::current().gtid, task) };
}
