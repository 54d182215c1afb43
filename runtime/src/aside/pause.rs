//! `Pause`: one wait that another thread ends.
//!
//! States: `OPEN`, nobody waits yet; `LEFT`, the task that waits was set aside; `ENDED`. Who waits on its thread's own stack
//! looks at the word alone, and leaves it `OPEN`.
//!
//! Invariants: 1. `end` is called once. 2. It touches the pause after its exchange only if it found `LEFT`: then the task
//! goes on, and the pause may be gone, when its thread has been told, and not before.

use super::fiber::Fiber;
use crate::thread;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

const OPEN: u32 = 0;
const LEFT: u32 = 1;
const ENDED: u32 = 2;

/// Zeroes are an open one. C has it as two words.
#[repr(C)]
#[derive(Default)]
pub struct Pause {
    state: AtomicU32,
    fiber: AtomicPtr<Fiber>,
}

const _: () = assert!(size_of::<Pause>() == 16);

impl Pause {
    /// Returns when the pause has ended. Meanwhile the thread runs other tasks.
    pub fn wait(&self) {
        let thread = thread::current();
        match thread.aside.fiber().filter(|fiber| fiber.is_home(thread)) {
            Some(fiber) if !self.has_ended() => fiber.leave_for(self),
            Some(_) => (),
            None => super::wait(thread, &|| self.has_ended()),
        }
    }

    fn has_ended(&self) -> bool {
        // Acquire: pairs with the AcqRel in `end`.
        self.state.load(Ordering::Acquire) == ENDED
    }

    /// The fiber's thread, which has left it: false if the pause has ended.
    pub(super) fn awaited_by(&self, fiber: &'static Fiber) -> bool {
        self.fiber.store(std::ptr::from_ref(fiber).cast_mut(), Ordering::Relaxed);
        // AcqRel: pairs with that in `end`, in either order.
        let (both, acquire) = (Ordering::AcqRel, Ordering::Acquire);
        self.state.compare_exchange(OPEN, LEFT, both, acquire).is_ok()
    }

    /// Ends it.
    pub fn end(&self) {
        // AcqRel: who waits sees what was done before; and pairs with `awaited_by`.
        if self.state.swap(ENDED, Ordering::AcqRel) == LEFT {
            let fiber = self.fiber.load(Ordering::Relaxed);
            // SAFETY: invariant 2; fibers are never deallocated.
            let fiber: Option<&'static Fiber> = unsafe { fiber.as_ref() };
            fiber.inspect(|fiber| fiber.has_ended());
        }
    }
}
