//! `Part`: what a region has claimed, and which of its threads have lent their processors while they sleep.
//!
//! A thread that sleeps neither runs nor is wanted, so others may have its processor.
//!
//! Protocol: `present` says how many of the region's threads are on the record. A thread that falls asleep (l1) leaves it, if the
//! region is not over, (l2) takes itself off the record. When it is awake, (t1) it adds itself to the record, (t2) comes back to
//! `present`; if nobody is missing there, its region has ended while it slept, and it takes itself off the record again. The
//! primary thread at the end (e1) closes `present`, (e2) takes those off the record that it found there.
//!
//! Why the sum is right: whoever leaves before (e1) takes itself off, and the others are taken off by (e2). Threads that sleep
//! beyond the end of their region may change places with those of the next: it is the number that counts. All are on the record
//! before they are present, and until they are no longer: so nothing is taken off that is not there.

use super::record::{Counts, Record, at_work};
use super::tcm::Permit;
use crate::private::Private;
use crate::sync::{AtomicU32, Ordering};

/// A region's, in its team.
pub struct Part {
    /// Primary thread: what it has claimed, and whether as the process's first thread.
    claim: Private<Counts>,
    is_first: Private<bool>,
    /// Primary thread: what it has of the processors of this process's runtimes.
    pub(super) permit: Private<Permit>,
    /// Primary thread writes it while no worker is in the region: whether this one, or one around it, has a claim.
    counted: Private<bool>,
    /// All accesses Relaxed: a number, nothing is published with it; changes of one word are in one order for all.
    present: AtomicU32,
}

/// Bits 0 to 15: threads that are present; 16 to 31: how many there are. No region: zero.
#[inline]
fn present(threads: u32, of: u32) -> u32 {
    threads | of << 16
}

fn come(word: u32) -> Option<u32> {
    let (threads, of) = (word & 0xffff, word >> 16);
    (threads < of).then(|| present(threads + 1, of))
}

fn go(word: u32) -> Option<u32> {
    let (threads, of) = (word & 0xffff, word >> 16);
    (threads > 0).then(|| present(threads - 1, of))
}

impl Default for Part {
    fn default() -> Part {
        Part {
            claim: Private::default(),
            is_first: Private::new(false),
            permit: Private::default(),
            counted: Private::new(false),
            present: AtomicU32::new(0),
        }
    }
}

impl Part {
    #[inline]
    pub fn is_counted(&self) -> bool {
        self.counted.read(|counted| *counted)
    }

    /// Primary thread: the region begins with this claim, which is on the record, inside of another part or on its own; `is_first`: by
    /// the first thread.
    #[inline]
    pub fn begin(&self, claim: Counts, inside: bool, is_first: bool) {
        self.claim.set(claim);
        self.is_first.set(is_first);
        self.counted.set(inside || claim != Counts::default());
        let threads = claim.running();
        self.present.store(present(threads, threads), Ordering::Relaxed);
    }

    /// Primary thread: the region is over.
    #[inline]
    pub fn end(&self, record: &Record) {
        // (e1)
        let word = self.present.swap(0, Ordering::Relaxed);
        let claim = self.claim.replace(Counts::default());
        // (e2)
        let missing = (word >> 16) - (word & 0xffff);
        match (self.is_first.get(), missing) {
            (true, 0) => record.say(Counts::default()),
            (true, _) => {
                record.add(at_work(missing));
                record.say(Counts::default());
            }
            (false, 0) => record.take_away(claim),
            (false, _) => record.take_away(claim.without(at_work(missing))),
        }
    }

    /// A thread of the region is about to sleep. True if it is taken off the record for that.
    pub fn lend(&self, record: &Record) -> bool {
        let left = self.present.fetch_update(Ordering::Relaxed, Ordering::Relaxed, go).is_ok();
        if left {
            record.take_away(at_work(1));
        }
        left
    }

    /// It is awake, and was taken off.
    pub fn take_back(&self, record: &Record) {
        record.add(at_work(1));
        if self.present.fetch_update(Ordering::Relaxed, Ordering::Relaxed, come).is_err() {
            record.take_away(at_work(1));
        }
    }

    /// In a forked child: what was claimed is the parent's.
    pub fn forget(&self) {
        self.begin(Counts::default(), false, false);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use vicinity_policy::share::Claims;

    fn who_sleeps_beyond_the_end_is_counted_once(is_first: bool) {
        let (part, record) = (Part::default(), Record::default());
        let claim = Counts::new(Claims { claimants: 1, wanted: 4, running: 3 });
        let begin = || {
            record.put(claim, is_first);
            part.begin(claim, false, is_first);
        };
        let running = || record.read().claims().running;
        begin();
        assert!(part.lend(&record) && part.lend(&record));
        part.take_back(&record);
        assert_eq!((running(), part.is_counted()), (2, true));
        part.end(&record);
        assert!(!part.lend(&record), "the region is over");
        assert_eq!(record.read(), Counts::default());
        begin();
        part.take_back(&record);
        assert_eq!(running(), 3, "the region counts it already");
        part.end(&record);
        assert_eq!(record.read(), Counts::default());
    }

    #[test]
    fn sleepers_are_counted_once_whoever_began_the_region() {
        who_sleeps_beyond_the_end_is_counted_once(false);
        who_sleeps_beyond_the_end_is_counted_once(true);
    }
}
