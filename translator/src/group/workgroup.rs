//! A kernel becomes the function that runs work-groups of it.
//!
//! Each region of the kernel is copied into a nest of loops over the items; behind the nest stands what the region's
//! end does, once for the group, or for each of the [`chunks`] that it is cut into. Variables are read from where the group keeps them when an item begins a region and
//! written back when it leaves; in between they are allocas in the head, which LLVM puts into registers.
//!
//! Invariant: uniform variables are read before the loops of a region and written inside them, so that what one item
//! writes is not what the next one reads.

use std::collections::BTreeMap;

use crate::code::remarks::ItemLoop;
use crate::front::names;
use crate::group::absent::Absent;
use crate::group::arguments::{self, Argument};
use crate::group::crossing::{self, Crossing, Variable};
use crate::group::cuts::Cuts;
use crate::group::groups::{self, Groups, Join};
use crate::group::ids;
use crate::group::launch::{Entry, Sizes};
use crate::group::local::{self, Locals};
use crate::group::maker::Maker;
use crate::group::regions::{Region, Regions};
use crate::group::storage::{self, Arrays, Layout};
use crate::group::{chunks, items, quotients};
use crate::ir::copy::Copier;
use crate::kernel::sub_groups;
use crate::llvm::{Builder, Context, Function, Machine, Module, Value};
use crate::program::failure::Failure;
use crate::vector::facts::classes::Shares;
use crate::vector::fill::Vectors;

/// What was made of a kernel.
pub struct WorkGroup {
    pub symbol: String,
    pub arguments: Vec<Argument>,
    pub arguments_bytes: u64,
    pub local_bytes: u64,
    pub in_turn_bytes: u64,
    pub context_bytes_per_item: u64,
    pub private_bytes_per_item: u64,
    /// Its vectors stay whole: those of the program, or of items.
    pub keeps_vectors: bool,
    /// The code is right only for launches with ids below 2^30.
    pub narrow: bool,
    /// Of the program, not ours.
    pub barriers: usize,
    /// The loops over items, in the order of the regions.
    pub loops: Vec<ItemLoop>,
    /// How many values of vector code are of which class, by what they are.
    pub shares: BTreeMap<String, Shares>,
}

impl WorkGroup {
    /// Goes together with another one, which some launches run: there is room for both, and what forbids one forbids the other.
    pub fn unite_with(&mut self, other: &WorkGroup) {
        self.narrow |= other.narrow;
        self.local_bytes = self.local_bytes.max(other.local_bytes);
        self.in_turn_bytes = self.in_turn_bytes.max(other.in_turn_bytes);
        self.context_bytes_per_item = self.context_bytes_per_item.max(other.context_bytes_per_item);
        self.private_bytes_per_item = self.private_bytes_per_item.max(other.private_bytes_per_item);
    }
}

/// The name of a kernel's entry point.
pub fn symbol_of(kernel: &str) -> String {
    format!("vicinity_kernel_{}", names::bare(kernel))
}

/// What the analyses found out about a kernel.
pub struct Known<'a> {
    /// Whether a value is the same for all items of a group.
    pub is_uniform: &'a dyn Fn(Value) -> bool,
    /// Neighbours along x touch memory that is far apart.
    pub strides_far: bool,
    /// Vectors of the program stay whole.
    pub keeps_vectors: bool,
    /// What is only faster is left out.
    pub brief: bool,
    /// How many items go together by vector code.
    pub lanes: Option<u64>,
    /// Items go one after another in place of that, and tell what their values are.
    pub observe: bool,
}

impl Known<'_> {
    /// Groups that may be joined, if others do not forbid it.
    fn join(&self) -> Join {
        if self.strides_far { Join::Flat } else { Join::Rows }
    }

    /// What decides how groups are cut.
    fn chunks<'a>(
        &self,
        machine: &'a Machine,
        kernel: Function,
        (regions, crossing): (&'a Regions, &'a Crossing),
        sizes: Sizes,
    ) -> chunks::Of<'a> {
        let (lanes, strides_far) = (self.lanes.unwrap_or(1), self.strides_far);
        chunks::Of { machine, kernel, regions, crossing, sizes, lanes, strides_far }
    }
}

/// Makes the entry point of `kernel`, and ends the kernel itself. `first_loop` is how many loops over items the program
/// has so far.
pub fn build(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    sizes: Sizes,
    first_loop: usize,
    known: &Known,
) -> Result<WorkGroup, Failure> {
    let context = module.context();
    let (arguments, arguments_bytes) = arguments::lay_out(context, machine, kernel)?;
    let locals = local::lay_out(module, machine, kernel);
    let (regions, crossing) = cut(module, machine, kernel, known);
    let (cuts, layout) =
        lay_out(context, known.chunks(machine, kernel, (&regions, &crossing), sizes));
    let symbol = symbol_of(&kernel.name());
    let entry = begin(module, machine, kernel, &symbol, sizes, &layout);
    let mut copier = Copier::new(context, entry.head);
    bind(&mut copier, &entry, kernel, &arguments, &locals);
    let of = |lanes| (machine, lanes, &regions, &crossing, &layout, &entry);
    let mut vectors =
        known.lanes.and_then(|lanes| Vectors::new(context, of(lanes), known.is_uniform));
    sub_groups::ensure_together(kernel, sizes, vectors.is_some())?;
    let shares = vectors.as_ref().map_or_else(BTreeMap::new, Vectors::shares);
    let watched = vectors.take_if(|_| known.observe && sizes.sub_group.is_none());
    let observer = watched.map(|them| them.watch(module, machine, kernel));
    let keepings = cuts.keepings(copier, &entry, &regions, (&crossing, &layout));
    let has_local = locals.bytes > 0 || arguments.iter().any(|a| a.kind == arguments::Kind::Local);
    let apart = regions.list.len() == 1 || cuts.are_all_chunks() && sizes.enqueued.is_none();
    let apart = apart && layout.context_bytes_per_item == 0 && !has_local;
    let may_join = apart && sizes.along == 0 && groups::can_join(kernel);
    let absent = Absent::find(context, kernel, &regions, entry.head);
    let groups = groups::make(context, &entry, may_join.then(|| known.join()));
    let maker = Maker {
        context,
        machine,
        entry,
        size: extent(context, kernel, &groups, sizes),
        groups,
        regions,
        crossing,
        cuts,
        absent,
        vectors,
        observer,
        brief: known.brief,
        lanes: machine.vector_bits() / 32,
        first_loop,
    };
    let loops = maker.make_all(keepings);
    module.check(maker.entry.function, "workgroup");
    kernel.erase();
    Ok(WorkGroup {
        symbol,
        arguments,
        arguments_bytes,
        local_bytes: locals.bytes,
        in_turn_bytes: layout.in_turn_bytes,
        context_bytes_per_item: layout.context_bytes_per_item,
        private_bytes_per_item: layout.private_bytes_per_item,
        keeps_vectors: known.keeps_vectors || maker.vectors.is_some(),
        narrow: maker.vectors.as_ref().is_some_and(Vectors::want_narrow_launch),
        barriers: maker.regions.barriers,
        loops,
        shares,
    })
}

/// Cuts a kernel into its regions.
fn cut(module: &Module, machine: &Machine, kernel: Function, known: &Known) -> (Regions, Crossing) {
    let context = module.context();
    let regions = Regions::find(context, kernel);
    let crossing =
        crossing::resolve(context, kernel, &regions, known.is_uniform, known.keeps_vectors);
    // Vector code of our own divides so by itself, where numbers have no stride.
    let by_llvm = |region: &&Region| known.lanes.is_none() && !region.has_loop();
    for region in regions.list.iter().filter(by_llvm) {
        quotients::by_floating_point(context, machine, region, known.is_uniform);
    }
    module.check(kernel, "crossing");
    (regions, crossing)
}

/// How groups are cut, and where what items keep is.
fn lay_out(context: Context, of: chunks::Of) -> (Cuts, Layout) {
    let chunks::Of { machine, kernel, regions, crossing, sizes, lanes, .. } = of;
    let cuts = Cuts::new(of);
    let items = sizes.enqueued.map(|size| items::room(size, cuts.row_unit));
    let in_chunks = |variable: &Variable| cuts.is_in_chunks(regions, variable);
    let arrays = Arrays { items, row_unit: cuts.row_unit, in_chunks: &in_chunks, lanes };
    let layout = storage::lay_out(context, machine, kernel, (regions, crossing), arrays);
    (cuts, layout)
}

/// The entry point, as far as it does not depend on what the kernel does.
fn begin(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    symbol: &str,
    sizes: Sizes,
    layout: &Layout,
) -> Entry {
    let mut entry = Entry::new(module, symbol, sizes);
    entry.in_turn_bytes = layout.in_turn_bytes;
    entry.context_bytes_per_item = layout.context_bytes_per_item;
    dress(entry.function, module.context(), machine);
    entry.function.take_source_of(kernel);
    entry
}

/// How many items a group has, for the loops over them. All rows are in one plane where no item sees its own: their order is the
/// same, and there is a loop less around every region, which takes LLVM as long as any other.
fn extent(context: Context, kernel: Function, groups: &Groups, sizes: Sizes) -> [Value; 3] {
    let size = groups.place.local_size;
    if ids::sees_rows(kernel) && !sizes.flat {
        return size;
    }
    let builder = Builder::at_end(context, groups.begin);
    let rows = builder.mul_exact(size[1], size[2]);
    let one = builder.word(1);
    if sizes.flat { [builder.mul_exact(size[0], rows), one, one] } else { [size[0], rows, one] }
}

/// Attributes of code for `machine`.
pub fn dress(function: Function, context: Context, machine: &Machine) {
    function.set_text_attribute(context, "target-cpu", machine.cpu());
    function.set_text_attribute(context, "target-features", machine.features());
    let width = machine.vector_bits().to_string();
    function.set_text_attribute(context, "prefer-vector-width", &width);
    // Those of vectors are made by code/reciprocals.rs.
    function.set_text_attribute(context, "reciprocal-estimates", "!vec-divf");
    function.add_attribute(context, "nounwind");
}

/// What stands for the kernel's parameters and `__local` variables.
pub fn bind(
    copier: &mut Copier,
    entry: &Entry,
    kernel: Function,
    arguments: &[Argument],
    locals: &Locals,
) {
    let builder = Builder::at_end(copier.context(), entry.head);
    for (parameter, argument) in kernel.parameters().into_iter().zip(arguments) {
        let value = arguments::read(&builder, entry, argument);
        value.set_name(&parameter.name());
        copier.values.insert(parameter, value);
    }
    for &(variable, offset) in &locals.variables {
        let place = builder.offset(entry.scratch, builder.word(offset));
        copier.values.insert(variable, builder.address_space_cast(place, variable.ty()));
    }
}
