//! Variables and allocas in the entry point: where they are while an item runs, and where a group keeps them.

use crate::front::library::Vote;
use crate::group::crossing::{Crossing, Storage, Variable};
use crate::group::items::Nest;
use crate::group::launch::{Entry, layout as members};
use crate::group::regions::Region;
use crate::group::storage::{self, Layout, Reach, Room, Site};
use crate::ir::copy::Copier;
use crate::llvm::{Builder, Context, IntPredicate, Opcode, Type, Value};

/// Where variables and allocas are, as values of the head.
#[derive(Clone)]
pub struct Memory {
    pub variables: Vec<Kept>,
    pub arrays: Vec<Array>,
    /// Allocas of the kernel for which one place serves all items in turn.
    in_turn: Vec<Value>,
}

/// An alloca of the kernel with a place for each item.
#[derive(Clone)]
pub struct Array {
    pub alloca: Value,
    pub first: Value,
    pub bytes: u64,
}

/// One variable.
#[derive(Clone)]
pub struct Kept {
    /// The alloca in the kernel.
    pub slot: Value,
    /// The alloca that stands for it while an item runs.
    pub working: Value,
    pub storage: Storage,
    /// The uniform place, or the first of the array.
    pub kept: Value,
    /// The first of the group's array, if the other one is that of a chunk, whose items take along what they have there.
    pub of_group: Option<Value>,
    pub ty: Type,
    pub memory_ty: Type,
    /// A row of items, if its length is known, has room for a multiple of so many in the array.
    pub row_unit: u64,
}

impl Memory {
    /// Makes room in the head, and tells the copier what stands for the kernel's allocas.
    pub fn new(copier: &mut Copier, entry: &Entry, crossing: &Crossing, layout: &Layout) -> Memory {
        let builder = Builder::at_end(copier.context(), entry.head);
        let array = context_arrays(&builder, entry, layout);
        let mut memory = Memory { variables: Vec::new(), arrays: Vec::new(), in_turn: Vec::new() };
        for (variable, &(memory_ty, room)) in crossing.variables.iter().zip(&layout.variables) {
            let (kept, row_unit) = match room {
                Room::Chunks => continue,
                Room::Context(offset) => (array(offset), 1),
                Room::Stack(items) => (stack_array(&builder, memory_ty, items), layout.row_unit),
                Room::One => (builder.alloca(memory_ty), 1),
            };
            memory.add(copier, &builder, variable, memory_ty, (kept, row_unit));
        }
        for own in &layout.allocas {
            let alloca = own.alloca;
            let room = match own.site {
                Site::Array(offset) => {
                    let (first, bytes) = (array(offset), own.bytes);
                    memory.arrays.push(Array { alloca, first, bytes });
                    continue;
                }
                Site::Scratch(offset) => {
                    in_scratch(&builder, entry, offset, alloca.alignment().into())
                }
                Site::Stack => {
                    let room = builder.alloca(alloca.allocated_type().expect("that of an alloca"));
                    room.set_alignment(alloca.alignment());
                    room
                }
            };
            copier.values.insert(alloca, room);
            memory.in_turn.push(alloca);
        }
        memory
    }

    /// The same for chunks of so many items, which have arrays of their own for the variables that they touch.
    pub fn of_chunk(
        &self,
        copier: &mut Copier,
        entry: &Entry,
        (crossing, layout): (&Crossing, &Layout),
        is_touched: &dyn Fn(Value) -> bool,
        items: u64,
    ) -> Memory {
        let builder = Builder::at_end(copier.context(), entry.head);
        let mut memory = self.clone();
        let variables = crossing.variables.iter().zip(&layout.variables);
        let own = variables.filter(|(it, _)| it.storage == Storage::Item && is_touched(it.slot));
        for (variable, &(memory_ty, _)) in own {
            let array = stack_array(&builder, memory_ty, items);
            match memory.variables.iter_mut().find(|kept| kept.slot == variable.slot) {
                Some(kept) => {
                    kept.of_group = Some(kept.kept);
                    kept.kept = array;
                    kept.row_unit = layout.row_unit;
                }
                None => {
                    let array = (array, layout.row_unit);
                    memory.add(copier, &builder, variable, memory_ty, array);
                }
            }
        }
        memory
    }

    fn add(
        &mut self,
        copier: &mut Copier,
        builder: &Builder,
        variable: &Variable,
        memory_ty: Type,
        (kept, row_unit): (Value, u64),
    ) {
        let &Variable { slot, ty, storage } = variable;
        let working = builder.alloca(ty);
        copier.values.insert(slot, working);
        let of_group = None;
        self.variables.push(Kept {
            slot,
            working,
            storage,
            kept,
            of_group,
            ty,
            memory_ty,
            row_unit,
        });
    }

    /// Whether items may run an access to `address` at the same time.
    pub fn is_parallel(&self, address: Value) -> bool {
        storage::reach(address, &self.in_turn) == Reach::Other
    }

    /// Prepares a region: uniform variables are read before its loops, an item's own when it begins. Gives the
    /// accesses of items.
    pub fn begin(&self, copier: &mut Copier, region: &Region, nest: &Nest) -> Vec<Value> {
        let builder = Builder::at_end(copier.context(), nest.body);
        let in_group = nest.id_in_group(&builder);
        let mut accesses = Vec::new();
        for array in &self.arrays {
            let at = builder.mul_exact(in_group, builder.word(array.bytes));
            copier.values.insert(array.alloca, builder.offset(array.first, at));
        }
        for (working, value) in self.read_uniform(copier.context(), region, nest) {
            builder.store(value, working);
        }
        for kept in self.touched(region).filter(|kept| kept.storage == Storage::Item) {
            let place = kept.place(&builder, nest);
            let read = builder.load(kept.memory_ty, place);
            accesses.push(read);
            builder.store(kept.convert(&builder, read), kept.working);
        }
        accesses
    }

    /// Reads uniform variables before the loops of a region, and begins what items bring together. Gives where each is
    /// while an item runs, and what it holds.
    pub fn read_uniform(
        &self,
        context: Context,
        region: &Region,
        nest: &Nest,
    ) -> Vec<(Value, Value)> {
        let before = Builder::before(context, nest.before.terminator().expect("leads into loops"));
        let mut read = Vec::new();
        for kept in self.touched(region) {
            match kept.storage {
                Storage::All => {
                    before.store(kept.memory_ty.constant(1), kept.kept);
                }
                Storage::Count => {
                    before.store(kept.memory_ty.constant(0), kept.kept);
                }
                Storage::Uniform => {
                    let value = kept.convert(&before, before.load(kept.memory_ty, kept.kept));
                    read.push((kept.working, value));
                }
                Storage::Item => {}
            }
        }
        read
    }

    fn touched<'a>(&'a self, region: &'a Region) -> impl Iterator<Item = &'a Kept> {
        self.variables.iter().filter(|kept| kept.is_touched(region, &[0, 1]))
    }

    /// Writes back what an item changed in a region, where it leaves. Gives the accesses.
    pub fn end(&self, builder: &Builder, region: &Region, nest: &Nest) -> Vec<Value> {
        let mut accesses = Vec::new();
        for kept in self.variables.iter().filter(|kept| kept.is_touched(region, &[1])) {
            let value = builder.load(kept.ty, kept.working);
            let value = builder.resize_any(value, kept.memory_ty);
            match kept.storage {
                Storage::Uniform => {
                    builder.store(value, kept.kept);
                }
                Storage::All => {
                    let before = builder.load(kept.memory_ty, kept.kept);
                    builder.store(builder.and(before, value), kept.kept);
                }
                Storage::Count => {
                    let before = builder.load(kept.memory_ty, kept.kept);
                    builder.store(builder.add(before, value), kept.kept);
                }
                Storage::Item => {
                    accesses.push(builder.store(value, kept.place(builder, nest)));
                }
            }
        }
        accesses
    }

    /// What a variable that is one for all items holds now, between regions: of a count of the items of a
    /// `nest`, the [`Vote`] that it is.
    pub fn uniform(&self, builder: &Builder, slot: Value, nest: &Nest) -> Value {
        let mut all = self.variables.iter();
        let kept = all.find(|kept| kept.slot == slot).expect("it is kept everywhere");
        debug_assert_ne!(kept.storage, Storage::Item);
        let value = kept.convert(builder, builder.load(kept.memory_ty, kept.kept));
        if kept.storage != Storage::Count {
            return value;
        }
        let vote = |vote: Vote| kept.ty.constant(vote as u64);
        let zero = kept.ty.constant(0);
        let is_none = builder.compare(IntPredicate::LLVMIntEQ, value, zero);
        let items = builder.resize(nest.items(builder), kept.ty);
        let is_all = builder.compare(IntPredicate::LLVMIntEQ, value, items);
        let any = builder.select(is_all, vote(Vote::All), vote(Vote::Some));
        builder.select(is_none, vote(Vote::None), any)
    }
}

impl Kept {
    /// Whether the region has a load (operand 0) or a store (operand 1) of the variable.
    pub fn is_touched(&self, region: &Region, operands: &[usize]) -> bool {
        self.slot.users().into_iter().any(|user| {
            let operand = if user.is_opcode(Opcode::LLVMStore) { 1 } else { 0 };
            operands.contains(&operand)
                && user.parent().is_some_and(|block| region.flow.contains(block))
        })
    }

    /// Where the array has that of an item of the nest.
    pub fn place(&self, builder: &Builder, nest: &Nest) -> Value {
        let item = nest.id_with_room(builder, self.row_unit);
        builder.element(self.memory_ty, self.kept, &[item])
    }

    /// Whether a vector of so many items has all of one in the array, also where some items are not there.
    pub fn has_room(&self, nest: &Nest, lanes: u64) -> bool {
        nest.size[0].unsigned().is_some() && self.row_unit.is_multiple_of(lanes)
    }

    fn convert(&self, builder: &Builder, value: Value) -> Value {
        builder.resize_any(value, self.ty)
    }
}

/// Room for one variable of each item, as aligned as the widest vectors.
fn stack_array(builder: &Builder, ty: Type, items: u64) -> Value {
    let array = builder.alloca(ty.array(items));
    array.set_alignment(64);
    array
}

/// The place in scratch memory that is [`Site::Scratch`], at a multiple of an alignment.
pub fn in_scratch(builder: &Builder, entry: &Entry, offset: u64, alignment: u64) -> Value {
    let begin = builder.offset(contexts(builder, entry), builder.word(offset));
    if alignment <= storage::ALIGNMENT_BYTES {
        return begin;
    }
    let address = builder.cast(Opcode::LLVMPtrToInt, begin, builder.context().integer(64));
    let lacking = builder.sub(builder.word(0), address);
    builder.offset(begin, builder.and(lacking, builder.word(alignment - 1)))
}

/// Where in the scratch memory begins what items have for themselves.
fn contexts(builder: &Builder, entry: &Entry) -> Value {
    builder.offset(entry.scratch, entry.launch_word(builder, members::CONTEXT_OFFSET))
}

/// Gives the beginning of the context array at an offset for one item, in the head.
fn context_arrays<'a>(
    builder: &'a Builder,
    entry: &Entry,
    layout: &Layout,
) -> impl Fn(u64) -> Value + 'a {
    let base = (layout.context_bytes_per_item > 0).then(|| {
        let sizes = entry.launched(builder).enqueued_local_size;
        let items = builder.mul_exact(builder.mul_exact(sizes[0], sizes[1]), sizes[2]);
        let before = builder.word(layout.in_turn_bytes);
        (builder.offset(contexts(builder, entry), before), items)
    });
    move |offset| {
        let (first, items) = base.expect("there are arrays, so they have bytes");
        builder.offset(first, builder.mul_exact(items, builder.word(offset)))
    }
}
