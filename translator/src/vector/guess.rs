//! Guessed strides: whether they hold now.
//!
//! A stride is guessed of numbers that might wrap around, of those that are kept within bounds or taken modulo a uniform
//! number, and of choices between such a number and another: nearly always all items of a vector are within the bounds.

use super::emit::Emitter;
use super::shapes::{Guess, Shape, shifted_low_half};
use crate::llvm::{IntPredicate, Opcode, Value};

impl Emitter<'_> {
    /// Does one of two things, by a condition that holds nearly always.
    pub fn either(
        &mut self,
        condition: Value,
        yes: impl FnOnce(&mut Self) -> Vec<Value>,
        no: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let append = |name: &str| self.function.append_block(self.context, name);
        let (as_guessed, otherwise, next) =
            (append("guess.right"), append("guess.wrong"), append("guess.next"));
        let branch = self.builder.branch_if(condition, as_guessed, otherwise);
        self.builder.mark_likely(branch);
        let first = self.aside(as_guessed, yes);
        let from_first = self.builder.block();
        self.builder.branch(next);
        let second = self.aside(otherwise, no);
        let from_second = self.builder.block();
        self.builder.branch(next);
        self.builder.move_to_end(next);
        let pairs = first.into_iter().zip(second);
        pairs
            .map(|(a, b)| {
                let phi = self.builder.phi(a.ty());
                phi.add_incoming(a, from_first);
                phi.add_incoming(b, from_second);
                phi
            })
            .collect()
    }

    /// Whether a guessed stride holds now, for all items that are here.
    pub fn is_as_guessed(&mut self, value: Value) -> Value {
        let own = match value.opcode() {
            Some(Opcode::LLVMSExt | Opcode::LLVMZExt) if self.is_sure_to_stay(value) => None,
            Some(Opcode::LLVMSExt) => Some((value.operand(0), true)),
            Some(Opcode::LLVMZExt) => Some((value.operand(0), value.is_nonnegative())),
            // The low half of a word, extended again.
            Some(Opcode::LLVMAShr) => shifted_low_half(value).map(|low| (low, true)),
            Some(Opcode::LLVMLShr) => shifted_low_half(value).map(|low| (low, false)),
            Some(Opcode::LLVMAnd) => Some((value.operand(0), false)),
            _ => None,
        };
        let own = own.map(|(from, signed)| self.stays(from, signed));
        let operands: Vec<Value> =
            value.operands().filter(|&operand| self.is_guessed(operand)).collect();
        let mut all: Vec<Value> = own.into_iter().collect();
        all.extend(Guess::of(value, &|value| self.shape(value)).map(|guess| self.holds(guess)));
        for operand in operands {
            all.push(self.is_as_guessed(operand));
        }
        let yes = self.context.integer(1).constant(1);
        all.into_iter().reduce(|a, b| self.builder.and(a, b)).unwrap_or(yes)
    }

    /// Whether an extension is of a number that does not wrap around.
    fn is_sure_to_stay(&self, extension: Value) -> bool {
        let from = extension.operand(0);
        let state = self.facts.of(from);
        let signed = extension.is_opcode(Opcode::LLVMSExt) || extension.is_nonnegative();
        from.is_instruction() && if signed { state.signed } else { state.unsigned || state.fits }
    }

    /// Whether all items that are here are within a bound, or make this choice.
    fn holds(&mut self, guess: Guess) -> Value {
        match guess {
            Guess::Within { number, bound, at_most, signed } => {
                self.is_within(number, bound, at_most, signed)
            }
            Guess::Modulo { value, number, most, is_mask } => {
                let base = self.first_of(value);
                let last = self.first_of(most);
                let ty = last.ty();
                let (last, regular) = match is_mask {
                    true => {
                        let next = self.builder.add(last, ty.constant(1));
                        let bits = self.builder.and(last, next);
                        let equal = IntPredicate::LLVMIntEQ;
                        (last, self.builder.compare(equal, bits, ty.constant(0)))
                    }
                    false => {
                        let last = self.builder.binary(Opcode::LLVMSub, last, ty.constant(1));
                        (last, self.stays(number, false))
                    }
                };
                let reach = ty.signed(self.reach_of(value));
                let room = self.builder.binary(Opcode::LLVMSub, last, reach);
                let enough = self.builder.compare(IntPredicate::LLVMIntUGE, last, reach);
                let fits = self.builder.compare(IntPredicate::LLVMIntULE, base, room);
                let both = self.builder.and(enough, fits);
                self.builder.and(both, regular)
            }
            Guess::Chosen { condition, yes } => {
                let condition = self.lane_vector(condition);
                let mask = self.mask;
                let others = match yes {
                    true => self.opposite(mask, condition),
                    false => self.narrow(mask, condition),
                };
                let some = self.any(others);
                self.builder.binary(Opcode::LLVMXor, some, some.ty().constant(1))
            }
        }
    }

    /// How much more the last item has than the first.
    fn reach_of(&self, number: Value) -> i64 {
        let Shape::Strided(stride) = self.shape(number) else { return 0 };
        stride.wrapping_mul(self.lanes as i64 - 1)
    }

    /// Whether a strided number that does not wrap around is at most, or at least, `bound` for all items.
    fn is_within(&mut self, number: Value, bound: Value, at_most: bool, signed: bool) -> Value {
        use IntPredicate::*;
        let (base, bound) = (self.first_of(number), self.first_of(bound));
        let ty = base.ty();
        let reach = self.reach_of(number);
        let predicate = match (at_most, signed) {
            (true, true) => LLVMIntSLE,
            (true, false) => LLVMIntULE,
            (false, true) => LLVMIntSGE,
            (false, false) => LLVMIntUGE,
        };
        // The first item's number is the nearest to the bound already.
        if at_most == (reach < 0) {
            return self.builder.compare(predicate, base, bound);
        }
        let nearer = self.builder.binary(Opcode::LLVMSub, bound, ty.signed(reach));
        // That may wrap around in turn.
        let stays = self.builder.compare(predicate, nearer, bound);
        let within = self.builder.compare(predicate, base, nearer);
        self.builder.and(stays, within)
    }

    /// Whether a number that is extended, or the low half of a word, wraps around between no two items.
    fn stays(&mut self, from: Value, signed: bool) -> Value {
        let Shape::Strided(stride) = self.shape(from) else {
            return self.context.integer(1).constant(1);
        };
        let base = self.first_of(from);
        let half = self.context.integer(32);
        let base = match base.ty().integer_bits() {
            64 => self.builder.cast(Opcode::LLVMTrunc, base, half),
            _ => base,
        };
        let bits = base.ty().integer_bits();
        let reach = (self.lanes as i128 - 1) * i128::from(stride);
        let (least, most) = match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let (bound, predicate) = match (reach > 0, signed) {
            (true, true) => (most - reach, IntPredicate::LLVMIntSLE),
            (true, false) => (most - reach, IntPredicate::LLVMIntULE),
            (false, true) => (least - reach, IntPredicate::LLVMIntSGE),
            (false, false) => (least - reach, IntPredicate::LLVMIntUGE),
        };
        if bound > most || bound < least {
            return self.context.integer(1).constant(0);
        }
        self.builder.compare(predicate, base, base.ty().signed(bound as i64))
    }
}
