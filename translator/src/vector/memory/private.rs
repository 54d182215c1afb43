//! Private arrays of the items of a vector.
//!
//! Each item has its own. Where all that touches an array are loads and stores of numbers of one size, the arrays of a
//! vector lie *interleaved*: what the items have at one index lies side by side. Others lie one behind the other. So do
//! those that outlive a region, where some items of a vector may not be there: they have no room.

use std::collections::HashMap;

use crate::llvm::{Machine, Opcode, Type, Value};
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
    let uses = Uses::of(machine, alloca)?;
    let size = uses.number_bytes(machine, |ty| ty);
    *addresses = uses.addresses;
    size
}

/// The size of a number; none of anything else.
fn number_bytes(machine: &Machine, ty: Type) -> Option<u64> {
    let plain = !ty.is_vector() && ty.integer_bits() != 1 && ty.element().is_none();
    (plain && ty.count() == 0).then(|| machine.size_bytes(ty))
}

/// All that is done to an array by loads and stores.
pub struct Uses {
    /// What points into it.
    pub addresses: Vec<Value>,
    /// A power of two that all distances between these are multiples of, and the size of the array.
    pub step_bytes: u64,
    pub accesses: Vec<Value>,
}

impl Uses {
    /// None where anything else is done.
    pub fn of(machine: &Machine, alloca: Value) -> Option<Uses> {
        let bytes = machine.size_bytes(alloca.allocated_type()?);
        let (addresses, step_bytes) = (vec![alloca], 1 << bytes.trailing_zeros().min(63));
        let mut uses = Uses { addresses, step_bytes, accesses: Vec::new() };
        let mut at = 0;
        while let Some(&address) = uses.addresses.get(at) {
            at += 1;
            for user in address.users() {
                match user.opcode()? {
                    Opcode::LLVMGetElementPtr if user.operand(0) == address => {
                        let offsets = Offsets::of(machine, user);
                        uses.step_bytes = uses.step_bytes.min(offsets.step_bytes());
                        if !uses.addresses.contains(&user) {
                            uses.addresses.push(user);
                        }
                    }
                    // [`crate::kernel::stay`] keeps accesses in their place by such casts.
                    Opcode::LLVMAddrSpaceCast => uses.addresses.push(user),
                    Opcode::LLVMLoad => uses.accesses.push(user),
                    Opcode::LLVMStore if user.operand(0) != address => uses.accesses.push(user),
                    Opcode::LLVMCall if user.is_lifetime_marker() => {}
                    _ => return None,
                }
            }
        }
        Some(uses)
    }

    /// The size of the numbers in the array, if there is nothing else. `number`: what an access is one or more of, by what it moves.
    pub fn number_bytes(&self, machine: &Machine, number: impl Fn(Type) -> Type) -> Option<u64> {
        let of = |access: &Value| number_bytes(machine, number(access.moved_type()?));
        let mut sizes = self.accesses.iter().map(of);
        let size = sizes.next()??;
        let alike = sizes.all(|other| other == Some(size));
        (alike && self.step_bytes.is_multiple_of(size)).then_some(size)
    }
}
