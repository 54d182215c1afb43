//! Addresses as what each item of a vector has for itself, and what all of them share.

use crate::llvm::{Opcode, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::address::Offsets;
use crate::vector::facts::state::Shape;
use crate::vector::facts::sums::{Extension, Term};

/// Bits of an index that leaves its vector with another one at once.
pub(in crate::vector) const NARROW: u32 = 32;

/// What the items of a vector have for themselves of an address.
pub(in crate::vector) enum Own {
    /// An index from a base that they share, in steps of bytes that the machine knows.
    Index { base: Value, index: Value, step: i64, signed: bool },
    /// The same, of all 64 bits.
    Word { base: Value, index: Value, step: i64 },
    /// A pointer.
    Pointer(Value),
}

/// An address as a sum of what each item has for itself, and of what all share.
pub(in crate::vector) struct Parts {
    pub own: Own,
    /// Bytes: numbers with their steps, and a constant.
    pub shared: Vec<Term>,
    pub constant: i64,
}

/// A number as the sum of what each item has for itself, and of what all share: `own` becomes a word by `extension`.
struct Split {
    own: Value,
    extension: Extension,
    shared: Vec<Term>,
}

impl Emitter<'_> {
    /// None where items share nothing of an address.
    pub(in crate::vector) fn parts_of_address(&self, address: Value) -> Option<Parts> {
        let mut parts = Parts { own: Own::Pointer(address), shared: Vec::new(), constant: 0 };
        while let Own::Pointer(at) = parts.own {
            if !self.is_sum_here(at) {
                break;
            }
            let Offsets { constant, scaled } = Offsets::of(self.machine, at);
            let (shared, own): (Vec<_>, Vec<_>) =
                scaled.into_iter().partition(|&(index, _)| self.is_for_all(index));
            let base = at.operand(0);
            parts.own = match (own.as_slice(), self.is_for_all(base)) {
                ([], false) => Own::Pointer(base),
                (&[(index, step @ (1 | 2 | 4 | 8))], true) => {
                    let split = self.split(index, step);
                    let Some(own) = own_behind(base, &split, step) else { break };
                    parts.shared.extend(split.shared);
                    own
                }
                _ => break,
            };
            parts
                .shared
                .extend(shared.into_iter().map(|(index, step)| Term::of_index(index, step)));
            parts.constant = parts.constant.wrapping_add(constant);
        }
        (!matches!(parts.own, Own::Pointer(at) if at == address)).then_some(parts)
    }

    /// Whether an address is added up here, in bytes of the program.
    pub(in crate::vector) fn is_sum_here(&self, address: Value) -> bool {
        address.is_opcode(Opcode::LLVMGetElementPtr)
            && self.is_made_here(address)
            && self.privates.factor(address.operand(0)) == 1
    }

    pub(in crate::vector) fn is_made_here(&self, value: Value) -> bool {
        value.is_instruction() && value.parent() == Some(self.graph.blocks[self.block])
    }

    fn is_for_all(&self, value: Value) -> bool {
        self.shape_here(value) == Shape::Uniform
    }

    /// Of two parts, what each item has for itself and what all share, if they are one of each; `of`: the number of a part.
    pub(in crate::vector) fn own_and_shared<T>(
        &self,
        [a, b]: [T; 2],
        of: impl Fn(&T) -> Value,
    ) -> Option<[T; 2]> {
        match (self.is_for_all(of(&a)), self.is_for_all(of(&b))) {
            (false, true) => Some([a, b]),
            (true, false) => Some([b, a]),
            _ => None,
        }
    }

    /// Takes what all items share out of the sums here of which an index is made.
    fn split(&self, index: Value, step: i64) -> Split {
        let whole = Term::of_index(index, step);
        let mut split = Split { own: index, extension: whole.extension, shared: Vec::new() };
        let mut rest = whole;
        while self.is_made_here(rest.value) {
            if let Some(narrow) =
                rest.extended().filter(|narrow| narrow.value.ty().integer_bits() == NARROW)
            {
                rest = narrow;
                continue;
            }
            let parts = rest.addends();
            let parts = parts.and_then(|two| self.own_and_shared(two, |term| term.value));
            let Some([own, shared]) = parts.filter(|[own, _]| own.bytes == step) else { break };
            split.shared.push(shared);
            rest = own;
            (split.own, split.extension) = (rest.value, rest.extension);
        }
        split
    }
}

/// What items have for themselves behind a base; nothing where nothing is shared and an index has more than 32 bits.
fn own_behind(base: Value, split: &Split, step: i64) -> Option<Own> {
    let index = split.own;
    let signed = match split.extension {
        Extension::None => sign_of_narrow(index),
        extension => {
            (index.ty().integer_bits() == NARROW).then_some(extension == Extension::Signed)
        }
    };
    match signed {
        Some(signed) => Some(Own::Index { base, index, step, signed }),
        None if split.extension == Extension::None && !split.shared.is_empty() => {
            Some(Own::Word { base, index, step })
        }
        None => None,
    }
}

/// Whether a word has a sign, if 32 bits are all there is to it.
fn sign_of_narrow(index: Value) -> Option<bool> {
    use Opcode::*;
    let constant = || index.operand(1).unsigned();
    let from = || index.operand(0).ty().integer_bits() <= NARROW;
    match index.opcode()? {
        LLVMSExt if from() => Some(true),
        LLVMZExt if from() => Some(index.is_nonnegative()),
        LLVMLShr if constant()? >= NARROW.into() => Some(false),
        LLVMAnd if constant()? <= u32::MAX.into() => Some(false),
        _ => None,
    }
}
