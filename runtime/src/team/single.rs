//! Single constructs: one thread of the team runs the block; copyprivate hands its values to the others.
//!
//! Protocol: the team counts the single constructs that somebody has taken, each member those it met. The first to
//! move the team's count from k to k+1 runs the construct number k.
//! Source: OpenMP 5.2 section 11.1 (single), 5.7.2 (copyprivate).

use crate::{effort, tool};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

#[derive(Default)]
pub struct Shared {
    taken: AtomicU32,
    /// The address that copyprivate broadcasts.
    broadcast: AtomicPtr<libc::c_void>,
}

impl Shared {
    /// A region starts. Relaxed: published with the workers' orders.
    pub fn reset(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }
}

/// Whether the calling thread is the one that runs the block.
pub fn take() -> bool {
    let member = crate::thread::current().member();
    let met = member.singles.get();
    member.singles.set(met.wrapping_add(1));
    let taken = &member.team().single.taken;
    // Relaxed: the construct orders nothing by itself; its barrier does.
    effort::looks(1);
    let is_first = taken.load(Ordering::Relaxed) == met
        && taken
            .compare_exchange(met, met.wrapping_add(1), Ordering::Relaxed, Ordering::Relaxed)
            .is_ok();
    if is_first {
        effort::writes(taken);
    }
    if tool::is_on() {
        tool::sync::single(is_first);
    }
    is_first
}

/// The thread that ran the block: says where its values are. Ordered by the barrier that follows.
pub fn offer(data: *mut libc::c_void) {
    let team = crate::thread::current().member().team();
    team.single.broadcast.store(data, Ordering::Relaxed);
}

/// Another thread, after that barrier: where the values are.
pub fn offered() -> *mut libc::c_void {
    let team = crate::thread::current().member().team();
    team.single.broadcast.load(Ordering::Relaxed)
}
