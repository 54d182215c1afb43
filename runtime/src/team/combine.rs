//! Combining one value of each member of a team, in a tree.
//!
//! Terms: a member *offers* the address of its value once it has combined into it the values of its
//! children in the tree; its parent combines that and *takes* it. Member 0 ends up with everything.
//!
//! Protocol: one word a member: 0 when nothing is offered. The member stores its address (Release), the
//! parent claims it (Acquire), combines, and stores 0 (Release), which the member sees (Acquire) before
//! it lets its value go. A member's word is 0 again before it meets the next reduction.
//!
//! In a cancelled region members may be gone to its end, so nobody waits for an offer or its taking. A member
//! then takes back what it has offered, unless its parent has claimed it and is about to be done with it. What a
//! parent claims then may belong to a later reduction than its own: its maker had seen the cancellation before, and
//! so the parent sees it behind the claim, and combines nothing.
//! Which members are a member's children, `policy::tree` says.
//! Source: OpenMP 5.2 section 5.5 (reductions).

use super::Member;
use crate::{aside, effort, wait};
use std::sync::atomic::{AtomicUsize, Ordering};
use vicinity_policy::tree;

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

/// The parent combines what was offered. No address: values are aligned.
const CLAIMED: usize = 1;

impl Offer {
    fn is_made(&self) -> bool {
        // Relaxed: `claim` synchronizes.
        self.0.load(Ordering::Relaxed) != 0
    }

    fn make(&self, value: usize) {
        effort::writes(&self.0);
        // Release: pairs with the Acquire in `claim`.
        self.0.store(value, Ordering::Release);
    }

    /// The parent: the address that is offered, if it still is. `take` follows.
    fn claim(&self) -> Option<usize> {
        let value = self.0.load(Ordering::Relaxed);
        // Acquire: pairs with the Release in `make`, behind what its maker knew of a cancellation. A failure
        // means that it was taken back.
        let claimed = value != 0
            && self
                .0
                .compare_exchange(value, CLAIMED, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        claimed.then_some(value)
    }

    fn take(&self) {
        effort::writes(&self.0);
        // Release: pairs with the Acquire in `is_taken`.
        self.0.store(0, Ordering::Release);
    }

    fn is_taken(&self) -> bool {
        // Acquire: pairs with the Release in `take`.
        self.0.load(Ordering::Acquire) == 0
    }

    /// Its maker lets the value go: takes it back, or waits until the parent that has claimed it is done.
    fn withdraw(&self) {
        let value = self.0.load(Ordering::Relaxed);
        if value != CLAIMED && value != 0 {
            // Relaxed: nobody has looked at the value. A failure means that it was claimed meanwhile.
            let back = self.0.compare_exchange(value, 0, Ordering::Relaxed, Ordering::Relaxed);
            if back.is_ok() {
                return;
            }
        }
        wait::until(|| self.is_taken());
    }
}

/// Every member calls this with the address of its value, not 0; `combine(into, from)` is called for
/// each child. Returns true in member 0, when its value has everything; in the others once their
/// value is no longer needed, or at once if they promise with `keep` to keep it until a barrier and to call
/// `let_go` behind that. In a cancelled region values may be left out.
pub fn combine(
    member: &Member,
    value: usize,
    keep: bool,
    mut combine: impl FnMut(usize, usize),
) -> bool {
    let team = member.team();
    for child in tree::values(member.num, team.size()) {
        let offer = &team.members()[child as usize].offer;
        aside::until(|| offer.is_made() || team.is_cancelled());
        if let Some(from) = offer.claim() {
            if !team.is_cancelled() {
                combine(value, from);
            }
            offer.take();
        }
    }
    if member.num == 0 {
        return true;
    }
    member.offer.make(value);
    if !keep {
        aside::until(|| member.offer.is_taken() || team.is_cancelled());
        member.offer.withdraw();
    }
    false
}

/// A member that has promised to keep its value, behind the barrier: from here on nobody uses it.
pub fn let_go(member: &Member) {
    member.offer.withdraw();
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
            let_go(member);
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

    /// Cancels the region in one thread, which leaves at once; the others meet reductions of two sizes.
    unsafe extern "C" fn cancel_among(rounds: *mut libc::c_void) {
        let member = thread::current().member();
        // SAFETY: the test's own counter.
        let round = unsafe { &*rounds.cast::<AtomicU64>() }.load(Ordering::Relaxed);
        let (size, pauses) = (u64::from(member.team().size()), round * 37 % 400);
        if u64::from(member.num) == round % size {
            (0..pauses).for_each(|_| std::hint::spin_loop());
            return member.team().cancel();
        }
        for keep in [false, true, false] {
            // Whoever combined values of different reductions would find other numbers.
            let mut value = [7 + u64::from(keep); 4];
            combine(member, (&raw mut value).addr(), keep, |_, from| {
                // SAFETY: the value of a thread that waits for this combination.
                let from = unsafe { *(from as *const [u64; 4]) };
                assert_eq!(from, [7 + u64::from(keep); 4]);
            });
            if keep {
                region::barrier();
                let_go(member);
            }
            value = [0; 4];
            std::hint::black_box(&value);
        }
    }

    #[test]
    fn a_cancelled_region_waits_for_nobody_and_leaves_no_offer() {
        for round in 0..300u64 {
            let rounds = AtomicU64::new(round);
            let num_threads = [2, 5, 6, 9, 22][round as usize % 5];
            let request = Request { num_threads, ..Request::default() };
            region::parallel(cancel_among, (&raw const rounds).cast_mut().cast(), request);
            let request = Request { num_threads, ..Request::default() };
            let total = AtomicU64::new(0);
            region::parallel(sum_twice, (&raw const total).cast_mut().cast(), request);
            let n = u64::from(num_threads);
            assert_eq!(total.into_inner(), n * (n + 1), "round {round}");
        }
    }
}
