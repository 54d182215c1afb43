//! The variables that stand for one value: one, or one for each component of a vector.

use crate::llvm::{Builder, Opcode, Type, Value};

/// The variables that one value is kept in. A vector has one for each component, so that the same component of
/// neighbouring items is in neighbouring places.
pub enum Slots {
    Whole(Type, Value),
    Each(Vec<Value>),
}

impl Slots {
    pub fn write(&self, builder: &Builder, value: Value) {
        match self {
            Slots::Whole(_, slot) => {
                builder.store(value, *slot);
            }
            Slots::Each(slots) => {
                for (&slot, index) in slots.iter().zip(0..) {
                    builder.store(builder.component(value, index), slot);
                }
            }
        }
    }

    pub fn read(&self, builder: &Builder) -> Value {
        match self {
            Slots::Whole(ty, slot) => builder.load(*ty, *slot),
            Slots::Each(slots) => {
                let ty = |slot: &Value| slot.allocated_type().expect("that of an alloca");
                let parts: Vec<Value> =
                    slots.iter().map(|slot| builder.load(ty(slot), *slot)).collect();
                builder.vector(&parts)
            }
        }
    }

    /// The variable of the one component that `user` takes of the value.
    pub fn component(&self, user: Value) -> Option<Value> {
        let Slots::Each(slots) = self else { return None };
        let index = user.is_opcode(Opcode::LLVMExtractElement).then(|| user.operand(1))?;
        slots.get(index.unsigned()? as usize).copied()
    }
}
