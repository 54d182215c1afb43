//! What the members of a team share at one worksharing construct.
//!
//! Access rules: the first member to arrive prepares everything before it publishes the slot
//! (`super::ring`); after that, `next` and `turn` change by atomic operations, and the rest is only read,
//! until the last member to leave retires the construct, or all have met behind it. `next` shares the cache line of the ring's own
//! words, so that a short construct moves one line from member to member, not two; `turn` has its own.

use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crossbeam_utils::CachePadded;
use std::ffi::c_void;
use std::sync::atomic::AtomicPtr;
use std::sync::{Mutex, PoisonError};

/// Shared state of a construct.
#[derive(Default)]
pub struct Construct {
    /// Chunks (or, for guided loops, iterations) handed out so far; with lanes, whether the final chunk is.
    pub(super) next: AtomicU64,
    /// A pointer of the first member for the others: reduction descriptors.
    message: AtomicPtr<c_void>,
    /// The program's shared memory for this construct; null when it wants none.
    scratch: AtomicPtr<c_void>,
    /// Owns what `scratch` points to. Locked by the first member and by the last only.
    owned: Mutex<Scratch>,
    /// The tag of the last loop that dealt by lanes in this slot, and the size of its team.
    lane_tag: AtomicU32,
    lane_members: AtomicU32,
    /// The logical iteration whose chunk may run `ordered` regions now.
    pub(super) turn: CachePadded<AtomicU64>,
}

/// Zeroed memory for the program, in words.
#[derive(Default)]
pub(super) struct Scratch(Vec<AtomicU64>);

impl Scratch {
    /// Replaces the memory by `bytes` zeroed ones.
    pub(super) fn provide(&mut self, bytes: usize) -> *mut c_void {
        self.0.clear();
        self.0.resize_with(bytes.div_ceil(8).max(2), || AtomicU64::new(0));
        self.0.as_ptr().cast_mut().cast()
    }
}

// Relaxed, wherever nothing else is said: the slot's publication orders the first member's writes before
// the others' reads, and its retirement orders all reads before the next construct's writes.
impl Construct {
    /// Makes the counters start anew; for the first member. Looks at nothing: it would wait for a line that it is about to
    /// write. So memory of a construct before that was settled stays until another in this slot wants some.
    pub(super) fn prepare(&self, ordered: bool) {
        self.next.store(0, Ordering::Relaxed);
        if ordered {
            self.turn.store(0, Ordering::Relaxed);
        }
    }

    /// Moves on to a fresh lane tag; true if the lanes must be cleared because the team's size changed.
    pub(super) fn prepare_lanes(&self, members: u32) -> bool {
        let fresh = self.lane_members.swap(members, Ordering::Relaxed) != members;
        let before = if fresh { 0 } else { self.lane_tag.load(Ordering::Relaxed) };
        self.lane_tag.store(before % 255 + 1, Ordering::Relaxed);
        fresh
    }

    pub(super) fn lane_tag(&self) -> u8 {
        self.lane_tag.load(Ordering::Relaxed) as u8
    }

    /// Leaves a pointer for the other members; for the first member.
    pub fn leave_message(&self, message: *mut c_void) {
        self.message.store(message, Ordering::Relaxed);
    }

    /// The first member's pointer.
    pub fn message(&self) -> *mut c_void {
        self.message.load(Ordering::Relaxed)
    }

    /// Allocates zeroed memory that lives until all members have left; for the first member.
    pub fn provide_scratch(&self, bytes: usize) {
        let memory = self.owned().provide(bytes);
        self.scratch.store(memory, Ordering::Relaxed);
    }

    /// The memory the first member allocated, if it did.
    pub fn scratch(&self) -> *mut c_void {
        self.scratch.load(Ordering::Relaxed)
    }

    fn owned(&self) -> std::sync::MutexGuard<'_, Scratch> {
        self.owned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees what the construct held; for the last member, if one is told that it is.
    pub(super) fn retire(&self) {
        if !self.scratch.load(Ordering::Relaxed).is_null() {
            self.scratch.store(std::ptr::null_mut(), Ordering::Relaxed);
            *self.owned() = Scratch::default();
        }
    }

    /// As `retire`, for a construct that some members never left: their lanes cannot be trusted.
    pub(super) fn abandon(&self) {
        self.lane_members.store(0, Ordering::Relaxed);
        self.retire();
    }
}
