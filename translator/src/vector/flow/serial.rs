//! What has no vector form, item by item: calls, volatile accesses, casts between vectors and numbers.

use crate::llvm::{Block, Opcode, Value};
use crate::vector::emit::Emitter;
use crate::vector::values::form::{Form, components};

/// Whether items that are not there may run an instruction all the same.
fn is_harmless(value: Value) -> bool {
    use Opcode::*;
    match value.opcode() {
        Some(LLVMCall) => value.intrinsic_name().is_some_and(|name| !name.contains("mem")),
        Some(LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence | LLVMLoad | LLVMStore) => false,
        Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) => false,
        _ => true,
    }
}

impl Emitter<'_> {
    /// Does an instruction once for each item that is there.
    pub fn serial(&mut self, value: Value) -> Option<Form> {
        let mask = self.mask.filter(|_| !is_harmless(value));
        let parts = if value.ty().is_void() { Vec::new() } else { components(value.ty())? };
        let nothing = parts.iter().map(|ty| ty.vector(self.lanes).poison());
        let mut lanes: Vec<Value> = nothing.collect();
        for lane in 0..self.lanes {
            lanes = match mask {
                Some(mask) => self.if_there(mask, lane, &lanes, |emitter, before| {
                    emitter.one(value, lane, before)
                }),
                None => self.one(value, lane, &lanes),
            };
        }
        (!value.ty().is_void()).then_some(Form::Lanes(lanes))
    }

    /// An instruction for one item; `before` with what it gave.
    fn one(&mut self, value: Value, lane: u64, before: &[Value]) -> Vec<Value> {
        let operands: Vec<Value> = value
            .operands()
            .map(|operand| match operand.as_function() {
                Some(_) => operand,
                None => self.lane(operand, lane),
            })
            .collect();
        let made = self.copy_with(value, &operands);
        self.insert_into(before, made, lane)
    }

    /// Vectors with the components of `made` at `lane`.
    pub fn insert_into(&self, before: &[Value], made: Value, lane: u64) -> Vec<Value> {
        let whole = before.len() == 1 && !made.ty().is_vector();
        before
            .iter()
            .enumerate()
            .map(|(index, &vector)| {
                let part = match (whole, made.ty().is_vector()) {
                    (true, _) => made,
                    (_, true) => self.builder.component(made, index as u64),
                    _ => self.builder.member(made, index as u32),
                };
                self.builder.with_component(vector, lane, part)
            })
            .collect()
    }

    /// Does something if item `lane` is there; gives what that gives, or what was before.
    pub fn if_there(
        &mut self,
        mask: Value,
        lane: u64,
        before: &[Value],
        make: impl FnOnce(&mut Self, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let there = self.builder.component(mask, lane);
        let from = self.builder.block();
        let one = self.function.append_block(self.context, "lane");
        let next = self.function.append_block(self.context, "lane.next");
        self.builder.branch_if(there, one, next);
        let made = self.aside(one, |emitter| make(emitter, before));
        let to: Block = self.builder.block();
        self.builder.branch(next);
        self.builder.move_to_end(next);
        let pairs = before.iter().zip(made);
        pairs
            .map(|(&before, after)| {
                let phi = self.builder.phi(before.ty());
                phi.add_incoming(before, from);
                phi.add_incoming(after, to);
                phi
            })
            .collect()
    }
}
