//! Whereabouts: how a worker of the open team is kept off the processor of the thread that it is to help.
//!
//! The kernel wakes a thread where it ran last, also where the thread that wakes it runs there by now and other processors are
//! idle, and begins a new one where it likes; it takes some milliseconds to part two. Whoever sends a worker goes on with
//! the same work, so a worker there would be of no use for all that time. So
//! - a worker that fell asleep on the processor of whoever sends it is forbidden that one before it is woken;
//! - one that has not begun with its order a moment later is forbidden the processor of whoever waits for it.
//!
//! When it begins it allows itself again what it was allowed before.
//!
//! Protocol: the lock's holder changes the worker's affinity, while the worker has not begun; the worker takes the lock when it
//! has.
//!
//! Source: measured on Linux 6.18, 2 processors (docs/decisions/005-waiting.md).

use super::apart;
use crate::thread;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use vicinity_alloc::os::{CpuSet, affinity};

/// Of one worker. What is not locked is Relaxed: hints.
#[derive(Default)]
pub struct Whereabouts {
    /// The C library's name of the thread; 0: not known yet.
    thread: AtomicU64,
    /// Where it fell asleep last, plus one; 0: it has not.
    bed: AtomicU32,
    /// Where it may run again once it has begun.
    kept_from: Mutex<Option<CpuSet>>,
}

impl Whereabouts {
    /// Who made it: so it is called. It never ends, or is not sent again.
    pub fn name(&self, thread: u64) {
        self.thread.store(thread, Ordering::Relaxed);
    }

    /// The worker itself: it is about to fall asleep.
    pub fn note_bed(&self) {
        self.bed.store(affinity::current_processor().map_or(0, |it| it + 1), Ordering::Relaxed);
    }

    /// Who sends it: if it sleeps where the caller runs, it is to wake elsewhere.
    pub fn part(&self) {
        let bed = self.bed.load(Ordering::Relaxed);
        if bed != 0 && affinity::current_processor() == Some(bed - 1) {
            self.keep_off(|| true);
        }
    }

    /// It is to begin elsewhere than where the caller runs, unless it `waits` no more.
    #[cold]
    pub fn keep_off(&self, waits: impl FnOnce() -> bool) {
        if let Some(processor) = affinity::current_processor().filter(|_| apart::is_wanted()) {
            self.forbid(processor, waits);
        }
    }

    /// The same for this processor.
    pub(super) fn forbid(&self, processor: u32, waits: impl FnOnce() -> bool) {
        let thread = self.thread.load(Ordering::Relaxed);
        let mut kept_from = thread::lock(&self.kept_from);
        if thread != 0 && kept_from.is_none() && waits() {
            *kept_from = affinity::keep_off(thread, processor);
        }
    }

    /// The worker itself: it has begun.
    pub fn settle(&self) {
        if let Some(allowed) = thread::lock(&self.kept_from).take() {
            // It was in force before; if the machine has changed meanwhile, the others will do.
            let _ = affinity::bind_current_thread(&allowed);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::os::unix::thread::JoinHandleExt;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_thread_is_kept_off_a_processor_until_it_begins() {
        let shared = Arc::new((Whereabouts::default(), AtomicBool::new(false)));
        let worker = {
            let shared = shared.clone();
            std::thread::spawn(move || {
                // Acquire: pairs with the Release below.
                while !shared.1.load(Ordering::Acquire) {
                    std::thread::yield_now();
                }
                let kept_to = affinity::affinity_mask();
                shared.0.settle();
                (kept_to, affinity::affinity_mask())
            })
        };
        let (whereabouts, may_begin) = &*shared;
        whereabouts.part();
        whereabouts.name(worker.as_pthread_t());
        // Not `keep_off`: whether a processor is to be avoided depends on the teams of tests beside this one.
        let processor = affinity::current_processor().expect("the kernel says");
        whereabouts.forbid(processor, || false);
        assert!(thread::lock(&whereabouts.kept_from).is_none());
        whereabouts.forbid(processor, || true);
        // Release: pairs with the Acquire above.
        may_begin.store(true, Ordering::Release);
        let (kept_to, allowed) = worker.join().unwrap();
        assert_eq!(allowed, affinity::affinity_mask());
        assert!(allowed.len() == 1 || kept_to.len() == allowed.len() - 1);
    }
}
