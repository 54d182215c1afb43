//! Numbers of 8 and 16 bits that are not side by side in `__global` memory: no gather loads them, but one that loads words of 32 bits
//! loads those in which they are.
//!
//! An aligned word lies in one page, so that its other bytes can be read whatever they belong to. Where item `i` of a vector finds
//! byte `p + s * index[i]`, that is byte `t[i] % 4` of word `(index[i] >> k) + t[i] / 4` behind `p` rounded down, where
//! `k = log2(4 / s)` and `t[i] = p % 4 + s * (index[i] mod 2^k)`: no sum is larger than an index may be.

use super::access::Pattern;
use super::parts::Own;
use crate::llvm::{Opcode, Value};
use crate::vector::emit::Emitter;
use crate::vector::values::form::{Form, steps};

const GLOBAL_SPACE: u32 = 1;
const WORD_BYTES: i64 = 4;

/// Numbers `step * index` bytes behind `first`.
struct Places {
    first: Value,
    /// A vector of 32 bits each.
    index: Value,
    step: i64,
    signed: bool,
}

impl Emitter<'_> {
    /// What each item loads, where that is such a number. None where it is not, or where items share no base.
    pub fn gather_narrow(&mut self, load: Value, pattern: Pattern) -> Option<Value> {
        let (ty, address) = (load.ty(), load.operand(0));
        let bytes = self.machine.size_bytes(ty) as i64;
        let is_number = ty.is_float() || ty.integer_bits() as i64 == 8 * bytes;
        let suits = matches!(bytes, 1 | 2)
            && is_number
            && i64::from(load.alignment()) >= bytes
            && address.ty().address_space() == GLOBAL_SPACE
            && self.has_gathers();
        if !suits {
            return None;
        }
        let places = match pattern {
            Pattern::Anywhere => self.places_by_index(address, bytes),
            _ => self.places_by_stride(address),
        }?;
        let loaded = self.gather_within_words(&places);
        let narrow = self.context.integer(8 * bytes as u32).vector(self.lanes);
        let narrow = self.builder.cast(Opcode::LLVMTrunc, loaded, narrow);
        Some(self.builder.cast(Opcode::LLVMBitCast, narrow, ty.vector(self.lanes)))
    }

    fn places_by_index(&mut self, address: Value, bytes: i64) -> Option<Places> {
        let parts = self.parts_of_address(address)?;
        let Own::Index { base, index, step, signed } = parts.own else { return None };
        if !(bytes..=WORD_BYTES).contains(&step) {
            return None;
        }
        let first = self.shared_place(base, &parts);
        let index = self.cut_off(index, self.context.integer(32));
        Some(Places { first, index, step, signed })
    }

    fn places_by_stride(&mut self, address: Value) -> Option<Places> {
        let Form::Strided(first, stride) = self.form(address) else { return None };
        let last = stride.checked_mul(self.lanes as i64)?;
        i32::try_from(last).ok()?;
        let index = steps(self.context.integer(32), self.lanes, stride);
        Some(Places { first, index, step: 1, signed: true })
    }

    /// Words with what is at each place in their lowest bits.
    fn gather_within_words(&mut self, places: &Places) -> Value {
        let &Places { first, index, step, signed } = places;
        let (word, address) = (self.context.integer(32), self.context.integer(64));
        let words = word.vector(self.lanes);
        let number = self.builder.cast(Opcode::LLVMPtrToInt, first, address);
        let within = self.builder.and(number, address.signed(WORD_BYTES - 1));
        let back = self.builder.sub(address.signed(0), within);
        let aligned = self.builder.element_anywhere(self.context.integer(8), first, &[back]);
        let within = self.builder.cast(Opcode::LLVMTrunc, within, word);
        let within = self.builder.splat(within, self.lanes);
        let in_word = self.builder.and(index, words.splat(WORD_BYTES / step - 1));
        let in_word = self.builder.mul(in_word, words.splat(step));
        let bytes = self.builder.add(within, in_word);
        let shift = if signed { Opcode::LLVMAShr } else { Opcode::LLVMLShr };
        let steps = i64::from((WORD_BYTES / step).ilog2());
        let at = self.builder.binary(shift, index, words.splat(steps));
        let beyond = self.builder.binary(Opcode::LLVMLShr, bytes, words.splat(2));
        let at = self.builder.add(at, beyond);
        // Signed at last: an index without a sign has been shifted, or is for a `step` of a word.
        let extend = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
        let at = self.builder.cast(extend, at, address.vector(self.lanes));
        let places = self.builder.element_anywhere(word, aligned, &[at]);
        let found = self.gather_from(places, word, WORD_BYTES as u32);
        let rest = self.builder.and(bytes, words.splat(WORD_BYTES - 1));
        let bits = self.builder.binary(Opcode::LLVMShl, rest, words.splat(3));
        self.builder.binary(Opcode::LLVMLShr, found, bits)
    }
}
