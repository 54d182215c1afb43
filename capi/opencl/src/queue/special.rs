//! Code of a kernel that is not the program's own, and others beside it that may be better.

use super::contest::{Contest, MOST_CODES, drawn};
use crate::core::program::executable::Executable;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Code for one local size, or for ids however large; the same made in other ways; and which of them is the fastest, as far as that is
/// known.
pub struct Special {
    first: Arc<Executable>,
    rivals: [OnceLock<Arc<Executable>>; MOST_RIVALS],
    /// How many blocks began.
    drawn: AtomicU64,
    /// A bit for each code that may be the fastest, as `contest` says. Relaxed: a hint, all codes are right.
    those_in: AtomicU8,
    contest: Mutex<Contest>,
}

pub const MOST_RIVALS: usize = MOST_CODES - 1;

/// Nothing but the first code is there.
const ALONE: u8 = 1;

impl Special {
    pub fn new(executable: Executable) -> Special {
        let (first, rivals) = (Arc::new(executable), Default::default());
        let (drawn, those_in) = (AtomicU64::new(0), AtomicU8::new(ALONE));
        Special { first, rivals, drawn, those_in, contest: Mutex::default() }
    }

    pub fn first(&self) -> &Arc<Executable> {
        &self.first
    }

    pub fn rival(&self, number: usize) -> Option<&Arc<Executable>> {
        self.rivals[number].get()
    }

    pub fn has_rivals(&self) -> bool {
        self.rivals[0].get().is_some()
    }

    /// From now on blocks run this code, too, until it is known which is the fastest.
    pub fn challenge(&self, by: Executable) {
        let mut contest = self.contest.lock().unwrap_or_else(|held| held.into_inner());
        let place = self.rivals.iter().find(|place| place.get().is_none());
        if place.is_some_and(|place| place.set(Arc::new(by)).is_ok()) {
            contest.join();
            self.those_in.store(contest.those_in(), Ordering::Relaxed);
        }
    }

    /// Which code the next block runs: 0 for the first, else that of a rival.
    pub fn whose_turn(&self) -> usize {
        let those_in = self.those_in.load(Ordering::Relaxed);
        match those_in.is_power_of_two() {
            true => those_in.trailing_zeros() as usize,
            false => drawn(self.drawn.fetch_add(1, Ordering::Relaxed), those_in),
        }
    }

    /// A block of `items` by this code took `ns`.
    pub fn note(&self, code: usize, items: usize, ns: u64) {
        // Who does not get the lock leaves his block out.
        if let Ok(mut contest) = self.contest.try_lock() {
            contest.note(code, items, ns);
            self.those_in.store(contest.those_in(), Ordering::Relaxed);
        }
    }
}
