//! fork(): OpenMP works in the child as in the parent.
//!
//! The child has one thread, the one that forked. So it forgets what belonged to others: the workers in
//! the pool, the teams that its own thread kept with workers reserved for them, and how many threads run.
//! It starts new ones at its next region, and a new open team with its next task in a stream: tasks of streams
//! that were not finished are run by the parent alone. Records and teams of the parent's other threads stay
//! allocated and are not touched again.
//!
//! Protocol: the forking thread takes the runtime's global locks before the fork, so that what they
//! guard is whole in the child, and both processes release them after it, in the same thread.
//! Not here: a region that was being run when its thread forked; its other threads are gone, so
//! the child may start new regions, but not end that one.
//! Source: POSIX, pthread_atfork.
#![allow(unsafe_code)]

use crate::locality;
use crate::private::Private;
use crate::task::stream::{self, Stream};
use crate::team::{self, Member, Team, open, pool};
use crate::thread::{self, Thread};
use crate::{trace, wait};
use std::sync::MutexGuard;
use vicinity_alloc::engine;

/// The locks, held from before the fork until after it.
struct Quiet {
    _streams: MutexGuard<'static, Vec<&'static Stream>>,
    _seats: Option<MutexGuard<'static, Vec<u32>>>,
    _workers: MutexGuard<'static, Vec<&'static pool::Worker>>,
    _teams: MutexGuard<'static, Vec<&'static Team>>,
    _threads: MutexGuard<'static, Vec<&'static Thread>>,
    _locality: locality::Quiet,
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
    QUIET.set(Some(Quiet {
        _streams: stream::quiesced(),
        _seats: open::quiesced(),
        _workers: pool::quiesced(),
        _teams: team::quiesced(),
        _threads: thread::quiesced(),
        _locality: locality::quiesced(),
        _memory: engine::quiesced(),
    }));
}

extern "C" fn in_parent() {
    QUIET.set(None);
}

extern "C" fn in_child() {
    QUIET.set(None);
    pool::forget();
    open::forget();
    wait::forget_others();
    trace::in_child();
    if let Some(thread) = thread::try_current() {
        let around = std::iter::successors(Some(thread.member()), |member| member.team().outer());
        around.for_each(Member::forget_hot);
    }
}
