//! A loom model of the lock word: every interleaving of a few threads that lock and unlock, with a
//! futex made of a mutex and a condition variable. Loom reports a lost wake-up as a deadlock and a
//! missing Acquire or Release as a race on the cell.
//!
//! Run with `make models`.
#![allow(unsafe_code)]

use super::word::{LockWord, Park};
use crate::sync::{AtomicU32, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::{Arc, Condvar, Mutex};

/// The kernel's promise: comparing and falling asleep is one step for whoever wakes.
#[derive(Default)]
struct Futex {
    queue: Mutex<()>,
    changed: Condvar,
}

impl Park for Futex {
    fn wait(&self, word: &AtomicU32, seen: u32) {
        let queue = self.queue.lock().unwrap();
        // Relaxed: the mutex orders us with `wake_one`.
        if word.load(Ordering::Relaxed) == seen {
            drop(self.changed.wait(queue).unwrap());
        }
    }

    fn wake_one(&self, _: &AtomicU32) {
        let _queue = self.queue.lock().unwrap();
        self.changed.notify_one();
    }
}

#[derive(Default)]
struct Shared {
    lock: LockWord,
    futex: Futex,
    count: UnsafeCell<u32>,
}

// SAFETY: `count` is touched only while `lock` is held; loom checks that this is true.
unsafe impl Sync for Shared {}

fn explore(threads: u32, spins: u32) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let shared = Arc::new(Shared::default());
        let enter = move |shared: &Shared| {
            shared.lock.lock_with(spins, &shared.futex);
            // SAFETY: the lock is held.
            shared.count.with_mut(|count| unsafe { *count += 1 });
            shared.lock.unlock_with(&shared.futex);
        };
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let shared = Arc::clone(&shared);
                loom::thread::spawn(move || enter(&shared))
            })
            .collect();
        enter(&shared);
        for other in others {
            other.join().unwrap();
        }
        // SAFETY: every other thread has ended.
        shared.count.with(|count| assert_eq!(unsafe { *count }, threads));
    });
}

#[test]
fn two_threads_that_sleep_at_once() {
    explore(2, 0);
}

#[test]
fn two_threads_that_watch_first() {
    explore(2, 2);
}

#[test]
fn three_threads_that_sleep_at_once() {
    explore(3, 0);
}
