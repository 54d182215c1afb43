//! Keeping a region's workers off the processor of its master.
//!
//! Where threads are not bound, the kernel may start a worker on the processor that its master runs on, though
//! others are idle, and take some milliseconds to part them: a program whose region is as long as that
//! gains nothing by its second thread. So a worker that finds itself there, while not all processors are
//! taken, moves away: it forbids itself that processor for a moment, which the kernel obeys at once. If it then has to
//! wait for the new one, somebody else runs there, and it comes back.
//! `policy::apart` says when.
//!
//! Source: measured on Linux 6.18, 2 processors (docs/decisions/005-waiting.md).

use super::{Team, places};
use crate::thread::{Thread, clock};
use crate::wait;
use vicinity_alloc::os::{affinity, processors};
use vicinity_policy::apart;

/// Whether workers are to avoid their master's processor: not where they may have to share it, or are bound.
pub fn is_wanted() -> bool {
    !wait::processors_short() && !places::need_attention()
}

/// Moves the calling thread, which runs on this processor as its master does, to another of those that it may run on, if one
/// is idle, and nobody in the team sleeps: a master that sleeps has arrived at its barrier, and leaves
/// its processor to the worker.
#[cold]
pub fn leave(thread: &Thread, team: &Team, processor: u32) {
    if !team.idle.anyone() && thread.moves.with(|moves| moves.may_ask(clock::ticks())) {
        move_from(processor);
    }
}

#[cold]
fn move_from(processor: u32) {
    let allowed = affinity::affinity_mask();
    let idle = |runnable| apart::one_is_idle(runnable, allowed.len());
    if !processors::runnable_threads().is_some_and(idle) {
        return;
    }
    let mut others = allowed.clone();
    others.remove(processor);
    let before = clock::ticks();
    if affinity::bind_current_thread(&others).is_ok() {
        std::thread::yield_now();
        if apart::was_taken(clock::ticks().wrapping_sub(before)) {
            let back = std::iter::once(processor).collect();
            // If it may no longer run there, it stays where it is.
            let _ = affinity::bind_current_thread(&back);
        }
        // It was in force before, so it is accepted again; if the machine has changed meanwhile, the
        // other processors will do.
        let _ = affinity::bind_current_thread(&allowed);
    }
}
