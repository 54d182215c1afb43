//! `Seen`: on which processors a team's threads were seen last, so that one that spins gives way to another on its own.
//!
//! Where another program wants the processor, whoever yields it gets it back after a time slice of that program, some
//! milliseconds later: a spinning thread that yielded now and then took ten times as long for a region as one that did not. Where
//! the thread that it waits for is queued behind it, not to yield costs as much. So it yields if it has reason to believe that:
//! another thread of its team was seen on the same processor, or was woken and has not been seen since.
//!
//! All accesses are Relaxed: hints, a few milliseconds old, since the kernel moves threads without a word.
//!
//! Source: measured on Linux 6.18, 2 processors (docs/decisions/005-waiting.md).

use super::Member;
use std::sync::atomic::{AtomicU16, Ordering};
use vicinity_alloc::os::affinity;

/// Woken, or sent there, and not seen since.
const WOKEN: u16 = u16::MAX;
/// Or nobody is there.
const ASLEEP: u16 = u16::MAX - 1;
/// The kernel does not say where.
const SOMEWHERE: u16 = u16::MAX - 2;

/// By member: a processor's number, or one of the above.
pub struct Seen(Box<[AtomicU16]>);

impl Seen {
    pub fn new(capacity: u32) -> Seen {
        Seen((0..capacity).map(|_| AtomicU16::new(ASLEEP)).collect())
    }

    fn set(&self, num: u32, place: u16) {
        let slot = &self.0[num as usize];
        // Not written again and again, since others read it.
        if slot.load(Ordering::Relaxed) != place {
            slot.store(place, Ordering::Relaxed);
        }
    }

    /// The member's thread is being woken, or gets an order.
    pub fn wakes(&self, num: u32) {
        if self.0[num as usize].load(Ordering::Relaxed) == ASLEEP {
            self.set(num, WOKEN);
        }
    }

    /// Whether another of the first `size` members may be queued behind this one, which runs on `processor`.
    fn may_be_queued(&self, num: u32, processor: u16, size: u32) -> bool {
        let others = self.0[..size as usize].iter().enumerate();
        let mut others = others.filter(|&(other, _)| other != num as usize);
        others.any(|(_, slot)| [processor, WOKEN].contains(&slot.load(Ordering::Relaxed)))
    }
}

impl Member {
    /// Its thread runs where it runs now; returns where, if the kernel says.
    pub fn is_seen(&self) -> Option<u32> {
        let processor = affinity::current_processor();
        self.team().seen.set(self.num, place_of(processor));
        processor
    }

    /// Its thread is about to sleep, or to leave.
    pub fn goes_to_sleep(&self) {
        self.team().seen.set(self.num, ASLEEP);
    }

    /// Its thread: whether another of the team may be queued behind it on its processor.
    pub fn keeps_others_waiting(&self) -> bool {
        let (team, place) = (self.team(), place_of(self.is_seen()));
        team.seen.may_be_queued(self.num, place, team.size())
    }
}

fn place_of(processor: Option<u32>) -> u16 {
    processor.map_or(SOMEWHERE, |number| number.min(u32::from(SOMEWHERE)) as u16)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn others_on_the_same_processor_count_and_sleepers_do_not() {
        let seen = Seen::new(4);
        assert!(!seen.may_be_queued(0, 7, 4), "nobody is there");
        (0..3).for_each(|num| seen.set(num, 5 + num as u16));
        seen.wakes(3);
        assert!(!seen.may_be_queued(0, 5, 3) && seen.may_be_queued(0, 5, 4));
        assert!(seen.may_be_queued(0, 6, 3) && !seen.may_be_queued(0, 6, 1));
        seen.set(3, ASLEEP);
        assert!(!seen.may_be_queued(0, 5, 4));
        (0..3).for_each(|num| seen.wakes(num));
        assert!(!seen.may_be_queued(0, 5, 4), "those awake stay where they are");
        seen.wakes(3);
        assert!(seen.may_be_queued(0, 5, 4) && !seen.may_be_queued(3, 9, 3));
    }
}
