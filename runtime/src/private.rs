//! `Private<T>`: a field that only one thread at a time may touch.
//!
//! Terms: the *owner* of an object is the thread that runs it (a task's executor, a member's thread,
//! the thread itself for a `Thread`). Ownership moves only through a Release/Acquire hand-over: a
//! push and a steal of a deque, a posted order, a barrier.
//!
//! Invariants: 1. The methods are called by the owner alone. The modules that hold `Private` fields name the owner
//! beside each field. 2. What `with` runs does not reach the same cell again.
//!
//! Debug builds check the second, except in `get`, which is called most. The thread sanitizer (`make sanitize`) checks the first: an access without a hand-over
//! is a data race.
#![allow(unsafe_code)]

use std::cell::{RefCell, UnsafeCell};

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
        self.assert_left();
        // SAFETY: the caller is the owner (invariant 1), and no reference into the cell is live: none outlives a
        // method of this type, and none of `with` is (invariant 2).
        unsafe { std::mem::replace(&mut *self.0.get(), value) }
    }

    #[inline(always)]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Runs `body` on the value; `body` must not reach this cell again.
    #[inline(always)]
    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        let _entered = Entered::new(self.0.get().addr());
        // SAFETY: the caller is the owner (invariant 1) and `body` does not re-enter (invariant 2).
        body(unsafe { &mut *self.0.get() })
    }

    /// The value, for as long as nobody changes it: also for threads that the owner handed it to for that.
    #[inline(always)]
    pub fn read<R>(&self, body: impl FnOnce(&T) -> R) -> R {
        // SAFETY: nobody changes it meanwhile (the caller's promise, with a hand-over before and after).
        body(unsafe { &*self.0.get() })
    }

    /// Invariant 2, in debug builds.
    #[inline(always)]
    fn assert_left(&self) {
        if cfg!(debug_assertions) {
            assert!(!Entered::contains(self.0.get().addr()), "`with` runs on this cell");
        }
    }
}

thread_local! {
    /// Debug builds: the cells that the thread runs `with` on.
    static ENTERED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A cell that `with` runs on; debug builds remember its address.
struct Entered(usize);

impl Entered {
    #[inline(always)]
    fn new(cell: usize) -> Entered {
        if cfg!(debug_assertions) {
            assert!(!Entered::contains(cell), "`with` is nested on one cell");
            // Not while the thread's variables are destroyed.
            let _ = ENTERED.try_with(|cells| cells.borrow_mut().push(cell));
        }
        Entered(cell)
    }

    fn contains(cell: usize) -> bool {
        ENTERED.try_with(|cells| cells.borrow().contains(&cell)).unwrap_or(false)
    }
}

impl Drop for Entered {
    #[inline(always)]
    fn drop(&mut self) {
        if cfg!(debug_assertions) {
            // Not always the last: a thread may leave a stack inside of one.
            let _ = ENTERED.try_with(|cells| cells.borrow_mut().retain(|&cell| cell != self.0));
        }
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_cell_is_not_reached_again() {
        let (cell, other) = (Private::new(1), Private::new(2));
        assert_eq!(cell.with(|value| *value + other.with(|value| *value) + other.get()), 5);
        let panics = |body: &dyn Fn()| catch_unwind(AssertUnwindSafe(body)).is_err();
        assert!(panics(&|| cell.with(|_| cell.set(3))));
        assert!(panics(&|| cell.with(|_| cell.with(|_| ()))));
        assert_eq!(cell.get(), 1);
    }
}
