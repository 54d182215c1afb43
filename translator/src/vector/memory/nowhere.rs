//! Memory for items that are not there, where all of a vector must load or store.
//!
//! What they store is never read. What they load is nothing: other numbers would be reckoned with, and some processors take
//! 150 cycles for an operation with a number below the smallest normal one, which is what a small integer is as `float`.

use crate::llvm::{Builder, Value};
use crate::vector::emit::Emitter;

/// As many as the longest value of an item has.
const BYTES: u64 = 128;

/// What is loaded with such a value may lie in front of it, up to a line; so much keeps it aligned as before.
const BEFORE: u64 = BYTES;

#[derive(Clone, Copy)]
pub struct Nowhere {
    pub stored: Value,
    pub loaded: Value,
}

impl Nowhere {
    /// `head`: where a function's allocas are made.
    pub fn new(head: &Builder) -> Nowhere {
        let stored = head.alloca(head.context().integer(8).array(BYTES));
        let nothing = head.nothing(BEFORE + BYTES);
        [stored, nothing].iter().for_each(|at| at.set_alignment(BYTES as u32));
        Nowhere { stored, loaded: head.offset(nothing, head.word(BEFORE)) }
    }
}

impl Emitter<'_> {
    /// A vector of addresses, and `nowhere` in place of those of items that are not there.
    pub fn or_nowhere(&self, addresses: Value, nowhere: Value) -> Value {
        let Some(mask) = self.mask else { return addresses };
        let one = addresses.ty().element().expect("a vector");
        let nowhere = self.builder.address_space_cast(nowhere, one);
        self.builder.select(mask, addresses, self.builder.splat(nowhere, self.lanes))
    }
}
