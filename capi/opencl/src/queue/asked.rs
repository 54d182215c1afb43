//! Whether somebody waits for an event, so that nobody is woken for one that nobody waits for.
//!
//! Protocol.
//! - Who waits: (w1) says so, (w2) SeqCst fence, (w3) looks at the event, and sleeps only if it is not finished.
//! - Who finishes it: (f1) says so in the event, (f2) SeqCst fence, (f3) asks whether somebody waits; if so, wakes him.
//!
//! Why no wake-up is lost: the two fences are totally ordered. If (w2) comes first, (f3) sees who waits. If (f2) comes first, (w3) sees that
//! the event is finished.

use crate::sync::{AtomicBool, Ordering, fence};

#[derive(Default)]
pub struct Asked(AtomicBool);

impl Asked {
    /// The caller is about to look at the event, and to wait if it is not finished (w1, w2).
    pub fn ask(&self) {
        // Relaxed: ordered by the fences.
        self.0.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// The event is finished: whether anybody is to be told (f2, f3).
    pub fn is_asked(&self) -> bool {
        fence(Ordering::SeqCst);
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::sync::AtomicU64;
    use loom::sync::Arc;

    /// Who waits sees that the event is finished, or is woken.
    #[test]
    fn nobody_waits_for_what_is_finished() {
        loom::model(|| {
            let shared = Arc::new((Asked::default(), AtomicU64::new(0)));
            let finisher = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.1.store(1, Ordering::Release);
                    shared.0.is_asked()
                })
            };
            shared.0.ask();
            let sleeps = shared.1.load(Ordering::Acquire) == 0;
            let wakes = finisher.join().unwrap_or(false);
            assert!(!sleeps || wakes);
        });
    }
}
