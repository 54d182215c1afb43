//! `ProcessLock`: a mutex that the process has one of, and that fork takes.
//!
//! Protocol: `fork` lists every such lock. The forking thread takes them before the fork and lets go of them after it, in both
//! processes; so what they guard is whole in the child, and none is left to a thread that the child does not have.
//! Which come first is said there.
//!
//! Invariant: every lock that is a static of this crate, or of one above, is of this type and in that list
//! (`tests/tests/tidy` checks it).

use crate::private::Private;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

pub struct ProcessLock<T: 'static> {
    mutex: Mutex<T>,
    /// Owner: the thread that forks, which holds the mutex.
    held: Private<Option<MutexGuard<'static, T>>>,
}

impl<T> ProcessLock<T> {
    pub const fn new(value: T) -> ProcessLock<T> {
        ProcessLock { mutex: Mutex::new(value), held: Private::new(None) }
    }

    /// The lock, if nobody has it.
    pub fn try_lock(&'static self) -> Option<MutexGuard<'static, T>> {
        match self.mutex.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Holders never panic halfway.
    pub fn lock(&'static self) -> MutexGuard<'static, T> {
        self.mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What fork does with each.
pub(crate) trait Quiesce: Sync {
    /// Takes the lock, so that nobody else is inside.
    fn quiesce(&'static self);
    fn go_on(&'static self);
}

impl<T: Send> Quiesce for ProcessLock<T> {
    fn quiesce(&'static self) {
        let guard = self.lock();
        self.held.set(Some(guard));
    }

    fn go_on(&'static self) {
        // Taken out before the lock is free: after it another thread may fork.
        let guard = self.held.replace(None);
        drop(guard);
    }
}
