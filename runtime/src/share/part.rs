//! `Part`: what a region has claimed, and which of its threads have lent their processors while they sleep.
//!
//! A thread that sleeps neither runs nor is wanted, so others may have its processor.
//!
//! Protocol: a thread that falls asleep in a region (l1) adds itself to `lent`, (l2) takes itself off the record. When it is
//! awake, (t1) it adds itself to the record, (t2) takes itself out of `lent`; if nobody is in there, the region has ended while it slept,
//! and it takes itself off the record again. The primary thread at the end (e1) empties `lent`, (e2) takes the claim off the record,
//! without those it found there.
//!
//! Why the sum is right: each thread in `lent` is taken off the record once, by (l2), and put back once: by (t1), if (t2) finds
//! it before (e1) does, else by (e2), which leaves it out. Threads that sleep beyond the end of their region may change places with
//! those of the next: it is the number that counts.

use super::record::{Counts, Record, at_work};
use crate::private::Private;
use crate::sync::{AtomicU32, Ordering};

/// A region's, in its team.
pub struct Part {
    /// Primary thread: what it has added to the record.
    claim: Private<Counts>,
    /// Primary thread writes it while no worker is in the region: whether this one, or one around it, has a claim.
    counted: Private<bool>,
    /// Threads that sleep, and have been taken off the record. All accesses Relaxed: a number, nothing is published with it;
    /// read-modify-writes are in one order for all.
    lent: AtomicU32,
}

impl Default for Part {
    fn default() -> Part {
        Part {
            claim: Private::default(),
            counted: Private::new(false),
            lent: AtomicU32::new(0),
        }
    }
}

impl Part {
    #[inline]
    pub fn is_counted(&self) -> bool {
        self.counted.read(|counted| *counted)
    }

    /// Primary thread: the region begins with this claim, inside of another part or on its own.
    #[inline]
    pub fn begin(&self, claim: Counts, inside: bool) {
        self.claim.set(claim);
        self.counted.set(inside || claim != Counts::default());
    }

    /// Primary thread: the region is over.
    #[inline]
    pub fn end(&self, record: &Record) {
        // (e1)
        let lent = match self.lent.load(Ordering::Relaxed) {
            0 => 0,
            _ => self.lent.swap(0, Ordering::Relaxed),
        };
        let claim = self.claim.replace(Counts::default());
        // (e2)
        record.take_away(claim.without(at_work(lent)));
    }

    /// A thread of the region is about to sleep.
    pub fn lend(&self, record: &Record) {
        self.lent.fetch_add(1, Ordering::Relaxed);
        record.take_away(at_work(1));
    }

    /// It is awake.
    pub fn take_back(&self, record: &Record) {
        record.add(at_work(1));
        let less = |lent: u32| lent.checked_sub(1);
        if self.lent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err() {
            record.take_away(at_work(1));
        }
    }

    /// In a forked child: what was claimed is the parent's.
    pub fn forget(&self) {
        self.begin(Counts::default(), false);
        self.lent.store(0, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use vicinity_policy::share::Claims;

    #[test]
    fn who_sleeps_beyond_the_end_is_counted_once() {
        let (part, record) = (Part::default(), Record::default());
        let claim = Counts::new(Claims { claimants: 1, wanted: 4, running: 3 });
        let begin = || {
            record.add(claim);
            part.begin(claim, false);
        };
        let running = || record.read().claims().running;
        begin();
        part.lend(&record);
        part.lend(&record);
        part.take_back(&record);
        assert_eq!((running(), part.is_counted()), (2, true));
        part.end(&record);
        assert_eq!(record.read(), Counts::default());
        begin();
        part.take_back(&record);
        assert_eq!(running(), 3, "the region counts it already");
        part.end(&record);
        assert_eq!(record.read(), Counts::default());
    }
}
