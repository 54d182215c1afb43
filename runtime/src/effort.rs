//! What threads do to cache lines that others use too, counted in debug builds: it decides how a construct does with very many
//! threads, and no clock shows it on a machine with few processors.
//!
//! Terms: a *write* is a store or a read-modify-write of such a line, a *look* is a load from one that its reader has not read
//! just before. Not counted: what a thread does to fall asleep, and that it notes where it runs when the kernel has moved it:
//! both are little beside what the kernel does then.
//! Release builds have nothing of this.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What one thread did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    pub writes: u64,
    pub looks: u64,
}

/// Relaxed: nothing is counted before somebody asks, and some threads may hear of it late.
static COUNTS: AtomicBool = AtomicBool::new(false);
/// Writes by line.
static LINES: Mutex<Option<HashMap<usize, u64>>> = Mutex::new(None);

const LINE_BYTES: usize = 64;

thread_local! {
    static MINE: Cell<Effort> = const { Cell::new(Effort { writes: 0, looks: 0 }) };
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
        count(Effort { writes: 1, looks: 0 });
        *crate::thread::lock(&LINES).get_or_insert_default().entry(line).or_default() += 1;
    }
}

/// The calling thread looks at so many lines that others write.
#[inline(always)]
pub(crate) fn looks(lines: usize) {
    if counts() {
        count(Effort { writes: 0, looks: lines as u64 });
    }
}

fn count(more: Effort) {
    let mine = MINE.get();
    MINE.set(Effort { writes: mine.writes + more.writes, looks: mine.looks + more.looks });
}

/// Counts from now on; false in a release build, which does not.
pub fn begin() -> bool {
    *crate::thread::lock(&LINES) = None;
    COUNTS.store(true, Ordering::Relaxed);
    counts()
}

/// What the calling thread did since it was created, as far as it was counted.
pub fn mine() -> Effort {
    MINE.get()
}

/// How often the line was written that was written most often since `begin`.
pub fn most_written() -> u64 {
    let lines = crate::thread::lock(&LINES);
    lines.iter().flat_map(HashMap::values).copied().max().unwrap_or(0)
}
