//! Where each item of a vector finds what it loads or stores.
//!
//! Anywhere, mostly, is a base that all share and an index that each has for itself. Then two indices of 32 bits leave their
//! vector at once, and the machine adds base and index where it loads: vectors of addresses would take twice the registers. Loads
//! around one place of an item's own, such as the corners of a cell, take that out of its vector once.

use super::access::Pattern;
use super::parts::{NARROW, Own, Parts};
use crate::llvm::{Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::state::Shape;
use crate::vector::values::form::step_to;

/// Fewer are not worth it.
const FEWEST_LANES: u64 = 4;

impl Emitter<'_> {
    /// Where each item's is; for those that are not there, `nowhere`.
    pub fn places(&mut self, address: Value, pattern: Pattern, nowhere: Value) -> Vec<Value> {
        let exact = match pattern {
            Pattern::Anywhere => None,
            _ => Some(self.first_of(address)),
        };
        if let (Some(base), None) = (exact, self.mask) {
            let stride = self.stride_of(address);
            return (0..self.lanes)
                .map(|lane| step_to(&self.builder, base, stride, lane))
                .collect();
        }
        let addresses = self.lane_vector(address);
        let addresses = self.or_nowhere(addresses, nowhere);
        (0..self.lanes).map(|lane| self.builder.component(addresses, lane)).collect()
    }

    /// Where each item reads; those that are not there read what one of the others does.
    pub fn places_to_read(&mut self, address: Value, pattern: Pattern) -> Vec<Value> {
        let varies = self.shape_here(address) == Shape::Varying || self.is_guessed(address);
        let varies = pattern == Pattern::Anywhere && varies;
        // A store under a mask takes the addresses anyway.
        let is_stored = || address.users().iter().any(|user| user.is_opcode(Opcode::LLVMStore));
        let suits = self.lanes >= FEWEST_LANES && (self.mask.is_none() || !is_stored());
        let parts = (varies && suits).then(|| self.parts_of_address(address)).flatten();
        let Some(parts) = parts else {
            return self.places(address, pattern, self.nowhere.loaded);
        };
        match parts.own {
            Own::Pointer(pointer) => {
                let pointers = self.lane_vector(pointer);
                self.places_behind(pointers, &parts)
            }
            Own::Word { base, index, step } => {
                let pointers = self.words_behind(base, index, step);
                self.places_behind(pointers, &parts)
            }
            Own::Index { base, index, step, signed } => {
                let base = self.shared_place(base, &parts);
                let step = self.context.integer(8 * step as u32);
                let indices = self.indices(index, signed).into_iter();
                indices.map(|index| self.builder.element_anywhere(step, base, &[index])).collect()
            }
        }
    }

    /// What comes to an address for all items, behind each item's pointer.
    fn places_behind(&mut self, pointers: Value, parts: &Parts) -> Vec<Value> {
        let shared = self.shared_bytes(parts);
        let pointers = self.only_of_those_there(pointers);
        let byte = self.context.integer(8);
        let at = |lane| {
            let pointer = self.builder.component(pointers, lane);
            self.builder.element_anywhere(byte, pointer, &[shared])
        };
        (0..self.lanes).map(at).collect()
    }

    /// Pointers so many steps behind a base.
    fn words_behind(&mut self, base: Value, index: Value, step: i64) -> Value {
        let (base, index) = (self.first_of(base), self.lane_vector(index));
        self.builder.element_anywhere(self.context.integer(8 * step as u32), base, &[index])
    }

    /// The items' addresses for a gather or a scatter. Those of processors take a base and indices of 32 bits with a sign: one without
    /// is counted from the middle of what it reaches.
    pub fn gathered_addresses(&mut self, address: Value) -> Value {
        let parts = self.parts_of_address(address);
        let Some(ref parts @ Parts { own: Own::Index { base, index, step, signed }, .. }) = parts
        else {
            return self.lane_vector(address);
        };
        let mut base = self.shared_place(base, parts);
        let (narrow, word) = (self.context.integer(NARROW), self.context.integer(64));
        let mut index = self.cut_off(index, narrow);
        if !signed {
            let steps = word.signed(step << (NARROW - 1));
            base = self.builder.element_anywhere(self.context.integer(8), base, &[steps]);
            let middle = narrow.vector(self.lanes).splat(i32::MIN.into());
            index = self.builder.binary(Opcode::LLVMXor, index, middle);
        }
        let index = self.builder.cast(Opcode::LLVMSExt, index, word.vector(self.lanes));
        self.builder.element_anywhere(self.context.integer(8 * step as u32), base, &[index])
    }

    /// The base that all items share, with what comes to it for all.
    pub(in crate::vector) fn shared_place(&mut self, base: Value, parts: &Parts) -> Value {
        let shared = self.shared_bytes(parts);
        let base = self.first_of(base);
        self.builder.element_anywhere(self.context.integer(8), base, &[shared])
    }

    /// What comes to an address for all items.
    fn shared_bytes(&mut self, parts: &Parts) -> Value {
        let word = self.context.integer(64);
        let mut bytes = word.signed(parts.constant);
        for term in &parts.shared {
            let number = self.first_word_of(term);
            bytes = self.builder.add(bytes, self.builder.mul(number, word.signed(term.bytes)));
        }
        bytes
    }

    /// The items' indices one by one, of a vector of which pairs are taken out at once. What all share of a sum that may wrap around is
    /// added afterwards.
    fn indices(&mut self, index: Value, signed: bool) -> Vec<Value> {
        let (narrow, word) = (self.context.integer(NARROW), self.context.integer(64));
        let sum = self.narrow_sum(index);
        let shared = sum.map(|[_, shared]| self.first_of(shared));
        let indices = self.of_those_there(sum.map_or(index, |[own, _]| own), narrow);
        let pairs = self.builder.cast(Opcode::LLVMBitCast, indices, word.vector(self.lanes / 2));
        let half = word.constant(NARROW.into());
        let builder = &self.builder;
        let own = |lane| {
            let pair = builder.component(pairs, lane / 2);
            let upper = match lane % 2 {
                0 => builder.binary(Opcode::LLVMShl, pair, half),
                _ => pair,
            };
            let extend = if signed { Opcode::LLVMAShr } else { Opcode::LLVMLShr };
            builder.binary(extend, upper, half)
        };
        let whole = |lane| match shared {
            None => own(lane),
            Some(shared) => {
                let sum = builder.add(builder.resize(own(lane), narrow), shared);
                let extend = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
                builder.cast(extend, sum, word)
            }
        };
        (0..self.lanes).map(whole).collect()
    }

    /// The parts of an index that is a sum of 32 bits: what each item has for itself, and what all share.
    fn narrow_sum(&self, index: Value) -> Option<[Value; 2]> {
        use Opcode::{LLVMAdd, LLVMSExt, LLVMZExt};
        let is_word = index.ty().integer_bits() > NARROW;
        let is_extended = || matches!(index.opcode(), Some(LLVMSExt | LLVMZExt));
        let sum = match is_word && self.is_made_here(index) && is_extended() {
            true => index.operand(0),
            false => index,
        };
        let suits = self.is_made_here(sum) && sum.is_opcode(LLVMAdd);
        if !suits || sum.ty().integer_bits() != NARROW {
            return None;
        }
        self.own_and_shared([sum.operand(0), sum.operand(1)], |&part| part)
    }

    /// A vector of what the items have, cut off to a type.
    pub(in crate::vector) fn cut_off(&mut self, value: Value, ty: Type) -> Value {
        let ty = ty.vector(self.lanes);
        let all = self.lane_vector(value);
        match all.ty() == ty {
            true => all,
            false => self.builder.cast(Opcode::LLVMTrunc, all, ty),
        }
    }

    /// A vector of what the items have, cut off to a type; for those that are not there, another one's.
    fn of_those_there(&mut self, value: Value, one: Type) -> Value {
        let all = self.cut_off(value, one);
        self.only_of_those_there(all)
    }

    /// A vector with another item's number for those that are not there.
    fn only_of_those_there(&self, all: Value) -> Value {
        let Some(mask) = self.mask else { return all };
        let other = self.some_lane(all);
        self.builder.select(mask, all, self.builder.splat(other, self.lanes))
    }
}
