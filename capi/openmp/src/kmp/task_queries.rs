//! libomp's calls about tasks that compilers seldom or never make: numbers, and completing a proxy.
//!
//! A *proxy* is a task whose body only starts something elsewhere; it completes when that says so, like
//! a detachable task whose event is named by the task itself.
//! Source: libomp's `kmp.h`.
#![allow(unsafe_code)]

use super::task_alloc::{KmpTask, record};
use crate::handle::Pointer;
use libc::c_int;
use vicinity_runtime::task::detach;
use vicinity_runtime::task::record::TaskRef;
use vicinity_runtime::thread;

/// Records are 64 bytes aligned; the rest tells living tasks apart.
fn number(task: TaskRef) -> c_int {
    (task.as_ptr() as usize >> 6) as c_int
}

/// A number that no other living task has, as far as 31 bits can tell.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_get_taskid() -> c_int {
    number(thread::current().task()) & c_int::MAX
}

/// The number of the task that created the current one; 0 for an implicit task.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_get_parent_taskid() -> c_int {
    thread::current().task().parent.get().map_or(0, |parent| number(parent) & c_int::MAX)
}

/// Whether tasks were deferred in this region.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_has_task_team(_gtid: c_int) -> c_int {
    thread::current().member().team().is_tasked().into()
}

/// Where a device would keep what it does for the current task; there is none.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_get_target_async_handle_ptr(_gtid: c_int) -> Pointer {
    std::ptr::null_mut()
}

/// A thread of the team completes a proxy.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_proxy_task_completed(_gtid: c_int, task: *mut KmpTask) {
    __kmpc_proxy_task_completed_ooo(task);
}

/// Any thread completes a proxy.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_proxy_task_completed_ooo(task: *mut KmpTask) {
    // SAFETY: the event was made with the task, which is not complete before this.
    unsafe { detach::fulfill(detach::allow_completion(record(task))) };
}
