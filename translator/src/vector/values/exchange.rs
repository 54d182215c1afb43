//! What the items of a sub-group, which are the lanes of a vector, bring to each other ([`crate::kernel::sub_groups`]).

use super::form::Form;
use crate::kernel::sub_groups::Exchange;
use crate::llvm::{IntPredicate, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::state::Shape;

impl Emitter<'_> {
    /// A call of an exchange; none for a barrier: lanes never part so far that they would have to wait.
    pub fn exchange(&mut self, call: Value, exchange: Exchange) -> Option<Form> {
        match exchange {
            Exchange::Barrier => None,
            Exchange::Ballot => Some(Form::Uniform(self.ballot(call))),
            Exchange::Shuffle => Some(self.shuffle_lanes(call)),
        }
    }

    fn ballot(&mut self, call: Value) -> Value {
        let bits = self.lane_vector(call.operand(0));
        let zero = bits.ty().zero();
        let brings = self.builder.compare(IntPredicate::LLVMIntNE, bits, zero);
        let here = self.narrow(self.mask, brings);
        let number = self.bits_of(here);
        self.builder.resize(number, call.ty())
    }

    fn shuffle_lanes(&mut self, call: Value) -> Form {
        let (number, from) = (call.operand(0), call.operand(1));
        if self.shape_here(number) == Shape::Uniform {
            return Form::Uniform(self.first_of(number));
        }
        let vector = self.lane_vector(number);
        let last = self.lanes - 1;
        if self.shape_here(from) == Shape::Uniform {
            let from = self.first_of(from);
            let from = self.builder.and(from, from.ty().constant(last));
            return Form::Uniform(self.builder.component_at(vector, from));
        }
        let from = self.lane_vector(from);
        let from = self.builder.and(from, from.ty().splat(last as i64));
        Form::Lanes(vec![self.permuted(vector, from)])
    }

    /// The components of `vector` at the places `from`.
    fn permuted(&mut self, vector: Value, from: Value) -> Value {
        if let Some(places) = from.constant_lanes() {
            return self.builder.shuffle(vector, vector, &places);
        }
        let Some((intrinsic, length)) = self.permutation() else {
            return self.picked(vector, from);
        };
        if self.lanes < length {
            let wide = |this: &Self, of| this.padded(of, length);
            let (vector, from) = (wide(self, vector), wide(self, from));
            let made = self.permute(intrinsic, vector, from);
            return self.builder.piece(made, 0, self.lanes);
        }
        let parts = self.lanes / length;
        let pieces: Vec<Value> = (0..parts)
            .map(|to| {
                let places = self.builder.piece(from, to * length, length);
                (0..parts)
                    .map(|of| self.builder.piece(vector, of * length, length))
                    .enumerate()
                    .fold(
                        vector.ty().element().expect("a vector").vector(length).poison(),
                        |before, (of, piece)| {
                            let made = self.permute(intrinsic, piece, places);
                            self.taken(before, made, places, of as u64, length)
                        },
                    )
            })
            .collect();
        self.builder.joined(&pieces)
    }

    /// `made` where a place is in piece number `of`, else what was before.
    fn taken(&self, before: Value, made: Value, places: Value, of: u64, length: u64) -> Value {
        if of == 0 {
            return made;
        }
        let least = places.ty().splat((of * length) as i64);
        let is = self.builder.compare(IntPredicate::LLVMIntUGE, places, least);
        self.builder.select(is, made, before)
    }

    /// The machine's instruction that permutes numbers of 32 bits by others, and how many.
    fn permutation(&self) -> Option<(&'static str, u64)> {
        if self.machine.has("avx512f") && self.lanes >= 16 {
            return Some(("llvm.x86.avx512.permvar.si.512", 16));
        }
        self.machine.has("avx2").then_some(("llvm.x86.avx2.permd", 8))
    }

    /// Places count modulo the length.
    fn permute(&self, intrinsic: &str, vector: Value, places: Value) -> Value {
        self.builder.intrinsic(intrinsic, &[], &[vector, places])
    }

    /// One component after another.
    fn picked(&self, vector: Value, from: Value) -> Value {
        let nothing: Type = vector.ty();
        (0..self.lanes).fold(nothing.poison(), |made, lane| {
            let place = self.builder.component(from, lane);
            let place = self.builder.cast(Opcode::LLVMZExt, place, self.context.integer(64));
            let one = self.builder.component_at(vector, place);
            self.builder.with_component(made, lane, one)
        })
    }
}
