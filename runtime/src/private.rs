//! `Private<T>`: a field that only one thread at a time may touch.
//!
//! Terms: the *owner* of an object is the thread that runs it (a task's executor, a member's thread,
//! the thread itself for a `Thread`). Ownership moves only through a Release/Acquire hand-over: a
//! push and a steal of a deque, a posted order, a barrier.
//!
//! Invariant 1: `get` and `set` are called by the owner alone. The modules that hold `Private` fields
//! name the owner beside each field.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;

/// A cell that is `Sync` because its owner alone touches it (invariant 1).
pub struct Private<T>(UnsafeCell<T>);

// SAFETY: invariant 1 of this module: there is one thread at a time that calls `get` or `set`, and
// ownership passes on through a Release/Acquire pair.
unsafe impl<T> Sync for Private<T> {}
// SAFETY: as above; the value moves with its owner.
unsafe impl<T> Send for Private<T> {}

impl<T> Private<T> {
    pub const fn new(value: T) -> Self {
        Private(UnsafeCell::new(value))
    }

    /// Replaces the value and returns the old one.
    #[inline(always)]
    pub fn replace(&self, value: T) -> T {
        // SAFETY: the caller is the owner (invariant 1), and no reference into the cell outlives a
        // method of this type except through `with`, which callers do not nest.
        unsafe { std::mem::replace(&mut *self.0.get(), value) }
    }

    #[inline(always)]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Runs `body` on the value; `body` must not reach this cell again.
    #[inline(always)]
    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the caller is the owner (invariant 1) and `body` does not re-enter (its contract).
        body(unsafe { &mut *self.0.get() })
    }
}

impl<T: Copy> Private<T> {
    #[inline(always)]
    pub fn get(&self) -> T {
        // SAFETY: the caller is the owner (invariant 1).
        unsafe { *self.0.get() }
    }
}

impl<T: Default> Default for Private<T> {
    fn default() -> Self {
        Private::new(T::default())
    }
}
