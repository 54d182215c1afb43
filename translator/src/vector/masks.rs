//! Masks: which items of a vector run something.

use super::emit::Emitter;
use crate::llvm::{Builder, Context, IntPredicate, Machine, Opcode, Type, Value};

/// Where a mask is kept between blocks.
#[derive(Clone, Copy)]
pub struct MaskSlot {
    at: Value,
    /// Numbers of which the sign counts, as wide as those that the mask is for, where the machine has no registers for masks:
    /// LLVM would make them narrow in between.
    ty: Type,
}

impl MaskSlot {
    /// Makes one by `head`.
    pub fn make(head: &Builder, context: Context, machine: &Machine, lanes: u64) -> MaskSlot {
        let bits = match machine.has("avx512vl") {
            true => 1,
            false => (MOST_REGISTERS * u64::from(machine.vector_bits()) / lanes).clamp(8, 32),
        };
        let ty = context.integer(bits as u32).vector(lanes);
        MaskSlot { at: head.alloca(ty), ty }
    }
}

/// Registers that the numbers of a mask take at most.
const MOST_REGISTERS: u64 = 2;

impl Emitter<'_> {
    pub fn read_mask(&self, slot: MaskSlot) -> Value {
        let kept = self.builder.load(slot.ty, slot.at);
        match slot.ty == self.mask_type() {
            true => kept,
            false => self.builder.compare(IntPredicate::LLVMIntSLT, kept, slot.ty.zero()),
        }
    }

    pub fn write_mask(&self, slot: MaskSlot, mask: Value) {
        let kept = match slot.ty == self.mask_type() {
            true => mask,
            false => self.builder.cast(Opcode::LLVMSExt, mask, slot.ty),
        };
        self.builder.store(kept, slot.at);
    }

    /// Lets a slot have no item.
    pub fn clear(&self, slot: MaskSlot) {
        self.builder.store(slot.ty.zero(), slot.at);
    }

    pub fn add_to(&self, slot: MaskSlot, mask: Option<Value>) {
        let sum = self.builder.or(self.read_mask(slot), self.all_or(mask));
        self.write_mask(slot, sum);
    }

    /// The mask, or one of all items.
    pub fn all_or(&self, mask: Option<Value>) -> Value {
        mask.unwrap_or_else(|| self.mask_type().splat(-1))
    }

    pub fn mask_type(&self) -> crate::llvm::Type {
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
