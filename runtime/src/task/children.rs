//! Counting a task's children: who is unfinished, and who still has descendants.
//!
//! Terms: a child is *finished* when its body has run and its event, if any, is fulfilled; it is *gone*
//! when it and all its descendants are finished. `taskwait` waits for finished, the end of a region
//! and of a taskgroup wait for gone, and a record lives until it is gone.
//!
//! Protocol. The owner (the thread that executes the parent) counts what it creates, and what
//! it finishes itself, in plain fields (`OwnCount`). Any other thread subtracts from one shared word
//! (`RemoteCount`), whose two halves start at `BIAS`; so a child run by its creator's thread costs no
//! atomic operation, and one run elsewhere costs one. To wait asleep, or to end with children left,
//! the owner turns a half into a countdown: it subtracts `BIAS` minus what is left, and whoever brings
//! that half to zero must act (wake the owner, or release the record).
//!
//! Layout of the word: bits 0..32 unfinished half, bits 32..64 not-gone half.
//!
//! Invariants: 1. A half outside a countdown is at least `BIAS / 2`, because the owner folds the word
//! into its own fields when that many children may have been counted there. 2. In a countdown a half equals the number of
//! children still to come, so exactly one subtraction reaches zero.

use crate::effort;
use crate::private::Private;
use crate::sync::{AtomicU64, Ordering};

const BIAS: u32 = 1 << 30;
const RESTING: u64 = (BIAS as u64) << 32 | BIAS as u64;
const ONE_FINISHED: u64 = 1;
const ONE_GONE: u64 = 1 << 32;

/// What the completer of a child must do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Nothing,
    /// The last unfinished child that the sleeping owner waits for: wake it.
    LastFinished,
    /// The last child that was not gone: wake the owner if it sleeps, release the record if it ended.
    LastGone,
}

/// Which children are awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    Finished,
    Gone,
}

/// The owner's side: plain counters.
#[derive(Default)]
pub struct OwnCount {
    created: Private<u32>,
    /// Children that did not finish on this thread, as far as the shared word has not been folded in.
    unfinished: Private<u32>,
    /// Children whose subtree's last did not finish on this thread, likewise.
    present: Private<u32>,
}

/// Everybody's side: one word.
pub struct RemoteCount(AtomicU64);

impl Default for RemoteCount {
    fn default() -> Self {
        RemoteCount(AtomicU64::new(RESTING))
    }
}

impl OwnCount {
    /// Owner: starts counting afresh.
    #[inline(always)]
    pub fn reset(&self) {
        self.created.set(0);
        self.unfinished.set(0);
        self.present.set(0);
    }

    /// Owner: a child is about to be handed over.
    #[inline(always)]
    pub fn create(&self, remote: &RemoteCount) {
        self.include(1);
        self.unfinished.set(self.unfinished.get() + 1);
        let present = self.present.get() + 1;
        self.present.set(present);
        if present >= BIAS / 2 {
            self.fold(remote);
        }
    }

    /// Owner: children that ran inside their creator were finished and gone as soon as they were created.
    #[inline(always)]
    pub fn include(&self, children: u32) {
        self.created.set(self.created.get().saturating_add(children));
    }

    /// Owner: how many children were created since the last reset.
    #[inline(always)]
    pub fn created(&self) -> u32 {
        self.created.get()
    }

    /// Owner: a child finished on this thread.
    #[inline(always)]
    pub fn finish(&self) {
        self.unfinished.set(self.unfinished.get().wrapping_sub(1));
    }

    /// Owner: a child's whole subtree finished, the last of it on this thread.
    #[inline(always)]
    pub fn depart(&self) {
        self.present.set(self.present.get().wrapping_sub(1));
    }

    /// Owner: no child was left to others, so the shared word is at rest.
    #[inline(always)]
    pub fn all_own(&self, until: Until) -> bool {
        self.left_to_others(until) == 0
    }

    #[inline(always)]
    fn left_to_others(&self, until: Until) -> u32 {
        match until {
            Until::Finished => self.unfinished.get(),
            Until::Gone => self.present.get(),
        }
    }

    /// Owner: no half of the shared word was touched, or what was counted there is folded in.
    #[inline(always)]
    pub fn remote_is_at_rest(&self) -> bool {
        self.unfinished.get() | self.present.get() == 0
    }

    /// Owner: how many children are awaited. Outside a countdown only.
    pub fn awaited(&self, remote: &RemoteCount, until: Until) -> u32 {
        if self.all_own(until) {
            return 0;
        }
        // Acquire: pairs with the Release in `RemoteCount::subtract`, so the owner sees what the
        // finished children wrote.
        let word = remote.0.load(Ordering::Acquire);
        self.left_to_others(until) - (BIAS - until.half(word))
    }

    /// Owner: moves what others have counted into the own fields (invariant 1).
    fn fold(&self, remote: &RemoteCount) {
        let word = remote.0.load(Ordering::Relaxed);
        let (finished, gone) = (BIAS - word as u32, BIAS - (word >> 32) as u32);
        self.unfinished.set(self.unfinished.get().wrapping_sub(finished));
        self.present.set(self.present.get().wrapping_sub(gone));
        let back = u64::from(finished) * ONE_FINISHED + u64::from(gone) * ONE_GONE;
        // Acquire: pairs with the Release in `subtract`; these children are not looked at again.
        remote.0.fetch_add(back, Ordering::Acquire);
    }

    /// Owner: turns a half into a countdown. True if nothing is left to count.
    pub fn begin_countdown(&self, remote: &RemoteCount, until: Until) -> bool {
        debug_assert!(self.left_to_others(until) < BIAS, "invariant 1");
        let bias = BIAS - self.left_to_others(until);
        // AcqRel: Acquire pairs with `subtract`; Release publishes the owner's announcement that it
        // sleeps, and the record it leaves behind, to the completer that reaches zero.
        let old = remote.0.fetch_sub(until.unit() * u64::from(bias), Ordering::AcqRel);
        until.half(old) == bias
    }

    /// Owner: turns the countdown back into a resting half.
    pub fn end_countdown(&self, remote: &RemoteCount, until: Until) {
        let bias = BIAS - self.left_to_others(until);
        // Acquire: pairs with the Release in `subtract`.
        remote.0.fetch_add(until.unit() * u64::from(bias), Ordering::Acquire);
    }
}

impl Until {
    fn unit(self) -> u64 {
        match self {
            Until::Finished => ONE_FINISHED,
            Until::Gone => ONE_GONE,
        }
    }

    fn half(self, word: u64) -> u32 {
        match self {
            Until::Finished => word as u32,
            Until::Gone => (word >> 32) as u32,
        }
    }
}

impl RemoteCount {
    /// Owner, alone with the word: starts afresh.
    pub fn reset(&self) {
        self.0.store(RESTING, Ordering::Relaxed);
    }

    /// Another thread finished a child that still has descendants.
    pub fn finish(&self) -> Then {
        self.subtract(ONE_FINISHED)
    }

    /// Another thread finished the last of a child's subtree.
    pub fn depart(&self) -> Then {
        self.subtract(ONE_GONE)
    }

    /// Another thread finished a child that has no descendants.
    #[inline(always)]
    pub fn finish_and_depart(&self) -> Then {
        self.subtract(ONE_FINISHED + ONE_GONE)
    }

    #[inline(always)]
    fn subtract(&self, amount: u64) -> Then {
        effort::writes(&self.0);
        // Release: publishes what the child wrote to the owner's Acquire loads. Acquire: whoever
        // reaches zero releases the record after everybody else's last access.
        let old = self.0.fetch_sub(amount, Ordering::AcqRel);
        let counts = |until: Until| amount & until.unit() == 0 || until.half(old) > 0;
        debug_assert!(counts(Until::Finished) && counts(Until::Gone), "a child ends once");
        let new = old - amount;
        let hit = |until: Until| amount & until.unit() != 0 && until.half(new) == 0;
        if hit(Until::Gone) {
            Then::LastGone
        } else if hit(Until::Finished) {
            Then::LastFinished
        } else {
            Then::Nothing
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn own_children_touch_no_shared_word() {
        let (own, remote) = (OwnCount::default(), RemoteCount::default());
        own.create(&remote);
        assert!(!own.all_own(Until::Finished));
        own.finish();
        own.depart();
        assert!(own.all_own(Until::Finished) && own.all_own(Until::Gone));
        assert_eq!(remote.0.load(Ordering::Relaxed), RESTING);
    }

    #[test]
    fn a_countdown_ends_with_the_last_child() {
        let (own, remote) = (OwnCount::default(), RemoteCount::default());
        (0..3).for_each(|_| own.create(&remote));
        assert_eq!(remote.finish_and_depart(), Then::Nothing);
        assert_eq!(own.awaited(&remote, Until::Finished), 2);
        assert!(!own.begin_countdown(&remote, Until::Finished));
        assert_eq!(remote.finish(), Then::Nothing);
        assert_eq!(remote.finish_and_depart(), Then::LastFinished);
        own.end_countdown(&remote, Until::Finished);
        assert_eq!(own.awaited(&remote, Until::Finished), 0);
        assert_eq!(own.awaited(&remote, Until::Gone), 1);
        assert!(!own.begin_countdown(&remote, Until::Gone));
        assert_eq!(remote.depart(), Then::LastGone);
    }

    #[test]
    fn included_children_leave_nothing_to_wait_for() {
        let (own, remote) = (OwnCount::default(), RemoteCount::default());
        own.include(3);
        assert!(own.created() == 3 && own.remote_is_at_rest());
        own.create(&remote);
        remote.finish();
        own.depart();
        assert!(own.all_own(Until::Gone) && !own.remote_is_at_rest());
    }

    #[test]
    fn folding_keeps_the_sums() {
        let (own, remote) = (OwnCount::default(), RemoteCount::default());
        (0..5).for_each(|_| own.create(&remote));
        remote.finish();
        remote.finish_and_depart();
        own.fold(&remote);
        assert_eq!(own.awaited(&remote, Until::Finished), 3);
        assert_eq!(own.awaited(&remote, Until::Gone), 4);
        assert_eq!(remote.0.load(Ordering::Relaxed), RESTING);
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::{sync::Arc, thread};

    /// Two completers race with an owner that starts a countdown: one of the three learns of the end.
    #[test]
    fn exactly_one_thread_sees_the_last_child() {
        loom::model(|| {
            let shared = Arc::new((OwnCount::default(), RemoteCount::default()));
            shared.0.create(&shared.1);
            shared.0.create(&shared.1);
            let completers: Vec<_> = (0..2)
                .map(|_| {
                    let shared = shared.clone();
                    thread::spawn(move || shared.1.finish_and_depart() == Then::LastGone)
                })
                .collect();
            let owner = shared.0.begin_countdown(&shared.1, Until::Gone);
            let seen = completers.into_iter().map(|c| c.join().unwrap());
            assert_eq!(seen.filter(|&last| last).count() + usize::from(owner), 1);
        });
    }
}
