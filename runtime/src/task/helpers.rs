//! `Helpers`: which members of the team run a task's stolen children now.
//!
//! Whoever waits for children inside a tied task may run descendants of that task alone. Those that it does not have itself are
//! in the queues of the threads that stole its children, since a thread pushes what it creates into its own queue. So a waiter
//! looks there, and leaves all other queues alone (leapfrogging: Wagner, Calder 1993).
//!
//! A thief adds itself to the parent before it runs what it stole and removes itself before it tells the parent that the child
//! has finished. So the word is zero when no child is left, as in a record at rest.
//!
//! A hint: all accesses are Relaxed. In teams of more than 64 members some share a bit.

use super::record::TaskRef;
use crate::effort;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
pub struct Helpers(AtomicU64);

impl Helpers {
    /// The members that help, those that share a bit with one included, in a team of `size`.
    pub fn among(&self, size: u32) -> impl Iterator<Item = u32> {
        let mut left = self.0.load(Ordering::Relaxed);
        let bits = std::iter::from_fn(move || {
            let next = (left != 0).then(|| left.trailing_zeros());
            left &= left.wrapping_sub(1);
            next
        });
        bits.flat_map(move |bit| (bit..size).step_by(u64::BITS as usize))
    }
}

/// A member that runs a stolen child of a task that may look for it.
pub struct Help {
    parent: TaskRef,
    bit: u64,
}

impl Help {
    /// Member `num` begins to run `child`, which it has stolen. None where the parent looks everywhere, as an implicit task does.
    pub fn begin(child: TaskRef, num: u32) -> Option<Help> {
        let parent = child.parent.get().filter(|parent| parent.depth.get() > 0)?;
        let bit = 1 << (num % u64::BITS);
        effort::writes(&parent.helpers);
        parent.helpers.0.fetch_or(bit, Ordering::Relaxed);
        Some(Help { parent, bit })
    }

    /// The child is about to finish, so that its parent is still there.
    pub fn end(self) {
        effort::writes(&self.parent.helpers);
        self.parent.helpers.0.fetch_and(!self.bit, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn those_are_found_that_help_or_share_a_bit_with_one() {
        let helpers = Helpers(AtomicU64::new(1 << 3 | 1 << 40));
        assert!(helpers.among(64).eq([3, 40]));
        assert!(helpers.among(40).eq([3]));
        assert!(helpers.among(150).eq([3, 67, 131, 40, 104]));
        assert_eq!(Helpers::default().among(64).count(), 0);
    }
}
