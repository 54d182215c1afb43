//! Memory for items that are not there, where all of a vector must load or store.
//!
//! What they store is never read. What they load is nothing: other numbers would be reckoned with, and some processors take
//! 150 cycles for an operation with a number below the smallest normal one, which is what a small integer is as `float`.

use crate::llvm::{Builder, Value};

/// As many as the longest value of an item has.
const BYTES: u64 = 128;

#[derive(Clone, Copy)]
pub struct Nowhere {
    pub stored: Value,
    pub loaded: Value,
}

impl Nowhere {
    /// `head`: where a function's allocas are made.
    pub fn new(head: &Builder) -> Nowhere {
        let stored = head.alloca(head.context().integer(8).array(BYTES));
        let loaded = head.nothing(BYTES);
        [stored, loaded].iter().for_each(|at| at.set_alignment(BYTES as u32));
        Nowhere { stored, loaded }
    }
}
