//! Sub-groups: items of a work-group that go together, which are the lanes of a vector.
//!
//! A kernel that asks for them is made of vectors of as many items as its sub-groups have, in all its regions
//! ([`crate::vector`]): [`width`] of them, or as many as the source requires. What items bring to each other goes by three
//! calls, [`Exchange`]; the builtin library makes all other functions of these (`library/sync/sub_group.cl`). Where vector
//! code cannot be made, each item is [`alone`] in its sub-group.
//!
//! Sub-groups follow the linear numbers of items. Rows of items are vectors where they are a multiple of the width, or one row;
//! in other groups the items of all rows are one row, from which an item computes where it is ([`flatten`]). Where the local
//! size is not known there are both versions, and each launch runs what suits it ([`join`]).
//! Sources: OpenCL 3.0, section 3.2.1; cl_intel_required_subgroup_size.

use crate::front::names;
use crate::group::ids::Id;
use crate::group::launch::{self, Sizes};
use crate::kernel::versions::Versions;
use crate::llvm::{Builder, Context, Function, IntPredicate, Machine, Module, Opcode, Type, Value};
use crate::program::failure::Failure;

/// A function by which the items of a sub-group learn of each other, or wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// A bit for each item that is here and brings what is not zero.
    Ballot,
    /// The number that another item brings.
    Shuffle,
    Barrier,
}

impl Exchange {
    /// The function with this mangled name.
    pub fn of(mangled: &str) -> Option<Exchange> {
        match mangled {
            "vicinity_ballot" => Some(Exchange::Ballot),
            "vicinity_shuffle" => Some(Exchange::Shuffle),
            "_Z17sub_group_barrierj" | "_Z17sub_group_barrierj12memory_scope" => {
                Some(Exchange::Barrier)
            }
            _ => None,
        }
    }

    /// The function that `call` calls.
    pub fn of_call(call: Value) -> Option<Exchange> {
        Exchange::of(&call.called()?.name())
    }
}

/// The library's question how many items a sub-group of the program has at most.
const MOST: &str = "vicinity_sub_group_most";

/// Sizes that a kernel may require.
const SIZES: [u64; 3] = [8, 16, 32];

/// Whether `kernel` knows of sub-groups.
pub fn has(kernel: Function) -> bool {
    let about = |call| Id::of_call(call).is_some_and(Id::is_about_sub_groups);
    calls(kernel).any(|call| about(call) || Exchange::of_call(call).is_some())
}

/// How many items a sub-group has where the source does not say: the numbers of 32 bits in a register.
fn usual_width(machine: &Machine) -> u64 {
    u64::from(machine.vector_bits() / 32)
}

/// How many items the source of `kernel` requires its sub-groups to have.
pub fn required(context: Context, kernel: Function) -> Option<u64> {
    let node = kernel.metadata(context, "intel_reqd_sub_group_size")?;
    node.values(context).first()?.unsigned()
}

/// How many items the sub-groups of `kernel` have, and whether its source requires that.
pub fn width(
    machine: &Machine,
    kernel: Function,
    context: Context,
) -> Result<(u64, bool), Failure> {
    let Some(required) = required(context, kernel) else {
        return Ok((usual_width(machine), false));
    };
    if SIZES.contains(&required) {
        return Ok((required, true));
    }
    Err(Failure::Program(format!(
        "error: kernel '{}': sub-groups of {required} items; there are some of {}, {} and {}\n",
        names::bare(&kernel.name()),
        SIZES[0],
        SIZES[1],
        SIZES[2]
    )))
}

/// Of a kernel whose sub-groups must be larger than they can be.
pub fn cannot(kernel: Function) -> Failure {
    Failure::Program(format!(
        "error: kernel '{}' requires a size of sub-groups, but is no code that items can run together\n",
        names::bare(&kernel.name())
    ))
}

/// An error if `kernel` has sub-groups, and its items are not `together` in vectors.
pub fn ensure_together(kernel: Function, sizes: Sizes, together: bool) -> Result<(), Failure> {
    if sizes.sub_group.is_some() && !together { Err(cannot(kernel)) } else { Ok(()) }
}

/// Answers the library's question for all kernels of the module.
pub fn answer(module: &Module, machine: &Machine, kernels: &[String]) -> Result<(), Failure> {
    let Some(question) = module.function(MOST) else { return Ok(()) };
    let mut most = 1;
    for kernel in kernels.iter().filter_map(|name| module.function(name)) {
        most = most.max(width(machine, kernel, module.context())?.0);
    }
    let answer = question.return_type().constant(most);
    for call in question.0.users() {
        call.replace_uses(answer);
        call.erase();
    }
    Ok(())
}

/// Makes each item a sub-group of its own: it meets nobody else.
pub fn alone(context: Context, kernel: Function) {
    for call in calls(kernel).collect::<Vec<Value>>() {
        let Some(exchange) = Exchange::of_call(call) else { continue };
        match exchange {
            Exchange::Ballot => {
                let builder = Builder::before(context, call);
                let bit = call.operand(0);
                let zero = bit.ty().constant(0);
                let brings = builder.compare(IntPredicate::LLVMIntNE, bit, zero);
                call.replace_uses(builder.cast(Opcode::LLVMZExt, brings, call.ty()));
            }
            Exchange::Shuffle => call.replace_uses(call.operand(0)),
            Exchange::Barrier => {}
        }
        call.erase();
    }
}

/// How the rows of a group become sub-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Each by itself.
    Apart,
    /// All as one.
    Flat,
    /// That is seen at launch.
    Either,
}

/// For groups of these sizes.
pub fn rows(sizes: Sizes, width: u64) -> Rows {
    match sizes.enqueued {
        Some([_, 1, 1]) => Rows::Apart,
        Some([x, ..]) if x % width != 0 => Rows::Flat,
        Some(_) if sizes.uniform => Rows::Apart,
        _ => Rows::Either,
    }
}

/// Makes the items of `kernel` compute their places from their linear numbers.
pub fn flatten(module: &Module, kernel: Function) {
    let context = module.context();
    let asked = calls(kernel).filter_map(|call| Some((call, Id::of_call(call)?)));
    let asked: Vec<(Value, Id)> = asked
        .filter(|(_, id)| matches!(id, Id::LocalId | Id::GlobalId | Id::GlobalLinearId))
        .collect();
    for (call, id) in asked {
        let place = FlatPlace { module, builder: Builder::before(context, call) };
        let dimension = call.call_arguments().first().and_then(|value| value.unsigned());
        let value = match (id, dimension) {
            (Id::GlobalLinearId, _) => place.global_linear(),
            (_, Some(3..) | None) => continue,
            (Id::LocalId, Some(d)) => place.local(d as usize),
            (_, Some(d)) => place.global(d as usize),
        };
        call.replace_uses(value);
        call.erase();
    }
}

/// What an item finds out about its place from its linear number.
struct FlatPlace<'a> {
    module: &'a Module,
    builder: Builder,
}

impl FlatPlace<'_> {
    fn word(&self) -> Type {
        self.module.context().integer(64)
    }

    fn ask(&self, name: &str, dimension: Option<usize>) -> Value {
        let number = self.module.context().integer(32);
        let arguments: Vec<Value> = dimension.iter().map(|&d| number.constant(d as u64)).collect();
        let types: Vec<Type> = arguments.iter().map(|argument| argument.ty()).collect();
        let function = self.module.declared(name, self.word().function(&types));
        self.builder.call(function, &arguments)
    }

    /// In 32 bits, in which processors divide faster; a group has few enough items.
    fn local(&self, dimension: usize) -> Value {
        let builder = &self.builder;
        let number = self.module.context().integer(32);
        let short = |value| builder.cast(Opcode::LLVMTrunc, value, number);
        let size = |d| short(self.ask("_Z14get_local_sizej", Some(d)));
        let mut left = short(self.ask("_Z19get_local_linear_idv", None));
        for d in 0..dimension {
            left = builder.udiv(left, size(d));
        }
        let at = if dimension < 2 { builder.urem(left, size(dimension)) } else { left };
        builder.cast(Opcode::LLVMZExt, at, self.word())
    }

    /// Without the offset of the launch.
    fn relative(&self, dimension: usize) -> Value {
        let group = self.ask("_Z12get_group_idj", Some(dimension));
        let size = self.ask("_Z23get_enqueued_local_sizej", Some(dimension));
        self.builder.add(self.builder.mul(group, size), self.local(dimension))
    }

    fn global(&self, dimension: usize) -> Value {
        let offset = self.ask("_Z17get_global_offsetj", Some(dimension));
        self.builder.add(self.relative(dimension), offset)
    }

    fn global_linear(&self) -> Value {
        let size = |d| self.ask("_Z15get_global_sizej", Some(d));
        let builder = &self.builder;
        let row = builder.add(builder.mul(self.relative(2), size(1)), self.relative(1));
        builder.add(builder.mul(row, size(0)), self.relative(0))
    }
}

/// Makes the entry point `symbol` of the one for groups whose rows are vectors, which has that name now, and the `flat` one.
pub fn join(module: &Module, machine: &Machine, symbol: &str, flat: &str, width: u64) {
    let versions = Versions { symbol, name: "rows", other: flat };
    versions.join(module, machine, &|builder, launch| {
        let word = builder.context().integer(64);
        let read = |at| launch::load_constant(builder, launch, at, word);
        let size = |d: u64| read(launch::layout::LOCAL_SIZE + 8 * d);
        let is = |value, what| builder.compare(IntPredicate::LLVMIntEQ, value, builder.word(what));
        let one_row = is(builder.mul(size(1), size(2)), 1);
        // Also in the last group of a row, which may have fewer items.
        let both = builder.or(size(0), read(launch::layout::GLOBAL_SIZE));
        let whole = is(builder.and(both, builder.word(width - 1)), 0);
        builder.or(one_row, whole)
    });
}

fn calls(kernel: Function) -> impl Iterator<Item = Value> {
    let all = kernel.instructions();
    all.filter(|value| value.is_opcode(Opcode::LLVMCall))
}
