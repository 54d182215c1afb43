//! Tells LLVM how loads and stores of shared memory are aligned, as far as the analysis knows more than the source says.
//!
//! What that serves: vectors that are made of single numbers (`vload4`), and moves of several bytes at once on `__local`
//! memory, whose variables begin at multiples of their alignment.

use crate::analysis::Analysis;
use crate::view::extract::Extracted;

/// More is of no use: a cache line is 64 bytes long, and so is the widest vector.
const MOST_BYTES: u64 = 64;

pub fn apply(view: &Extracted, analysis: &Analysis) {
    for access in &analysis.accesses {
        let instruction = view.values[access.instruction.index()];
        let known = analysis.multiple_of(access.pointer).min(MOST_BYTES) as u32;
        // No other instruction has an alignment that can be read.
        if (1..known).contains(&instruction.alignment()) {
            instruction.set_alignment(known);
        }
    }
}
