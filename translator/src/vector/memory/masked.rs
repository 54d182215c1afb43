//! Accesses to neighbours under masks: which units a mask has bits for, and where it is not needed.
//!
//! Machines without AVX-512 have masked accesses of 4 and 8 bytes alone. An item's own small numbers, four bytes of a colour,
//! say, are such a unit together. Where an item has less than that, lanes that are off are loaded with the others if all
//! lie in one page of memory: one of them is there, so the page is, and what the others find there is not used.

use super::access::Pattern;
use crate::llvm::{IntPredicate, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::values::form::components;

/// The least that memory is protected by, on any machine.
const PAGE_BYTES: u64 = 4096;
/// Memory of the program that may be larger than LLVM is told: `__global` and `__local`.
const OPEN_SPACES: [u32; 2] = [1, 3];

/// What one bit of a mask stands for, and how many of them an item has.
pub struct Unit {
    pub ty: Type,
    pub count: u64,
}

impl Emitter<'_> {
    /// The units of an item's numbers.
    pub fn unit(&self, ty: Type) -> Unit {
        let parts = components(ty).expect("simple values");
        let count = parts.len() as u64;
        let small = self.machine.size_bytes(parts[0]) < 4 && !self.masks_any();
        if !small || count == 1 {
            return Unit { ty: parts[0], count };
        }
        Unit { ty: self.context.integer(32), count: self.machine.size_bytes(ty) / 4 }
    }

    /// Whether masked accesses to items of this type are instructions; without a mask all are, and memory of our own needs none.
    pub fn can_mask(&self, ty: Type, address: Value, pattern: Pattern) -> bool {
        self.mask.is_none()
            || self.has_all_lanes(address, pattern)
            || self.masks_any()
            || self.machine.has("avx2") && self.machine.size_bytes(ty).is_multiple_of(4)
    }

    /// Whether there are masked accesses to numbers of all sizes.
    fn masks_any(&self) -> bool {
        self.machine.has("avx512bw") && self.machine.has("avx512vl")
    }

    /// Whether all lanes have a number here that nobody else uses, those that are not there, too: one index for all leads into
    /// interleaved arrays.
    pub fn has_all_lanes(&self, address: Value, pattern: Pattern) -> bool {
        pattern == Pattern::Contiguous && self.privates.is_interleaved(address)
    }

    pub fn mask_for(&self, mask: Value, count: u64, pattern: Pattern) -> Value {
        if pattern == Pattern::Reversed {
            return self.reversed(mask);
        }
        let lanes = 0..self.lanes;
        let places: Vec<u32> = lanes.flat_map(|lane| vec![lane as u32; count as usize]).collect();
        if count == 1 { mask } else { self.builder.shuffle(mask, mask, &places) }
    }

    /// Code that asks whether neighbours can be loaded whole under a mask; none if that need not be asked, or does not help.
    pub fn whole_from_page(&mut self, load: Value, pattern: Pattern) -> Option<Value> {
        let (ty, address) = (load.ty(), load.operand(0));
        let near = matches!(pattern, Pattern::Contiguous | Pattern::Reversed);
        if !near || self.can_mask(ty, address, pattern) || !is_open(address) {
            return None;
        }
        let at = self.lowest(address, pattern);
        let word = self.context.integer(64);
        let place = self.builder.cast(Opcode::LLVMPtrToInt, at, word);
        let place = self.builder.and(place, word.constant(PAGE_BYTES - 1));
        let last = PAGE_BYTES.checked_sub(self.lanes * self.machine.size_bytes(ty))?;
        Some(self.builder.compare(IntPredicate::LLVMIntULE, place, word.constant(last)))
    }

    /// Makes something for all lanes, whoever is there.
    pub fn without_mask<R>(&mut self, make: impl FnOnce(&mut Self) -> R) -> R {
        let mask = self.mask.take();
        let made = make(self);
        self.mask = mask;
        made
    }
}

/// Whether LLVM does not know where the memory ends that an address leads to.
fn is_open(address: Value) -> bool {
    OPEN_SPACES.contains(&address.ty().address_space()) && !address.root().is_global_variable()
}
