//! Locks of the program: `omp_lock_t`, `omp_nest_lock_t`, critical sections and library atomics.
//!
//! Terms: a *lock word* is the storage the program gives us; nothing else belongs to a lock, so a
//! lock of zeroes is a free lock, and none has to be destroyed. A *waiter* is a thread that sleeps
//! in the kernel (futex) until a lock word changes.
//!
//! Sizes. `omp_lock_t` is 4 bytes in gcc's `omp.h` and Fortran module, 8 in clang's; a named critical
//! section has 8 zeroed bytes from gcc and 32 from clang: a [`LockWord`] uses the first 4 of each.
//! `omp_nest_lock_t` is 16 bytes for gcc's C, 8 for clang and Fortran: a [`NestWord`] uses 8.
//!
//! A contended lock is first watched for a while (the spin limit, shared by every lock and set by
//! whoever knows how many threads share the processors), then slept upon.
//!
//! Source: OpenMP 5.2, chapter 18.9 (lock routines), 15.2 (critical), 15.8.4 (atomic).
//! Not here: hints. A lock behaves the same whatever hint it was made with.

#[cfg(all(test, loom))]
mod model;
mod nest;
mod word;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub use nest::{NestWord, Owner};
pub use word::LockWord;

/// Most pauses a thread spends watching a taken lock before it sleeps.
static SPIN_LIMIT: AtomicU32 = AtomicU32::new(DEFAULT_SPIN_LIMIT);

/// About 10 microseconds of pauses: a sleep and a wake cost about as much, so waiting first and
/// sleeping then is never worse than twice the better choice.
pub const DEFAULT_SPIN_LIMIT: u32 = 256;

/// Sets how many pauses a thread spends watching a taken lock before it sleeps; 0 where threads
/// outnumber processors, because the owner may then wait for the very processor that we hold.
pub fn set_spin_limit(pauses: u32) {
    // Relaxed: a hint that orders nothing; read in `spin_limit`.
    SPIN_LIMIT.store(pauses, Relaxed);
}

/// The present limit, in pauses.
pub fn spin_limit() -> u32 {
    // Relaxed: see `set_spin_limit`.
    SPIN_LIMIT.load(Relaxed)
}
