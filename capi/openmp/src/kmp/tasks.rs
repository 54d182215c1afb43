//! libomp's tasks handed over: deferred, run at once, or run by the program itself.
//! Source: the calls clang 19 makes.
#![allow(unsafe_code)]

use super::depend::{self, Item};
use super::task_alloc::{KmpTask, record};
use crate::handle::Pointer;
use libc::c_int;
use vicinity_runtime::locality::dealing;
use vicinity_runtime::task::admit::{self, Admission, Clauses, Spec, admit};
use vicinity_runtime::task::deps::{self, Dependence};
use vicinity_runtime::task::record::{TaskRef, flag};
use vicinity_runtime::task::{grain, run};
use vicinity_runtime::thread::{self, Thread};
use vicinity_runtime::trace::{self, Manner};

/// Hands a task over; an untied one also calls this on itself at the end of each of its parts.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task(_location: Pointer, _gtid: c_int, task: *mut KmpTask) -> c_int {
    let thread = thread::current();
    let task = record(task);
    let parent = thread.task();
    if task == parent {
        task.add_flags(flag::AGAIN);
    } else if !task.is(flag::URGENT | flag::DETACHABLE | flag::FINAL | flag::PLACED)
        && admit::surely_runs_now(thread, parent)
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
    _location: Pointer,
    _gtid: c_int,
    task: *mut KmpTask,
    count: c_int,
    items: *const Item,
    alias_free_count: c_int,
    alias_free: *const Item,
) -> c_int {
    let thread = thread::current();
    // A task that may not run at once must be known to those that depend on it.
    let task = record(task);
    if !task.is(flag::URGENT | flag::DETACHABLE | flag::PLACED)
        && deps::may_be_skipped(thread)
        && admit::admit_unread(thread, Clauses::default(), task.entry()) == Admission::Inline
    {
        // Here and now: a second look at the stack might find too little, and defer it unknown.
        grain::run_inline(thread, task.entry(), || run::include_routine(thread, task));
        return 0;
    }
    // SAFETY: the compiler's arrays, with as many items as it says.
    let list = unsafe { depend::lists(count, items, alias_free_count, alias_free) };
    if !task.is(flag::PLACED)
        && let Some(placement) = dealing::survey(thread, task.entry(), &list)
    {
        dealing::attach(task, placement);
    }
    hand_over(thread, task, thread.task(), &list);
    0
}

/// What decides about a task, whose priority the compiler has put into it.
fn clauses(thread: &Thread, task: TaskRef, parent: TaskRef) -> Clauses {
    if task.is(flag::URGENT) {
        // SAFETY: the payload is a KmpTask; the flag says that the priority is set.
        let asked = unsafe { (*task.payload().cast::<KmpTask>()).priority };
        task.priority.set(admit::priority(asked));
    }
    Clauses {
        undeferred: parent.is(flag::FINAL),
        detachable: task.is(flag::DETACHABLE),
        priority: task.priority.get(),
        placed: dealing::is_deferred(thread, task.is(flag::PLACED)),
    }
}

/// Defers a share of a taskloop, or runs it at once; `share` counts from 0.
pub fn hand_over_share(thread: &'static Thread, task: TaskRef, parent: TaskRef, share: u64) {
    let clauses = clauses(thread, task, parent);
    let spec = Spec { clauses, share: Some(share), ..Spec::default() };
    match admit(thread, parent, &spec) {
        Admission::Deferred => run::defer(thread, task, parent),
        Admission::Inline | Admission::AfterPredecessors => run::include_routine(thread, task),
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
    let clauses = clauses(thread, task, parent);
    let function = task.entry();
    let admission = admit(thread, parent, &Spec { clauses, dependences, function, share: None });
    admit::carry_out(thread, parent, task, dependences, admission);
}

/// The creator is about to run the routine itself.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_begin_if0(_location: Pointer, _gtid: c_int, task: *mut KmpTask) {
    let thread = thread::current();
    let task = record(task);
    if task.is(flag::DETACHABLE) {
        run::count_child(task, thread.task());
    }
    run::start(thread, task, Manner::Included);
}

/// The creator has run the routine. It does not wait for an event: it may be the one who fulfills that.
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
    let Some(parent) = task.parent.get() else { return };
    trace::ended(thread);
    if task.is(flag::DETACHABLE) {
        run::end_child(thread, task, parent);
    } else {
        run::leave_included(thread, task, parent);
    }
}
