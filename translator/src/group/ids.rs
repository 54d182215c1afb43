//! What a work-item is told about its place: the functions `get_global_id` and their kin, as values.
//!
//! A dimension is a number from 0 to 2; anything else has id and offset 0 and size 1 (OpenCL C, section 6.13.1).

use crate::kernel::sub_groups::Exchange;
use crate::llvm::{Builder, Context, Function, IntPredicate, Module, Opcode, Value};
use crate::view::{Callee, Space};

/// One of the functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    WorkDim,
    GlobalSize,
    GlobalId,
    LocalSize,
    EnqueuedLocalSize,
    LocalId,
    NumGroups,
    GroupId,
    GlobalOffset,
    GlobalLinearId,
    LocalLinearId,
    SubGroupSize,
    MaxSubGroupSize,
    NumSubGroups,
    EnqueuedNumSubGroups,
    SubGroupId,
    SubGroupLocalId,
    Services,
    /// Edges of the group's own memory: where `__local` memory begins, where it ends and what lives across barriers
    /// begins, where that ends.
    LocalBegin,
    LocalEnd,
    ContextEnd,
    /// The lower edge of the frame of the function that asks.
    FrameBegin,
}

/// Not of OpenCL C: the address of the launch's services (`crate::front::printf`).
pub const SERVICES: &str = "vicinity_services";

const NAMES: &[(&str, Id)] = &[
    ("_Z12get_work_dimv", Id::WorkDim),
    ("_Z15get_global_sizej", Id::GlobalSize),
    ("_Z13get_global_idj", Id::GlobalId),
    ("_Z14get_local_sizej", Id::LocalSize),
    ("_Z23get_enqueued_local_sizej", Id::EnqueuedLocalSize),
    ("_Z12get_local_idj", Id::LocalId),
    ("_Z14get_num_groupsj", Id::NumGroups),
    ("_Z12get_group_idj", Id::GroupId),
    ("_Z17get_global_offsetj", Id::GlobalOffset),
    ("_Z20get_global_linear_idv", Id::GlobalLinearId),
    ("_Z19get_local_linear_idv", Id::LocalLinearId),
    ("_Z18get_sub_group_sizev", Id::SubGroupSize),
    ("_Z22get_max_sub_group_sizev", Id::MaxSubGroupSize),
    ("_Z18get_num_sub_groupsv", Id::NumSubGroups),
    ("_Z27get_enqueued_num_sub_groupsv", Id::EnqueuedNumSubGroups),
    ("_Z16get_sub_group_idv", Id::SubGroupId),
    ("_Z22get_sub_group_local_idv", Id::SubGroupLocalId),
    (SERVICES, Id::Services),
    ("vicinity_local_begin", Id::LocalBegin),
    ("vicinity_local_end", Id::LocalEnd),
    ("vicinity_context_end", Id::ContextEnd),
    ("vicinity_frame_begin", Id::FrameBegin),
];

impl Id {
    /// The function with this mangled name.
    pub fn of(mangled: &str) -> Option<Id> {
        NAMES.iter().find(|(name, _)| *name == mangled).map(|&(_, id)| id)
    }

    /// The mangled name of the function.
    pub fn name(self) -> &'static str {
        let all = NAMES.iter();
        all.filter(|(_, id)| *id == self).map(|&(name, _)| name).next().expect("each has one")
    }

    /// The function that `call` calls.
    pub fn of_call(call: Value) -> Option<Id> {
        Id::of(&call.called()?.name())
    }

    /// Whether the answer would change if the item were in another group at the same place of the whole range.
    pub fn depends_on_group(self) -> bool {
        self.is_about_sub_groups()
            || matches!(self, Id::LocalId | Id::LocalLinearId | Id::GroupId | Id::LocalSize)
    }

    pub fn is_about_sub_groups(self) -> bool {
        use Id::{EnqueuedNumSubGroups, MaxSubGroupSize, NumSubGroups};
        use Id::{SubGroupId, SubGroupLocalId, SubGroupSize};
        matches!(
            self,
            SubGroupSize
                | MaxSubGroupSize
                | NumSubGroups
                | EnqueuedNumSubGroups
                | SubGroupId
                | SubGroupLocalId
        )
    }
}

/// Whether anything that `kernel` does depends on how its items are grouped: what it asks, waits for, or has in local memory.
pub fn sees_groups(kernel: Function) -> bool {
    let instructions = kernel.instructions();
    kernel.parameters().into_iter().any(is_local) || instructions.into_iter().any(sees_group)
}

fn sees_group(instruction: Value) -> bool {
    use Id::{GlobalId, GlobalLinearId, GlobalOffset, GlobalSize, WorkDim};
    if instruction.operands().any(is_local) {
        return true;
    }
    if !instruction.is_opcode(Opcode::LLVMCall) {
        return false;
    }
    let Some(called) = instruction.called() else { return true };
    match Id::of(&called.name()) {
        Some(id) => !matches!(id, GlobalId | GlobalLinearId | GlobalOffset | GlobalSize | WorkDim),
        None => {
            let name = called.name();
            called.has_body() || Callee::of_name(&name).is_some() || Exchange::of(&name).is_some()
        }
    }
}

/// Whether items of `kernel` ask where they are along y or z. Their number in their group says nothing of that.
pub fn sees_rows(kernel: Function) -> bool {
    let mut instructions = kernel.instructions();
    instructions.any(|call| match Id::of_call(call) {
        Some(Id::GlobalLinearId) => true,
        Some(Id::GlobalId | Id::LocalId) => {
            let dimension = call.call_arguments().first().copied().and_then(Value::unsigned);
            dimension.is_none_or(|dimension| dimension == 1 || dimension == 2)
        }
        _ => false,
    })
}

/// Whether it is an address of local memory, or a constant that is made of one.
fn is_local(value: Value) -> bool {
    let ty = value.ty();
    ty.is_pointer() && Space::from_number(ty.address_space()) == Space::Local
        || value.is_constant_expression() && value.operands().any(is_local)
}

/// A group has at most so many items: docs/kernel-abi.md.
const MOST_ITEMS: u64 = 4096;

/// Tells LLVM how large the answers can be: an `int` that is made of a local id has the same sign, whatever the program asks
/// about it, and is the same in every branch.
pub fn tell_bounds(module: &Module) {
    let context = module.context();
    for function in module.functions() {
        let bounds = match Id::of(&function.name()) {
            Some(Id::LocalId | Id::LocalLinearId) => [0, MOST_ITEMS],
            Some(Id::LocalSize | Id::EnqueuedLocalSize) => [1, MOST_ITEMS + 1],
            _ => continue,
        };
        for call in function.0.users().into_iter().filter(|call| call.called() == Some(function)) {
            tell_range(context, call, bounds);
        }
    }
}

/// Tells LLVM that the answer of a call is one of these numbers: from the first on, below the second.
pub fn tell_range(context: Context, call: Value, bounds: [u64; 2]) {
    let bounds = bounds.map(|number| context.metadata_value(call.ty().constant(number)));
    call.set_metadata(context, "range", context.metadata_node(&bounds));
}

/// Where the program computes the dimension: one call for each, of which one is chosen.
pub fn spell_out_dimensions(context: Context, kernel: Function) {
    for call in kernel.instructions() {
        let (Some(called), Some(_)) = (call.called(), Id::of_call(call)) else { continue };
        let Some(dimension) = call.call_arguments().first().copied() else { continue };
        if dimension.unsigned().is_some() {
            continue;
        }
        let builder = Builder::before(context, call);
        let in_dimension = |number| builder.call(called, &[dimension.ty().constant(number)]);
        let chosen = (0..3).fold(in_dimension(3), |otherwise, number| {
            let constant = dimension.ty().constant(number);
            let here = builder.compare(IntPredicate::LLVMIntEQ, dimension, constant);
            builder.select(here, in_dimension(number), otherwise)
        });
        call.replace_uses(chosen);
        call.erase();
    }
}

/// Everything about the place of one work-item: values of 64 bits, by dimension.
#[derive(Clone, Copy)]
pub struct Place {
    pub services: Value,
    /// The edges of the group's own memory.
    pub memory: [Value; 3],
    pub work_dim: Value,
    pub global_offset: [Value; 3],
    pub global_size: [Value; 3],
    pub enqueued_local_size: [Value; 3],
    pub group_count: [Value; 3],
    pub group_id: [Value; 3],
    /// How many items this group has; the last group along a dimension may have fewer.
    pub local_size: [Value; 3],
    /// The global id of the group's first item.
    pub first_id: [Value; 3],
    pub local_id: [Value; 3],
    pub sub_group: SubGroup,
}

/// What an item's sub-group is.
#[derive(Clone, Copy)]
pub struct SubGroup {
    /// How many items it has at most.
    pub most: u64,
    /// Whether it has so many.
    pub whole: bool,
}

/// The answer to `call`, a call of `id`, for the item at `place`.
pub fn answer(builder: &Builder, id: Id, call: Value, place: &Place) -> Value {
    let value = match id {
        Id::WorkDim => place.work_dim,
        Id::Services => place.services,
        Id::LocalBegin => place.memory[0],
        Id::LocalEnd => place.memory[1],
        Id::ContextEnd => place.memory[2],
        Id::FrameBegin => frame_begin(builder),
        Id::GlobalLinearId => global_linear(builder, place),
        Id::LocalLinearId => linear(builder, place.local_id, place.local_size),
        _ if id.is_about_sub_groups() => about_sub_groups(builder, id, place),
        _ => {
            let dimension = call.operand(0).unsigned();
            in_dimension(builder, id, dimension.expect("dimensions are spelled out"), place)
        }
    };
    builder.resize(value, call.ty())
}

/// Sub-groups are numbered as the linear numbers of their items go; the answers are those for a first item.
fn about_sub_groups(builder: &Builder, id: Id, place: &Place) -> Value {
    let SubGroup { most, whole } = place.sub_group;
    let most = builder.word(most);
    let product =
        |sizes: [Value; 3]| builder.mul_exact(builder.mul_exact(sizes[0], sizes[1]), sizes[2]);
    let count = |sizes| {
        let rounded = builder.add_exact(product(sizes), builder.word(place.sub_group.most - 1));
        builder.udiv(rounded, most)
    };
    match id {
        Id::SubGroupLocalId => builder.word(0),
        Id::SubGroupSize if !whole => {
            let first = linear(builder, place.local_id, place.local_size);
            builder.minimum(builder.sub(product(place.local_size), first), most)
        }
        Id::SubGroupId => builder.udiv(linear(builder, place.local_id, place.local_size), most),
        Id::NumSubGroups => count(place.local_size),
        Id::EnqueuedNumSubGroups => count(place.enqueued_local_size),
        _ => most,
    }
}

/// Where the stack ends, which is asked once, where the function begins. All its variables are above that: it has none in
/// the red zone, the 128 bytes below that a function which calls nothing may use.
fn frame_begin(builder: &Builder) -> Value {
    let context = builder.context();
    let function = builder.block().function();
    function.add_attribute(context, "noredzone");
    let entry = function.entry();
    let head = match entry.terminator() {
        Some(end) => Builder::before(context, end),
        None => Builder::at_end(context, entry),
    };
    head.cast(Opcode::LLVMPtrToInt, head.stack_pointer(), context.integer(64))
}

fn in_dimension(builder: &Builder, id: Id, dimension: u64, place: &Place) -> Value {
    let d = dimension as usize;
    if d > 2 {
        let size =
            matches!(id, Id::GlobalSize | Id::LocalSize | Id::EnqueuedLocalSize | Id::NumGroups);
        return builder.word(u64::from(size));
    }
    match id {
        Id::GlobalSize => place.global_size[d],
        Id::GlobalId => builder.add_exact(place.first_id[d], place.local_id[d]),
        Id::LocalSize => place.local_size[d],
        Id::EnqueuedLocalSize => place.enqueued_local_size[d],
        Id::LocalId => place.local_id[d],
        Id::NumGroups => place.group_count[d],
        Id::GroupId => place.group_id[d],
        Id::GlobalOffset => place.global_offset[d],
        _ => unreachable!("without dimension"),
    }
}

fn global_linear(builder: &Builder, place: &Place) -> Value {
    // Without the offset: (first + local - offset) along each dimension.
    let relative = [0, 1, 2].map(|d| {
        let first = builder.sub(place.first_id[d], place.global_offset[d]);
        builder.add_exact(first, place.local_id[d])
    });
    linear(builder, relative, place.global_size)
}

fn linear(builder: &Builder, at: [Value; 3], size: [Value; 3]) -> Value {
    let plane = builder.mul_exact(at[2], size[1]);
    let row = builder.mul_exact(builder.add_exact(plane, at[1]), size[0]);
    builder.add_exact(row, at[0])
}
