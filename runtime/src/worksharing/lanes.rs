//! Chunks of a nonmonotonic dynamic or guided loop: every member begins with its own block of them, on a cache
//! line of its own, and takes some of another's when it runs out.
//!
//! Terms: a *lane* is the word of one member for one slot of the ring: the chunks it still has, as
//! `next..end`, and a *tag* that names the loop. A lane whose tag is another loop's stands for the
//! member's untouched block, so that the first member of a loop need not write the lanes of all others,
//! and the block of a member that is late can be taken as well. A *raid* is a look at the others' lanes for chunks.
//!
//! Layout of the word: bits 0 to 27 `end`, bits 28 to 55 `next`, bits 56 to 63 the tag.
//!
//! Invariants:
//! 1. Every chunk is in exactly one lane or has been taken by one member. The owner of a tagged lane takes the chunk `next` by
//!    adding one to it; where that was `end`, the lane is empty, no thief touches it, and the owner does not add again
//!    before it stores other chunks there. All else is done by exchange.
//! 2. A word says all there is to know, so an exchange that finds an old value again is right again.
//! 3. Every member has tagged its lane before it takes chunks or leaves ([`Team::enter`]), so all lanes of a team carry the tag
//!    of the slot's last loop and no tag can be met twice; a team of another size starts with lanes
//!    cleared ([`Lanes::clear`]).
//!
//! All accesses are Relaxed: a lane hands out numbers, it publishes nothing; the slot's own protocol
//! orders one loop's use of the lanes after the one before.

use crate::effort;
use crate::sync::{AtomicU64, Ordering};
use std::sync::OnceLock;
use vicinity_policy::chunks::raid::{Pace, Raid};
use vicinity_policy::chunks::{self, Range};

/// The largest team that uses lanes: a member that finds nothing looks at all of them.
pub const MOST_MEMBERS: u32 = 256;

/// The largest number of chunks in lanes: `next` may become one more.
pub const MOST_CHUNKS: u64 = FIELD - 1;

const FIELD_BITS: u32 = 28;
const FIELD: u64 = (1 << FIELD_BITS) - 1;

#[repr(align(64))]
struct Lane(AtomicU64);

/// The lanes of a team, for every slot of its ring.
pub struct Lanes {
    /// Lanes of one slot, and slots.
    each: usize,
    slots: usize,
    all: OnceLock<Box<[Lane]>>,
}

#[derive(Clone, Copy)]
struct Word(u64);

impl Word {
    /// Takes the next chunk, if it is added.
    const STEP: u64 = 1 << FIELD_BITS;

    const fn new(tag: u8, next: u64, end: u64) -> Word {
        Word((tag as u64) << (2 * FIELD_BITS) | next << FIELD_BITS | end)
    }

    const fn tag(self) -> u8 {
        (self.0 >> (2 * FIELD_BITS)) as u8
    }

    const fn next(self) -> u64 {
        self.0 >> FIELD_BITS & FIELD
    }

    const fn end(self) -> u64 {
        self.0 & FIELD
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

/// What a raid brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loot {
    /// A chunk; there may be more in the member's lane.
    Chunk(u64),
    /// Nothing that pays, but what others will have done in so many ticks.
    Soon(u64),
    Nothing,
}

impl Lanes {
    /// For a team of up to `capacity` members.
    pub const fn new(capacity: u32, slots: usize) -> Lanes {
        let members = if capacity < MOST_MEMBERS { capacity } else { MOST_MEMBERS };
        Lanes { each: members as usize, slots, all: OnceLock::new() }
    }

    /// The lanes of a slot.
    fn of(&self, slot: usize, members: u32) -> &[Lane] {
        let count = self.each * self.slots;
        let all = self.all.get_or_init(|| (0..count).map(|_| Lane(AtomicU64::new(0))).collect());
        &all[slot * self.each..][..members as usize]
    }

    /// Makes all lanes of a slot carry the tag 0, which no loop has.
    pub fn clear(&self, slot: usize, members: u32) {
        for lane in self.of(slot, members) {
            lane.0.store(0, Ordering::Relaxed);
        }
    }

    /// One member's view of a loop of `chunks` chunks.
    pub fn team(&self, slot: usize, members: u32, loop_: (u8, u32, u64)) -> Team<'_> {
        let (tag, member, chunks) = loop_;
        debug_assert!(tag != 0 && chunks <= MOST_CHUNKS);
        Team { lanes: self.of(slot, members), tag, member, chunks }
    }

    /// Which of all lanes is a member's in a slot.
    pub fn index(&self, slot: usize, member: u32) -> usize {
        slot * self.each + member as usize
    }

    /// Takes the next chunk of a lane; by its owner, which has entered, and not again after there was none (invariant 1).
    #[inline(always)]
    pub fn take(&self, index: usize) -> Option<u64> {
        let lane = self.all.get()?.get(index)?;
        effort::writes(lane);
        let word = Word(lane.0.fetch_add(Word::STEP, Ordering::Relaxed));
        debug_assert!(word.next() <= word.end());
        (word.next() < word.end()).then_some(word.next())
    }
}

impl Team<'_> {
    /// What a member has left: its next chunk, and where its chunks end.
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

    /// Tags the member's own lane, if nobody has.
    pub fn enter(&self) {
        let mut word = self.word(self.member);
        while word.tag() != self.tag {
            match self.swap(self.member, word, self.read(self.member, word)) {
                Ok(()) => return,
                Err(now) => word = now,
            }
        }
    }

    /// Takes half of the member's own chunks, in order: their numbers.
    pub fn take_half(&self) -> Option<Range> {
        let mut word = self.word(self.member);
        loop {
            let (first, end) = self.read(self.member, word);
            if first >= end {
                return None;
            }
            let len = chunks::guided(end - first, 1, 1);
            match self.swap(self.member, word, (first + len, end)) {
                Ok(()) => return Some(Range { first, len }),
                Err(now) => word = now,
            }
        }
    }

    /// Looks for chunks of `victims`, in their order, for a member whose own lane is empty. What it takes beyond one chunk goes
    /// there.
    pub fn raid(&self, victims: impl Iterator<Item = u32>, pace: Pace, has_waited: bool) -> Loot {
        let mut loot = Loot::Nothing;
        for victim in victims {
            effort::looks(1);
            match self.rob(victim, pace, has_waited) {
                Loot::Chunk(number) => return Loot::Chunk(number),
                Loot::Soon(ticks) => loot = Loot::Soon(loot.ticks().max(ticks)),
                Loot::Nothing => (),
            }
        }
        loot
    }

    fn rob(&self, victim: u32, pace: Pace, has_waited: bool) -> Loot {
        let mut word = self.word(victim);
        loop {
            let (next, end) = self.read(victim, word);
            if next >= end {
                return Loot::Nothing;
            }
            let count = match pace.raid(end - next, word.tag() == self.tag, has_waited) {
                Raid::Take(count) => count,
                Raid::Wait(ticks) => return Loot::Soon(ticks),
            };
            let middle = end - count;
            match self.swap(victim, word, (next, middle)) {
                Ok(()) => {
                    // The owner's store into its empty lane (invariant 1).
                    let own = Word::new(self.tag, middle + 1, end);
                    self.lanes[self.member as usize].0.store(own.0, Ordering::Relaxed);
                    return Loot::Chunk(middle);
                }
                Err(now) => word = now,
            }
        }
    }
}

impl Loot {
    const fn ticks(self) -> u64 {
        if let Loot::Soon(ticks) = self { ticks } else { 0 }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    const SLOTS: usize = 2;
    const MEMBERS: u32 = 3;

    /// Has a member take all it can get, counting them in `seen`.
    fn drain(lanes: &Lanes, team: Team, index: usize, seen: &[AtomicU32]) {
        let pace = Pace::default().begun_at(1).after(1, 2);
        let raid = || match team.raid(0..MEMBERS, pace, false) {
            Loot::Soon(_) => team.raid(0..MEMBERS, pace, true),
            loot => loot,
        };
        loop {
            let next = match lanes.take(index) {
                Some(number) => Loot::Chunk(number),
                None => raid(),
            };
            let Loot::Chunk(number) = next else { return };
            seen[number as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn run(lanes: &Lanes, tag: u8, chunks: u64, late: u32) {
        let seen: Vec<AtomicU32> = (0..chunks).map(|_| AtomicU32::new(0)).collect();
        std::thread::scope(|scope| {
            for member in 0..MEMBERS {
                let seen = &seen;
                scope.spawn(move || {
                    if member == late {
                        std::thread::yield_now();
                    }
                    let team = lanes.team(1, MEMBERS, (tag, member, chunks));
                    team.enter();
                    drain(lanes, team, lanes.index(1, member), seen);
                });
            }
        });
        assert!(seen.iter().all(|times| times.load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn every_chunk_is_taken_once_whatever_the_tag_before() {
        let lanes = Lanes::new(MEMBERS, SLOTS);
        for round in 0..300u32 {
            let tag = (round % 255 + 1) as u8;
            run(&lanes, tag, u64::from(round * 7 % 50), round % 3);
        }
    }

    #[test]
    fn a_late_members_block_is_taken_too() {
        let lanes = Lanes::new(MEMBERS, SLOTS);
        let seen: Vec<AtomicU32> = (0..10).map(|_| AtomicU32::new(0)).collect();
        for member in 0..MEMBERS {
            let team = lanes.team(0, MEMBERS, (1, member, 10));
            team.enter();
            drain(&lanes, team, lanes.index(0, member), &seen);
            assert!(seen.iter().all(|times| times.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn tiny_chunks_of_a_member_that_is_there_are_left_to_it_for_a_moment() {
        let lanes = Lanes::new(2, SLOTS);
        let team = |member| lanes.team(0, 2, (1, member, 20));
        let tiny = Pace::default().begun_at(1).after(1, 11);
        team(0).enter();
        team(1).enter();
        (0..10).for_each(|number| assert_eq!(lanes.take(lanes.index(0, 0)), Some(number)));
        assert_eq!(lanes.take(lanes.index(0, 0)), None);
        assert_eq!(team(0).raid(1..2, tiny, false), Loot::Soon(100));
        assert_eq!(team(0).raid(1..2, tiny, true), Loot::Chunk(15));
        assert_eq!(team(0).raid(1..2, Pace::default(), false), Loot::Chunk(12));
    }

    #[test]
    fn words_hold_their_extremes() {
        let word = Word::new(255, MOST_CHUNKS, MOST_CHUNKS);
        let beyond = Word(word.0 + Word::STEP);
        assert_eq!((beyond.tag(), beyond.next(), beyond.end()), (255, FIELD, MOST_CHUNKS));
    }
}
