//! Scratch memory: local data and contexts of the work-groups that a thread runs, one block a thread, kept for the next
//! launch.
//!
//! Source: docs/kernel-abi.md, "scratch".
#![allow(unsafe_code)]

use crate::core::program::executable::SCRATCH_ALIGNMENT_BYTES;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;

#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Line(MaybeUninit<[u8; SCRATCH_ALIGNMENT_BYTES]>);

/// A thread keeps no more than this.
const MOST_KEPT_BYTES: usize = 16 << 20;

thread_local! {
    static KEPT: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// Calls `body` with at least so many bytes, whatever is in them. A call within a call gets others.
pub fn with<R>(bytes: usize, body: impl FnOnce(*mut c_void) -> R) -> R {
    let lines = bytes.div_ceil(SCRATCH_ALIGNMENT_BYTES).max(1);
    // A thread that is about to end has none any more.
    let mut kept = KEPT.try_with(Cell::take).unwrap_or_default();
    if kept.capacity() < lines {
        kept = Vec::with_capacity(lines.next_power_of_two());
    }
    let answer = body(kept.as_mut_ptr().cast());
    if kept.capacity() * SCRATCH_ALIGNMENT_BYTES <= MOST_KEPT_BYTES {
        _ = KEPT.try_with(|place| place.set(kept));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_and_aligned_and_not_shared_by_nested_calls() {
        let first = with(1000, |outer| {
            let inner = with(10, |inner| inner as usize);
            assert_ne!(inner, outer as usize);
            outer as usize
        });
        assert_eq!(first % SCRATCH_ALIGNMENT_BYTES, 0);
        assert_eq!(with(500, |again| again as usize), first);
        with(MOST_KEPT_BYTES * 2, |_| ());
    }
}
