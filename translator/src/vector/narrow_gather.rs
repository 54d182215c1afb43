//! Numbers of 8 and 16 bits that data leads anywhere in `__global` memory: no gather loads them, but one that loads words of 32 bits
//! loads those in which they are.
//!
//! An aligned word lies in one page, so that its other bytes can be read whatever they belong to. Where item `i` of a vector finds
//! byte `p + s * index[i]`, that is byte `t[i] % 4` of word `(index[i] >> k) + t[i] / 4` behind `p` rounded down, where
//! `k = log2(4 / s)` and `t[i] = p % 4 + s * (index[i] mod 2^k)`: no sum is larger than an index may be.

use super::emit::Emitter;
use super::places::Own;
use crate::llvm::{Opcode, Value};

const GLOBAL_SPACE: u32 = 1;
const WORD_BYTES: i64 = 4;

impl Emitter<'_> {
    /// What each item loads, where that is such a number. None where it is not, or where items share no base.
    pub fn gather_narrow(&mut self, load: Value) -> Option<Value> {
        let (ty, address) = (load.ty(), load.operand(0));
        let bytes = self.machine.size_bytes(ty) as i64;
        let is_number = ty.is_float() || ty.integer_bits() as i64 == 8 * bytes;
        let suits = matches!(bytes, 1 | 2)
            && is_number
            && i64::from(load.alignment()) >= bytes
            && address.ty().address_space() == GLOBAL_SPACE
            && self.has_gathers();
        let parts = suits.then(|| self.parts_of_address(address)).flatten()?;
        let Own::Index { base, index, step, signed } = parts.own else { return None };
        if !(bytes..=WORD_BYTES).contains(&step) {
            return None;
        }
        let first = self.shared_place(base, &parts);
        let loaded = self.gather_within_words(first, index, step, signed);
        let narrow = self.context.integer(8 * bytes as u32).vector(self.lanes);
        let narrow = self.builder.cast(Opcode::LLVMTrunc, loaded, narrow);
        Some(self.builder.cast(Opcode::LLVMBitCast, narrow, ty.vector(self.lanes)))
    }

    /// Words with what is `step * index` bytes behind `first` in their lowest bits.
    fn gather_within_words(
        &mut self,
        first: Value,
        index: Value,
        step: i64,
        signed: bool,
    ) -> Value {
        let (word, address) = (self.context.integer(32), self.context.integer(64));
        let words = word.vector(self.lanes);
        let index = self.cut_off(index, word);
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
