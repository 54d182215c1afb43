//! Chunks of a nonmonotonic dynamic loop: every member begins with its own block of them, on a cache
//! line of its own, and takes half of another's when it runs out.
//!
//! Terms: a *lane* is the word of one member for one slot of the ring: the chunks it still has, as
//! `next..end`, and a *tag* that names the loop. A lane whose tag is another loop's stands for the
//! member's untouched block, so that the first member of a loop need not write the lanes of all others,
//! and the block of a member that is late can be taken as well.
//!
//! Layout of the word: bits 0 to 27 `end`, bits 28 to 55 `next`, bits 56 to 63 the tag.
//!
//! Invariants:
//! 1. Every chunk is in exactly one lane or has been taken by one member: lanes change by exchange only,
//!    but for the owner's store into its own empty lane, which no thief touches.
//! 2. A word says all there is to know, so an exchange that finds an old value again is right again.
//! 3. Every member has tagged its lane when it leaves ([`Team::take`], [`Team::enter`]), so all lanes of a team carry the tag
//!    of the slot's last loop and no tag can be met twice; a team of another size starts with lanes
//!    cleared ([`Lanes::clear`]).
//!
//! All accesses are Relaxed: a lane hands out numbers, it publishes nothing; the slot's own protocol
//! orders one loop's use of the lanes after the one before.

use crate::effort;
use crate::sync::{AtomicU64, Ordering};
use std::sync::OnceLock;
use vicinity_policy::chunks::{self, Range};

/// The largest team that uses lanes: a member that finds nothing looks at all of them.
pub const MOST_MEMBERS: u32 = 256;

/// The largest number of chunks a lane can count.
pub const MOST_CHUNKS: u64 = (1 << FIELD_BITS) - 1;

const FIELD_BITS: u32 = 28;
const CLASSES: usize = MOST_MEMBERS.ilog2() as usize + 1;

#[repr(align(64))]
struct Lane(AtomicU64);

/// The lanes of a team, for every slot of its ring, by size class of the team.
pub struct Lanes {
    classes: [OnceLock<Box<[Lane]>>; CLASSES],
}

#[derive(Clone, Copy)]
struct Word(u64);

impl Word {
    const fn new(tag: u8, next: u64, end: u64) -> Word {
        Word((tag as u64) << (2 * FIELD_BITS) | next << FIELD_BITS | end)
    }

    const fn tag(self) -> u8 {
        (self.0 >> (2 * FIELD_BITS)) as u8
    }

    const fn next(self) -> u64 {
        self.0 >> FIELD_BITS & MOST_CHUNKS
    }

    const fn end(self) -> u64 {
        self.0 & MOST_CHUNKS
    }
}

/// One loop's lanes, as one member sees them.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    lanes: &'a [Lane],
    tag: u8,
    member: u32,
    chunks: u64,
}

impl Lanes {
    pub const fn new() -> Lanes {
        Lanes { classes: [const { OnceLock::new() }; CLASSES] }
    }

    /// The lanes of a slot of a ring of `slots`.
    fn of(&self, slot: usize, slots: usize, members: u32) -> &[Lane] {
        let class = members.next_power_of_two().ilog2();
        let size = 1usize << class;
        let all = self.classes[class as usize]
            .get_or_init(|| (0..size * slots).map(|_| Lane(AtomicU64::new(0))).collect());
        &all[slot * size..][..members as usize]
    }

    /// Makes all lanes of a slot carry the tag 0, which no loop has.
    pub fn clear(&self, slot: usize, slots: usize, members: u32) {
        for lane in self.of(slot, slots, members) {
            lane.0.store(0, Ordering::Relaxed);
        }
    }

    /// One member's view of a loop of `chunks` chunks.
    pub fn team(
        &self,
        slot: usize,
        slots: usize,
        members: u32,
        (tag, member, chunks): (u8, u32, u64),
    ) -> Team<'_> {
        debug_assert!(tag != 0 && chunks <= MOST_CHUNKS);
        Team { lanes: self.of(slot, slots, members), tag, member, chunks }
    }
}

impl Team<'_> {
    /// What a member has left.
    fn read(&self, member: u32, word: Word) -> (u64, u64) {
        if word.tag() == self.tag {
            return (word.next(), word.end());
        }
        let Range { first, len } = chunks::block(self.chunks, self.lanes.len() as u32, member);
        (first, first + len)
    }

    /// Replaces a lane's word unless it changed meanwhile; gives back what it is then.
    fn swap(&self, member: u32, from: Word, (next, end): (u64, u64)) -> Result<(), Word> {
        let to = Word::new(self.tag, next, end);
        effort::writes(&self.lanes[member as usize]);
        self.lanes[member as usize]
            .0
            .compare_exchange_weak(from.0, to.0, Ordering::Relaxed, Ordering::Relaxed)
            .map(|_| ())
            .map_err(Word)
    }

    fn word(&self, member: u32) -> Word {
        Word(self.lanes[member as usize].0.load(Ordering::Relaxed))
    }

    /// Tags the member's own lane, if it is not.
    pub fn enter(&self) {
        let mut word = self.word(self.member);
        while word.tag() != self.tag {
            match self.swap(self.member, word, self.read(self.member, word)) {
                Ok(()) => return,
                Err(now) => word = now,
            }
        }
    }

    /// Takes the next chunk of the member's own lane, else half of that of the first of `victims` who has any.
    pub fn take<V: Iterator<Item = u32>>(&self, victims: impl Fn() -> V) -> Option<u64> {
        let mut word = self.word(self.member);
        loop {
            let (next, end) = self.read(self.member, word);
            let empty = next == end;
            if empty && word.tag() == self.tag {
                return self.steal(victims());
            }
            match self.swap(self.member, word, (next + u64::from(!empty), end)) {
                Ok(()) if empty => return self.steal(victims()),
                Ok(()) => return Some(next),
                Err(now) => word = now,
            }
        }
    }

    #[cold]
    fn steal(&self, victims: impl Iterator<Item = u32>) -> Option<u64> {
        for victim in victims {
            effort::looks(1);
            let mut word = self.word(victim);
            loop {
                let (next, end) = self.read(victim, word);
                if next == end {
                    break;
                }
                let middle = next + (end - next) / 2;
                match self.swap(victim, word, (next, middle)) {
                    Ok(()) => {
                        // The owner's store into its empty lane (invariant 1).
                        let own = Word::new(self.tag, middle + 1, end);
                        self.lanes[self.member as usize].0.store(own.0, Ordering::Relaxed);
                        return Some(middle);
                    }
                    Err(now) => word = now,
                }
            }
        }
        None
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    const SLOTS: usize = 2;

    fn run(lanes: &Lanes, tag: u8, members: u32, chunks: u64, late: u32) {
        let seen: Vec<AtomicU32> = (0..chunks).map(|_| AtomicU32::new(0)).collect();
        std::thread::scope(|scope| {
            for member in 0..members {
                let seen = &seen;
                scope.spawn(move || {
                    if member == late {
                        std::thread::yield_now();
                    }
                    let team = lanes.team(1, SLOTS, members, (tag, member, chunks));
                    team.enter();
                    while let Some(chunk) = team.take(|| 0..members) {
                        seen[chunk as usize].fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(seen.iter().all(|times| times.load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn every_chunk_is_taken_once_whatever_the_tag_before() {
        let lanes = Lanes::new();
        for round in 0..300u32 {
            let tag = (round % 255 + 1) as u8;
            run(&lanes, tag, 3, u64::from(round * 7 % 50), round % 3);
        }
    }

    #[test]
    fn a_late_members_block_is_taken_too() {
        let lanes = Lanes::new();
        let first = lanes.team(0, SLOTS, 2, (1, 0, 10));
        let mut taken: Vec<u64> = std::iter::from_fn(|| first.take(|| 0..2)).collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..10).collect::<Vec<_>>());
        let late = lanes.team(0, SLOTS, 2, (1, 1, 10));
        late.enter();
        assert_eq!(late.take(|| 0..2), None);
    }

    #[test]
    fn words_hold_their_extremes() {
        let word = Word::new(255, MOST_CHUNKS, MOST_CHUNKS - 1);
        assert_eq!((word.tag(), word.next(), word.end()), (255, MOST_CHUNKS, MOST_CHUNKS - 1));
    }
}
