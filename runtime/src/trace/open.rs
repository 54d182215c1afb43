//! `OpenEvents`: the stack of a thread's events that have begun and not ended.
//!
//! Access: the thread itself, but for `read`, which whoever ends the trace calls. An entry may change meanwhile: the
//! reader takes it only if it finds the same words twice.
#![allow(unsafe_code)]

use super::event::{self, Kind, WORDS, flag};
use super::os;
use crate::sync::{AtomicU64, Ordering};
use std::sync::atomic::AtomicU32;

/// Events that are kept; deeper ones are not recorded. Address space, not memory.
const DEEPEST: usize = 1 << 17;
/// Words of an entry: those of a record, and the number of the event that is current around it.
const OPEN_WORDS: usize = WORDS + 1;
const OUTER: usize = WORDS;

pub struct OpenEvents {
    words: &'static [AtomicU64],
    depth: AtomicU32,
}

impl OpenEvents {
    /// `None` if there is no memory for it.
    pub fn new() -> Option<OpenEvents> {
        let words = os::reserve(DEEPEST * OPEN_WORDS, false)?;
        Some(OpenEvents { words, depth: AtomicU32::new(0) })
    }

    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.depth.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Whether the innermost one was too deep to be kept.
    pub fn is_too_deep(&self) -> bool {
        self.depth() as usize > DEEPEST
    }

    /// Another one inside all others; `outer` is the number of what is current around it.
    #[inline(always)]
    pub fn push(&self, words: [u64; WORDS], outer: u64) {
        let depth = self.depth();
        if let Some(entry) = self.entry(depth) {
            for (place, word) in entry.iter().zip(words) {
                place.store(word, Ordering::Relaxed);
            }
            entry[OUTER].store(outer, Ordering::Relaxed);
        }
        // Release: pairs with the Acquire in `read`.
        self.depth.store(depth + 1, std::sync::atomic::Ordering::Release);
    }

    /// Those from `depth` on are gone, and their records are in the ring.
    #[inline(always)]
    pub fn shrink(&self, depth: u32) {
        // Release: pairs with the Acquire in `read`: who finds one gone finds its record.
        self.depth.store(depth, std::sync::atomic::Ordering::Release);
    }

    #[inline(always)]
    fn entry(&self, index: u32) -> Option<&[AtomicU64]> {
        let start = index as usize * OPEN_WORDS;
        self.words.get(start..start + OPEN_WORDS)
    }

    /// An event's words, and the number of what is current around it.
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

    /// Where the innermost one of this kind is.
    pub fn innermost(&self, kind: Kind) -> Option<u32> {
        (0..self.depth()).rev().find(|&index| self.is(index, kind))
    }

    /// For whoever ends the trace: the events that are still open, outer ones first, as records that end at `now`,
    /// while `each` says true.
    pub fn read(&self, now: u64, mut each: impl FnMut(&[u64; WORDS]) -> bool) {
        // Acquire: pairs with the Release in `push`.
        let depth = self.depth.load(std::sync::atomic::Ordering::Acquire).min(DEEPEST as u32);
        let mut released = 0;
        let mut least = 0;
        for index in 0..depth {
            let (Some(first), Some(second)) = (self.get(index), self.get(index)) else {
                return;
            };
            let (mut words, _) = first;
            if first != second || words[1] < least || words[1] > now {
                return;
            }
            least = words[1];
            if event::is(words[0], Kind::Region) {
                // SAFETY: it is the place of a team, which is never deallocated; the word was read whole.
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
