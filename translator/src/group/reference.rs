//! A kernel as the specification tells it: each work-item runs it as it is, with a stack of its own where there are
//! barriers. Slow, and right: what the transformations are compared with (`VICINITY_ORDER=reference`).
//!
//! The entry point is the same as that of a work-group function. For each group it writes down what its items share
//! (`struct`: launch, arguments, scratch memory, then group id, first id and size by dimension) and hands it, with
//! the item's function, to `vicinity_reference_group` of the builtin library.

use std::collections::BTreeMap;

use crate::front::import;
use crate::front::library::{self, is_barrier};
use crate::group::ids::{self, Id, Place};
use crate::group::launch::{Entry, Sizes, load_constant};
use crate::group::workgroup::{WorkGroup, bind, dress, symbol_of};
use crate::group::{arguments, groups, local};
use crate::ir::copy::{Copier, Special};
use crate::llvm::{Builder, Context, Function, Machine, Module, Value};
use crate::program::failure::Failure;
use crate::report::describe::Program;

/// Functions of the builtin library.
const GROUP: &str = "vicinity_reference_group";
const BARRIER: &str = "vicinity_reference_barrier";

/// Words of what the items of a group share.
mod shared {
    pub const LAUNCH: u64 = 0;
    pub const ARGUMENTS: u64 = 1;
    pub const SCRATCH: u64 = 2;
    pub const GROUP_ID: u64 = 3;
    pub const FIRST_ID: u64 = 6;
    pub const SIZE: u64 = 9;
    pub const WORDS: u64 = 12;
}

/// Makes the entry point of `kernel`, and ends the kernel itself.
pub fn build(module: &Module, machine: &Machine, kernel: Function) -> Result<WorkGroup, Failure> {
    let context = module.context();
    let (arguments, arguments_bytes) = arguments::lay_out(context, machine, kernel)?;
    let locals = local::lay_out(module, machine, kernel);
    let barriers = count_barriers(kernel);
    let symbol = symbol_of(&kernel.name());

    let item = item_function(module, machine, kernel);
    let entry = Entry::new(module, &symbol, Sizes::default());
    dress(entry.function, context, machine);
    call_groups(module, &entry, item, barriers > 0);

    let inside = Entry::inside(context, item);
    let mut copier = Copier::new(context, inside.head);
    bind(&mut copier, &inside, kernel, &arguments, &locals);
    let place = place_of_item(context, &inside, item);
    let barrier = barrier_function(module);
    copier.copy(&kernel.blocks(), item, &mut |_, builder, original| {
        if let Some(id) = Id::of_call(original) {
            return Special::Value(ids::answer(builder, id, original, &place));
        }
        if is_barrier(original) {
            builder.call(barrier, &[item.parameters()[1]]);
            return Special::Nothing;
        }
        Special::Copy
    });
    Builder::at_end(context, inside.head).branch(copier.blocks[&kernel.entry()]);
    kernel.erase();
    Ok(WorkGroup {
        symbol,
        arguments,
        arguments_bytes,
        local_bytes: locals.bytes,
        in_turn_bytes: 0,
        context_bytes_per_item: 0,
        private_bytes_per_item: 0,
        keeps_vectors: false,
        narrow: false,
        barriers,
        loops: Vec::new(),
        shares: BTreeMap::new(),
    })
}

/// Links what the entry points call, once all are made.
pub fn link_runner(
    module: &mut Module,
    machine: &Machine,
    program: &Program,
) -> Result<(), Failure> {
    let symbols: Vec<String> = program.kernels.iter().map(|kernel| kernel.symbol.clone()).collect();
    library::link_builtins(module, machine, &symbols)?;
    import::retarget(module, machine);
    Ok(())
}

fn count_barriers(kernel: Function) -> usize {
    let instructions = kernel.instructions();
    instructions.filter(|&instruction| is_barrier(instruction)).count()
}

/// `void item(void *group, struct state *state, uint64_t x, uint64_t y, uint64_t z)`, still empty.
fn item_function(module: &Module, machine: &Machine, kernel: Function) -> Function {
    let context = module.context();
    let (pointer, word) = (context.pointer(0), context.integer(64));
    let ty = context.void().function(&[pointer, pointer, word, word, word]);
    let function = module.add_function(&format!("{}.item", kernel.name()), ty);
    function.set_internal();
    dress(function, context, machine);
    function.take_source_of(kernel);
    function
}

fn barrier_function(module: &Module) -> Function {
    let context = module.context();
    let ty = context.void().function(&[context.pointer(0)]);
    module.declared(BARRIER, ty)
}

/// Where the item is, from what its group shares and its own parameters.
fn place_of_item(context: Context, inside: &Entry, item: Function) -> Place {
    let builder = Builder::at_end(context, inside.head);
    let parameters = item.parameters();
    let word = context.integer(64);
    let shared =
        |at: u64| [0, 1, 2].map(|d| load_constant(&builder, parameters[0], (at + d) * 8, word));
    Place {
        group_id: shared(shared::GROUP_ID),
        first_id: shared(shared::FIRST_ID),
        local_size: shared(shared::SIZE),
        local_id: [parameters[2], parameters[3], parameters[4]],
        ..inside.launched(&builder)
    }
}

impl Entry {
    /// The same for the function of an item: its first parameter points to what the group shares.
    fn inside(context: Context, item: Function) -> Entry {
        let head = item.append_block(context, "head");
        let builder = Builder::at_end(context, head);
        let pointer =
            |at: u64| load_constant(&builder, item.parameters()[0], at * 8, context.pointer(0));
        let (launch, arguments, scratch) =
            (pointer(shared::LAUNCH), pointer(shared::ARGUMENTS), pointer(shared::SCRATCH));
        Entry::of(item, head, launch, arguments, scratch)
    }
}

/// The loop over groups, each run by the library.
fn call_groups(module: &Module, entry: &Entry, item: Function, has_barriers: bool) {
    let context = module.context();
    let (pointer, flag) = (context.pointer(0), context.integer(32));
    let ty = context.void().function(&[pointer, pointer, pointer, flag]);
    let run = module.declared(GROUP, ty);
    let head = Builder::at_end(context, entry.head);
    let group = head.alloca(context.integer(64).array(shared::WORDS));
    let groups = groups::make(context, entry, None);
    let builder = Builder::at_end(context, groups.begin);
    let put = |at: u64, value: Value| {
        builder.store(value, builder.offset(group, builder.word(at * 8)));
    };
    put(shared::LAUNCH, entry.launch);
    put(shared::ARGUMENTS, entry.arguments);
    put(shared::SCRATCH, entry.scratch);
    for d in 0..3 {
        put(shared::GROUP_ID + d, groups.place.group_id[d as usize]);
        put(shared::FIRST_ID + d, groups.place.first_id[d as usize]);
        put(shared::SIZE + d, groups.place.local_size[d as usize]);
    }
    let size = builder.offset(group, builder.word(shared::SIZE * 8));
    let has_barriers = flag.constant(u64::from(has_barriers));
    builder.call(run, &[item.0, group, size, has_barriers]);
    builder.branch(groups.next);
}
