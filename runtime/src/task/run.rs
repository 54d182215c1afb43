//! Running tasks: at once or deferred. What follows when one finishes is in `complete`.
//!
//! Terms: an *included* task runs inside its creator, which goes on afterwards; it is counted among the
//! creator's children only if it leaves unfinished descendants behind.
#![allow(unsafe_code)]

use super::children::Until;
use super::complete;
use super::detach;
use super::grain;
use super::group::Group;
use super::helpers::Help;
use super::record::{Body, Routine, TaskRef, flag};
use crate::aside::order;
use crate::locality::dealing;
use crate::team::find;
use crate::thread::Thread;
use crate::tool;
use crate::trace::{self, Manner};

/// Runs the newest task of the own queue, if it descends from `parent`, the current task, and `suits`.
pub fn run_own(
    thread: &'static Thread,
    parent: TaskRef,
    suits: impl FnOnce(TaskRef) -> bool,
) -> bool {
    let member = thread.member();
    let Some(task) = member.deque.pop() else { return false };
    if !task.descends_from(parent) || !suits(task) {
        find::put_back(member, task);
        return false;
    }
    execute(thread, task);
    true
}

/// Runs `body`, which the program's `function` is called by, as an included task of the current one.
#[inline(always)]
pub fn include(thread: &'static Thread, function: usize, flags: u32, body: impl FnOnce()) {
    if thread.recorder.get().is_some() || !thread.slab.has_some() {
        return include_recorded(thread, function, flags, body);
    }
    let parent = thread.task();
    let task = TaskRef::allocate_unrecorded(thread, parent, flags, 0);
    enter(thread, task);
    body();
    thread.set_task(parent);
    if task.own.all_own(Until::Gone) {
        parent.own.include(1);
        // SAFETY: as in `leave_included`; it was made above.
        unsafe { task.free_included(thread) };
    } else {
        leave_behind(thread, task, parent);
    }
}

/// The same while tracing, or without a free record: the one above asks for both but once, because empty tasks show it.
#[inline(never)]
fn include_recorded(thread: &'static Thread, function: usize, flags: u32, body: impl FnOnce()) {
    let parent = thread.task();
    let task = TaskRef::allocate_included(thread, parent, flags, 0);
    task.set_entry(function);
    start(thread, task, Manner::Included);
    body();
    trace::ended(thread);
    leave_included(thread, task, parent);
}

/// Runs an allocated child of the current task as an included one.
pub fn include_allocated(thread: &'static Thread, task: TaskRef) {
    let parent = thread.task();
    start(thread, task, Manner::Included);
    invoke(thread, task);
    trace::ended(thread);
    leave_included(thread, task, parent);
}

/// The same, for a task whose body is a `Routine`: the common path of libomp's ABI.
#[inline(always)]
pub fn include_routine(thread: &'static Thread, task: TaskRef) {
    if thread.recorder.get().is_some() || crate::global::cancellation() {
        return include_allocated(thread, task);
    }
    let parent = thread.task();
    enter(thread, task);
    // SAFETY: as in `invoke`.
    unsafe {
        let routine = std::mem::transmute::<usize, Routine>(task.entry());
        routine(thread.gtid, task.payload().cast());
    }
    if task.is(flag::AGAIN | flag::DESTRUCTORS) {
        go_on(thread, task);
        destroy_copies(thread, task);
    }
    leave_included(thread, task, parent);
}

/// Makes `task` the thread's current task.
#[inline(always)]
pub fn enter(thread: &Thread, task: TaskRef) {
    task.start_on(thread);
    thread.set_task(task);
}

/// A task's body is about to run: makes it the current task.
#[inline(always)]
pub fn start(thread: &Thread, task: TaskRef, manner: Manner) {
    trace::started(thread, task, manner);
    enter(thread, task);
}

/// An included task's body is over; its creator goes on.
#[inline(always)]
pub fn leave_included(thread: &'static Thread, task: TaskRef, parent: TaskRef) {
    thread.set_task(parent);
    if task.own.all_own(Until::Gone) {
        // SAFETY: it has no descendants left, and nobody knew of it but its creator.
        unsafe { task.free(thread) };
        parent.own.include(1);
    } else {
        leave_behind(thread, task, parent);
    }
}

/// An included task's body is over, and some of its descendants are not.
#[inline(never)]
fn leave_behind(thread: &'static Thread, task: TaskRef, parent: TaskRef) {
    count_child(task, parent);
    parent.own.finish();
    complete::close(thread, task);
}

/// Counts a new child of `parent`, the current task, and in the group it has open.
#[inline(always)]
pub fn count_child(task: TaskRef, parent: TaskRef) {
    parent.own.create(&parent.remote);
    let group = open_group(parent);
    group.inspect(|group| group.own.create(&group.remote));
    task.birth_group.set(group);
}

/// The innermost group that `task` itself opened: the one that differs from the one it was born with.
fn open_group(task: TaskRef) -> Option<&'static Group> {
    task.group.get().filter(|group| group.owner == Some(task))
}

/// Defers a task without dependences.
#[inline]
pub fn defer(thread: &'static Thread, task: TaskRef, parent: TaskRef) {
    let task_is_dealt = task.is(flag::DEALT);
    trace::deferred(thread, task);
    count_child(task, parent);
    enqueue(thread, task);
    if task_is_dealt {
        dealing::relieve(thread, parent);
    }
}

/// Puts a ready task, child of the current task or successor of one just finished, where it will be found. The calling thread
/// sits at a member of its own, whose queue it is.
#[inline]
pub fn enqueue(thread: &'static Thread, task: TaskRef) {
    let member = thread.member();
    let team = member.team();
    let own_team = task.team.get().is_some_and(|home| std::ptr::eq(home, team));
    if !own_team || is_urgent(thread, task) {
        return enqueue_shared(thread, task);
    }
    if task.is(flag::DEALT) && dealing::deal_ready(thread, task) {
        return;
    }
    debug_assert!(member.is_seat_of(thread), "a queue has one thread that pushes");
    team.set_tasked();
    member.deque.push(task);
    team.announce_work(task);
}

/// Whether `enqueue` would put a ready task into the thread's own queue, and nothing else goes before it.
pub fn is_next(thread: &Thread, task: TaskRef) -> bool {
    let team = thread.member().team();
    let own_team = task.team.get().is_some_and(|home| std::ptr::eq(home, team));
    let is_usual = || !task.is(flag::DEALT) && !is_urgent(thread, task);
    own_team && is_usual() && team.priority.is_empty()
}

/// Whether a ready task begins before others.
#[inline(always)]
fn is_urgent(thread: &Thread, task: TaskRef) -> bool {
    task.priority.get() > 0 || order::is_first(thread, task)
}

/// Puts a ready task into its team's shared queues: for tasks with priority, and for threads elsewhere.
pub fn enqueue_shared(thread: &'static Thread, task: TaskRef) {
    let Some(team) = task.team.get() else { return };
    team.set_tasked();
    let urgent = is_urgent(thread, task);
    if !urgent && task.is(flag::DEALT) && dealing::deal_ready(thread, task) {
        return;
    }
    if urgent {
        team.priority.push(task);
    } else {
        team.injector.push(task);
    }
    team.announce_to_all();
}

/// Runs a ready task on top of the current one, and completes it.
pub fn execute(thread: &'static Thread, task: TaskRef) {
    execute_one(thread, task).into_iter().for_each(|next| enqueue(thread, next));
}

/// The same; gives back a task that became ready with that, for the thread to run next or to `enqueue`. It is a sibling, so the
/// thread may run it where it might run this one.
pub fn execute_one(thread: &'static Thread, task: TaskRef) -> Option<TaskRef> {
    let outer = thread.task();
    if task.is(flag::PLACED) {
        dealing::observe_task(thread, task);
    }
    start(thread, task, Manner::Deferred);
    let help = task.is(flag::STOLEN).then(|| Help::begin(task, thread.member().num)).flatten();
    let ran = match task.is(flag::DEPENDENT) {
        true => grain::run_deferred(thread, task, || invoke(thread, task)),
        false => invoke(thread, task),
    };
    trace::ended(thread);
    if !ran && task.is(flag::DETACHABLE) {
        detach::discard(task);
    }
    help.into_iter().for_each(Help::end);
    end_one(thread, task, outer)
}

/// The body of a task that is counted as a child is over; `outer` goes on.
pub fn end_child(thread: &'static Thread, task: TaskRef, outer: TaskRef) {
    end_one(thread, task, outer).into_iter().for_each(|next| enqueue(thread, next));
}

/// The same; gives back what `execute_one` does.
fn end_one(thread: &'static Thread, task: TaskRef, outer: TaskRef) -> Option<TaskRef> {
    thread.set_task(outer);
    if task.is(flag::DETACHABLE) {
        // Whoever fulfills the event reads the private counters: children that come in on this thread
        // from here on count in the shared word.
        task.leave();
        if detach::still_awaits_event(task) {
            return None;
        }
    }
    complete::complete_own(thread, task)
}

/// Calls the body from a frame that a tool can name.
#[cold]
fn call_watched(thread: &Thread, task: TaskRef, entry: usize) {
    let payload = task.payload() as usize;
    let is_routine = task.is(flag::ROUTINE);
    let arguments = match is_routine {
        true => [thread.gtid as usize, payload],
        false if task.is(flag::OVERALIGNED) => [task.extra(|extra| extra.data), 0],
        false => [payload, 0],
    };
    // SAFETY: the compiler made the function and its arguments for each other; a body of one looks at no second.
    unsafe { tool::frames::call(task, entry, arguments) };
    if is_routine {
        go_on(thread, task);
    }
}

/// Calls the body, unless its region or group was cancelled: then false, and the task is discarded.
pub fn invoke(thread: &Thread, task: TaskRef) -> bool {
    let entry = task.entry();
    let skip =
        crate::global::cancellation() && is_cancelled(thread, task) && !task.is(flag::COPIED);
    if entry == 0 || skip {
        if skip && tool::is_on() {
            tool::tasks::discarded(thread);
        }
        destroy_copies(thread, task);
        return !skip;
    }
    let payload = task.payload().cast();
    if tool::is_on() {
        call_watched(thread, task, entry);
        destroy_copies(thread, task);
        return true;
    }
    // SAFETY: the compiler made the function and its argument for each other, and the flags say
    // which of the two types it has.
    unsafe {
        if task.is(flag::ROUTINE) {
            std::mem::transmute::<usize, Routine>(entry)(thread.gtid, payload);
            go_on(thread, task);
        } else if task.is(flag::OVERALIGNED) {
            let data = task.extra(|extra| extra.data) as *mut libc::c_void;
            std::mem::transmute::<usize, Body>(entry)(data);
        } else {
            std::mem::transmute::<usize, Body>(entry)(payload);
        }
    }
    destroy_copies(thread, task);
    true
}

/// libomp's ABI: an untied task is made of parts; at the end of one it asks to be scheduled again. It
/// goes on here at once, so it never changes threads.
pub fn go_on(thread: &Thread, task: TaskRef) {
    while task.is(flag::AGAIN) {
        task.drop_flags(flag::AGAIN);
        let (entry, payload) = (task.entry(), task.payload().cast::<libc::c_void>());
        // SAFETY: as in `invoke`.
        unsafe {
            if tool::is_on() {
                tool::frames::call(task, entry, [thread.gtid as usize, payload as usize]);
            } else {
                std::mem::transmute::<usize, Routine>(entry)(thread.gtid, payload);
            }
        }
    }
}

/// libomp's ABI: calls the function that destroys what the task copied, where there is one.
pub fn destroy_copies(thread: &Thread, task: TaskRef) {
    if task.is(flag::DESTRUCTORS) {
        // SAFETY: the flag says that the fourth word of the kmp_task_t is such a function.
        unsafe {
            let destroy = task.payload().cast::<Routine>().add(3).read();
            destroy(thread.gtid, task.payload().cast());
        }
    }
}

fn is_cancelled(thread: &Thread, task: TaskRef) -> bool {
    thread.member().team().is_cancelled() || task.group.get().is_some_and(Group::any_cancelled)
}

/// Whether new tasks of the current task are discarded, because its region or group was cancelled.
#[inline(always)]
pub fn discards(thread: &Thread) -> bool {
    crate::global::cancellation() && is_cancelled(thread, thread.task())
}
