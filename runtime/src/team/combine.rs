//! Combining one value of each member of a team, in a tree.
//!
//! Terms: a member *offers* the address of its value once it has combined into it the values of its
//! children in the tree; its parent combines that and *takes* it. Member 0 ends up with everything.
//!
//! Protocol: one word a member: 0 when nothing is offered. The member stores its address (Release), the
//! parent sees it (Acquire), combines, and stores 0 (Release), which the member sees (Acquire) before
//! it lets its value go. A member's word is 0 again before it meets the next reduction.
//! Member `n` has the children `n * FAN + 1` to `n * FAN + FAN`.
//! Source: OpenMP 5.2 section 5.5 (reductions).

use super::Member;
use crate::wait;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Children of a member: more make the tree lower, and a member's own work longer.
const FAN: u32 = 4;

/// How the reduction that a member is in goes, for its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// The team has one member.
    #[default]
    Alone,
    Atomics,
    /// One thread at a time.
    InTurn,
    Tree,
}

/// A member's offer; 0 is none.
#[derive(Default)]
pub struct Offer(AtomicUsize);

impl Offer {
    fn is_made(&self) -> bool {
        // Acquire: pairs with the Release in `make`.
        self.0.load(Ordering::Acquire) != 0
    }

    fn make(&self, value: usize) {
        // Release: pairs with the Acquire in `is_made`.
        self.0.store(value, Ordering::Release);
    }

    fn take(&self) {
        // Release: pairs with the Acquire in `is_taken`.
        self.0.store(0, Ordering::Release);
    }

    fn is_taken(&self) -> bool {
        // Acquire: pairs with the Release in `take`.
        self.0.load(Ordering::Acquire) == 0
    }
}

/// Every member calls this with the address of its value, not 0; `combine(into, from)` is called for
/// each child. Returns true in member 0, when its value has everything; in the others once their
/// value is no longer needed, or at once if they promise with `keep` to keep it until a barrier.
pub fn combine(
    member: &Member,
    value: usize,
    keep: bool,
    mut combine: impl FnMut(usize, usize),
) -> bool {
    let team = member.team();
    let first = member.num * FAN + 1;
    for child in first..(first + FAN).min(team.size()) {
        let offer = &team.members()[child as usize].offer;
        wait::until(|| offer.is_made());
        // Relaxed: `is_made` has synchronized.
        combine(value, offer.0.load(Ordering::Relaxed));
        offer.take();
    }
    if member.num == 0 {
        return true;
    }
    member.offer.make(value);
    if !keep {
        wait::until(|| member.offer.is_taken());
    }
    false
}

#[cfg(all(test, not(loom)))]
#[allow(unsafe_code)]
mod tests {
    use super::*;
    use crate::team::region::{self, Request};
    use crate::thread;
    use std::sync::atomic::AtomicU64;

    /// Every thread offers its number plus one, twice; member 0 adds the sums to the total.
    unsafe extern "C" fn sum_twice(total: *mut libc::c_void) {
        let member = thread::current().member();
        for keep in [false, true] {
            let mut value = u64::from(member.num) + 1;
            let add = |into: usize, from: usize| {
                // SAFETY: both are values of threads that wait for this combination.
                unsafe { *(into as *mut u64) += *(from as *const u64) }
            };
            let place = &raw mut value;
            if combine(member, place as usize, keep, add) {
                // SAFETY: the test's own counter, and this thread's value.
                unsafe { &*total.cast::<AtomicU64>() }
                    .fetch_add(unsafe { *place }, Ordering::Relaxed);
            }
            region::barrier();
        }
    }

    #[test]
    fn member_0_ends_up_with_everything() {
        for num_threads in [1, 2, 5, 6, 9, 22] {
            let total = AtomicU64::new(0);
            let request = Request { num_threads, ..Request::default() };
            region::parallel(sum_twice, (&raw const total).cast_mut().cast(), request);
            let n = u64::from(num_threads);
            assert_eq!(total.into_inner(), n * (n + 1), "{num_threads} threads");
        }
    }
}
