//! Depend objects of clang (`omp_depend_t`): pointers into memory that the compiler takes from the library and gives back. Those of gcc are
//! an address and a kind, and the routines for devices are given lists of either.
//!
//! Term: an object's *memory* begins with the record that holds how many items follow.
//! Source: clang's CGOpenMPRuntime (emitDepobjDependClause).

use crate::process_lock::ProcessLock;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a record, and of an item: address, length, kind.
pub const RECORD_BYTES: usize = 24;

/// First addresses of what may be the memory of one.
pub(crate) static KNOWN: ProcessLock<BTreeSet<usize>> = ProcessLock::new(BTreeSet::new());
/// How many there are, so that programs without any take no lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A compiler has been given memory of this size.
pub fn given(start: usize, bytes: usize) {
    if start != 0 && bytes >= 2 * RECORD_BYTES && bytes.is_multiple_of(RECORD_BYTES) {
        let mut known = KNOWN.lock();
        known.insert(start);
        // Relaxed: whoever has the object learnt of it after this.
        COUNT.store(known.len(), Ordering::Relaxed);
    }
}

/// A compiler gives memory back.
pub fn taken_back(start: usize) {
    if COUNT.load(Ordering::Relaxed) > 0 {
        let mut known = KNOWN.lock();
        known.remove(&start);
        COUNT.store(known.len(), Ordering::Relaxed);
    }
}

/// Whether a word of a depend object leads to items of clang's, and not to what gcc's object names.
pub fn leads_to_items(word: usize) -> bool {
    COUNT.load(Ordering::Relaxed) > 0 && KNOWN.lock().contains(&word.wrapping_sub(RECORD_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_an_object_is_known_while_it_is_there() {
        given(4096, 3 * RECORD_BYTES);
        given(8192, 40);
        given(12288, RECORD_BYTES);
        let leads = [4096, 8192, 12288].map(|start| leads_to_items(start + RECORD_BYTES));
        assert_eq!(leads, [true, false, false]);
        taken_back(4096);
        assert!(!leads_to_items(4096 + RECORD_BYTES));
    }
}
