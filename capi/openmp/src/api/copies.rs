//! Copies as tasks: a device makes them while regions run, on it and on others.
//!
//! The task is detached: whoever runs it passes the copy to the device and goes on; the device's second thread fulfills its event. So
//! the dependences between copies, regions and the host are those of tasks.
//! Source: OpenMP 5.2, section 18.8.7 (omp_target_memcpy_async); R. Xu et al. 2015, section 5.2 (peer update).

use crate::gomp::depend::Items;
use libc::{c_int, c_void};
use std::ptr;
use vicinity_runtime::devices::{self, Job, Queue};
use vicinity_runtime::task::admit::{self, Clauses, Spec, admit};
use vicinity_runtime::task::record::{TaskRef, flag};
use vicinity_runtime::task::{detach, run};
use vicinity_runtime::{icv, thread, trace};

/// What is stored with the task.
struct Order {
    job: Job,
    device: c_int,
    event: usize,
}

/// The device that makes a copy between these: the one that gets the data if it is one; none if all are the host, a number is none,
/// the calling thread is a device's itself, or the current task is final.
pub fn who(devices: [c_int; 2]) -> Option<c_int> {
    let now = icv::current().on_device.is_some() || thread::current().task().is(flag::FINAL);
    if now || !devices.into_iter().all(super::devices::is_there) {
        return None;
    }
    devices.into_iter().find(|&device| devices::location(device).is_some())
}

/// Has the device do this once the dependences are met: a task of the current one.
pub fn later(device: c_int, dependences: &Items, job: Job) {
    let thread = thread::current();
    let parent = thread.task();
    if run::discards(thread) {
        return;
    }
    let clauses = Clauses { detachable: true, ..Clauses::default() };
    let spec = Spec { clauses, dependences, ..Spec::default() };
    let admission = admit(thread, parent, &spec);
    let flags = parent.inherited_flags() | flag::DETACHABLE;
    let task = TaskRef::allocate(thread, parent, flags, size_of::<usize>());
    task.set_entry(send as *const () as usize);
    trace::depends(thread, task, dependences);
    let order = Box::new(Order { job, device, event: detach::allow_completion(task) });
    // SAFETY: the payload has room for one word.
    unsafe { task.payload().cast::<usize>().write(Box::into_raw(order).expose_provenance()) };
    admit::carry_out(thread, parent, task, dependences, admission);
}

/// Passes the copy on; returns at once.
///
/// # Safety
/// `block` holds what `later` wrote, and this is called once.
unsafe extern "C" fn send(block: *mut c_void) {
    // SAFETY: the caller's contract.
    let order = unsafe {
        let address = block.cast::<usize>().read();
        Box::from_raw(ptr::with_exposed_provenance_mut::<Order>(address))
    };
    let Order { job, device, event } = *order;
    // SAFETY: the event is that of the task, which is not complete before.
    let job = unsafe { detach::fulfilling(event, job) };
    devices::post(device, Queue::Copies, job);
}
