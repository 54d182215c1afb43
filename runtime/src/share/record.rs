//! `Record`: what one process says of its regions to the others that share its processors.
//!
//! Protocol: the threads of the process add a claim when a region begins and take it away at its end; all others only read. One
//! thread, the *first*, writes the claim of its outermost region into a word of its own, which needs no locked instruction. A
//! process that is not the only one (a1) claims one thread, (a2) SeqCst fence, (a3) reads the others' records, and
//! (a4) adds the threads that are left to it. The fences of two that begin at once are ordered: the later one sees the
//! other's claim. So both never take the same processors for a region that goes on; what they see of each other may
//! be a moment old, and costs time at worst.
//!
//! Invariant: what is taken away was added before, so no sum of the two words falls below zero. Whoever reads one word before and
//! the other after a change, or finds that the memory was tampered with, takes a sum below zero for none.

use crate::sync::{AtomicU32, AtomicU64, Ordering};
use vicinity_policy::share::Claims;

const RUNNING_BITS: u32 = 24;
const WANTED_BITS: u32 = 24;
/// Of each number: set in none, but after more was taken away than there was.
const GREATEST_BITS: u64 =
    1 << (RUNNING_BITS - 1) | 1 << (RUNNING_BITS + WANTED_BITS - 1) | 1 << (u64::BITS - 1);
/// More threads than that are not counted: no sum of a few thousand regions exceeds its bits.
pub const MOST_THREADS: u32 = 4095;

/// Bits 0 to 23: threads that run; 24 to 47: threads that are wanted; 48 to 63: claimants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts(u64);

impl Counts {
    #[inline]
    pub const fn new(claims: Claims) -> Counts {
        let wanted = (claims.wanted as u64) << RUNNING_BITS;
        let claimants = (claims.claimants as u64) << (RUNNING_BITS + WANTED_BITS);
        Counts(claims.running as u64 | wanted | claimants)
    }

    #[inline]
    pub fn claims(self) -> Claims {
        let bits = |from: u32, count: u32| (self.0 >> from & ((1 << count) - 1)) as u32;
        Claims {
            running: bits(0, RUNNING_BITS),
            wanted: bits(RUNNING_BITS, WANTED_BITS),
            claimants: bits(RUNNING_BITS + WANTED_BITS, 16),
        }
    }

    #[inline]
    pub fn has_claimants(self) -> bool {
        self.0 >> (RUNNING_BITS + WANTED_BITS) != 0
    }

    #[inline]
    pub fn running(self) -> u32 {
        (self.0 & ((1 << RUNNING_BITS) - 1)) as u32
    }

    /// Without these, as far as they are in it.
    #[inline]
    pub fn without(self, other: Counts) -> Counts {
        let (all, less) = (self.claims(), other.claims());
        Counts::new(Claims {
            running: all.running.saturating_sub(less.running),
            wanted: all.wanted.saturating_sub(less.wanted),
            claimants: all.claimants.saturating_sub(less.claimants),
        })
    }
}

/// Threads that run, and nothing else.
#[inline]
pub const fn running(threads: u32) -> Counts {
    Counts::new(Claims { claimants: 0, wanted: 0, running: threads })
}

/// Threads that are wanted, and run.
#[inline]
pub const fn at_work(threads: u32) -> Counts {
    Counts::new(Claims { claimants: 0, wanted: threads, running: threads })
}

/// A cache line in the memory that the processes have in common. Zeros are a process that does nothing.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Record {
    counts: AtomicU64,
    /// What the first thread's region has claimed. Of what its threads lend, `counts` is less.
    first: AtomicU64,
    /// How many regions it has begun; it counts on from whoever had the record before.
    begun: AtomicU32,
    /// Threads that the last one wanted.
    wanted: AtomicU32,
}

impl Record {
    #[inline]
    pub fn read(&self) -> Counts {
        // Relaxed: ordered by the fences of (a2), or a hint.
        let (first, others) =
            (self.first.load(Ordering::Relaxed), self.counts.load(Ordering::Relaxed));
        let sum = first.wrapping_add(others);
        Counts(if sum & GREATEST_BITS == 0 { sum } else { 0 })
    }

    /// Whether other threads than the first have claims. Where some of the first's are just being counted, it may say so wrongly.
    #[inline]
    pub fn has_others(&self) -> bool {
        Counts(self.counts.load(Ordering::Relaxed)).has_claimants()
    }

    /// The first thread: its region claims this.
    #[inline]
    pub fn say(&self, claim: Counts) {
        self.first.store(claim.0, Ordering::Relaxed);
    }

    /// A region claims this; `is_first`: the first thread's.
    #[inline]
    pub fn put(&self, claim: Counts, is_first: bool) {
        match is_first {
            true => self.say(claim),
            false => self.add(claim),
        }
    }

    #[inline]
    pub fn add(&self, claim: Counts) {
        self.counts.fetch_add(claim.0, Ordering::Relaxed);
    }

    #[inline]
    pub fn take_away(&self, claim: Counts) {
        self.counts.fetch_sub(claim.0, Ordering::Relaxed);
    }

    /// A region begins that wants so many threads. Where threads of the process do so at once, one may go uncounted.
    #[inline]
    pub fn begins(&self, wanted: u32) {
        self.begun.store(self.begun.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    /// Its process has ended, or begins.
    pub fn clear(&self) {
        self.counts.store(0, Ordering::Relaxed);
        self.first.store(0, Ordering::Relaxed);
        self.wanted.store(0, Ordering::Relaxed);
    }

    /// What the process wants: also between two regions, if one has begun since the caller looked last, of which `seen` tells.
    pub fn wants(&self, seen: &AtomicU32) -> Claims {
        let (claims, begun) = (self.read().claims(), self.begun.load(Ordering::Relaxed));
        let is_lively = seen.load(Ordering::Relaxed) != begun;
        if is_lively {
            seen.store(begun, Ordering::Relaxed);
        }
        if claims.claimants == 0 && is_lively {
            let wanted = self.wanted.load(Ordering::Relaxed).min(MOST_THREADS);
            return Claims { claimants: 1, wanted, ..claims };
        }
        claims
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const CLAIM: Claims = Claims { claimants: 1, wanted: 8, running: 3 };

    #[test]
    fn claims_come_and_go() {
        let record = Record::default();
        (0..40).for_each(|_| record.add(Counts::new(CLAIM)));
        assert_eq!(record.read().claims(), Claims { claimants: 40, wanted: 320, running: 120 });
        record.take_away(running(3));
        (0..39).for_each(|_| record.take_away(Counts::new(CLAIM)));
        assert_eq!(record.read().claims(), Claims { running: 0, ..CLAIM });
        record.take_away(Counts::new(Claims { wanted: 9, ..CLAIM }));
        assert_eq!(record.read(), Counts::default(), "never below zero");
        record.clear();
        record.say(Counts::new(CLAIM));
        record.take_away(at_work(1));
        assert_eq!(record.read().claims(), Claims { wanted: 7, running: 2, ..CLAIM });
        record.say(Counts::default());
        assert_eq!(record.read(), Counts::default(), "one word has changed, and the other not yet");
    }

    #[test]
    fn whoever_is_between_two_regions_still_wants_threads() {
        let (record, seen) = (Record::default(), AtomicU32::new(0));
        assert_eq!(record.wants(&seen), Claims::default());
        record.begins(8);
        assert_eq!(record.wants(&seen), Claims { claimants: 1, wanted: 8, running: 0 });
        assert_eq!(record.wants(&seen), Claims::default(), "it has done nothing since");
        record.begins(8);
        record.add(Counts::new(CLAIM));
        assert_eq!(record.wants(&seen), CLAIM);
    }
}
