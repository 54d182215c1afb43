//! Masks: which items of a vector run something.

use crate::llvm::{Builder, Context, IntPredicate, Opcode, Type, Value};
use crate::vector::emit::Emitter;

/// Where a mask is kept between blocks.
#[derive(Clone, Copy)]
pub struct MaskSlot(Value);

impl MaskSlot {
    /// Makes one by `head`.
    pub fn make(head: &Builder, context: Context, lanes: u64) -> MaskSlot {
        MaskSlot(head.alloca(context.integer(1).vector(lanes)))
    }
}

impl Emitter<'_> {
    pub fn read_mask(&self, slot: MaskSlot) -> Value {
        self.builder.load(self.mask_type(), slot.0)
    }

    pub fn write_mask(&self, slot: MaskSlot, mask: Value) {
        self.builder.store(mask, slot.0);
    }

    /// Lets a slot have no item.
    pub fn clear(&self, slot: MaskSlot) {
        self.builder.store(self.mask_type().zero(), slot.0);
    }

    pub fn add_to(&self, slot: MaskSlot, mask: Option<Value>) {
        let sum = self.builder.or(self.read_mask(slot), self.all_or(mask));
        self.write_mask(slot, sum);
    }

    /// The mask, or one of all items.
    pub fn all_or(&self, mask: Option<Value>) -> Value {
        mask.unwrap_or_else(|| self.mask_type().splat(-1))
    }

    pub fn mask_type(&self) -> Type {
        self.context.integer(1).vector(self.lanes)
    }

    /// Whether any item is in a mask.
    pub fn any(&self, mask: Value) -> Value {
        let bits = self.bits_of(mask);
        self.builder.compare(IntPredicate::LLVMIntNE, bits, bits.ty().constant(0))
    }

    /// Whether all are.
    pub fn every(&self, mask: Value) -> Value {
        let bits = self.bits_of(mask);
        self.builder.compare(IntPredicate::LLVMIntEQ, bits, bits.ty().signed(-1))
    }

    /// Those of `mask` for whom `condition` holds; what the others compute does not count.
    pub fn narrow(&self, mask: Option<Value>, condition: Value) -> Value {
        match mask {
            None => condition,
            Some(mask) => self.builder.select(mask, condition, self.mask_type().zero()),
        }
    }

    pub fn opposite(&self, mask: Option<Value>, condition: Value) -> Value {
        let not = self.builder.binary(Opcode::LLVMXor, condition, self.mask_type().splat(-1));
        self.narrow(mask, not)
    }

    /// A mask as a number of so many bits.
    pub fn bits_of(&self, mask: Value) -> Value {
        let number = self.context.integer(self.lanes as u32);
        self.builder.cast(Opcode::LLVMBitCast, mask, number)
    }
}
