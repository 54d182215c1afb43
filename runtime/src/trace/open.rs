//! `OpenEvents`: the stack of a thread's events that have begun and not ended.
//!
//! Access: the thread itself, but for `read`, which whoever ends the trace calls.
//!
//! Protocol: an entry may change while it is read, and one of its words is an address. So each has a version, odd while the
//! owner writes; a reader takes the words only if it found the same even version before and after (a sequence lock, as in
//! `ring`).
#![allow(unsafe_code)]

use super::event::{self, Kind, WORDS, flag};
use super::os;
use crate::sync::{AtomicU32, AtomicU64, Ordering, fence};

/// Events that are kept; deeper ones are not recorded. Address space, not memory.
const DEEPEST: usize = 1 << 17;
/// Words of an entry: those of a record, the number of the event that is current around it, and the version.
const OPEN_WORDS: usize = WORDS + 2;
const OUTER: usize = WORDS;
const VERSION: usize = WORDS + 1;

pub struct OpenEvents {
    words: &'static [AtomicU64],
    depth: AtomicU32,
}

impl OpenEvents {
    /// Zeroed words for `over`; `None` if there is no memory.
    pub fn room() -> Option<&'static [AtomicU64]> {
        os::reserve(DEEPEST * OPEN_WORDS, false)
    }

    /// Events that are kept in these words, as many as fit.
    pub fn over(words: &'static [AtomicU64]) -> OpenEvents {
        OpenEvents { words, depth: AtomicU32::new(0) }
    }

    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Whether the innermost one was too deep to be kept.
    pub fn is_too_deep(&self) -> bool {
        self.depth() as usize > self.words.len() / OPEN_WORDS
    }

    /// Another one inside all others; `outer` is the number of what is current around it. False if it is too deep to be kept.
    #[inline(always)]
    pub fn push(&self, words: [u64; WORDS], outer: u64) -> bool {
        let depth = self.depth();
        let entry = self.entry(depth);
        if let Some(entry) = entry {
            let version = entry[VERSION].load(Ordering::Relaxed);
            entry[VERSION].store(version + 1, Ordering::Relaxed);
            // Release: pairs with the Acquire fence in `read_entry`.
            fence(Ordering::Release);
            for (place, word) in entry.iter().zip(words) {
                place.store(word, Ordering::Relaxed);
            }
            entry[OUTER].store(outer, Ordering::Relaxed);
            // Release: pairs with the Acquire in `read_entry`.
            entry[VERSION].store(version + 2, Ordering::Release);
        }
        // Release: pairs with the Acquire in `read`.
        self.depth.store(depth + 1, Ordering::Release);
        entry.is_some()
    }

    /// Those from `depth` on are gone, and their records are in the ring.
    #[inline(always)]
    pub fn shrink(&self, depth: u32) {
        // Release: pairs with the Acquire in `read`: who finds one gone finds its record.
        self.depth.store(depth, Ordering::Release);
    }

    #[inline(always)]
    fn entry(&self, index: u32) -> Option<&[AtomicU64]> {
        let start = index as usize * OPEN_WORDS;
        self.words.get(start..start + OPEN_WORDS)
    }

    /// For another thread: an event's words; none if the owner has changed them meanwhile.
    fn read_entry(&self, index: u32) -> Option<[u64; WORDS]> {
        let entry = self.entry(index)?;
        // Acquire: pairs with the Release of the version in `push`.
        let version = entry[VERSION].load(Ordering::Acquire);
        let words = std::array::from_fn(|word| entry[word].load(Ordering::Relaxed));
        // Acquire: pairs with the Release fence in `push`: who has read a word of a later event finds its version.
        fence(Ordering::Acquire);
        let is_whole =
            version.is_multiple_of(2) && entry[VERSION].load(Ordering::Relaxed) == version;
        is_whole.then_some(words)
    }

    /// Owner: an event's words, and the number of what is current around it.
    #[inline(always)]
    pub fn get(&self, index: u32) -> Option<([u64; WORDS], u64)> {
        let entry = self.entry(index)?;
        let word = |word: usize| entry[word].load(Ordering::Relaxed);
        Some((std::array::from_fn(word), word(OUTER)))
    }

    #[inline(always)]
    fn is(&self, index: u32, kind: Kind) -> bool {
        self.entry(index).is_some_and(|entry| event::is(entry[0].load(Ordering::Relaxed), kind))
    }

    #[inline(always)]
    pub fn innermost_is(&self, kind: Kind) -> bool {
        let depth = self.depth();
        depth > 0 && self.is(depth - 1, kind)
    }

    /// When the innermost one began; none if there is none, or it was too deep to be kept.
    pub fn innermost_start(&self) -> Option<u64> {
        let entry = self.entry(self.depth().checked_sub(1)?)?;
        Some(entry[1].load(Ordering::Relaxed))
    }

    /// Where the innermost one of this kind is.
    pub fn innermost(&self, kind: Kind) -> Option<u32> {
        (0..self.depth()).rev().find(|&index| self.is(index, kind))
    }

    /// For whoever ends the trace: the events that are still open, outer ones first, as records that end at `now`,
    /// while `each` says true.
    pub fn read(&self, now: u64, mut each: impl FnMut(&[u64; WORDS]) -> bool) {
        // Acquire: pairs with the Release in `push`.
        let depth = self.depth.load(Ordering::Acquire);
        let mut released = 0;
        let mut least = 0;
        for index in 0..depth {
            let Some(mut words) = self.read_entry(index) else { return };
            if words[1] < least || words[1] > now {
                return;
            }
            least = words[1];
            if event::is(words[0], Kind::Region) {
                // SAFETY: it is the place of a team, which is never deallocated; the words are those of one event.
                let region = unsafe { &*(words[WORDS - 1] as *const std::sync::atomic::AtomicU64) };
                // Acquire: pairs with the Release in `trace::region_released`.
                released = region.load(std::sync::atomic::Ordering::Acquire);
            }
            let is_over = released > words[1];
            words[WORDS - 1] = if is_over { released } else { now };
            words[0] = event::with_flags(words[0], if is_over { 0 } else { flag::CUT });
            if !each(&words) {
                return;
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use event::head;

    #[test]
    fn events_without_room_nest_and_are_not_kept() {
        let open = OpenEvents::over(&[]);
        assert!(!open.push([head(Kind::Region, 0, 0), 1, 2, 0, 0, 0, 0, 0], 0));
        assert!(!open.push([head(Kind::Wait, 0, 0), 1, 2, 0, 0, 0, 0, 0], 2));
        assert!(open.is_too_deep() && !open.innermost_is(Kind::Wait));
        open.read(9, |_| panic!("there is nothing to read"));
        open.shrink(1);
        assert!(open.is_too_deep());
        open.shrink(0);
        assert!(!open.is_too_deep());
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use event::head;
    use loom::{sync::Arc, thread};

    /// The owner leaves a wait and enters a region at the same depth while another thread ends the trace: that takes
    /// neither for the other, so it follows no address but a region's.
    #[test]
    fn a_mixture_of_two_events_is_never_taken() {
        static RELEASED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let address = std::ptr::from_ref(&RELEASED) as u64;
        let region = [head(Kind::Region, 0, 0), 3, 1, 1, 1, 1, 1, address];
        let wait = [head(Kind::Wait, 0, 0), 2, 0, 0, 0, 0, 0, 0];
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let words = (0..OPEN_WORDS).map(|_| AtomicU64::new(0)).collect();
            let open = Arc::new(OpenEvents::over(Box::leak(words)));
            open.push(wait, 0);
            let owner = open.clone();
            let goes_on = thread::spawn(move || {
                owner.shrink(0);
                owner.push(region, 0);
            });
            open.read(9, |read| {
                let of = if event::is(read[0], Kind::Region) { region } else { wait };
                assert_eq!(read[1..WORDS - 1], of[1..WORDS - 1]);
                true
            });
            goes_on.join().unwrap();
        });
    }
}
