//! Scratch memory: local data, large private data and contexts of the work-groups that a thread runs, one block a thread,
//! kept for the next launch. A kernel says how much it needs, and that can be more than there is.
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

/// Calls `body` with at least so many bytes, whatever is in them; `None` if they are not to be had. A call within a call gets
/// others.
pub fn with<R>(bytes: usize, body: impl FnOnce(*mut c_void) -> R) -> Option<R> {
    let lines = bytes.div_ceil(SCRATCH_ALIGNMENT_BYTES).max(1);
    // A thread that is about to end has none any more.
    let mut kept = KEPT.try_with(Cell::take).unwrap_or_default();
    if kept.capacity() < lines {
        kept = Vec::new();
        kept.try_reserve_exact(lines.checked_next_power_of_two()?).ok()?;
    }
    let answer = body(kept.as_mut_ptr().cast());
    if kept.capacity() * SCRATCH_ALIGNMENT_BYTES <= MOST_KEPT_BYTES {
        _ = KEPT.try_with(|place| place.set(kept));
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_and_aligned_and_not_shared_by_nested_calls() {
        let first = with(1000, |outer| {
            let inner = with(10, |inner| inner as usize);
            assert!(inner.is_some_and(|inner| inner != outer as usize));
            outer as usize
        });
        assert!(first.is_some_and(|first| first.is_multiple_of(SCRATCH_ALIGNMENT_BYTES)));
        assert_eq!(with(500, |again| again as usize), first);
        assert_eq!(with(MOST_KEPT_BYTES * 2, |_| ()), Some(()));
    }

    #[test]
    fn what_is_not_to_be_had_is_no_crash() {
        assert_eq!(with(1 << 62, |_| ()), None);
        assert_eq!(with(usize::MAX, |_| ()), None);
        assert_eq!(with(10, |_| ()), Some(()));
    }
}
