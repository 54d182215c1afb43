//! A pool: how many bytes an allocator may hold, and how many it holds now.
//!
//! What an allocation costs its pool is what the heap really spends on it, its own bookkeeping
//! included, so that a pool of two mebibytes holds one block of one mebibyte and not two: programs
//! (and the tests of the other runtimes) count on a small overhead.
//!
//! Every access is Relaxed: the counter guards a number of bytes and publishes nothing.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes the heap adds to a block, and the multiple it rounds blocks to.
const HEAP_GRANULE: usize = 16;

#[derive(Debug)]
pub(crate) struct Pool {
    limit_bytes: usize,
    used_bytes: AtomicUsize,
}

/// What a block of `size` bytes costs a pool; `None` if no pool could hold it.
pub(crate) fn charge(size: usize) -> Option<usize> {
    size.checked_next_multiple_of(HEAP_GRANULE)?.checked_add(HEAP_GRANULE)
}

impl Pool {
    /// A pool of `limit` bytes; without a limit, of all there are.
    pub(crate) fn new(limit: Option<usize>) -> Pool {
        Pool { limit_bytes: limit.unwrap_or(usize::MAX), used_bytes: AtomicUsize::new(0) }
    }

    /// Takes `bytes`, if they are left.
    pub(crate) fn reserve(&self, bytes: usize) -> bool {
        self.exchange(0, bytes)
    }

    pub(crate) fn release(&self, bytes: usize) {
        let before = self.used_bytes.fetch_sub(bytes, Relaxed);
        debug_assert!(before >= bytes, "more released than reserved");
    }

    /// Gives `old` bytes back and takes `new` ones, in one step; does neither if too few are left.
    pub(crate) fn exchange(&self, old: usize, new: usize) -> bool {
        let moved = self.used_bytes.fetch_update(Relaxed, Relaxed, |used| {
            let kept = used.checked_sub(old)?;
            kept.checked_add(new).filter(|&total| total <= self.limit_bytes)
        });
        moved.is_ok()
    }

    #[cfg(test)]
    pub(crate) fn used(&self) -> usize {
        self.used_bytes.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_what_the_heap_spends() {
        assert_eq!(charge(1), Some(32));
        assert_eq!(charge(16), Some(32));
        assert_eq!(charge(17), Some(48));
        assert_eq!(charge(usize::MAX), None);
        assert_eq!(charge(usize::MAX - 15), None);
    }

    #[test]
    fn never_holds_more_than_its_limit() {
        let pool = Pool::new(Some(100));
        assert!(pool.reserve(60));
        assert!(!pool.reserve(41));
        assert!(pool.exchange(60, 100));
        assert!(!pool.exchange(100, 101));
        assert!(!pool.exchange(0, usize::MAX));
        pool.release(100);
        assert_eq!(pool.used(), 0);
    }

    #[test]
    fn threads_share_a_limit() {
        let pool = Pool::new(Some(1_000));
        let taken: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..400).filter(|_| pool.reserve(1)).count()))
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        assert_eq!(taken, 1_000);
        assert_eq!(pool.used(), 1_000);
    }
}
