//! `Ring`: a thread's finished events, until they are written to the file.
//!
//! Terms: a *record* is a run of words; its first word holds its length (`len_of`). A *position* counts words
//! since the ring was made and never goes back; the word at a position lies at that position modulo the capacity.
//!
//! Protocol. One thread, the owner, pushes at `head`; one at a time, the *drainer* (whoever holds the sink's
//! lock, the owner included), reads from `tail`. When the ring is full, the owner of one ring lets a drainer move the tail
//! on (`release`), and the owner of another overwrites: it moves the tail itself, and then drainers never do.
//!
//! Invariants: 1. Words between tail and head hold whole records: the owner publishes `head` (Release) after
//! the words, a drainer reads it (Acquire) before them; a drainer publishes `tail` (Release) after its last
//! read, the owner reads it (Acquire) before it writes there again. 2. An owner that overwrites moves the tail
//! first; a drainer looks at the tail again after it copied a record, and forgets the copy if it moved past it (the two
//! fences make this a sequence lock; Boehm, "Can seqlocks get along with programming language memory models?", 2012).
//! Units: words of 8 bytes.

use crate::sync::{AtomicU64, Ordering, fence};

/// The longest record, in words; the smallest ring has room for several.
pub const LONGEST: usize = 1024;

/// Where the length lies in a record's first word.
const LEN_SHIFT: u32 = 8;
const LEN_MASK: u64 = 0x7ff;

/// The part of a first word that says how long the record is.
pub const fn len_bits(words: usize) -> u64 {
    (words as u64) << LEN_SHIFT
}

/// How many words a record has.
pub const fn len_of(first: u64) -> usize {
    (first >> LEN_SHIFT & LEN_MASK) as usize
}

pub struct Ring {
    words: &'static [AtomicU64],
    /// Owner: where the next record goes.
    head: AtomicU64,
    /// The oldest record.
    tail: AtomicU64,
    /// Owner: records overwritten or not kept. Relaxed: a number for the user.
    missing: AtomicU64,
}

/// What a drainer found at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet.
    Nothing,
    /// A record of so many words, copied.
    Record(usize),
    /// It was overwritten; the oldest is now here.
    Gone(u64),
}

impl Ring {
    /// A ring over zeroed words, a power of two of them; or over none, to which nothing is pushed.
    pub fn new(words: &'static [AtomicU64]) -> Ring {
        debug_assert!(words.is_empty() || words.len().is_power_of_two());
        let zero = || AtomicU64::new(0);
        Ring { words, head: zero(), tail: zero(), missing: zero() }
    }

    #[inline(always)]
    fn word(&self, position: u64) -> &AtomicU64 {
        &self.words[position as usize & (self.words.len() - 1)]
    }

    /// Owner: adds a record; false if there is no room.
    #[inline(always)]
    pub fn push(&self, record: &[u64]) -> bool {
        let head = self.head.load(Ordering::Relaxed);
        // Acquire: pairs with the Release in `release` (invariant 1).
        let tail = self.tail.load(Ordering::Acquire);
        if head - tail + record.len() as u64 > self.words.len() as u64 {
            return false;
        }
        self.put(head, record);
        true
    }

    /// Owner: adds a record in place of the oldest ones, if need be.
    #[inline]
    pub fn push_over(&self, record: &[u64]) {
        let head = self.head.load(Ordering::Relaxed);
        let mut tail = self.tail.load(Ordering::Relaxed);
        let end = head + record.len() as u64;
        if end - tail > self.words.len() as u64 {
            let mut missing = self.missing.load(Ordering::Relaxed);
            while end - tail > self.words.len() as u64 {
                tail += len_of(self.word(tail).load(Ordering::Relaxed)) as u64;
                missing += 1;
            }
            self.missing.store(missing, Ordering::Relaxed);
            self.tail.store(tail, Ordering::Relaxed);
            // Release: pairs with the Acquire fence in `read` (invariant 2).
            fence(Ordering::Release);
        }
        self.put(head, record);
    }

    #[inline(always)]
    fn put(&self, head: u64, record: &[u64]) {
        let start = head as usize & (self.words.len() - 1);
        if let Some(places) = self.words.get(start..start + record.len()) {
            for (place, &word) in places.iter().zip(record) {
                place.store(word, Ordering::Relaxed);
            }
        } else {
            self.put_across(head, record);
        }
        // Release: pairs with the Acquire in `read` (invariant 1).
        self.head.store(head + record.len() as u64, Ordering::Release);
    }

    /// Owner: writes a record that lies across the end of the words.
    #[cold]
    fn put_across(&self, head: u64, record: &[u64]) {
        for (position, &word) in (head..).zip(record) {
            self.word(position).store(word, Ordering::Relaxed);
        }
    }

    /// Owner: a record was not kept.
    #[cold]
    pub fn miss(&self) {
        self.missing.store(self.missing.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Drainer: the position of the oldest record.
    pub fn oldest(&self) -> u64 {
        // Acquire: pairs with the Release in `release`, for a drainer that comes after another.
        self.tail.load(Ordering::Acquire)
    }

    /// Drainer: whether the owner has pushed nothing beyond a position.
    pub fn is_end(&self, position: u64) -> bool {
        // Acquire: pairs with the Release in `put` (invariant 1).
        self.head.load(Ordering::Acquire) == position
    }

    /// Drainer: copies the record at a position.
    pub fn read(&self, position: u64, record: &mut [u64; LONGEST]) -> Found {
        // Acquire: pairs with the Release in `put` (invariant 1).
        if position >= self.head.load(Ordering::Acquire) {
            return Found::Nothing;
        }
        let words = len_of(self.word(position).load(Ordering::Relaxed)).clamp(1, LONGEST);
        for (at, word) in (position..).zip(&mut record[..words]) {
            *word = self.word(at).load(Ordering::Relaxed);
        }
        // Acquire: pairs with the Release fence in `push_over` (invariant 2).
        fence(Ordering::Acquire);
        let tail = self.tail.load(Ordering::Relaxed);
        if tail > position { Found::Gone(tail) } else { Found::Record(words) }
    }

    /// Drainer of a ring whose owner never overwrites: the records before a position are no longer needed.
    pub fn release(&self, position: u64) {
        // Release: pairs with the Acquire in `push` (invariant 1).
        self.tail.store(position, Ordering::Release);
    }

    /// In a forked child, alone with the ring: forgets what the parent will write.
    pub fn forget(&self) {
        self.missing.store(0, Ordering::Relaxed);
        self.tail.store(self.head.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// How many records were overwritten, or never kept.
    pub fn missing(&self) -> u64 {
        self.missing.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
fn ring(words: usize) -> Ring {
    Ring::new(Box::leak((0..words).map(|_| AtomicU64::new(0)).collect()))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn record(tag: u64, words: usize) -> Vec<u64> {
        let mut record = vec![tag; words];
        record[0] = len_bits(words);
        record
    }

    fn drain(ring: &Ring) -> Vec<u64> {
        let (mut position, mut tags, mut copy) = (ring.oldest(), Vec::new(), [0; LONGEST]);
        while let Found::Record(words) = ring.read(position, &mut copy) {
            assert_eq!(words, len_of(copy[0]));
            assert!(copy[1..words].iter().all(|&word| word == copy[1]));
            tags.push(copy[1]);
            position += words as u64;
        }
        ring.release(position);
        tags
    }

    #[test]
    fn a_full_ring_refuses_until_it_is_drained() {
        let ring = ring(16);
        assert!(ring.push(&record(1, 8)) && ring.push(&record(2, 6)));
        assert!(!ring.push(&record(3, 3)));
        assert_eq!(drain(&ring), [1, 2]);
        assert!(ring.push(&record(3, 12)), "a record may lie across the end");
        assert_eq!(drain(&ring), [3]);
        assert_eq!(ring.missing(), 0);
    }

    #[test]
    fn an_overwriting_ring_keeps_the_newest_and_counts_the_others() {
        let ring = ring(32);
        (1..=100).for_each(|tag| ring.push_over(&record(tag, 2 + tag as usize % 5)));
        let missing = ring.missing();
        let kept = drain(&ring);
        assert_eq!(kept, (missing + 1..=100).collect::<Vec<_>>());
        assert!(kept.len() >= 5);
    }

    #[test]
    fn a_reader_that_was_overtaken_learns_it() {
        let ring = ring(8);
        ring.push_over(&record(1, 4));
        let old = ring.oldest();
        ring.push_over(&record(2, 4));
        ring.push_over(&record(3, 4));
        assert_eq!(ring.read(old, &mut [0; LONGEST]), Found::Gone(4));
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::{sync::Arc, thread};

    /// The owner pushes through a ring that a drainer empties: all records arrive whole and in order.
    #[test]
    fn a_drainer_gets_every_record_once() {
        loom::model(|| {
            let ring = Arc::new(ring(4));
            let owner = ring.clone();
            let pushed = thread::spawn(move || {
                (1..=3).filter(|&tag| owner.push(&[len_bits(2), tag])).collect::<Vec<u64>>()
            });
            let (mut seen, mut copy) = (Vec::new(), [0; LONGEST]);
            let mut look = || {
                let mut position = ring.oldest();
                while let Found::Record(words) = ring.read(position, &mut copy) {
                    seen.push(copy[1]);
                    position += words as u64;
                }
                ring.release(position);
            };
            look();
            let pushed = pushed.join().unwrap();
            look();
            assert_eq!(seen, pushed);
        });
    }

    /// The owner overwrites while a drainer reads: what it takes for a record is one, never a mixture.
    #[test]
    fn an_overwritten_record_is_never_taken() {
        loom::model(|| {
            let ring = Arc::new(ring(4));
            ring.push_over(&[len_bits(2), 1]);
            let owner = ring.clone();
            let pushing = thread::spawn(move || {
                (2..=3).for_each(|tag| owner.push_over(&[len_bits(2), tag]));
            });
            let mut copy = [0; LONGEST];
            let position = ring.oldest();
            if ring.read(position, &mut copy) == Found::Record(2) {
                assert_eq!(copy[1], position / 2 + 1);
            }
            pushing.join().unwrap();
        });
    }
}
