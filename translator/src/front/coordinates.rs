//! Small vectors of which only components are used become their components.
//!
//! Programs compute coordinates as `int2` or `float2`: x differs from item to item, y often does not. As a vector they differ
//! together, apart each is known for what it is. Method: what is computed component by component, and used by nothing but
//! such computations and by what takes one component out, is computed for that component alone.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Builder, Context, Function, Opcode, Type, Value};

/// Components of a coordinate at most, and their bits: four wider ones fill a register of 256 bits, and may be what a kernel
/// computes with.
const MOST_COMPONENTS: u64 = 4;
const MOST_BITS: u32 = 32;

/// Takes coordinates apart in a kernel.
pub fn take_apart(context: Context, kernel: Function) {
    let mut known: HashSet<Value> =
        kernel.instructions().filter(|&value| is_by_component(value)).collect();
    loop {
        let is_used_apart = |value: &Value| {
            value.users().into_iter().all(|user| known.contains(&user) || taken(user).is_some())
        };
        let (apart, others): (Vec<Value>, Vec<Value>) =
            known.iter().copied().partition(is_used_apart);
        if others.is_empty() {
            break;
        }
        known = apart.into_iter().collect();
    }
    let mut parts = Parts { context, known, made: HashMap::new() };
    let taking: Vec<Value> = kernel.instructions().filter(|&value| parts.takes(value)).collect();
    for &value in &taking {
        let component = parts.of(value.operand(0), taken(value).expect("checked"), value);
        value.replace_uses(component);
    }
    taking.into_iter().for_each(Value::erase);
    // Users stand behind what they use.
    let mut rest: Vec<Value> =
        kernel.instructions().filter(|value| parts.known.contains(value)).collect();
    while !rest.is_empty() {
        let (used, unused): (Vec<Value>, Vec<Value>) =
            rest.into_iter().partition(|value| value.is_used());
        assert!(!unused.is_empty(), "what is taken apart is used by its like alone");
        unused.into_iter().for_each(Value::erase);
        rest = used;
    }
}

/// Whether a value is a small vector that is computed component by component.
fn is_by_component(value: Value) -> bool {
    use Opcode::*;
    let narrow = |ty: Type| ty.integer_bits().max(ty.float_bits()) <= MOST_BITS;
    let small = |value: Value| {
        let (ty, element) = (value.ty(), value.ty().element());
        ty.is_vector() && ty.count() <= MOST_COMPONENTS && element.is_some_and(narrow)
    };
    let like = |index: usize| small(value.operand(index));
    small(value)
        && match value.opcode() {
            Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMAnd | LLVMOr | LLVMXor) => true,
            Some(LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv) => true,
            Some(LLVMSIToFP | LLVMUIToFP | LLVMSExt | LLVMZExt | LLVMTrunc) => true,
            Some(LLVMInsertElement) => value.operand(2).unsigned().is_some(),
            Some(LLVMShuffleVector) => like(0),
            _ => false,
        }
}

/// Which component an instruction takes out of its operand.
fn taken(value: Value) -> Option<u64> {
    let index = value.is_opcode(Opcode::LLVMExtractElement).then(|| value.operand(1).unsigned());
    index.flatten()
}

struct Parts {
    context: Context,
    /// What is computed for each component.
    known: HashSet<Value>,
    made: HashMap<(Value, u64), Value>,
}

impl Parts {
    fn takes(&self, value: Value) -> bool {
        taken(value).is_some_and(|_| self.known.contains(&value.operand(0)))
    }

    /// A component of a vector, for `user`.
    fn of(&mut self, vector: Value, index: u64, user: Value) -> Value {
        if vector.is_opcode(Opcode::LLVMInsertElement) && vector.operand(2).unsigned().is_some() {
            return self.inserted(vector, index, user);
        }
        if !self.known.contains(&vector) {
            return Builder::before(self.context, user).component(vector, index);
        }
        if let Some(&known) = self.made.get(&(vector, index)) {
            return known;
        }
        let made = self.compute(vector, index);
        self.made.insert((vector, index), made);
        made
    }

    /// A component of a vector that one was put into.
    fn inserted(&mut self, vector: Value, index: u64, user: Value) -> Value {
        if vector.operand(2).unsigned() != Some(index) {
            return self.of(vector.operand(0), index, user);
        }
        let scalar = vector.operand(1);
        match taken(scalar).filter(|_| self.takes(scalar)) {
            // That will be replaced.
            Some(index) => self.of(scalar.operand(0), index, user),
            None => scalar,
        }
    }

    fn compute(&mut self, vector: Value, index: u64) -> Value {
        let opcode = vector.opcode().expect("an instruction");
        let second = (vector.operand_count() > 1).then(|| vector.operand(1));
        let first = vector.operand(0);
        match opcode {
            Opcode::LLVMShuffleVector => {
                let count = first.ty().count();
                match vector.shuffled()[index as usize].map(u64::from) {
                    None => vector.ty().element().expect("a vector").poison(),
                    Some(place) if place < count => self.of(first, place, vector),
                    Some(place) => self.of(vector.operand(1), place - count, vector),
                }
            }
            _ => {
                let first = self.of(first, index, vector);
                let second = second.map(|second| self.of(second, index, vector));
                let builder = Builder::before(self.context, vector);
                builder.set_debug_location(vector.debug_location());
                let made = match second {
                    Some(second) => builder.binary(opcode, first, second),
                    None => {
                        let ty = vector.ty().element().expect("a vector");
                        builder.cast(opcode, first, ty)
                    }
                };
                made.take_promises_of(vector);
                made
            }
        }
    }
}
