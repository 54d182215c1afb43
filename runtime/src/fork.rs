//! fork(): OpenMP works in the child as in the parent.
//!
//! The child has one thread, the one that forked. So it forgets what belonged to others: the workers in
//! the pool, the teams that its own thread kept with workers reserved for them, and how many threads run.
//! It starts new ones at its next region, and a new open team with its next task in a stream: tasks of streams
//! that were not finished are run by the parent alone. Records and teams of the parent's other threads stay
//! allocated and are not touched again.
//!
//! Protocol: the forking thread takes the runtime's locks before the fork, so that what they guard is whole in the child, and
//! both processes release them after it, in the same thread: those of the process, those of memory, and those of the teams
//! that it sits in.
//! Not here: a region that was being run when its thread forked; its other threads are gone, so
//! the child may start new regions, but not end that one.
//! Source: POSIX, pthread_atfork.
#![allow(unsafe_code)]

use crate::private::Private;
use crate::process_lock::Quiesce;
use crate::team::{self, Member, open, pool};
use crate::{
    activity, aside, device, devices, global, locality, share, task, thread, threadprivate, tool,
    trace, wait,
};
use std::sync::MutexGuard;
use vicinity_alloc::engine;

/// The locks of the process: a thread that holds one takes none that stands before it.
static LOCKS: [&dyn Quiesce; 17] = [
    &aside::order::WAITED,
    &locality::watch::WATCHING,
    &task::stream::STREAMS,
    &threadprivate::VARIABLES,
    &device::FORMAT,
    &trace::NUMBERS,
    &trace::LOADED,
    &trace::memory::BLOCKS,
    &devices::LINES,
    &pool::FREE,
    &team::TEAMS,
    &thread::VACANT,
    &locality::layout::KNOWN,
    &locality::statistics::TALLIES,
    &share::natives::GIVEN,
    &task::large::FREE,
    &task::objects::KNOWN,
];

/// The other locks that are held from before the fork until after it: nobody takes another while he holds one of a team's.
struct Quiet {
    _seats: Option<MutexGuard<'static, Vec<u32>>>,
    _teams: Vec<team::Quiet>,
    _memory: engine::Quiet,
}

/// Owner: the thread that is forking; there is one at a time, because it holds the locks.
static QUIET: Private<Option<Quiet>> = Private::new(None);

/// Has the C library call the handlers around every fork.
pub fn watch() {
    // SAFETY: the handlers are functions without arguments. A failure means that there is no memory
    // for three pointers: then a child must do without OpenMP.
    unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
}

extern "C" fn before() {
    // If another thread is still at it.
    global::start();
    LOCKS.iter().for_each(|lock| lock.quiesce());
    let around = thread::try_current().map(|thread| members_around(thread.member()));
    QUIET.set(Some(Quiet {
        _seats: open::quiesced(),
        _teams: around.into_iter().flatten().map(|member| member.team().quiesced()).collect(),
        _memory: engine::quiesced(),
    }));
}

/// Lets go of all locks, the last one first.
fn go_on() {
    QUIET.set(None);
    LOCKS.iter().rev().for_each(|lock| lock.go_on());
}

/// A member and those whose regions are around it.
fn members_around(member: &'static Member) -> impl Iterator<Item = &'static Member> {
    std::iter::successors(Some(member), |member| member.team().outer())
}

extern "C" fn in_parent() {
    go_on();
}

extern "C" fn in_child() {
    go_on();
    pool::forget();
    open::forget();
    wait::forget_others();
    aside::poll::in_child();
    devices::in_child();
    tool::in_child();
    trace::in_child();
    activity::in_child();
    let around = thread::try_current().map(|thread| members_around(thread.member()));
    share::in_child(around.into_iter().flatten());
    if let Some(thread) = thread::try_current() {
        locality::watch::in_child(thread);
        members_around(thread.member()).for_each(Member::forget_hot);
    }
}
