//! Events of barriers, taskwaits, taskgroups, reductions, and of work that a team shares.

use super::abi::{self, Data, dependence, dispatch, scope, work};
use super::{TaskFacts, callbacks, caller, here, of_thread, places};
use crate::thread::Thread;
use crate::trace::Wait;
use crate::worksharing::plan::{How, Plan};
use std::ffi::c_int;

/// The next barrier of this thread ends a worksharing construct, or is one within a region that no construct asks for.
pub fn next_barrier(kind: c_int) {
    if let Some(facts) = here().and_then(of_thread) {
        facts.next_barrier.set(kind);
    }
}

/// The current task begins to wait.
pub fn waits(thread: &Thread, wait: Wait) {
    let Some(of_thread) = of_thread(thread) else { return };
    let kind = match wait {
        Wait::Barrier => match of_thread.next_barrier.replace(0) {
            0 => abi::sync::BARRIER_EXPLICIT,
            kind => kind,
        },
        Wait::Join => abi::sync::BARRIER_PARALLEL,
        Wait::Taskwait => abi::sync::TASKWAIT,
        Wait::Taskgroup => abi::sync::TASKGROUP,
        Wait::Depend => return,
    };
    if matches!(wait, Wait::Barrier | Wait::Join) {
        single_ends();
    }
    let facts = TaskFacts::of(thread.task());
    facts.waits_in.set(kind);
    if wait == Wait::Join {
        facts.is_over();
    } else {
        facts.is_inside(true);
    }
    let (parallel, task) = places(thread);
    if kind != abi::sync::TASKGROUP {
        callbacks::sync_region(kind, scope::BEGIN, parallel, task);
    }
    callbacks::sync_region_wait(kind, scope::BEGIN, parallel, task);
}

/// The current task goes on.
pub fn goes_on(thread: &Thread) {
    let facts = TaskFacts::of(thread.task());
    let kind = facts.waits_in.get();
    if kind != 0 {
        ends_in(facts, kind, places(thread).0);
    }
}

/// A task leaves what it waited in; at the end of a region nobody knows the region any more.
pub fn ends_in(facts: &TaskFacts, kind: c_int, parallel: *mut Data) {
    if facts.waits_in.replace(0) == 0 {
        return;
    }
    let task = facts.data.address();
    callbacks::sync_region_wait(kind, scope::END, parallel, task);
    callbacks::sync_region(kind, scope::END, parallel, task);
    facts.is_inside(false);
}

/// A taskgroup begins; its end is waited for.
pub fn group_begins(thread: &Thread) {
    let (parallel, task) = places(thread);
    callbacks::sync_region(abi::sync::TASKGROUP, scope::BEGIN, parallel, task);
}

/// Values of several threads are about to be combined here, or are.
pub fn reduction(begins: bool) {
    let Some(thread) = here() else { return };
    let (parallel, task) = places(thread);
    let endpoint = if begins { scope::BEGIN } else { scope::END };
    callbacks::reduction(abi::sync::REDUCTION, endpoint, parallel, task);
}

/// The calling thread enters work of a kind of `ompt_work_t`, with so many iterations or sections.
pub fn work_begins(kind: c_int, count: u64) {
    let Some(thread) = here() else { return };
    single_ends();
    of_thread(thread).inspect(|facts| facts.work.set(kind));
    tell_work(thread, kind, scope::BEGIN, count);
}

/// It leaves the work that it is in.
pub fn leaves() {
    let Some((thread, facts)) = here().and_then(|thread| Some((thread, of_thread(thread)?))) else {
        return;
    };
    match facts.work.replace(0) {
        0 => {}
        kind => tell_work(thread, kind, scope::END, 0),
    }
}

/// Tasks of a taskloop are about to be created, or are.
pub fn taskloop(begins: bool, count: u64) {
    let Some(thread) = here() else { return };
    let endpoint = if begins { scope::BEGIN } else { scope::END };
    tell_work(thread, work::TASKLOOP, endpoint, count);
}

/// An ordered construct names iterations: those that it waits for, or its own, which it ends.
pub fn doacross(is_source: bool, vector: impl Iterator<Item = i64>) {
    let Some(thread) = here() else { return };
    let kind = if is_source { dependence::SOURCE } else { dependence::SINK };
    let list: Vec<_> = vector.map(|at| abi::Dependence { variable: at as u64, kind }).collect();
    callbacks::dependences_of(places(thread).1, list.as_ptr(), list.len() as c_int);
}

fn tell_work(thread: &Thread, kind: c_int, endpoint: c_int, count: u64) {
    let (parallel, task) = places(thread);
    callbacks::work(kind, endpoint, parallel, task, count);
}

/// It enters a construct whose shares the runtime deals: sections, of which there may be none (scope), or a loop.
pub fn enters(plan: &Plan) {
    let kind = match plan.how {
        _ if !plan.merge && plan.space.trips == 0 => work::SCOPE,
        _ if !plan.merge => work::SECTIONS,
        How::Blocks | How::Auto | How::AlignedBlocks | How::Dealt => work::LOOP_STATIC,
        How::Counter | How::Lanes => work::LOOP_DYNAMIC,
        How::Guided | How::GuidedLanes | How::GuidedInAnyOrder | How::AlignedGuided => {
            work::LOOP_GUIDED
        }
    };
    work_begins(kind, plan.space.trips);
}

/// A single construct: this thread runs its block, or not (then it begins and ends here).
pub fn single(runs_it: bool) {
    let Some((thread, facts)) = here().and_then(|thread| Some((thread, of_thread(thread)?))) else {
        return;
    };
    single_ends();
    if runs_it {
        facts.in_single.set(true);
        return tell_work(thread, work::SINGLE_EXECUTOR, scope::BEGIN, 1);
    }
    tell_work(thread, work::SINGLE_OTHER, scope::BEGIN, 1);
    tell_work(thread, work::SINGLE_OTHER, scope::END, 1);
}

/// The block of a single construct is over, if this thread is in one. gcc does not say so: its next barrier or work does.
pub fn single_ends() {
    if let Some((thread, facts)) = here().and_then(|thread| Some((thread, of_thread(thread)?)))
        && facts.in_single.replace(false)
    {
        tell_work(thread, work::SINGLE_EXECUTOR, scope::END, 1);
    }
}

/// A thread gets a share of a loop or of sections.
pub fn chunk(first: u64, count: u64) {
    let Some((thread, facts)) = here().and_then(|thread| Some((thread, of_thread(thread)?))) else {
        return;
    };
    let (parallel, task) = places(thread);
    if facts.work.get() == work::SECTIONS {
        let from = caller::find().addr() as u64;
        return callbacks::dispatch(parallel, task, dispatch::SECTION, from);
    }
    let distributes = facts.work.get() == work::DISTRIBUTE;
    let kind = if distributes { dispatch::DISTRIBUTE_CHUNK } else { dispatch::LOOP_CHUNK };
    let chunk = abi::Chunk { first, count };
    let instance = &raw const chunk as u64;
    callbacks::dispatch(parallel, task, kind, instance);
}

/// A task of a taskloop begins with its iterations.
pub fn share(thread: &Thread, facts: &TaskFacts, first: u64, count: u64) {
    let (parallel, _) = places(thread);
    let chunk = abi::Chunk { first, count };
    let instance = &raw const chunk as u64;
    callbacks::dispatch(parallel, facts.data.address(), dispatch::TASKLOOP_CHUNK, instance);
}

/// A masked block begins or ends on this thread.
pub fn masked(begins: bool) {
    let Some(thread) = here() else { return };
    let (parallel, task) = places(thread);
    let endpoint = if begins { scope::BEGIN } else { scope::END };
    callbacks::masked(endpoint, parallel, task);
}

/// A flush without a list.
pub fn flush() {
    if let Some(facts) = here().and_then(of_thread) {
        callbacks::flush(facts.data.address());
    }
}

/// A cancel construct or cancellation point was met: flags of `ompt_cancel_flag_t`. None for a loop or sections: whichever
/// the thread is in.
pub fn cancel(construct: Option<c_int>, what: c_int) {
    let Some((thread, facts)) = here().and_then(|thread| Some((thread, of_thread(thread)?))) else {
        return;
    };
    let work = match facts.work.get() {
        work::SECTIONS => abi::cancel::SECTIONS,
        _ => abi::cancel::LOOP,
    };
    if construct == Some(abi::cancel::TASKGROUP) {
        TaskFacts::of(thread.task()).is_cancelled.set(true);
    }
    let flags = construct.unwrap_or(work) | what;
    callbacks::cancel(places(thread).1, flags);
}
