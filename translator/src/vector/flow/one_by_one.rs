//! A loop over the items of a vector that are there, in their order.
//!
//! What an item has for itself lies in memory, stored once before the loop: of a vector in registers LLVM stores all in each
//! iteration to load one.

use crate::llvm::{Builder, IntPredicate, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::state::Shape;
use crate::vector::memory::parts::{Own, Parts};

/// What each item has of an operand.
enum OfItem {
    /// The same.
    Shared(Value),
    Stored(Room),
    /// A place behind one that all share: steps of a size that the machine knows.
    Behind {
        base: Value,
        index: Room,
        step: i64,
        signed: bool,
    },
}

/// Numbers of all items in memory.
struct Room {
    at: Value,
    ty: Type,
}

impl Emitter<'_> {
    /// An operation of each item in a mask. `found`: what the others have found.
    pub fn one_by_one(&mut self, operation: Value, mask: Value, found: Vec<Value>) -> Vec<Value> {
        let operands: Vec<OfItem> = operation.operands().map(|it| self.laid_out(it)).collect();
        let bits = self.bits_of(mask);
        let (ty, zero) = (bits.ty(), bits.ty().constant(0));
        let lane_type = self.context.integer(8);
        let numbers: Vec<Value> = (0..self.lanes).map(|lane| lane_type.constant(lane)).collect();
        let numbers = Type::constant_vector(&numbers);
        let from = self.builder.block();
        let (one, next) = (self.append("lane"), self.append("lane.next"));
        let any = self.builder.compare(IntPredicate::LLVMIntNE, bits, zero);
        self.builder.branch_if(any, one, next);

        self.builder.move_to_end(one);
        let rest = self.builder.phi(ty);
        let before: Vec<Value> = found.iter().map(|it| self.builder.phi(it.ty())).collect();
        let is_known = self.context.integer(1).constant(1);
        let lane = self.builder.intrinsic("llvm.cttz", &[ty], &[rest, is_known]);
        let operands: Vec<Value> = operands.iter().map(|it| self.of_item(it, lane)).collect();
        let made = self.change(operation, &operands);
        let lane = self.builder.resize(lane, lane_type);
        let is_it = self.builder.splat(lane, self.lanes);
        let is_it = self.builder.compare(IntPredicate::LLVMIntEQ, numbers, is_it);
        let whole = found.len() == 1;
        let after: Vec<Value> = before
            .iter()
            .zip(0..)
            .map(|(&before, part)| {
                let part = if whole { made } else { self.builder.member(made, part) };
                let part = self.builder.splat(part, self.lanes);
                self.builder.select(is_it, part, before)
            })
            .collect();
        let fewer = self.builder.sub(rest, ty.constant(1));
        let fewer = self.builder.and(rest, fewer);
        let more = self.builder.compare(IntPredicate::LLVMIntNE, fewer, zero);
        self.builder.branch_if(more, one, next);
        rest.add_incoming(bits, from);
        rest.add_incoming(fewer, one);

        self.builder.move_to_end(next);
        let mut results = Vec::new();
        for ((&found, before), after) in found.iter().zip(before).zip(after) {
            before.add_incoming(found, from);
            before.add_incoming(after, one);
            let result = self.builder.phi(found.ty());
            result.add_incoming(found, from);
            result.add_incoming(after, one);
            results.push(result);
        }
        results
    }

    fn laid_out(&mut self, operand: Value) -> OfItem {
        if self.shape_here(operand) == Shape::Uniform {
            return OfItem::Shared(self.first_of(operand));
        }
        let parts = operand.ty().is_pointer().then(|| self.parts_of_address(operand)).flatten();
        match parts {
            Some(ref parts @ Parts { own: Own::Index { base, index, step, signed }, .. }) => {
                let base = self.shared_place(base, parts);
                let index = self.cut_off(index, self.context.integer(32));
                OfItem::Behind { base, index: self.stored(index), step, signed }
            }
            _ => {
                let vector = self.lane_vector(operand);
                OfItem::Stored(self.stored(vector))
            }
        }
    }

    fn stored(&self, vector: Value) -> Room {
        let at = Builder::at_start(self.context, self.function).alloca(vector.ty());
        self.builder.store(vector, at);
        Room { at, ty: vector.ty().element().expect("a vector") }
    }

    fn of_item(&self, operand: &OfItem, lane: Value) -> Value {
        let lane = self.builder.resize(lane, self.context.integer(64));
        let load = |room: &Room| {
            let at = self.builder.element_anywhere(room.ty, room.at, &[lane]);
            self.builder.load(room.ty, at)
        };
        match operand {
            OfItem::Shared(one) => *one,
            OfItem::Stored(room) => load(room),
            OfItem::Behind { base, index, step, signed } => {
                let extend = if *signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
                let index = self.builder.cast(extend, load(index), self.context.integer(64));
                let step = self.context.integer(8 * *step as u32);
                self.builder.element_anywhere(step, *base, &[index])
            }
        }
    }
}
