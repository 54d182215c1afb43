//! A nestable lock in eight bytes: who holds it, how often, and whether somebody sleeps.
//!
//! A free word is 0. Layout of a taken one, from the lowest bit:
//! - bit 0: somebody may be asleep;
//! - bits 1 to 20: depth, how often the owner has taken the lock;
//! - bits 21 to 63: the owner, bits 4 to 46 of its task's address.
//!
//! A task's identity is the address of its record: 16-byte aligned, in the lower half of the address
//! space, so those 43 bits are all of it. A lock belongs to a task and not to a thread: an untied task
//! may take it on one thread and give it back on another.
//!
//! Invariants:
//! 1. The owner field is this task's exactly when this task holds the lock, so only the owner's own
//!    look at the word can find itself, and nobody else changes depth or owner meanwhile.
//! 2. While a thread sleeps, bit 0 is set or an owner that saw it set is about to wake a sleeper. A
//!    sleeper that wakes takes the lock with bit 0 set, for there may be more like it.
//! 3. Every first taking is an Acquire that reads the Release of the last giving back.
//!
//! Sleepers compare the low half of the word. It can be equal although the owner changed: the lock
//! is then still taken with bit 0 set, and sleeping on is right.
//!
//! Source: OpenMP 5.2, section 18.9.
#![allow(unsafe_code)]

use super::spin_limit;
use crate::{futex, report};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const FREE: u64 = 0;
const AWAITED: u64 = 1;
const ONE_LEVEL: u64 = 1 << 1;
const DEPTH_BITS: u32 = 20;
const DEPTH_MASK: u64 = ((1 << DEPTH_BITS) - 1) << 1;
const OWNER_MASK: u64 = !(AWAITED | DEPTH_MASK);
/// What an address may have set: bits 4 to 46.
const ADDRESS_MASK: u64 = 0x7fff_ffff_fff0;
/// Brings bit 4 of an address to bit 21 of the word.
const OWNER_SHIFT: u32 = 17;

/// A task as the owner of a nestable lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u64);

impl Owner {
    /// The task whose record is at `address`.
    #[inline]
    pub fn of_task(address: usize) -> Owner {
        let address = address as u64;
        if address == 0 || address & !ADDRESS_MASK != 0 {
            report::fatal("a task's identity is not the address of a 16-byte aligned record");
        }
        Owner(address << OWNER_SHIFT)
    }
}

/// A nestable lock. Zeroes are a free lock.
#[repr(transparent)]
#[derive(Debug, Default)]
pub struct NestWord(AtomicU64);

impl NestWord {
    /// The lock that lives in the program's memory at `address`.
    ///
    /// # Safety
    /// `address` is aligned to 8 bytes and points to 8 bytes that hold a lock (zeroes are one), that
    /// stay valid for `'a`, and that only functions of this type touch.
    pub unsafe fn at<'a>(address: *mut u64) -> &'a NestWord {
        // SAFETY: NestWord is a transparent AtomicU64, which has the layout of u64; validity is the
        // caller's promise.
        unsafe { &*address.cast::<NestWord>() }
    }

    /// Makes the lock free, whatever it was. For `omp_init_nest_lock`: nobody else uses it yet.
    pub fn reset(&self) {
        // Relaxed: the program itself orders initialisation before the first use.
        self.0.store(FREE, Ordering::Relaxed);
    }

    /// Takes the lock if it is free or already the caller's. Returns how often the caller holds it
    /// now; 0 if another task holds it.
    #[inline]
    pub fn try_lock(&self, me: Owner) -> u32 {
        // Relaxed: by invariant 1 the caller's own writes decide whether it finds itself here.
        let seen = self.0.load(Ordering::Relaxed);
        if seen & OWNER_MASK == me.0 {
            return self.enter_again();
        }
        u32::from(seen == FREE && self.take(me, 0))
    }

    /// Takes the lock, waiting for it where it must. Returns how often the caller holds it now.
    #[inline]
    pub fn lock(&self, me: Owner) -> u32 {
        match self.try_lock(me) {
            0 => self.lock_contended(me),
            depth => depth,
        }
    }

    /// Gives one level back; the last one frees the lock. Returns how often the caller still holds
    /// it. The caller holds it.
    #[inline]
    pub fn unlock(&self) -> u32 {
        // Relaxed: the caller holds the lock, so depth and owner are its own writes.
        let seen = self.0.load(Ordering::Relaxed);
        debug_assert_ne!(seen & DEPTH_MASK, 0, "the lock is free");
        if seen & DEPTH_MASK > ONE_LEVEL {
            // Relaxed: the lock stays taken; nothing is handed over.
            self.0.fetch_sub(ONE_LEVEL, Ordering::Relaxed);
            return depth_of(seen) - 1;
        }
        // Release: pairs with the Acquire in `take`.
        if self.0.swap(FREE, Ordering::Release) & AWAITED != 0 {
            futex::wake(self.low_half(), 1);
        }
        0
    }

    fn enter_again(&self) -> u32 {
        // Relaxed: the caller holds the lock already.
        let before = self.0.fetch_add(ONE_LEVEL, Ordering::Relaxed);
        if before & DEPTH_MASK == DEPTH_MASK {
            report::fatal("a nestable lock was taken more than a million times by one task");
        }
        depth_of(before) + 1
    }

    /// Tries to turn a free word into one that `me` holds once.
    fn take(&self, me: Owner, awaited: u64) -> bool {
        let mine = me.0 | ONE_LEVEL | awaited;
        // Acquire: pairs with the Release in `unlock`.
        self.0.compare_exchange(FREE, mine, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn lock_contended(&self, me: Owner) -> u32 {
        let (mut left, mut awaited) = (spin_limit(), 0);
        loop {
            // Relaxed: `take` does the acquiring.
            let seen = self.0.load(Ordering::Relaxed);
            if seen == FREE {
                if self.take(me, awaited) {
                    return 1;
                }
            } else if left > 0 && seen & AWAITED == 0 {
                left -= 1;
                std::hint::spin_loop();
            } else if seen & AWAITED != 0 || self.announce(seen) {
                awaited = AWAITED;
                futex::wait(self.low_half(), (seen | AWAITED) as u32);
            }
        }
    }

    /// Tells the owner, in the taken word `seen`, that somebody sleeps.
    fn announce(&self, seen: u64) -> bool {
        // Relaxed: only the futex call depends on it, and the kernel orders its own look.
        let order = Ordering::Relaxed;
        self.0.compare_exchange(seen, seen | AWAITED, order, order).is_ok()
    }

    /// Where sleepers wait: the low half of the word, first in memory on a little-endian machine.
    fn low_half(&self) -> &AtomicU32 {
        // SAFETY: the first four bytes of eight that live as long as `self`. Nothing is read or
        // written through the result: it is the key that the futex calls want.
        unsafe { &*(&raw const self.0).cast::<AtomicU32>() }
    }
}

const _: () = assert!(cfg!(target_endian = "little"), "low_half is the first half");

/// The depth field of a word; 20 bits, so it fits.
fn depth_of(word: u64) -> u32 {
    ((word & DEPTH_MASK) >> 1) as u32
}

#[cfg(test)]
mod tests {
    use super::{NestWord, Owner};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn counts_levels_and_keeps_others_out() {
        let lock = NestWord::default();
        let (one, two) = (Owner::of_task(0x10), Owner::of_task(0x7fff_ffff_fff0));
        assert_eq!(lock.try_lock(one), 1);
        assert_eq!(lock.lock(one), 2);
        assert_eq!(lock.try_lock(two), 0);
        assert_eq!(lock.unlock(), 1);
        assert_eq!(lock.try_lock(two), 0);
        assert_eq!(lock.unlock(), 0);
        assert_eq!(lock.try_lock(two), 1);
        assert_eq!(lock.try_lock(one), 0);
        assert_eq!(lock.unlock(), 0);
    }

    #[test]
    fn reset_frees() {
        let lock = NestWord::default();
        assert_eq!(lock.try_lock(Owner::of_task(0x40)), 1);
        lock.reset();
        assert_eq!(lock.try_lock(Owner::of_task(0x50)), 1);
    }

    #[test]
    fn excludes_threads() {
        let shared = Arc::new((NestWord::default(), AtomicU64::new(0)));
        let handles: Vec<_> = (1..=4usize)
            .map(|thread| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    let me = Owner::of_task(thread << 4);
                    for round in 0..4_000u32 {
                        assert_eq!(shared.0.lock(me), 1);
                        assert_eq!(shared.0.lock(me), 2);
                        // A load and a store apart: lost updates show if two threads are inside.
                        let count = shared.1.load(Relaxed);
                        if round % 64 == 0 {
                            std::thread::yield_now();
                        }
                        shared.1.store(count + 1, Relaxed);
                        assert_eq!(shared.0.unlock(), 1);
                        assert_eq!(shared.0.unlock(), 0);
                    }
                })
            })
            .collect();
        for handle in handles {
            handle.join().unwrap();
        }
        assert_eq!(shared.1.load(Relaxed), 16_000);
    }
}
