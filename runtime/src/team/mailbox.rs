//! `Mailbox`: where a worker learns what it is to do, awake or asleep.
//!
//! Terms: its *owner* is the worker; a *sender* is whoever has reserved the worker.
//!
//! Protocol. Letters are counted. A sender writes the letter and counts it in `posted` (`leave`); the owner takes it, counts it
//! in `taken`, does what it says, counts it in `done`, and waits for the next, which may be there already.
//!
//! The owner sets `asleep` before it sleeps in the kernel, until there is a letter that it has not taken. A sender looks at that
//! (`rouse`) behind all that it leaves, in however many boxes: stores alone let the lines of several come at the same time, and
//! exchanges one after the other. Between the store and the load each side has a SeqCst fence, so one of them sees the other's.
//!
//! Invariants: 1. The letter is written by a sender while the owner has done all before, or will only count it as done, and read
//! by the owner behind the count. 2. Senders alone write `posted`, one after the other, and the owner alone all other counts.

use crate::effort;
use crate::private::Private;
use crate::sync::{AtomicU32, Ordering, fence};
use crossbeam_utils::CachePadded;

#[repr(C)]
pub struct Mailbox<T> {
    // Line 0 goes from the sender to the owner with each letter.
    posted: AtomicU32,
    letter: Private<Option<T>>,
    // Written seldom, so senders have it at hand.
    asleep: CachePadded<AtomicU32>,
    // The owner's.
    taken: CachePadded<AtomicU32>,
    done: AtomicU32,
    #[cfg(loom)]
    bell: loom::sync::Notify,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Mailbox {
            posted: AtomicU32::new(0),
            letter: Private::new(None),
            asleep: CachePadded::new(AtomicU32::new(0)),
            taken: CachePadded::new(AtomicU32::new(0)),
            done: AtomicU32::new(0),
            #[cfg(loom)]
            bell: loom::sync::Notify::new(),
        }
    }
}

impl<T: Copy> Mailbox<T> {
    /// Sender: leaves a letter. A SeqCst fence and `rouse` follow.
    pub fn leave(&self, letter: Option<T>) {
        effort::writes(&self.posted);
        self.letter.set(letter);
        let before = self.posted.load(Ordering::Relaxed);
        // Release: pairs with the Acquire in `is_posted`.
        self.posted.store(before.wrapping_add(1), Ordering::Release);
    }

    /// Sender, behind `leave` and a SeqCst fence: wakes an owner that sleeps. One that was awake may do anything meanwhile, and
    /// takes no harm.
    pub fn rouse(&self) {
        if self.is_asleep() {
            self.ring();
        }
    }

    /// Whether the owner sleeps, or is about to.
    pub fn is_asleep(&self) -> bool {
        // Relaxed: ordered by the fences in `sleep` and before `rouse`.
        self.asleep.load(Ordering::Relaxed) != 0
    }

    /// Whether the owner has done all that it was told.
    pub fn is_done(&self) -> bool {
        // Acquire: pairs with the Release in `finish`. Relaxed: the caller is the sender.
        self.done.load(Ordering::Acquire) == self.posted.load(Ordering::Relaxed)
    }

    /// Whether there is a letter that the owner has not taken.
    pub fn is_posted(&self) -> bool {
        // Relaxed: the owner's own count; others take it for a hint. Acquire: pairs with the Release in `leave`.
        self.posted.load(Ordering::Acquire) != self.taken.load(Ordering::Relaxed)
    }

    /// Owner: sleeps until there is a letter.
    pub fn sleep(&self) {
        self.asleep.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let taken = self.taken.load(Ordering::Relaxed);
        while self.posted.load(Ordering::Relaxed) == taken {
            self.sleep_while(taken);
        }
        self.asleep.store(0, Ordering::Relaxed);
    }

    /// Owner: takes the letter that is there.
    pub fn take(&self) -> Option<T> {
        // Relaxed: the next is left once this one is done, or as good as that.
        self.taken.store(self.posted.load(Ordering::Relaxed), Ordering::Relaxed);
        self.letter.get()
    }

    /// Owner: has done what the last letter said.
    pub fn finish(&self) {
        // Release: pairs with the Acquire in `is_done`.
        self.done.store(self.taken.load(Ordering::Relaxed), Ordering::Release);
    }

    #[cfg(not(loom))]
    fn sleep_while(&self, taken: u32) {
        crate::futex::wait(&self.posted, taken);
    }

    #[cfg(not(loom))]
    fn ring(&self) {
        crate::futex::wake(&self.posted, 1);
    }

    #[cfg(loom)]
    fn sleep_while(&self, _taken: u32) {
        self.bell.wait();
    }

    #[cfg(loom)]
    fn ring(&self) {
        self.bell.notify();
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::{Arc, Notify};

    /// The second letter comes while the owner is on its way back from the first, or waits already, or is about to sleep.
    #[test]
    fn no_letter_is_slept_through() {
        loom::model(|| {
            let shared = Arc::new((Mailbox::default(), Notify::new(), AtomicU32::new(0)));
            shared.0.leave(Some(1));
            let owner = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    assert_eq!(shared.0.take(), Some(1));
                    // As the end of a region. Release: pairs with the Acquire below.
                    shared.2.store(1, Ordering::Release);
                    shared.1.notify();
                    shared.0.finish();
                    while !shared.0.is_posted() {
                        shared.0.sleep();
                    }
                    assert_eq!(shared.0.take(), Some(2));
                })
            };
            while shared.2.load(Ordering::Acquire) == 0 {
                shared.1.wait();
            }
            shared.0.leave(Some(2));
            fence(Ordering::SeqCst);
            shared.0.rouse();
            owner.join().unwrap();
        });
    }
}
