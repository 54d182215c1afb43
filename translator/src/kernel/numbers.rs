//! What items have for themselves, number by number.
//!
//! Programs load and store it as vectors, too: arrays of `float4`, `vload3` from an array of numbers. The arrays of items that go
//! together lie interleaved where all that touches them are loads and stores of numbers of one size
//! ([`crate::vector::memory::private`]). So those of vectors become those of their numbers where all items are at one index: what
//! the items have there lies side by side then. Where each is at an index of its own, one load of a vector is better than several
//! of numbers that lie anywhere.

use crate::llvm::{Builder, Context, Function, Machine, Opcode, Type, Value};
use crate::vector::memory::private::Uses;

/// Takes loads and stores of private vectors apart; whether there were any. `is_uniform`: whether a value is one for all items.
pub fn apply(
    context: Context,
    machine: &Machine,
    kernel: Function,
    is_uniform: &dyn Fn(Value) -> bool,
) -> bool {
    let allocas: Vec<Value> = kernel.allocas().collect();
    let of = |alloca| of_vectors(machine, alloca, is_uniform).unwrap_or_default();
    let accesses: Vec<Value> = allocas.into_iter().flat_map(of).collect();
    accesses.iter().for_each(|&access| take_apart(context, machine, access));
    !accesses.is_empty()
}

/// The loads and stores of vectors in an array of numbers of one size, if all items are at one index there.
fn of_vectors(
    machine: &Machine,
    alloca: Value,
    is_uniform: &dyn Fn(Value) -> bool,
) -> Option<Vec<Value>> {
    let uses = Uses::of(machine, alloca)?;
    uses.number_bytes(machine, number_of)?;
    let is_vector = |access: &Value| access.moved_type().is_some_and(Type::is_vector);
    let vectors: Vec<Value> = uses.accesses.into_iter().filter(is_vector).collect();
    let plain = |access: &Value| !access.is_volatile() && !access.is_atomic();
    let together = |access: &Value| is_at_one_index(access.address(), is_uniform);
    vectors.iter().all(|access| plain(access) && together(access)).then_some(vectors)
}

fn number_of(ty: Type) -> Type {
    ty.element().filter(|_| ty.is_vector()).unwrap_or(ty)
}

/// Whether nothing that leads from an array to an address differs between items.
fn is_at_one_index(address: Option<Value>, is_uniform: &dyn Fn(Value) -> bool) -> bool {
    let Some(address) = address else { return false };
    match address.opcode() {
        Some(Opcode::LLVMGetElementPtr) => {
            let is_shared = |index: Value| index.is_constant() || is_uniform(index);
            address.operands().skip(1).all(is_shared)
                && is_at_one_index(Some(address.operand(0)), is_uniform)
        }
        Some(Opcode::LLVMAddrSpaceCast) => is_at_one_index(Some(address.operand(0)), is_uniform),
        _ => true,
    }
}

fn take_apart(context: Context, machine: &Machine, access: Value) {
    let ty = access.moved_type().expect("that of a load or a store");
    let (number, address) = (number_of(ty), access.address().expect("as above"));
    let bytes = machine.size_bytes(number);
    let builder = Builder::before(context, access);
    // The first one has the alignment of all.
    let alignment = |index: u64| match index {
        0 => access.alignment(),
        _ => access.alignment().min(bytes as u32),
    };
    let place = |index: u64| builder.offset(address, builder.word(index * bytes));
    let parts = 0..ty.count();
    if access.is_opcode(Opcode::LLVMStore) {
        for index in parts {
            let part = builder.component(access.operand(0), index);
            builder.store(part, place(index)).set_alignment(alignment(index));
        }
    } else {
        let load = |index| {
            let loaded = builder.load(number, place(index));
            loaded.set_alignment(alignment(index));
            loaded
        };
        access.replace_uses(builder.vector(&parts.map(load).collect::<Vec<_>>()));
    }
    access.erase();
}
