//! Small vectors of the program's that data leads anywhere, such as pixels and complex numbers: to the machine each is one number
//! of 32 or 64 bits, a *word*, which is loaded or stored at once and taken apart in registers.

use super::access::is_packed;
use crate::llvm::{Machine, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::values::form::components;

/// Components as wide as these are picked out of words by shuffles; narrower ones by shifts, which widen them for what follows.
const PICKED_BITS: u64 = 32;

/// Whether a type is that of a small vector that is a word.
pub fn is_word(machine: &Machine, ty: Type) -> bool {
    ty.is_vector() && matches!(machine.size_bytes(ty), 4 | 8) && is_packed(machine, ty)
}

impl Emitter<'_> {
    /// The word that a number or a small vector is, where gathers and scatters are good.
    pub fn gathered_word(&self, ty: Type) -> Option<Type> {
        let by_parts = self.machine.gathers_by_parts() && !ty.is_vector();
        self.word(ty).filter(|_| self.has_gathers() && !by_parts)
    }

    pub fn has_gathers(&self) -> bool {
        self.machine.has("avx512f") && self.machine.has("avx512vl")
    }

    /// The word that a number or a small vector is.
    pub fn word(&self, ty: Type) -> Option<Type> {
        let bytes = self.machine.size_bytes(ty);
        match components(ty)?[..] {
            _ if !matches!(bytes, 4 | 8) => None,
            [number] => Some(number),
            _ => is_word(self.machine, ty).then(|| self.context.integer(8 * bytes as u32)),
        }
    }

    /// The word that a small vector is whose components are narrow: others are put where they belong as they are loaded.
    pub fn word_of_narrow(&self, ty: Type) -> Option<Type> {
        let bits = |part: Type| 8 * self.machine.size_bytes(part);
        self.word(ty).filter(|_| ty.element().is_some_and(|part| bits(part) < PICKED_BITS))
    }

    /// The components of all items' vectors of a type, of their words.
    pub fn parts_of_words(&self, words: Value, ty: Type) -> Vec<Value> {
        let parts = components(ty).expect("a vector of simple values");
        let (count, part) = (parts.len() as u64, parts[0]);
        let bits = 8 * self.machine.size_bytes(part);
        if bits >= PICKED_BITS {
            let all = part.vector(count * self.lanes);
            let all = self.builder.cast(Opcode::LLVMBitCast, words, all);
            return (0..count).map(|part| self.every_nth(all, part, count)).collect();
        }
        let narrow = self.context.integer(bits as u32).vector(self.lanes);
        let at = |place: u64| {
            let places = words.ty().splat((place * bits) as i64);
            let low = self.builder.binary(Opcode::LLVMLShr, words, places);
            let low = self.builder.cast(Opcode::LLVMTrunc, low, narrow);
            self.builder.cast(Opcode::LLVMBitCast, low, part.vector(self.lanes))
        };
        (0..count).map(at).collect()
    }

    /// The words of all items' vectors, of their components. One that is undefined, such as the fourth where the program has three,
    /// becomes any number: else the whole word would be undefined.
    pub fn words_of_parts(&self, parts: &[Value], word: Type) -> Value {
        let words = word.vector(self.lanes);
        let bits = 8 * self.machine.size_bytes(word) / parts.len() as u64;
        if bits >= PICKED_BITS {
            return self.builder.cast(Opcode::LLVMBitCast, self.interleaved(parts), words);
        }
        let narrow = self.context.integer(bits as u32).vector(self.lanes);
        let at = |(&part, place): (&Value, u64)| {
            let part = self.builder.cast(Opcode::LLVMBitCast, part, narrow);
            let part = self.builder.freeze(part);
            let wide = self.builder.cast(Opcode::LLVMZExt, part, words);
            let places = words.splat((place * bits) as i64);
            self.builder.binary(Opcode::LLVMShl, wide, places)
        };
        let all = parts.iter().zip(0..).map(at);
        all.reduce(|all, one| self.builder.binary(Opcode::LLVMOr, all, one)).expect("components")
    }
}
