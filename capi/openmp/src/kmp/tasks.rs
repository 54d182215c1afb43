//! libomp's tasks handed over: deferred, run at once, or run by the program itself.
//! Source: the calls clang 19 makes.
#![allow(unsafe_code)]

use super::depend::{self, Item};
use super::task_alloc::{KmpTask, record};
use crate::handle::Pointer;
use libc::c_int;
use vicinity_runtime::locality::dealing;
use vicinity_runtime::task::deps::{self, Dependence};
use vicinity_runtime::task::record::{TaskRef, flag};
use vicinity_runtime::task::run::{self, Creator};
use vicinity_runtime::task::{detach, wait};
use vicinity_runtime::thread::{self, Thread};
use vicinity_runtime::trace::{self, Manner};

/// Hands a task over; an untied one also calls this on itself at the end of each of its parts.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task(_location: Pointer, _gtid: c_int, task: *mut KmpTask) -> c_int {
    let thread = thread::current();
    let task = record(task);
    let parent = thread.task();
    if task == parent {
        task.flags.set(task.flags.get() | flag::AGAIN);
    } else if !task.is(flag::URGENT | flag::DETACHABLE | flag::FINAL | flag::PLACED)
        && run::should_run_now(thread, || parent.as_creator())
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
    if !record(task).is(flag::URGENT | flag::DETACHABLE | flag::PLACED)
        && deps::may_be_skipped(thread)
        && run::is_alone(thread)
    {
        return __kmpc_omp_task(location, gtid, task);
    }
    // SAFETY: the compiler's arrays, with as many items as it says.
    let list = unsafe { depend::lists(count, items, alias_free_count, alias_free) };
    let task = record(task);
    if !task.is(flag::PLACED)
        && let Some(placement) = dealing::survey(thread, task.entry.get(), &list)
    {
        dealing::attach(task, placement);
    }
    hand_over(thread, task, thread.task(), &list);
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

/// Defers a share of a taskloop, or runs it at once; `share` counts from 0.
pub fn hand_over_share(thread: &'static Thread, task: TaskRef, parent: TaskRef, share: u64) {
    set_priority(task);
    let urgent = task.priority.get() > 0;
    if task.is(flag::FINAL)
        || (!urgent && run::should_run_now(thread, || Creator::Loop { shares: share }))
    {
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
    trace::depends(thread, task, dependences);
    set_priority(task);
    let undeferred = task.is(flag::FINAL) && !task.is(flag::DETACHABLE);
    let now = undeferred
        || (!task.is(flag::DETACHABLE)
            && task.priority.get() <= 0
            && !dealing::is_deferred(thread, task.is(flag::PLACED))
            && run::should_run_dependent_now(thread, parent, dependences));
    match dependences {
        _ if now => wait::take_turn(dependences, |thread| {
            if task.is(flag::PLACED) {
                dealing::observe_task(thread, task);
            }
            run::include_routine(thread, task);
        }),
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
    run::start(thread::current(), record(task), Manner::Included);
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
        trace::ended(thread);
        thread.set_task(parent);
        detach::await_undeferred(thread, task);
        run::leave_included(thread, task, parent);
    }
}
