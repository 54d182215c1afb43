//! Running tasks: at once or deferred, and what follows when one finishes.
//!
//! Terms: an *included* task runs inside its creator, which goes on afterwards; it is counted among the
//! creator's children only if it leaves unfinished descendants behind.
//!
//! Invariant: whoever completes a child reads all it needs of the parent before it counts the child,
//! because the parent may be freed right after.
#![allow(unsafe_code)]

use super::children::{Then, Until};
use super::deps::{self, Dependence};
use super::group::Group;
use super::record::{Body, Routine, Task, TaskRef, flag};
use super::{detach, exclusive};
use crate::thread::Thread;
use std::sync::atomic::Ordering;
use vicinity_policy::throttle;

/// Whether a new task without dependences should run at once.
#[inline(always)]
pub fn should_run_now(thread: &Thread, parent: TaskRef) -> bool {
    let member = thread.member();
    let (size, siblings) = (member.team().size(), parent.own.created());
    let queued = || member.deque.len() as u32;
    thread.has_stack()
        && (size == 1 || throttle::run_now(queued(), siblings, parent.depth.get(), size))
}

/// Whether the next share of a taskloop should run at once. Its creator is known to be a producer from
/// the first share on: a long share that it runs itself must not leave others without any.
#[inline(always)]
pub fn should_run_share_now(thread: &Thread) -> bool {
    let member = thread.member();
    let size = member.team().size();
    let queued = member.deque.len() as u32;
    thread.has_stack() && (size == 1 || throttle::run_now(queued, u32::MAX, 0, size))
}

/// Whether a new task with dependences should run at once. While the others have enough to steal but
/// predecessors are unfinished, runs tasks of the own queue, which may be those.
pub fn should_run_dependent_now(
    thread: &'static Thread,
    parent: TaskRef,
    dependences: &[Dependence],
) -> bool {
    while should_run_now(thread, parent) {
        if deps::all_met(parent, dependences) {
            return !deps::any_exclusive(dependences);
        }
        if !run_own(thread, parent) {
            return false;
        }
    }
    false
}

/// Runs the newest task of the own queue, if it descends from `parent`, the current task.
pub fn run_own(thread: &'static Thread, parent: TaskRef) -> bool {
    let deque = &thread.member().deque;
    let Some(task) = deque.pop() else { return false };
    if !task.descends_from(parent) {
        deque.push(task);
        return false;
    }
    execute(thread, task);
    true
}

/// Runs `body` as an included task of the current one.
#[inline(always)]
pub fn include(thread: &'static Thread, flags: u32, body: impl FnOnce()) {
    let parent = thread.task();
    let task = TaskRef::allocate_included(thread, parent, flags, 0);
    enter(thread, task);
    body();
    leave_included(thread, task, parent);
}

/// Runs an allocated child of the current task as an included one.
pub fn include_allocated(thread: &'static Thread, task: TaskRef) {
    let parent = thread.task();
    enter(thread, task);
    invoke(thread, task);
    leave_included(thread, task, parent);
}

/// The same, for a task whose body is a `Routine`: the common path of libomp's ABI.
#[inline(always)]
pub fn include_routine(thread: &'static Thread, task: TaskRef) {
    let parent = thread.task();
    enter(thread, task);
    if crate::global::cancellation() {
        invoke(thread, task);
    } else {
        // SAFETY: as in `invoke`.
        unsafe {
            let routine = std::mem::transmute::<usize, Routine>(task.entry.get());
            routine(thread.gtid, task.payload().cast());
        }
        if task.is(flag::AGAIN | flag::DESTRUCTORS) {
            go_on(thread, task);
            destroy_copies(thread, task);
        }
    }
    leave_included(thread, task, parent);
}

/// Makes `task` the thread's current task.
#[inline(always)]
pub fn enter(thread: &Thread, task: TaskRef) {
    task.start_on(thread);
    thread.set_task(task);
}

/// An included task's body is over; its creator goes on.
#[inline(always)]
pub fn leave_included(thread: &'static Thread, task: TaskRef, parent: TaskRef) {
    thread.set_task(parent);
    if task.own.all_own(Until::Gone) {
        // SAFETY: it has no descendants left, and nobody knew of it but its creator.
        unsafe { task.free(thread) };
        parent.own.include();
    } else {
        count_child(task, parent);
        parent.own.finish();
        close(thread, task);
    }
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
    count_child(task, parent);
    enqueue(thread, task);
}

/// Puts a ready task, child of the current task or successor of one just finished, where it will be found.
#[inline]
pub fn enqueue(thread: &'static Thread, task: TaskRef) {
    let member = thread.member();
    let team = member.team();
    let own_team = task.team.get().is_some_and(|home| std::ptr::eq(home, team));
    if !own_team || task.priority.get() > 0 {
        return enqueue_shared(task);
    }
    team.set_tasked();
    member.deque.push(task);
    team.announce_work();
}

/// Puts a ready task into its team's shared queues: for tasks with priority, and for threads elsewhere.
pub fn enqueue_shared(task: TaskRef) {
    let Some(team) = task.team.get() else { return };
    team.set_tasked();
    if task.priority.get() > 0 {
        team.priority.push(task);
    } else {
        team.injector.push(task);
    }
    team.announce_to_all();
}

/// Runs a ready task on top of the current one, and completes it.
pub fn execute(thread: &'static Thread, task: TaskRef) {
    let outer = thread.task();
    enter(thread, task);
    invoke(thread, task);
    thread.set_task(outer);
    if task.is(flag::DETACHABLE) {
        // Whoever fulfills the event reads the private counters: children that come in on this thread
        // from here on count in the shared word.
        task.leave();
        if detach::still_awaits_event(task) {
            return;
        }
    }
    complete(thread, task, Queue::Own);
}

/// Calls the body, unless its region or group was cancelled.
pub fn invoke(thread: &Thread, task: TaskRef) {
    let entry = task.entry.get();
    let skip =
        crate::global::cancellation() && is_cancelled(thread, task) && !task.is(flag::COPIED);
    if entry == 0 || skip {
        return destroy_copies(thread, task);
    }
    let payload = task.payload().cast();
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
}

/// libomp's ABI: an untied task is made of parts; at the end of one it asks to be scheduled again. It
/// goes on here at once, so it never changes threads.
pub fn go_on(thread: &Thread, task: TaskRef) {
    while task.is(flag::AGAIN) {
        task.flags.set(task.flags.get() & !flag::AGAIN);
        // SAFETY: as in `invoke`.
        unsafe {
            let routine = std::mem::transmute::<usize, Routine>(task.entry.get());
            routine(thread.gtid, task.payload().cast());
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

/// A deferred task is finished: tells successors and parent. Any thread may call it.
pub fn complete(thread: &'static Thread, task: TaskRef, successors: Queue) {
    if task.is(flag::EXCLUSIVE) {
        exclusive::give_back(task, |ready| successors.enqueue(thread, ready));
    }
    if task.is(flag::DEPENDENT) {
        deps::release_successors(task, |ready| successors.enqueue(thread, ready));
    }
    let watch = Watch::of(task);
    if task.own.all_own(Until::Gone) {
        task.drop_hold(thread);
        watch.finish_and_depart(thread);
    } else {
        watch.finish(thread);
        close(thread, task);
    }
}

/// Which queue tasks that become ready go to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// The own one: the thread has just run their predecessor.
    Own,
    /// The team's shared one: the thread may be anywhere in the task tree, or no member of the team.
    Shared,
}

impl Queue {
    fn enqueue(self, thread: &'static Thread, task: TaskRef) {
        match self {
            Queue::Own => enqueue(thread, task),
            Queue::Shared => enqueue_shared(task),
        }
    }
}

/// A finished task waits for its descendants: the last of them lets it go.
fn close(thread: &'static Thread, task: TaskRef) {
    task.leave();
    if let Some(own) = task.extra.with(|extra| extra.as_mut().and_then(|extra| extra.icvs.take())) {
        // Descendants may still point to its ICVs.
        task.team.get().map(|team| team.keep(own));
    }
    if task.own.begin_countdown(&task.remote, Until::Gone) {
        let_go(thread, task);
    }
}

/// `task` is gone: frees it and tells its parent, and so on upwards.
fn let_go(thread: &'static Thread, task: TaskRef) {
    let mut next = Some(task);
    while let Some(task) = next {
        let watch = Watch::of(task);
        task.forget_dependences(thread);
        task.drop_hold(thread);
        next = watch.depart(thread);
    }
}

/// What a completer needs of a child's parent and group (invariant above).
struct Watch {
    parent: TaskRef,
    group: Option<&'static Group>,
    sleeper: Option<&'static Thread>,
    team: Option<&'static crate::team::Team>,
    parent_is_implicit: bool,
}

impl Watch {
    #[inline(always)]
    fn of(task: TaskRef) -> Watch {
        let Some(parent) = task.parent.get() else {
            crate::report::fatal("internal: a task without a parent has finished")
        };
        Watch {
            parent,
            group: task.birth_group.get(),
            sleeper: parent.executor(),
            team: task.team.get(),
            parent_is_implicit: parent.is(flag::IMPLICIT),
        }
    }

    #[inline(always)]
    fn finish_and_depart(self, thread: &'static Thread) {
        if self.parent.runs_on(thread) {
            self.parent.own.finish();
            self.parent.own.depart();
            self.group.inspect(|group| group.own.depart());
            return;
        }
        let then = self.parent.remote.finish_and_depart();
        if let Some(parent) = self.after(then) {
            let_go(thread, parent);
        }
        self.depart_group();
    }

    fn finish(&self, thread: &'static Thread) {
        if self.parent.runs_on(thread) {
            self.parent.own.finish();
        } else {
            let then = self.parent.remote.finish();
            self.after(then);
        }
    }

    /// Returns the parent if it is gone with this child.
    fn depart(self, thread: &'static Thread) -> Option<TaskRef> {
        if self.parent.runs_on(thread) {
            self.parent.own.depart();
            self.group.inspect(|group| group.own.depart());
            return None;
        }
        let then = self.parent.remote.depart();
        let gone = self.after(then);
        self.depart_group();
        gone
    }

    fn depart_group(&self) {
        if let Some(group) = self.group
            && group.remote.depart() != Then::Nothing
        {
            self.wake();
        }
    }

    fn after(&self, then: Then) -> Option<TaskRef> {
        match then {
            Then::Nothing => None,
            Then::LastGone if !self.parent_is_implicit => Some(self.parent),
            Then::LastFinished | Then::LastGone => {
                self.wake();
                None
            }
        }
    }

    fn wake(&self) {
        if let (Some(team), Some(thread)) = (self.team, self.sleeper) {
            team.idle.wake(&thread.parker);
        }
    }
}

impl Task {
    /// Forgets the dependences among this task's children, all of which are finished.
    pub fn forget_dependences(&self, thread: &'static Thread) {
        self.extra.with(|extra| {
            if let Some(extra) = extra {
                extra.map.clear(thread);
            }
        });
    }
}

impl TaskRef {
    /// The task itself no longer needs its record; a dependence map may.
    fn drop_hold(self, thread: &'static Thread) {
        // AcqRel: the last holder frees the record after everybody else's last access.
        if !self.is(flag::DEPENDENT) || self.holds.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: it is gone and nobody mentions it.
            unsafe { self.free(thread) };
        }
    }

    /// A dependence map no longer mentions the task (called by the map's owner, for all its entries).
    pub fn drop_mention(self, thread: &'static Thread) {
        let mentions = self.mentions.get() - 1;
        self.mentions.set(mentions);
        // AcqRel: as in `drop_hold`.
        if mentions == 0 && self.holds.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: as in `drop_hold`.
            unsafe { self.free(thread) };
        }
    }
}
