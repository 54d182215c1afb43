//! Private arrays of the items of a vector.
//!
//! Each item has its own. Where all that touches an array are loads and stores of numbers of one size, the arrays of a
//! vector lie *interleaved*: what the items have at one index lies side by side. Others lie one behind the other. So do
//! those that outlive a region, where some items of a vector may not be there: they have no room.

use std::collections::HashMap;

use crate::llvm::{Machine, Opcode, Value};
use crate::vector::facts::address::Offsets;

/// One alloca of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Private {
    pub bytes: u64,
    pub alignment: u64,
    /// The size of its numbers, if the arrays lie interleaved.
    pub interleaved: Option<u64>,
}

impl Private {
    /// Bytes from one item's array to the next one's.
    pub fn stride(&self) -> i64 {
        self.interleaved.unwrap_or(self.bytes) as i64
    }
}

#[derive(Default)]
pub struct Privates {
    arrays: HashMap<Value, Private>,
    /// What offsets are multiplied by, for addresses in interleaved arrays.
    factors: HashMap<Value, i64>,
}

impl Privates {
    /// Takes up an alloca; `together`: there is room for those of a whole vector.
    pub fn add(&mut self, machine: &Machine, alloca: Value, lanes: u64, together: bool) {
        let ty = alloca.allocated_type().expect("that of an alloca");
        let alignment = machine.alignment_bytes(ty).max(u64::from(alloca.alignment()));
        let size = machine.size_bytes(ty);
        let bytes = size.next_multiple_of(alignment);
        let mut addresses = vec![alloca];
        let interleaved = match together {
            true => element(machine, alloca, &mut addresses),
            false => None,
        };
        if interleaved.is_some() {
            self.factors.extend(addresses.into_iter().map(|address| (address, lanes as i64)));
        }
        self.arrays.insert(alloca, Private { bytes, alignment, interleaved });
    }

    pub fn get(&self, alloca: Value) -> Option<&Private> {
        self.arrays.get(&alloca)
    }

    /// Whether an address leads into interleaved arrays.
    pub fn is_interleaved(&self, address: Value) -> bool {
        self.factors.contains_key(&address)
    }

    /// Whether an address is made of that of an array alone.
    pub fn contain(&self, address: Value) -> bool {
        self.arrays.contains_key(&address.root())
    }

    pub fn factor(&self, address: Value) -> i64 {
        self.factors.get(&address).copied().unwrap_or(1)
    }
}

/// The size of the numbers in an array, if there is nothing else; `addresses` becomes all that points into it.
fn element(machine: &Machine, alloca: Value, addresses: &mut Vec<Value>) -> Option<u64> {
    let mut size = None;
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(&address) = addresses.get(at) {
        at += 1;
        for user in address.users() {
            let ty = match user.opcode()? {
                Opcode::LLVMGetElementPtr if user.operand(0) == address => {
                    let offsets = Offsets::of(machine, user);
                    steps.push(offsets.constant);
                    steps.extend(offsets.scaled.iter().map(|&(_, scale)| scale));
                    if !addresses.contains(&user) {
                        addresses.push(user);
                    }
                    continue;
                }
                // [`crate::kernel::stay`] keeps accesses in their place by such casts.
                Opcode::LLVMAddrSpaceCast => {
                    addresses.push(user);
                    continue;
                }
                Opcode::LLVMLoad => user.ty(),
                Opcode::LLVMStore if user.operand(0) != address => user.operand(0).ty(),
                Opcode::LLVMCall if user.is_lifetime_marker() => continue,
                _ => return None,
            };
            let bytes = machine.size_bytes(ty);
            let plain = !ty.is_vector() && ty.integer_bits() != 1 && ty.element().is_none();
            if !plain || ty.count() > 0 || size.is_some_and(|size| size != bytes) {
                return None;
            }
            size = Some(bytes);
        }
    }
    let size = size?;
    let whole = machine.size_bytes(alloca.allocated_type()?).is_multiple_of(size);
    (whole && steps.iter().all(|step| step % size as i64 == 0)).then_some(size)
}
