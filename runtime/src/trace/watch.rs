//! The one word that says whether anybody watches: a trace, or a tool. For hooks that have no thread at hand.
//!
//! Relaxed, all: a hint; what hooks do next synchronizes.

use std::sync::atomic::{AtomicU8, Ordering};

static WATCHED: AtomicU8 = AtomicU8::new(0);

/// Bits of the word.
pub const TRACE: u8 = 1;
pub const TOOL: u8 = 2;

#[inline(always)]
pub fn is(bits: u8) -> bool {
    WATCHED.load(Ordering::Relaxed) & bits != 0
}

pub fn set(bit: u8, on: bool) {
    if on {
        WATCHED.fetch_or(bit, Ordering::Relaxed);
    } else {
        WATCHED.fetch_and(!bit, Ordering::Relaxed);
    }
}
