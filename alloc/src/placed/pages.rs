//! Where memory is that others placed: by first touch, `numactl`, the loader. The kernel is asked, and its answers
//! are kept for a while.
//!
//! Terms: a *chunk* is four pages at a multiple of four pages; a *tick* is 16 ms. An answer is for a chunk: the
//! location of each of its pages.
//!
//! Cost: an answer that is known costs a few nanoseconds, a question about a chunk a system call of under a
//! microsecond. A range of more than [`MOST_CHUNKS`] chunks is sampled at so many places, and so costs one
//! system call at most.
//!
//! Age: an answer is believed for [`TICKS_VALID`] ticks, about a second: the kernel's own balancing moves pages no
//! faster (`scan_period_min_ms` is 1000), and a program that unmaps and maps again seldom does. An answer in
//! which a page is missing, because nobody has touched it yet, is believed during its own tick only: it
//! is about to change. Wrong answers cost a worse placed task, nothing else.
//!
//! Protocol: the cache is one word a chunk, chosen by address, read and written Relaxed: a word is whole by itself.
//! Layout, from the least significant bit: four locations of 8 bits, 14 bits of tick, 18 bits of tag.

use super::sites::Sites;
use crate::os::{clock, memory, numa};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::topology::LocationId;

/// Chunks of a range that are looked at.
const MOST_CHUNKS: usize = 18;
/// Pages that are all looked at on request: 1 GiB of small ones, some 20 ms.
const MOST_SURVEYED: usize = 1 << 18;
/// Pages in one question of a survey.
const BATCH: usize = 512;
/// Pages of a chunk.
const PAGES: usize = 4;
/// Words of the cache: with pages of 4 KiB they cover 1 GiB.
const WORDS: usize = 1 << 16;
const TICK_MS: u64 = 16;
const TICKS_VALID: u64 = 64;
const TICK_BITS: u32 = 14;
const TAG_BITS: u32 = 18;
/// No location: nobody knows, or there is no page.
const NOWHERE: u8 = u8::MAX;

type Answer = [u8; PAGES];

#[derive(Debug)]
pub struct Pages {
    words: Box<[AtomicU64]>,
    page_shift: u32,
    /// The kernel refuses to say. Relaxed: it changes once.
    mute: AtomicBool,
}

/// Which chunks of a range are looked at.
struct Look {
    chunks: [usize; MOST_CHUNKS],
    count: usize,
    /// They stand for more than themselves.
    sampled: bool,
}

impl Look {
    fn chunks(&self) -> &[usize] {
        &self.chunks[..self.count]
    }
}

/// The part of a page that a range covers.
struct Piece {
    address: usize,
    bytes: u64,
}

impl Default for Pages {
    fn default() -> Pages {
        let words = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        let page_shift = memory::page_size().ilog2();
        Pages { words, page_shift, mute: AtomicBool::new(false) }
    }
}

impl Pages {
    /// Adds where the bytes from `start` to `end` are; those for which the kernel has no answer where
    /// `otherwise` says.
    pub fn locate(
        &self,
        start: usize,
        end: usize,
        sites: &Sites,
        otherwise: impl Fn(usize) -> Option<LocationId>,
        data: &mut NodeBytes,
    ) {
        if end <= start || self.mute.load(Ordering::Relaxed) {
            return;
        }
        let look = self.sample(start, end);
        let mut answers = [[NOWHERE; PAGES]; MOST_CHUNKS];
        self.answer(look.chunks(), sites, &mut answers);
        let (whole, pages) = ((end - start) as u64, (look.count * PAGES) as u64);
        for (number, (&chunk, answer)) in look.chunks().iter().zip(answers).enumerate() {
            for (page, location) in answer.into_iter().enumerate() {
                let mut piece = self.piece(chunk * PAGES + page, start, end);
                if look.sampled {
                    // An equal share for every page; what does not divide goes to the first.
                    let first = (number, page) == (0, 0);
                    piece.bytes = whole / pages + if first { whole % pages } else { 0 };
                }
                let known = (location != NOWHERE).then_some(LocationId(location.into()));
                if piece.bytes > 0
                    && let Some(location) = known.or_else(|| otherwise(piece.address))
                {
                    data.add(location, piece.bytes);
                }
            }
        }
    }

    /// The same, with a question about every page of the range, whatever is kept, as long as it is not more than
    /// [`MOST_SURVEYED`].
    pub fn survey(
        &self,
        start: usize,
        end: usize,
        sites: &Sites,
        otherwise: impl Fn(usize) -> Option<LocationId>,
        data: &mut NodeBytes,
    ) {
        let (first, last) = (start >> self.page_shift, end.saturating_sub(1) >> self.page_shift);
        if last - first >= MOST_SURVEYED {
            return self.locate(start, end, sites, otherwise, data);
        }
        let (mut addresses, mut nodes) = ([0; BATCH], [-1; BATCH]);
        for from in (first..=last).step_by(BATCH) {
            let count = BATCH.min(last + 1 - from);
            (from..).zip(&mut addresses).for_each(|(page, it)| *it = page << self.page_shift);
            if numa::nodes_of(&addresses[..count], &mut nodes[..count]).is_err() {
                return;
            }
            for (page, &node) in (from..).zip(&nodes[..count]) {
                let piece = self.piece(page, start, end);
                let location = sites.location_of_node(node);
                if let Some(location) = location.or_else(|| otherwise(piece.address)) {
                    data.add(location, piece.bytes);
                }
            }
        }
    }

    /// Forgets what is known of a range, which is about to be unmapped.
    pub fn forget(&self, start: usize, end: usize) {
        let chunks = self.chunks(start, end).min(WORDS);
        let first = start >> self.chunk_shift();
        for chunk in first..first + chunks {
            self.words[chunk % WORDS].store(0, Ordering::Relaxed);
        }
    }

    fn piece(&self, page: usize, start: usize, end: usize) -> Piece {
        let address = page << self.page_shift;
        let (from, to) = (address.max(start), (address + (1 << self.page_shift)).min(end));
        Piece { address: from, bytes: to.saturating_sub(from) as u64 }
    }

    fn chunk_shift(&self) -> u32 {
        self.page_shift + PAGES.ilog2()
    }

    fn chunks(&self, start: usize, end: usize) -> usize {
        ((end - 1) >> self.chunk_shift()) - (start >> self.chunk_shift()) + 1
    }

    /// All chunks of a short range; of a long one some that lie in it as a whole, at distances that do not keep
    /// step with any interleaving.
    fn sample(&self, start: usize, end: usize) -> Look {
        let first = start >> self.chunk_shift();
        let count = self.chunks(start, end);
        let mut look = Look { chunks: [0; MOST_CHUNKS], count, sampled: count > MOST_CHUNKS };
        if !look.sampled {
            (first..first + count).zip(&mut look.chunks).for_each(|(chunk, place)| *place = chunk);
            return look;
        }
        // The first and the last may reach beyond the range.
        look.count = MOST_CHUNKS - 2;
        let stretch = |number: usize| number * (count - 2) / look.count;
        for (number, place) in look.chunks.iter_mut().take(look.count).enumerate() {
            let (from, to) = (stretch(number), stretch(number + 1));
            // Fibonacci hashing: neighbouring stretches look at unrelated places.
            let mixed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            *place = first + 1 + from + mixed as usize % (to - from);
        }
        look
    }

    /// From the cache, or else from the kernel, with one question for all that are not there.
    fn answer(&self, chunks: &[usize], sites: &Sites, answers: &mut [Answer; MOST_CHUNKS]) {
        let tick = clock::now_coarse_ms() / TICK_MS;
        let mut missing = [0; MOST_CHUNKS];
        let mut count = 0;
        for (number, (&chunk, answer)) in chunks.iter().zip(&mut *answers).enumerate() {
            match self.known(chunk, tick) {
                Some(known) => *answer = known,
                None => {
                    missing[count] = number;
                    count += 1;
                }
            }
        }
        if count > 0 {
            self.ask(chunks, &missing[..count], tick, sites, answers);
        }
    }

    #[inline]
    fn known(&self, chunk: usize, tick: u64) -> Option<Answer> {
        let word = self.words[chunk % WORDS].load(Ordering::Relaxed);
        let (answer, then, tag) = unpack(word);
        let age = tick.wrapping_sub(then) % (1 << TICK_BITS);
        let valid = if answer.contains(&NOWHERE) { 0 } else { TICKS_VALID };
        (word != 0 && tag == tag_of(chunk) && age <= valid).then_some(answer)
    }

    /// Asks the kernel about those chunks whose places in the list are `missing`.
    fn ask(
        &self,
        chunks: &[usize],
        missing: &[usize],
        tick: u64,
        sites: &Sites,
        answers: &mut [Answer; MOST_CHUNKS],
    ) {
        let mut addresses = [0; MOST_CHUNKS * PAGES];
        let mut nodes = [-1; MOST_CHUNKS * PAGES];
        let asked = missing.len() * PAGES;
        for (place, address) in addresses[..asked].iter_mut().enumerate() {
            *address = (chunks[missing[place / PAGES]] * PAGES + place % PAGES) << self.page_shift;
        }
        if numa::nodes_of(&addresses[..asked], &mut nodes[..asked]).is_err() {
            self.mute.store(true, Ordering::Relaxed);
            return;
        }
        let number = |node: i32| -> u8 {
            let location = sites.location_of_node(node);
            location.and_then(|it| u8::try_from(it.0).ok()).unwrap_or(NOWHERE)
        };
        for (place, &missing) in missing.iter().enumerate() {
            let chunk = chunks[missing];
            let answer = std::array::from_fn(|page| number(nodes[place * PAGES + page]));
            self.words[chunk % WORDS].store(pack(answer, tick, tag_of(chunk)), Ordering::Relaxed);
            answers[missing] = answer;
        }
    }
}

fn tag_of(chunk: usize) -> u64 {
    (chunk / WORDS) as u64 % (1 << TAG_BITS)
}

fn pack(answer: Answer, tick: u64, tag: u64) -> u64 {
    let tick = tick % (1 << TICK_BITS);
    u64::from(u32::from_le_bytes(answer)) | tick << 32 | tag << (32 + TICK_BITS)
}

fn unpack(word: u64) -> (Answer, u64, u64) {
    let tick = (word >> 32) % (1 << TICK_BITS);
    ((word as u32).to_le_bytes(), tick, word >> (32 + TICK_BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_packed() {
        let word = pack([1, 2, 254, NOWHERE], (1 << TICK_BITS) + 5, (1 << TAG_BITS) - 1);
        assert_eq!(unpack(word), ([1, 2, 254, NOWHERE], 5, (1 << TAG_BITS) - 1));
    }

    #[test]
    fn answers_grow_old() {
        let pages = Pages::default();
        let (whole, part) = (WORDS * 3 + 17, WORDS * 3 + 18);
        let store = |chunk: usize, answer| {
            pages.words[chunk % WORDS].store(pack(answer, 100, tag_of(chunk)), Ordering::Relaxed);
        };
        store(whole, [1; 4]);
        store(part, [1, 1, 1, NOWHERE]);
        assert_eq!(pages.known(whole, 100), Some([1; 4]));
        assert_eq!(pages.known(whole, 100 + TICKS_VALID), Some([1; 4]));
        assert_eq!(pages.known(whole, 101 + TICKS_VALID), None);
        assert_eq!(pages.known(whole + WORDS, 100), None);
        assert_eq!(pages.known(part, 100), Some([1, 1, 1, NOWHERE]));
        assert_eq!(pages.known(part, 101), None);
        pages.forget(whole << pages.chunk_shift(), (whole << pages.chunk_shift()) + 1);
        assert_eq!(pages.known(whole, 100), None);
    }

    #[test]
    fn samples_are_spread_over_a_range() {
        let pages = Pages::default();
        let chunk = 1 << pages.chunk_shift();
        assert_eq!(pages.sample(5 * chunk + 1, 8 * chunk).chunks(), [5, 6, 7]);
        for count in [MOST_CHUNKS + 1, 100, 10_000] {
            let look = pages.sample(chunk + 1, (count + 1) * chunk - 1);
            assert!(look.sampled && look.count == MOST_CHUNKS - 2);
            assert!(look.chunks()[0] >= 2 && look.chunks()[look.count - 1] < count);
            assert!(look.chunks().windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn this_machine_knows_what_was_touched() {
        let sites = Sites::enforced([(LocationId(3), 0)]);
        let pages = Pages::default();
        let length = 1 << 20;
        let block = memory::map_pages(length).unwrap();
        memory::advise_huge(block, length, false);
        let start = block.as_ptr() as usize;
        let touched = |from: usize, to: usize| {
            let mut data = NodeBytes::new(4);
            pages.locate(start + from, start + to, &sites, |_| None, &mut data);
            data.at(LocationId(3))
        };
        // A container may forbid the question.
        if numa::nodes_of(&[start], &mut [0]).is_ok() {
            assert_eq!(touched(0, length), 0);
            pages.forget(start, start + length);
            crate::os::memory::tests::fill(block, length);
            assert_eq!(touched(0, length), length as u64);
            assert_eq!(touched(100, 5000), 4900);
            assert_eq!(touched(100, 5000), 4900);
            let mut data = NodeBytes::new(4);
            pages.survey(start + 1, start + length, &sites, |_| None, &mut data);
            assert_eq!(data.at(LocationId(3)), length as u64 - 1);
        }
        crate::os::memory::tests::release(block, length);
    }
}
