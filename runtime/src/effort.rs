//! What threads do to cache lines that others use too, counted in debug builds: it decides how a construct does with very many
//! threads, and no clock shows it on a machine with few processors.
//!
//! Terms: a *write* is a store or a read-modify-write of such a line, a *look* is a load from one that its reader has not read
//! just before. Not counted: what a thread does to fall asleep, and that it notes where it runs when the kernel has moved it:
//! both are little beside what the kernel does then.
//! Release builds have nothing of this.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// What one thread did since it was created, as far as it was counted.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Writes by line: a number for each.
    pub writes: HashMap<usize, u64>,
    pub looks: u64,
}

/// Relaxed: nothing is counted before somebody asks, and some threads may hear of it late.
static COUNTS: AtomicBool = AtomicBool::new(false);

const LINE_BYTES: usize = 64;

thread_local! {
    static MINE: RefCell<Effort> = RefCell::default();
}

#[inline(always)]
fn counts() -> bool {
    cfg!(all(debug_assertions, not(loom))) && COUNTS.load(Ordering::Relaxed)
}

/// The calling thread writes to a line that others use.
#[inline(always)]
pub(crate) fn writes<T>(place: &T) {
    if counts() {
        let line = std::ptr::from_ref(place).addr() / LINE_BYTES;
        count(|mine| *mine.writes.entry(line).or_default() += 1);
    }
}

/// The calling thread looks at so many lines that others write.
#[inline(always)]
pub(crate) fn looks(lines: u64) {
    if counts() {
        count(|mine| mine.looks += lines);
    }
}

/// Not what a thread does while it ends.
fn count(add: impl FnOnce(&mut Effort)) {
    _ = MINE.try_with(|mine| add(&mut mine.borrow_mut()));
}

/// Counts from now on; false in a release build, which does not.
pub fn begin() -> bool {
    COUNTS.store(true, Ordering::Relaxed);
    counts()
}

/// What the calling thread did.
pub fn mine() -> Effort {
    MINE.with_borrow(Effort::clone)
}
