//! Writing past the caches: memory that is larger than they are is not read before it is written, and what is in them stays.
//!
//! Two threads that copy so move 20 GB/s where the C library's copies move 12 to 18 (Emerald Rapids, 256 MB, megabytes or
//! halves in turn). Line after line it would be 16: four pages at a time are four streams for the processor to fetch
//! ahead. Instructions for longer words gain less.
#![allow(unsafe_code)]

use crate::core::device::facts;
use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
use std::ops::RangeInclusive;

/// The least and the most that the last level of caches is taken to hold: it may be shared with whom we do not know.
const CACHE_BYTES: RangeInclusive<usize> = 8 << 20..=64 << 20;
const LINE_BYTES: usize = 64;
const PAGE_BYTES: usize = 4096;
/// So many pages are copied at a time.
const PAGES: usize = 4;
const WORD_BYTES: usize = 16;

/// Whether memory of so many bytes is more than the caches hold. What fits is left there for the kernel that reads it next.
pub fn pays(bytes: usize) -> bool {
    bytes >= cache_bytes()
}

/// What the last level of caches holds.
pub fn cache_bytes() -> usize {
    let last = facts().caches.last().map_or(0, |cache| cache.bytes as usize);
    last.clamp(*CACHE_BYTES.start(), *CACHE_BYTES.end())
}

/// Copies, as `ptr::copy_nonoverlapping` does; others see it after `settle`.
///
/// # Safety
/// There are so many bytes at both, and they do not overlap.
pub unsafe fn copy(source: *const u8, target: *mut u8, bytes: usize) {
    let head = target.align_offset(LINE_BYTES).min(bytes);
    let pages = head + (bytes - head) / (PAGES * PAGE_BYTES) * (PAGES * PAGE_BYTES);
    let lines = pages + (bytes - pages) / LINE_BYTES * LINE_BYTES;
    // SAFETY: the caller's promise; the four parts are the whole, and those of pages and of lines begin at a multiple of a line.
    unsafe {
        target.copy_from_nonoverlapping(source, head);
        for first in (head..pages).step_by(PAGES * PAGE_BYTES) {
            for at in (first..first + PAGE_BYTES).step_by(LINE_BYTES) {
                for at in (0..PAGES).map(|page| at + page * PAGE_BYTES) {
                    line(source.add(at), target.add(at));
                }
            }
        }
        for at in (pages..lines).step_by(LINE_BYTES) {
            line(source.add(at), target.add(at));
        }
        target.add(lines).copy_from_nonoverlapping(source.add(lines), bytes - lines);
    }
}

/// What this thread has copied is seen by whoever sees what it does next.
pub fn settle() {
    // SAFETY: every x86-64 processor has it.
    #[allow(unused_unsafe)]
    unsafe {
        _mm_sfence()
    };
}

/// # Safety
/// There is a line at both; `target` is a multiple of its length.
#[inline(always)]
unsafe fn line(source: *const u8, target: *mut u8) {
    // SAFETY: the caller's promise; every x86-64 processor has SSE2.
    unsafe {
        let word = |at: usize| _mm_loadu_si128(source.add(at * WORD_BYTES).cast::<__m128i>());
        let words = [word(0), word(1), word(2), word(3)];
        for (at, word) in words.into_iter().enumerate() {
            _mm_stream_si128(target.add(at * WORD_BYTES).cast::<__m128i>(), word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_alignment_and_length_is_copied() {
        let pages = PAGES * PAGE_BYTES;
        let from: Vec<u8> = (0..3 * pages).map(|at| (at % 251) as u8).collect();
        for (skip, to, bytes) in [
            (0, 0, 1000),
            (3, 5, 900),
            (1, 64, 7),
            (0, 1, 63),
            (9, 0, 0),
            (7, 9, 200),
            (0, 64, 2 * pages),
            (5, 3, 2 * pages + PAGE_BYTES + 100),
            (1, 1, pages + 63),
        ] {
            let mut target = vec![0u8; 3 * pages + 100];
            // SAFETY: inside both.
            unsafe { copy(from.as_ptr().add(skip), target.as_mut_ptr().add(to), bytes) };
            assert_eq!(target[to..to + bytes], from[skip..skip + bytes]);
            assert!(target[..to].iter().chain(&target[to + bytes..]).all(|&byte| byte == 0));
        }
    }
}
