//! libomp's task scheduling points: taskwait, with dependences too, taskyield, and taskgroups.
#![allow(unsafe_code)]

use super::depend::{self, Item};
use super::taskred;
use crate::handle::Pointer;
use libc::c_int;
use vicinity_runtime::task::record::TaskRef;
use vicinity_runtime::task::{deps, wait};
use vicinity_runtime::thread;
use vicinity_runtime::trace;

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
        trace::depends(thread, empty, &list);
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
