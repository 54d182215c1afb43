//! Small blocks: packed into slots of spans, by rule and size class.
//!
//! Terms: a *shard* is what a few threads (with enough shards one) allocate small blocks from; a *bin* holds the
//! spans of one rule and class that have a free slot.
//!
//! Which slots are free is in a bit map beside the memory, so nothing of ours is in memory that the program has
//! had, and freeing a slot twice is seen.
//!
//! Protocol: a shard's mutex guards its spans. Who frees a block locks the shard that its span belongs to,
//! which is mostly its own. Lock order: shard, then ground.
//!
//! Invariants: 1. A span is in its bin exactly while it has a free slot. 2. A bin keeps one empty span at most,
//! once it has had one.

use super::classes::{COUNT, Class};
use super::slot::SpanId;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A shard, on cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct Shard {
    small: Mutex<Small>,
    /// Whose turn it is in coarse distribution. Relaxed: a number that publishes nothing.
    turn: AtomicUsize,
}

#[derive(Debug, Default)]
pub struct Small {
    spans: Vec<Span>,
    /// Numbers of spans that are nowhere, to be used again.
    unused: Vec<u32>,
    /// By rule and class: spans with a free slot, the one in use last.
    bins: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct Span {
    /// First address; 0 if it is nowhere.
    start: usize,
    class: Class,
    /// Its bin.
    bin: u32,
    /// Its place in the bin, while it has a free slot.
    place: u32,
    taken: u32,
    slots: u32,
    /// No word of `free` before this one has a free slot.
    first: u32,
    /// One bit a slot: free.
    free: Vec<u64>,
}

/// What giving a slot back came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Free now, for others to take.
    Kept,
    /// So is its whole span, which left the shard: `granules` from `start` of rule number `rule`.
    Retired { start: usize, granules: usize, rule: usize },
    /// The slot was free already.
    Twice,
    /// No slot begins there.
    Inside,
}

impl Shard {
    /// `number` staggers the turns of different shards.
    pub fn new(number: usize) -> Shard {
        Shard { small: Mutex::new(Small::default()), turn: AtomicUsize::new(number) }
    }

    /// The next turn: shards take turns on their own, so nothing is shared, and each goes round evenly.
    pub fn turn(&self, sites: usize) -> u16 {
        (self.turn.fetch_add(1, Ordering::Relaxed) % sites) as u16
    }

    /// No holder of the mutex panics between changes that belong together.
    pub fn lock(&self) -> MutexGuard<'_, Small> {
        self.small.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Small {
    /// A free slot, if a span of the rule and class has one.
    pub fn take(&mut self, rule: usize, class: Class) -> Option<usize> {
        let bin = bin(rule, class);
        let number = *self.bins.get(bin)?.last()?;
        let span = &mut self.spans[number as usize];
        let slot = span.take();
        if span.taken == span.slots {
            self.bins[bin].pop();
        }
        Some(slot)
    }

    /// Adds a span of fresh granules and says which number it has.
    pub fn add(&mut self, start: usize, rule: usize, class: Class) -> u32 {
        let bin = bin(rule, class);
        if self.bins.len() <= bin {
            self.bins.resize_with(bin + 1, Vec::new);
        }
        let span = Span::new(start, class, bin as u32, self.bins[bin].len() as u32);
        let number = match self.unused.pop() {
            Some(number) => {
                self.spans[number as usize] = span;
                number
            }
            None => {
                self.spans.push(span);
                self.spans.len() as u32 - 1
            }
        };
        self.bins[bin].push(number);
        number
    }

    /// Gives the slot at `address` of a span back.
    pub fn give(&mut self, id: SpanId, address: usize) -> Given {
        let Some(span) = self.spans.get_mut(id.number as usize) else { return Given::Twice };
        let inside = address.checked_sub(span.start);
        let Some(offset) = inside.filter(|&offset| span.start != 0 && offset < span.length())
        else {
            // The span was retired since the table was read.
            return Given::Twice;
        };
        if !offset.is_multiple_of(span.class.slot_bytes()) {
            return Given::Inside;
        }
        if !span.give(offset / span.class.slot_bytes()) {
            return Given::Twice;
        }
        if span.taken + 1 == span.slots {
            let bin = &mut self.bins[span.bin as usize];
            span.place = bin.len() as u32;
            bin.push(id.number);
        }
        if span.taken == 0 && self.bins[span.bin as usize].len() > 1 {
            return self.retire(id.number);
        }
        Given::Kept
    }

    /// Removes an empty span.
    fn retire(&mut self, number: u32) -> Given {
        let span = &mut self.spans[number as usize];
        let (start, class, place) = (span.start, span.class, span.place as usize);
        let bin = span.bin as usize;
        span.start = 0;
        let _ = self.bins[bin].swap_remove(place);
        if let Some(&moved) = self.bins[bin].get(place) {
            self.spans[moved as usize].place = place as u32;
        }
        self.unused.push(number);
        Given::Retired { start, granules: class.granules(), rule: bin / COUNT }
    }
}

impl Span {
    fn new(start: usize, class: Class, bin: u32, place: u32) -> Span {
        let slots = class.slots();
        let mut free = vec![u64::MAX; slots.div_ceil(64)];
        if !slots.is_multiple_of(64)
            && let Some(last) = free.last_mut()
        {
            *last = (1 << (slots % 64)) - 1;
        }
        Span { start, class, bin, place, taken: 0, slots: slots as u32, first: 0, free }
    }

    fn length(&self) -> usize {
        self.slots as usize * self.class.slot_bytes()
    }

    /// Takes the first free slot; there is one.
    fn take(&mut self) -> usize {
        let first = self.first as usize;
        let rest = self.free[first..].iter().position(|&bits| bits != 0);
        let word = first + rest.expect("spans in bins have room");
        self.first = word as u32;
        let bit = self.free[word].trailing_zeros() as usize;
        self.free[word] &= self.free[word] - 1;
        self.taken += 1;
        self.start + (word * 64 + bit) * self.class.slot_bytes()
    }

    /// `false` if the slot is free already.
    fn give(&mut self, slot: usize) -> bool {
        let bit = 1 << (slot % 64);
        let was_taken = self.free[slot / 64] & bit == 0;
        if was_taken {
            self.free[slot / 64] |= bit;
            self.first = self.first.min(slot as u32 / 64);
            self.taken -= 1;
        }
        was_taken
    }
}

fn bin(rule: usize, class: Class) -> usize {
    rule * COUNT + usize::from(class.0)
}

#[cfg(test)]
mod tests {
    use super::super::word::GRANULE;
    use super::*;

    const CLASS: Class = Class(COUNT as u8 - 1);

    fn id(number: u32) -> SpanId {
        SpanId { class: CLASS, shard: 0, number }
    }

    #[test]
    fn slots_are_taken_once_and_given_once() {
        let mut small = Small::default();
        assert_eq!(small.take(1, CLASS), None);
        let number = small.add(GRANULE, 1, CLASS);
        let slots: Vec<usize> = std::iter::from_fn(|| small.take(1, CLASS)).collect();
        assert_eq!(slots.len(), CLASS.slots());
        assert!(slots.windows(2).all(|pair| pair[0] + CLASS.slot_bytes() == pair[1]));
        assert_eq!(small.take(0, CLASS), None);
        assert_eq!(small.give(id(number), slots[3] + 1), Given::Inside);
        assert_eq!(small.give(id(number), slots[3]), Given::Kept);
        assert_eq!(small.give(id(number), slots[3]), Given::Twice);
        assert_eq!(small.give(id(7), slots[3]), Given::Twice);
        assert_eq!(small.take(1, CLASS), Some(slots[3]));
        assert_eq!(small.take(1, CLASS), None);
    }

    #[test]
    fn empty_spans_are_retired_but_one() {
        let mut small = Small::default();
        let granules = CLASS.granules();
        for n in 0..3 {
            small.add(GRANULE * (1 + n * granules), 2, CLASS);
        }
        let slots: Vec<usize> = std::iter::from_fn(|| small.take(2, CLASS)).collect();
        assert_eq!(slots.len(), 3 * CLASS.slots());
        let mut retired = 0;
        for slot in slots {
            let number = (slot / GRANULE - 1) / granules;
            match small.give(id(number as u32), slot) {
                Given::Retired { rule, granules: freed, .. } => {
                    assert_eq!((rule, freed), (2, granules));
                    retired += 1;
                }
                given => assert_eq!(given, Given::Kept),
            }
        }
        assert_eq!(retired, 2);
        let reused = small.add(GRANULE * 100, 0, Class(0));
        assert!(small.spans[reused as usize].start == GRANULE * 100);
        assert_eq!(small.spans.len(), 3);
    }

    #[test]
    fn turns_go_round() {
        let shard = Shard::new(2);
        let turns: Vec<u16> = (0..5).map(|_| shard.turn(3)).collect();
        assert_eq!(turns, [2, 0, 1, 2, 0]);
    }
}
