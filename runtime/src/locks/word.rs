//! A lock in four bytes.
//!
//! States: 0 free; 1 taken; 2 taken, and somebody may be asleep.
//!
//! Protocol: a free word is taken by one compare-and-swap, 0 to 1. A thread that gives up watching
//! writes 2 and sleeps while the word is 2; when it finds it wrote over 0, the lock is its own. The
//! owner writes 0 and wakes one sleeper if the word was 2.
//!
//! Invariants:
//! 1. While a thread sleeps on a taken word, the word is 2 or an owner that saw 2 is about to wake a
//!    sleeper. A sleeper that wakes takes the lock with 2, for there may be more like it.
//! 2. Every taking is an Acquire that reads the Release of the last `unlock`, so what one owner wrote
//!    the next one sees.
//!
//! Source: U. Drepper, "Futexes Are Tricky", mutex 3.
#![allow(unsafe_code)]

use crate::sync::{AtomicU32, Ordering};

const FREE: u32 = 0;
const TAKEN: u32 = 1;
const AWAITED: u32 = 2;

/// Most pauses between two looks at the word.
const LONGEST_BACKOFF: u32 = 32;

/// Where a thread sleeps: the kernel, or a model of it.
pub(super) trait Park {
    fn wait(&self, word: &AtomicU32, seen: u32);
    fn wake_one(&self, word: &AtomicU32);
}

/// A simple lock. Zeroes are a free lock.
#[repr(transparent)]
#[derive(Debug)]
pub struct LockWord(AtomicU32);

impl LockWord {
    #[cfg(not(loom))]
    pub const fn new() -> LockWord {
        LockWord(AtomicU32::new(FREE))
    }

    #[cfg(loom)]
    pub fn new() -> LockWord {
        LockWord(AtomicU32::new(FREE))
    }

    /// The lock that lives in the program's memory at `address`.
    ///
    /// # Safety
    /// `address` is aligned to 4 bytes and points to 4 bytes that hold a lock (zeroes are one), that
    /// stay valid for `'a`, and that only functions of this type touch.
    #[cfg(not(loom))]
    pub unsafe fn at<'a>(address: *mut u32) -> &'a LockWord {
        // SAFETY: LockWord is a transparent AtomicU32, which has the layout of u32; validity is the
        // caller's promise.
        unsafe { &*address.cast::<LockWord>() }
    }

    /// Makes the lock free, whatever it was. For `omp_init_lock`: nobody else uses the lock yet.
    pub fn reset(&self) {
        // Relaxed: the program itself orders initialisation before the first use.
        self.0.store(FREE, Ordering::Relaxed);
    }

    /// Takes the lock if it is free; says whether it did.
    #[inline]
    pub fn try_lock(&self) -> bool {
        // Acquire: pairs with the Release in `unlock_with`.
        self.0.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    pub(super) fn lock_with(&self, spins: u32, park: &impl Park) {
        if !self.try_lock() && !self.watch(spins) {
            // Acquire: pairs with the Release in `unlock_with`.
            while self.0.swap(AWAITED, Ordering::Acquire) != FREE {
                park.wait(&self.0, AWAITED);
            }
        }
    }

    #[inline]
    pub(super) fn unlock_with(&self, park: &impl Park) {
        // Release: pairs with the Acquire of the next taking.
        if self.0.swap(FREE, Ordering::Release) == AWAITED {
            park.wake_one(&self.0);
        }
    }

    /// Watches the word for `spins` pauses; true if the lock was taken meanwhile. Looks ever more
    /// rarely, so that the owner keeps its cache line. Gives up at once if somebody already sleeps:
    /// the lock is held for long.
    fn watch(&self, spins: u32) -> bool {
        let (mut spent, mut backoff) = (0, 1);
        while spent < spins {
            for _ in 0..backoff {
                pause();
            }
            spent += backoff;
            backoff = (backoff * 2).min(LONGEST_BACKOFF);
            // Relaxed: `try_lock` does the acquiring.
            match self.0.load(Ordering::Relaxed) {
                FREE if self.try_lock() => return true,
                AWAITED => return false,
                _ => {}
            }
        }
        false
    }
}

/// One pause of a thread that watches a lock word.
#[cfg(not(loom))]
fn pause() {
    std::hint::spin_loop();
}

/// Loom must be told that the thread cannot go on alone.
#[cfg(loom)]
fn pause() {
    loom::thread::yield_now();
}

#[cfg(not(loom))]
mod real {
    //! Sleeping in the kernel.

    use super::super::spin_limit;
    use super::{AtomicU32, LockWord, Park};
    use crate::{aside, futex, thread};

    struct Kernel;

    impl Park for Kernel {
        fn wait(&self, word: &AtomicU32, seen: u32) {
            futex::wait(word, seen);
        }

        fn wake_one(&self, word: &AtomicU32) {
            futex::wake(word, 1);
        }
    }

    impl LockWord {
        /// Takes the lock, waiting for it where it must.
        #[inline]
        pub fn lock(&self) {
            if !self.try_lock() {
                self.lock_contended();
            }
        }

        #[cold]
        fn lock_contended(&self) {
            if aside::is_on() {
                if !self.watch(spin_limit()) {
                    aside::wait(thread::current(), &|| self.try_lock());
                }
                return;
            }
            self.lock_with(spin_limit(), &Kernel);
        }

        /// Gives the lock back. The caller holds it. The word may be gone once another thread has
        /// taken it: nothing is read after the swap.
        #[inline]
        pub fn unlock(&self) {
            self.unlock_with(&Kernel);
        }
    }
}

impl Default for LockWord {
    fn default() -> LockWord {
        LockWord::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::set_spin_limit;
    use super::LockWord;
    use std::cell::UnsafeCell;
    use std::sync::Arc;

    struct Guarded {
        lock: LockWord,
        count: UnsafeCell<u64>,
    }

    // SAFETY: `count` is touched only while `lock` is held.
    unsafe impl Sync for Guarded {}

    fn count_to(threads: u64, rounds: u64) {
        let shared = Arc::new(Guarded { lock: LockWord::new(), count: UnsafeCell::new(0) });
        let handles: Vec<_> = (0..threads)
            .map(|thread| {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    for round in 0..rounds {
                        if (thread + round) % 3 != 0 || !shared.lock.try_lock() {
                            shared.lock.lock();
                        }
                        // SAFETY: the lock is held.
                        unsafe { *shared.count.get() += 1 };
                        if round % 64 == 0 {
                            std::thread::yield_now();
                        }
                        shared.lock.unlock();
                    }
                })
            })
            .collect();
        for handle in handles {
            handle.join().unwrap();
        }
        shared.lock.lock();
        // SAFETY: the lock is held.
        assert_eq!(unsafe { *shared.count.get() }, threads * rounds);
    }

    #[test]
    fn excludes_with_and_without_spinning() {
        count_to(4, 5_000);
        set_spin_limit(0);
        count_to(4, 5_000);
        set_spin_limit(super::super::DEFAULT_SPIN_LIMIT);
    }

    #[test]
    fn try_lock_fails_on_a_taken_lock() {
        let lock = LockWord::new();
        assert!(lock.try_lock());
        assert!(!lock.try_lock());
        lock.unlock();
        assert!(lock.try_lock());
        lock.reset();
        assert!(lock.try_lock());
    }
}
