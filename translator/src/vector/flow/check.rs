//! Code that asks whether guessed strides hold now.

use crate::llvm::{IntPredicate, Opcode, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::guess::{Guess, LowHalf, Modulo, masked_low_half, shifted_low_half};
use crate::vector::facts::state::Shape;

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
        let mut rests = vec![value];
        let mut asked: Vec<Value> = Vec::new();
        let mut all = self.context.integer(1).constant(1);
        while let Some(value) = rests.pop() {
            if asked.contains(&value) {
                continue;
            }
            asked.push(value);
            for holds in [self.keeps_stride(value), self.holds_here(value)].into_iter().flatten() {
                all = self.builder.and(all, holds);
            }
            rests.extend(value.operands().filter(|&operand| self.is_guessed(operand)));
        }
        all
    }

    /// Whether a number that is extended wraps around between no two items; none if that is sure.
    fn keeps_stride(&mut self, value: Value) -> Option<Value> {
        let (from, signed) = match value.opcode()? {
            Opcode::LLVMSExt | Opcode::LLVMZExt if self.surely_keeps_stride(value) => return None,
            Opcode::LLVMSExt => (LowHalf::of(value.operand(0)), true),
            Opcode::LLVMZExt => (LowHalf::of(value.operand(0)), value.is_nonnegative()),
            // The low half of a word, extended again.
            Opcode::LLVMAShr => (shifted_low_half(value)?, true),
            Opcode::LLVMLShr => (shifted_low_half(value)?, false),
            Opcode::LLVMAnd => {
                let low = masked_low_half(value).map_or(value.operand(0), |(low, _)| low);
                (LowHalf::of(low), false)
            }
            _ => return None,
        };
        Some(self.stays(&from, signed))
    }

    /// Whether what is guessed of a value itself holds; none if nothing is.
    fn holds_here(&mut self, value: Value) -> Option<Value> {
        Guess::of(value, self.facts.lanes, &|value| self.shape(value))
            .map(|guess| self.holds(guess))
    }

    fn surely_keeps_stride(&self, extension: Value) -> bool {
        let from = extension.operand(0);
        from.is_instruction() && self.facts.of(from).stays_in(extension)
    }

    /// Whether all items that are here are within a bound, or make this choice.
    fn holds(&mut self, guess: Guess) -> Value {
        match guess {
            Guess::Within { number, bound, at_most, signed } => {
                let (base, bound) = (self.first_of(number), self.first_of(bound));
                self.are_within(base, self.reach_of(number), Bound { bound, at_most, signed })
            }
            Guess::Modulo { value, number, most, kind } => {
                let base = self.first_of(value);
                let most = self.first_of(most);
                let last = self.builder.binary(Opcode::LLVMSub, most, most.ty().constant(1));
                let (bound, regular) = match kind {
                    Modulo::Mask => (most, self.is_low_mask(most)),
                    Modulo::Unsigned => (last, self.goes_up(number, false)),
                    Modulo::Signed => (last, self.goes_up(number, true)),
                };
                let signed = kind == Modulo::Signed;
                let bound = Bound { bound, at_most: true, signed };
                let within = self.are_within(base, self.reach_of(value), bound);
                self.builder.and(within, regular)
            }
            Guess::Quotient { value, number, divisor, signed } => {
                let (quotient, base) = (self.first_of(value), self.first_of(number));
                let divisor = self.first_of(divisor);
                let whole = self.builder.binary(Opcode::LLVMMul, quotient, divisor);
                let rest = self.builder.binary(Opcode::LLVMSub, base, whole);
                let most = self.builder.binary(Opcode::LLVMSub, divisor, divisor.ty().constant(1));
                let bound = Bound { bound: most, at_most: true, signed };
                let within = self.are_within(rest, self.reach_of(number), bound);
                let regular = self.goes_up(number, signed);
                self.builder.and(within, regular)
            }
            Guess::Shifted { number, by, signed } => {
                let (base, by) = (self.first_of(number), self.first_of(by));
                let ty = base.ty();
                let last = self.builder.add(base, ty.signed(self.reach_of(number) as i64));
                let differ = self.builder.binary(Opcode::LLVMXor, base, last);
                let differ = self.builder.binary(Opcode::LLVMLShr, differ, by);
                let same = self.builder.compare(IntPredicate::LLVMIntEQ, differ, ty.constant(0));
                let regular = self.goes_up(number, signed);
                self.builder.and(same, regular)
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

    /// Whether a number with a stride upwards wraps around between no two items and, as a signed one, is 0 or more for all.
    fn goes_up(&mut self, number: Value, signed: bool) -> Value {
        match signed {
            true => self.is_nowhere_negative(number),
            false => self.stays(&LowHalf::of(number), false),
        }
    }

    /// Whether a number with a stride upwards is 0 or more for all items, and wraps around between no two.
    fn is_nowhere_negative(&mut self, number: Value) -> Value {
        let base = self.first_of(number);
        let ty = base.ty();
        let most = ty.signed(i64::MAX >> (64 - ty.integer_bits()));
        let begins = self.builder.compare(IntPredicate::LLVMIntSGE, base, ty.constant(0));
        let bound = Bound { bound: most, at_most: true, signed: true };
        let stays = self.are_within(base, self.reach_of(number), bound);
        self.builder.and(begins, stays)
    }

    /// Whether all bits of a number are set below one that no higher is.
    fn is_low_mask(&self, mask: Value) -> Value {
        let next = self.builder.add(mask, mask.ty().constant(1));
        let bits = self.builder.and(mask, next);
        self.builder.compare(IntPredicate::LLVMIntEQ, bits, mask.ty().constant(0))
    }

    /// How much more the last item has than the first.
    fn reach_of(&self, number: Value) -> i128 {
        let stride = self.shape(number).stride().unwrap_or(0);
        i128::from(stride) * (self.lanes as i128 - 1)
    }

    /// Whether a number that is extended, or the low half of a word, wraps around between no two items.
    fn stays(&mut self, from: &LowHalf, signed: bool) -> Value {
        if !matches!(self.shape(from.number), Shape::Strided(_)) {
            return self.context.integer(1).constant(1);
        }
        let half = self.context.integer(32);
        let mut base = match self.first_of(from.number) {
            word if word.ty().integer_bits() == 64 => {
                self.builder.cast(Opcode::LLVMTrunc, word, half)
            }
            base => base,
        };
        let ty = base.ty();
        if !from.is_plain() {
            base = self.builder.binary(Opcode::LLVMMul, base, ty.signed(from.times));
            base = self.builder.add(base, ty.signed(from.plus));
        }
        let bits = ty.integer_bits();
        let (least, most) = match signed {
            true => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
            false => (0, -1),
        };
        let reach = self.reach_of(from.number) * i128::from(from.times);
        let at_most = reach > 0;
        let bound = ty.signed(if at_most { most } else { least });
        self.are_within(base, reach, Bound { bound, at_most, signed })
    }

    /// Whether numbers that follow each other are all within a bound. The first is `base`, the last has `reach` more.
    fn are_within(&self, base: Value, reach: i128, within: Bound) -> Value {
        let Bound { bound, at_most, signed } = within;
        let ty = base.ty();
        let predicate = match (at_most, signed) {
            (true, true) => IntPredicate::LLVMIntSLE,
            (true, false) => IntPredicate::LLVMIntULE,
            (false, true) => IntPredicate::LLVMIntSGE,
            (false, false) => IntPredicate::LLVMIntUGE,
        };
        if at_most == (reach < 0) {
            // The first is the nearest to the bound.
            return self.builder.compare(predicate, base, bound);
        }
        if reach.unsigned_abs() >> ty.integer_bits() != 0 {
            return self.context.integer(1).constant(0);
        }
        let nearer = self.builder.binary(Opcode::LLVMSub, bound, ty.signed(reach as i64));
        // That may wrap around in turn.
        let exists = self.builder.compare(predicate, nearer, bound);
        let within = self.builder.compare(predicate, base, nearer);
        self.builder.and(exists, within)
    }
}

/// What numbers are at most, or at least.
struct Bound {
    bound: Value,
    at_most: bool,
    signed: bool,
}
