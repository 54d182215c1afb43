//! A ring of slots through which the members of a team meet at successive constructs.
//!
//! Terms: every member numbers the constructs it meets from 0; all members of a team meet the same
//! constructs in the same order, so a number names one construct for all of them. Construct `n` uses
//! slot `n % SLOTS`. The *first* member to arrive prepares the slot, the others wait until it is
//! published, and the last one to leave *retires* it, which frees it for construct `n + SLOTS`. A member
//! may thus run up to `SLOTS` constructs ahead of another. A construct is *settled* when all members have met at a barrier
//! behind it: then nobody leaves it, and the first member of construct `n + SLOTS` takes its slot as it is.
//!
//! States of a slot, packed in one word as `construct * 4 + phase`:
//!
//! ```text
//! Free(n) --first arrival--> Preparing(n) --publish--> Ready(n) --last leaves--> Free(n + SLOTS)
//!                                                      Ready(n), settled --first arrival--> Preparing(n + SLOTS)
//! ```
//!
//! Invariants:
//! 1. Only the member whose exchange took `Free(n)` to `Preparing(n)` writes before `Ready(n)`.
//! 2. What it wrote is seen by all who see `Ready(n)`: its Release store pairs with the Acquire load in
//!    [`Ring::try_arrive`].
//! 3. `left` and `groups` count departures from the construct in the slot; whoever is the last (`crate::arrivals`) is alone in
//!    the slot, after everything the others did there, and whoever finds the slot free comes after the retirement (Release
//!    store, Acquire load of `state`). `left` is on the line of `state`: a short construct of few members moves one line.
//! 4. All members leave a construct, or none does because it is settled. The barrier orders what they did there before whatever
//!    comes after it.

use crate::arrivals::Groups;
use crate::effort;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crossbeam_utils::CachePadded;

/// What an attempt to enter a construct found.
pub enum Arrival<'a, T> {
    /// The caller prepares the slot and must call [`Ring::publish`].
    First(&'a T),
    /// The slot is ready.
    Later(&'a T),
    /// Another member is preparing the slot: try again.
    Preparing,
    /// Some member has not yet left the construct that used the slot before: try again.
    Occupied,
}

/// The ring; `T` is what a construct shares.
pub struct Ring<T, const SLOTS: usize> {
    slots: [CachePadded<Slot<T>>; SLOTS],
    /// How many slots have been used since the last reset.
    used: AtomicU32,
}

struct Slot<T> {
    state: AtomicU64,
    left: AtomicU32,
    groups: Groups,
    value: T,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Free = 0,
    Preparing = 1,
    Ready = 2,
}

const fn word(construct: u64, phase: Phase) -> u64 {
    construct * 4 + phase as u64
}

impl<T: Default, const SLOTS: usize> Ring<T, SLOTS> {
    /// For up to `capacity` members.
    pub fn new(capacity: u32) -> Self {
        Ring {
            slots: std::array::from_fn(|index| {
                CachePadded::new(Slot {
                    state: AtomicU64::new(word(index as u64, Phase::Free)),
                    left: AtomicU32::new(0),
                    groups: Groups::new(capacity),
                    value: T::default(),
                })
            }),
            used: AtomicU32::new(0),
        }
    }
}

impl<T, const SLOTS: usize> Ring<T, SLOTS> {
    /// Which slot a construct uses.
    pub const fn index(construct: u64) -> usize {
        (construct % SLOTS as u64) as usize
    }

    fn slot(&self, construct: u64) -> &Slot<T> {
        &self.slots[Self::index(construct)]
    }

    /// What the construct shares; for members that have arrived and not left.
    pub fn value(&self, construct: u64) -> &T {
        &self.slot(construct).value
    }

    /// Tries to enter a construct. Those below `settled` are, for all members alike.
    pub fn try_arrive(&self, construct: u64, settled: u64) -> Arrival<'_, T> {
        let slot = self.slot(construct);
        let (free, preparing) = (word(construct, Phase::Free), word(construct, Phase::Preparing));
        effort::looks(1);
        // Acquire: pairs with the Release in `publish` (invariant 2) and in `leave` (invariant 3).
        let seen = slot.state.load(Ordering::Acquire);
        if seen == word(construct, Phase::Ready) {
            return Arrival::Later(&slot.value);
        }
        if seen == preparing {
            return Arrival::Preparing;
        }
        let before = construct.checked_sub(SLOTS as u64).filter(|&before| before < settled);
        if seen != free && before.is_none_or(|before| seen != word(before, Phase::Ready)) {
            return Arrival::Occupied;
        }
        effort::writes(&slot.state);
        // Acquire: as above. A failure means that another member came first.
        match slot.state.compare_exchange(seen, preparing, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => {
                self.note_use(construct);
                Arrival::First(&slot.value)
            }
            Err(_) => Arrival::Preparing,
        }
    }

    /// Enters a construct whose team has one member: never waits, and costs no exchange.
    pub fn arrive_alone(&self, construct: u64) -> &T {
        self.note_use(construct);
        let slot = self.slot(construct);
        // Relaxed: nobody else looks.
        slot.state.store(word(construct, Phase::Ready), Ordering::Relaxed);
        &slot.value
    }

    /// Remembers for [`Ring::reset`] that the construct's slot is no longer as new.
    fn note_use(&self, construct: u64) {
        let used = u32::try_from(construct + 1).unwrap_or(u32::MAX).min(SLOTS as u32);
        // Relaxed: `reset` runs when the team's members have met at a barrier.
        if self.used.load(Ordering::Relaxed) < used {
            self.used.fetch_max(used, Ordering::Relaxed);
        }
    }

    /// Opens the prepared slot to the other members.
    pub fn publish(&self, construct: u64) {
        // Release: pairs with the Acquire load in `try_arrive`.
        self.slot(construct).state.store(word(construct, Phase::Ready), Ordering::Release);
    }

    /// Member `num` leaves a construct; the last of the team's `members` runs `retire` and frees the slot.
    pub fn leave(&self, construct: u64, num: u32, members: u32, retire: impl FnOnce(&T)) {
        let slot = self.slot(construct);
        if members > 1 && !slot.groups.arrive(&slot.left, num, members) {
            return;
        }
        retire(&slot.value);
        // Release: pairs with the Acquire load in `try_arrive`.
        slot.state.store(word(construct + SLOTS as u64, Phase::Free), Ordering::Release);
    }

    /// Makes the ring as new, while no member uses it. If the region was `cut_short`, some
    /// members may have left constructs that others did not: `abandon` is given what those shared.
    pub fn reset(&self, cut_short: bool, abandon: impl Fn(&T)) {
        // Relaxed, here and below: the members met at a barrier before, and will learn of the team's
        // next region through its start.
        let used = self.used.load(Ordering::Relaxed);
        if used == 0 {
            return;
        }
        for (index, slot) in self.slots.iter().enumerate().take(used as usize) {
            if cut_short && slot.state.load(Ordering::Relaxed) % 4 != Phase::Free as u64 {
                abandon(&slot.value);
                slot.groups.reset(&slot.left);
            }
            slot.state.store(word(index as u64, Phase::Free), Ordering::Relaxed);
        }
        self.used.store(0, Ordering::Relaxed);
    }
}
