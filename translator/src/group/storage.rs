//! Where the memory of work-items is: what each has for itself while it runs, and what a group keeps for its items
//! between regions.
//!
//! What one place can serve all items in turn for is on the stack of the thread that runs them, which nobody knows the
//! size of: so of the program's own variables no more than a little is there. The largest lie in the scratch memory
//! instead, at its `context_offset`, `in_turn_bytes` together; the driver sees to it that there are so many.
//!
//! Terms: a *context array* holds one thing for each item of a whole work-group, items in their linear order, x
//! fastest, or what a vector of items has interleaved ([`crate::vector`]); the arrays of a kernel lie one after another in the
//! scratch memory, behind what serves items in turn. Those of variables are on the stack instead where the number of items is
//! known and they are small: then LLVM can keep them in registers, across barriers too.
//!
//! Invariant: arrays come in the order of their alignment, widest first, and the size of what they hold is a
//! multiple of its alignment; so each array is aligned however many items there are.

use std::collections::HashMap;

use crate::group::crossing::{Crossing, Storage, Variable};
use crate::group::regions::Regions;
use crate::llvm::{Context, Function, Machine, Opcode, Type, Value};

/// The memory of one kernel's items.
pub struct Layout {
    /// For each variable the type it has in memory, and where it is for all items of a group.
    pub variables: Vec<(Type, Room)>,
    pub allocas: Vec<Own>,
    /// Of the scratch memory, for what serves all items in turn: a multiple of [`ALIGNMENT_BYTES`].
    pub in_turn_bytes: u64,
    pub context_bytes_per_item: u64,
    /// Of arrays on the stack, see [`Arrays`].
    pub row_unit: u64,
    /// What an item has for itself, wherever that is.
    pub private_bytes_per_item: u64,
}

/// An alloca of the program.
pub struct Own {
    pub alloca: Value,
    pub bytes: u64,
    pub site: Site,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It is one for all items.
    One,
    /// An array of so many items on the stack.
    Stack(u64),
    /// A context array, at this offset.
    Context(u64),
    /// No items but those of a chunk need it, which has an array of its own.
    Chunks,
}

/// Where an alloca of the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// One place on the stack serves all items in turn.
    Stack,
    /// The same in the scratch memory, or a place for all items that go together, so many bytes from its `context_offset`, or behind that as much as a larger alignment
    /// than the scratch memory's takes: there is room for it.
    Scratch(u64),
    /// A context array, so many bytes for each item behind the first.
    Array(u64),
}

/// Of all that begins in scratch memory: docs/kernel-abi.md.
pub const ALIGNMENT_BYTES: u64 = 128;

/// Bytes of the program's variables that are on the stack at most: threads of the program have stacks as small as 64 KiB, and
/// run kernels while they wait.
pub const MOST_STACK_BYTES: u64 = 16 << 10;

/// Bytes of the program's variables of items that go together, at most: a part of the second-level cache.
pub const MOST_TOGETHER_BYTES: u64 = 256 << 10;

/// Bytes of variables that are on the stack at most: sixteen vectors of 512 bits for each of four variables. What is longer becomes no
/// registers, and loops over items that are written out for it only make more code.
const STACK_BYTES: u64 = 4 << 10;

/// Whether the stack holds these variables of so many items.
pub fn fits_stack<'a>(
    machine: &Machine,
    variables: impl Iterator<Item = &'a Variable>,
    items: u64,
) -> bool {
    let of_items = variables.filter(|variable| variable.storage == Storage::Item);
    let each = sum(of_items.map(|variable| machine.size_bytes(variable.ty)));
    items.saturating_mul(each) <= STACK_BYTES
}

/// What is known of the arrays of items.
pub struct Arrays<'a> {
    /// For so many items there is room in an array on the stack, if it is known how many a group has.
    pub items: Option<u64>,
    /// In these, a row of items has room for a multiple of so many.
    pub row_unit: u64,
    /// Whether no items but those of chunks need a variable.
    pub in_chunks: &'a dyn Fn(&Variable) -> bool,
    /// How many items go together: what serves them in turn has room for so many.
    pub lanes: u64,
}

/// Lays out the variables and the allocas of `kernel`.
pub fn lay_out(
    context: Context,
    machine: &Machine,
    kernel: Function,
    (regions, crossing): (&Regions, &Crossing),
    Arrays { items, row_unit, in_chunks, lanes }: Arrays,
) -> Layout {
    let variables: Vec<Type> =
        crossing.variables.iter().map(|variable| in_memory(context, variable.ty)).collect();
    let slots: Vec<Value> = crossing.variables.iter().map(|variable| variable.slot).collect();
    let mut allocas: Vec<Own> = kernel
        .allocas()
        .filter(|alloca| !slots.contains(alloca))
        .map(|alloca| Own { alloca, bytes: bytes_of(machine, alloca), site: Site::Stack })
        .collect();

    // What needs an array: (alignment, size, its number among variables and then allocas).
    let mut arrays = Vec::new();
    let mut each = 0;
    for (number, (&ty, variable)) in variables.iter().zip(&crossing.variables).enumerate() {
        if variable.storage == Storage::Item {
            each = sum([each, machine.size_bytes(ty)]);
            if !in_chunks(variable) {
                arrays.push((machine.alignment_bytes(ty), machine.size_bytes(ty), number));
            }
        }
    }
    let in_arrays = arrays.iter().map(|&(.., number)| &crossing.variables[number]);
    let stack = items.filter(|&items| fits_stack(machine, in_arrays, items));
    if stack.is_some() {
        arrays.clear();
    }
    for (number, own) in allocas.iter().enumerate() {
        if outlives_region(own.alloca, regions) {
            let alignment = alignment_of(machine, own.alloca);
            arrays.push((alignment, own.bytes, variables.len() + number));
        }
    }
    arrays.sort_by_key(|&(alignment, _, number)| (std::cmp::Reverse(alignment), number));
    let mut offsets = HashMap::new();
    let mut context_bytes_per_item = 0;
    for (_, size, number) in arrays {
        offsets.insert(number, context_bytes_per_item);
        context_bytes_per_item = sum([context_bytes_per_item, size]);
    }
    let offset = |number: usize| offsets.get(&number).copied();
    let room = |number: usize| match &crossing.variables[number] {
        variable if variable.storage != Storage::Item => Room::One,
        variable if in_chunks(variable) => Room::Chunks,
        _ => match (offset(number), stack) {
            (Some(offset), _) => Room::Context(offset),
            (None, items) => Room::Stack(items.expect("else it has an offset")),
        },
    };
    let variables: Vec<_> =
        variables.into_iter().enumerate().map(|(number, ty)| (ty, room(number))).collect();
    for (number, own) in allocas.iter_mut().enumerate() {
        own.site = offset(variables.len() + number).map_or(Site::Stack, Site::Array);
    }
    let in_turn_bytes = move_from_stack(machine, &mut allocas, lanes);
    let private_bytes_per_item = sum(allocas.iter().map(|own| own.bytes).chain([each]));
    Layout {
        variables,
        allocas,
        in_turn_bytes,
        context_bytes_per_item,
        row_unit,
        private_bytes_per_item,
    }
}

/// Gives the largest of what is on the stack a place in the scratch memory, until the rest is little; how much that takes. `lanes`: how
/// many items each place is for.
fn move_from_stack(machine: &Machine, allocas: &mut [Own], lanes: u64) -> u64 {
    let bytes = |own: &Own| own.bytes.saturating_mul(lanes);
    let mut on_stack: Vec<&mut Own> =
        allocas.iter_mut().filter(|own| own.site == Site::Stack).collect();
    on_stack.sort_by_key(|own| std::cmp::Reverse(own.bytes));
    let mut left = sum(on_stack.iter().map(|own| bytes(own)));
    let mut end = 0;
    for own in on_stack {
        if left <= MOST_STACK_BYTES {
            break;
        }
        left = left.saturating_sub(bytes(own));
        let alignment = alignment_of(machine, own.alloca);
        let begin =
            up_to(end, if lanes > 1 { ALIGNMENT_BYTES } else { alignment.min(ALIGNMENT_BYTES) });
        own.site = Site::Scratch(begin);
        end = sum([begin, bytes(own), alignment.saturating_sub(ALIGNMENT_BYTES)]);
    }
    up_to(end, ALIGNMENT_BYTES)
}

/// More than there are addresses is as much as all of them: the driver refuses that.
fn sum(bytes: impl IntoIterator<Item = u64>) -> u64 {
    bytes.into_iter().fold(0, u64::saturating_add)
}

fn up_to(bytes: u64, alignment: u64) -> u64 {
    bytes.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}

fn alignment_of(machine: &Machine, alloca: Value) -> u64 {
    let ty = alloca.allocated_type().expect("that of an alloca");
    machine.alignment_bytes(ty).max(u64::from(alloca.alignment()))
}

fn bytes_of(machine: &Machine, alloca: Value) -> u64 {
    let ty = alloca.allocated_type().expect("that of an alloca");
    up_to(machine.size_bytes(ty), alignment_of(machine, alloca))
}

/// One bit is kept as a byte, which vectors of items can be made of.
fn in_memory(context: Context, ty: Type) -> Type {
    if ty.integer_bits() == 1 { context.integer(8) } else { ty }
}

/// Whether an item's memory must still be there in another region, or in the same one again.
fn outlives_region(alloca: Value, regions: &Regions) -> bool {
    if regions.list.len() == 1 {
        return false;
    }
    let Some(users) = users_through_addresses(alloca) else { return true };
    let mut at = regions.list.iter().filter(|region| {
        users.iter().any(|user| user.parent().is_some_and(|block| region.flow.contains(block)))
    });
    match (at.next(), at.next()) {
        (Some(region), None) => region.repeats,
        (None, _) => false,
        _ => true,
    }
}

/// Every instruction that may touch the memory; none where its address goes where it cannot be followed.
fn users_through_addresses(alloca: Value) -> Option<Vec<Value>> {
    let mut users = Vec::new();
    let mut addresses = vec![alloca];
    while let Some(address) = addresses.pop() {
        for user in address.users() {
            if users.contains(&user) {
                continue;
            }
            users.push(user);
            match user.opcode()? {
                Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {
                    addresses.push(user);
                }
                Opcode::LLVMLoad => {}
                Opcode::LLVMStore if user.operand(0) != address => {}
                Opcode::LLVMCall if user.called().is_some_and(Function::is_intrinsic) => {}
                _ => return None,
            }
        }
    }
    Some(users)
}

/// Which memory an address leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Memory that other items cannot reach, at a place that serves all items in turn.
    OwnInTurn,
    /// Any other memory.
    Other,
}

/// Where `address` may lead, in the kernel before it is copied; `in_turn` are the allocas without arrays.
pub fn reach(address: Value, in_turn: &[Value]) -> Reach {
    if in_turn.is_empty() {
        return Reach::Other;
    }
    let mut seen = Vec::new();
    let mut rest = vec![address];
    while let Some(value) = rest.pop() {
        if seen.contains(&value) {
            continue;
        }
        seen.push(value);
        match value.opcode() {
            Some(Opcode::LLVMAlloca) if in_turn.contains(&value) => return Reach::OwnInTurn,
            Some(Opcode::LLVMAlloca) => {}
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) => {
                rest.push(value.operand(0))
            }
            Some(Opcode::LLVMPHI) => rest.extend(value.incoming().into_iter().map(|from| from.0)),
            Some(Opcode::LLVMSelect) => rest.extend([value.operand(1), value.operand(2)]),
            // A pointer that comes from memory: an alloca's address may have been put there.
            Some(_) if matches!(value.ty().address_space(), 0 | 4) => return Reach::OwnInTurn,
            _ => {}
        }
    }
    Reach::Other
}
