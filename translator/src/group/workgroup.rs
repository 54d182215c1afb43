//! A kernel becomes the function that runs work-groups of it.
//!
//! Each region of the kernel is copied into a nest of loops over the items; behind the nest stands what the region's
//! end does, once for the group, or for each of the [`chunks`] that it is cut into. Variables are read from where the group keeps them when an item begins a region and
//! written back when it leaves; in between they are allocas in the head, which LLVM puts into registers.
//!
//! Invariant: uniform variables are read before the loops of a region and written inside them, so that what one item
//! writes is not what the next one reads.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::code::remarks::{self, ItemLoop};
use crate::code::{atomics, emit};
use crate::front::names;
use crate::group::absent::Absent;
use crate::group::arguments::{self, Argument};
use crate::group::crossing::{self, Crossing, Variable};
use crate::group::cuts::{Cuts, Keeping};
use crate::group::groups::{self, Groups, Join};
use crate::group::ids::{self, Id, Place};
use crate::group::items::{Hints, Nest, access_group};
use crate::group::launch::{Entry, Sizes};
use crate::group::local::{self, Locals};
use crate::group::regions::{Region, Regions};
use crate::group::storage::{self, Layout};
use crate::group::ways::{self, Kind, Way};
use crate::group::{chunks, quotients};
use crate::ir::copy::{Copier, Special};
use crate::kernel::{depart, sub_groups};
use crate::llvm::{Block, Builder, Context, Function, Machine, Metadata, Module, Opcode, Value};
use crate::program::failure::Failure;
use crate::report::describe::Change;
use crate::vector::classes::Shares;
use crate::vector::fill::{Filling, Vectors};
use crate::vector::observe::Observer;

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
    let strides_far = known.strides_far;
    let (cuts, layout) = lay_out(
        context,
        chunks::Of { machine, kernel, regions: &regions, crossing: &crossing, sizes, strides_far },
    );
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
    let may_join = apart && !sizes.turned && groups::can_join(kernel);
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
    let by_llvm = |region: &&Region| known.lanes.is_none() && !has_loop(region);
    for region in regions.list.iter().filter(by_llvm) {
        quotients::by_floating_point(context, machine, region, known.is_uniform);
    }
    module.check(kernel, "crossing");
    (regions, crossing)
}

/// How groups are cut, and where what items keep is.
fn lay_out(context: Context, of: chunks::Of) -> (Cuts, Layout) {
    let chunks::Of { machine, kernel, regions, crossing, sizes, .. } = of;
    let cuts = Cuts::new(of);
    let items = sizes.enqueued.map(|size| size.into_iter().fold(1, u64::saturating_mul));
    let in_chunks = |variable: &Variable| cuts.is_in_chunks(regions, variable);
    let layout = storage::lay_out(context, machine, kernel, (regions, crossing), items, &in_chunks);
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
    // Where mathematics is relaxed, a division may be 2.5 units off; one step of Newton's method from the processor's estimate
    // of 12 bits is up to 3.
    function.set_text_attribute(context, "reciprocal-estimates", "vec-divf:2");
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

/// Regions of at most so many instructions are unrolled row by row: sixteen rows stay below a thousand.
const SMALL_INSTRUCTIONS: usize = 48;

/// So long are the vectors of processors that have masks for all that they do.
const MASKED_LANES: u64 = 16;

/// Vectors of items in a group that are code one after another at most.
const MOST_VECTORS: u64 = 16;

/// Everything that the regions' nests are made of.
struct Maker<'a> {
    context: Context,
    machine: &'a Machine,
    entry: Entry,
    groups: Groups,
    /// How many items a group has, for the loops over them.
    size: [Value; 3],
    regions: Regions,
    crossing: Crossing,
    cuts: Cuts,
    absent: Option<Absent>,
    vectors: Option<Vectors>,
    observer: Option<Observer>,
    brief: bool,
    /// Numbers of 32 bits in a vector.
    lanes: u32,
    /// The number of the first loop over items in the program.
    first_loop: usize,
}

impl Maker<'_> {
    /// Makes and fills all ways. The loops that are told of.
    fn make_all(&self, keepings: Vec<Vec<Rc<Keeping>>>) -> Vec<ItemLoop> {
        if self.vectors.is_some() {
            emit::spare_vectorizers(self.context, self.entry.function);
        }
        let of = ways::Of {
            context: self.context,
            machine: self.machine,
            entry: &self.entry,
            regions: &self.regions,
            cuts: &self.cuts,
            size: self.size,
            begin: self.groups.begin,
            next: self.groups.next,
            lanes: self.lanes.into(),
        };
        let mut told = Vec::new();
        for way in of.ways(keepings) {
            let first = self.first_loop + told.len();
            told.extend(self.make(&way, first));
        }
        told
    }

    /// Fills a way. The loops that are told of, which are numbered from `first_loop` on.
    fn make(&self, way: &Way, first_loop: usize) -> Vec<ItemLoop> {
        let vectors = self.vectors.as_ref();
        let nest = |number: usize| {
            let step = [vectors.map_or(1, |vectors| vectors.lanes(number)), 1, 1];
            let nest = Nest::stepping(self.context, self.entry.function, way.size, step);
            nest.within(way.within)
        };
        let section = &self.cuts.sections[way.section];
        let nests: Vec<Nest> = section.0.iter().map(|&number| nest(number)).collect();
        let twice = |&number: &usize| self.is_made_twice(number).then(|| nest(number));
        let fewer: Vec<Option<Nest>> = section.0.iter().map(twice).collect();
        let begins: HashMap<usize, Block> = section
            .0
            .iter()
            .zip(nests.iter().zip(&fewer))
            .map(|(&number, (nest, fewer))| (number, self.begin(nest, fewer)))
            .collect();
        let builder = Builder::at_end(self.context, way.begin);
        if section.first() == 0 {
            self.absent.iter().for_each(|absent| absent.begin(&builder));
        }
        builder.branch(begins[&section.first()]);
        let mut loops = Vec::new();
        for ((&number, nest), fewer) in section.0.iter().zip(&nests).zip(&fewer) {
            let region = &self.regions.list[number];
            let item_loop = ItemLoop {
                line: first_line(region),
                is_outer: has_loop(region),
                lanes: vectors.map(|vectors| vectors.lanes(number) as u32),
                changes: match vectors {
                    Some(vectors) => vectors.changes(number),
                    None => changes(region),
                },
            };
            let column = remarks::column(first_loop + loops.len());
            let place = self.context.source_place(self.entry.function, item_loop.line, column);
            let told = way.kind != Kind::Rest;
            let hints = self.hints(way, region, place.filter(|_| told));
            if let Some(vectors) = vectors {
                self.fill_vectors(vectors, way, number, nest, &hints);
                self.leave(way, number, nest, &begins);
                loops.extend(told.then_some(item_loop));
                continue;
            }
            if let Some(fewer) = fewer {
                self.fill(way, number, fewer, &Hints { place: None, ..hints }, true);
                Builder::at_end(self.context, fewer.after).branch(nest.after);
            }
            let some_may_lack = fewer.is_none() && self.is_behind(number);
            self.fill(way, number, nest, &hints, some_may_lack);
            self.leave(way, number, nest, &begins);
            loops.extend(told.then_some(item_loop));
        }
        loops
    }

    /// Whether items may have departed before a region.
    fn is_behind(&self, region: usize) -> bool {
        self.absent.as_ref().is_some_and(|absent| absent.is_behind(region))
    }

    /// Whether a region is there once for groups that have all their items, and once for others.
    fn is_made_twice(&self, region: usize) -> bool {
        self.is_behind(region) && !self.brief
    }

    /// Where a region begins that is a `nest`, and another one where items `lack`.
    fn begin(&self, nest: &Nest, lack: &Option<Nest>) -> Block {
        match (&self.absent, lack) {
            (Some(absent), Some(lack)) => {
                absent.choose(self.entry.function, nest.before, lack.before)
            }
            _ => nest.before,
        }
    }

    /// How the loops of a nest are to be vectorized and unrolled.
    fn hints(&self, way: &Way, region: &Region, place: Option<Metadata>) -> Hints {
        let lengths = region.flow.blocks.iter().map(|block| block.instructions().len());
        let lanes = u64::from(self.lanes);
        let several = self.regions.list.len() > 1;
        let chunk = way.kind == Kind::WholeChunk;
        let x = match way.kind {
            Kind::Group => self.entry.sizes.enqueued.map(|size| size[0]),
            _ => way.size[0].unsigned(),
        };
        let items: Option<u64> = way.size.into_iter().map(Value::unsigned).product();
        let few = items.is_some_and(|items| items <= MOST_VECTORS * lanes);
        Hints {
            place,
            small: chunk || lengths.sum::<usize>() <= SMALL_INSTRUCTIONS,
            straight: several && few && x.is_some_and(|x| x % lanes == 0),
            short: several && x.is_none(),
            ordered: instructions(region).any(orders),
            masked: way.kind == Kind::Rest && lanes == MASKED_LANES
                || x.is_some_and(|x| x > lanes / 2 && x % lanes != 0),
            lanes: false,
        }
    }

    /// Makes the vector code of a region in its nest.
    fn fill_vectors(
        &self,
        vectors: &Vectors,
        way: &Way,
        number: usize,
        nest: &Nest,
        hints: &Hints,
    ) {
        let context = self.context;
        let filling = Filling {
            context,
            machine: self.machine,
            function: self.entry.function,
            head: self.entry.head,
            region: &self.regions.list[number],
            nest,
            memory: &way.keeping.memory,
            copier: &way.keeping.copier,
            place: self.groups.place,
            origin: way.origin,
        };
        vectors.fill(number, &filling);
        nest.describe(context, access_group(context), &Hints { lanes: true, ..*hints });
    }

    /// Copies a region into its nest; `some_may_lack`: items may have departed, which are passed over.
    fn fill(&self, way: &Way, number: usize, nest: &Nest, hints: &Hints, some_may_lack: bool) {
        let (context, region) = (self.context, &self.regions.list[number]);
        let group = access_group(context);
        let mut copier = way.keeping.copier.clone();
        let mut accesses = way.keeping.memory.begin(&mut copier, region, nest);
        let at_item = Builder::at_end(context, nest.body);
        let local_id = [0, 1, 2].map(|d| match way.origin {
            Some(origin) => at_item.add_exact(origin[d], nest.local_id[d]),
            None => nest.local_id[d],
        });
        self.observer
            .iter()
            .for_each(|observer| observer.begin(&at_item, number, nest.local_id[0]));
        let place = Place { local_id, ..self.groups.place };
        let end = region.end.and_then(Block::terminator);
        let mut departing = false;
        copier.copy(&region.flow.blocks, self.entry.function, &mut |copier, builder, original| {
            if std::mem::replace(&mut departing, false) {
                return Special::Nothing; // The end of a block in which items depart.
            }
            if let Some(absent) = self.absent.as_ref().filter(|_| depart::is_departure(original)) {
                accesses.push(absent.depart(builder, copier, nest));
                departing = true;
                return Special::Nothing;
            }
            if let Some(id) = Id::of_call(original) {
                return Special::Value(ids::answer(builder, id, original, &place));
            }
            if Some(original) == end {
                accesses.extend(way.keeping.memory.end(builder, region, nest));
                builder.branch(nest.latch);
                return Special::Nothing;
            }
            let is_alloca = original.is_opcode(Opcode::LLVMAlloca);
            if is_alloca || is_lifetime_marker(original) { Special::Nothing } else { Special::Copy }
        });
        let start = copier.blocks[&region.start];
        match self.absent.as_ref().filter(|_| some_may_lack) {
            Some(absent) => accesses.push(absent.pass_over(&at_item, &copier, nest, start)),
            None => {
                at_item.branch(start);
            }
        }
        let unordered = instructions(region).filter(|&original| !atomics::is_ordered(original));
        let parallel = unordered.filter(|original| {
            original.address().is_some_and(|address| way.keeping.memory.is_parallel(address))
        });
        accesses.extend(parallel.filter_map(|original| copier.values.get(&original).copied()));
        for access in accesses {
            access.set_metadata(context, "llvm.access.group", group);
        }
        nest.describe(context, group, hints);
    }

    /// What the group does behind a region.
    fn leave(&self, way: &Way, number: usize, nest: &Nest, begins: &HashMap<usize, Block>) {
        let builder = Builder::at_end(self.context, nest.after);
        self.absent.iter().for_each(|absent| absent.leave(&builder, number, nest, way.over));
        let Some(end) = self.regions.list[number].end else {
            builder.unreachable();
            return;
        };
        let terminator = end.terminator().expect("a block has a terminator");
        builder.set_debug_location(terminator.debug_location());
        if terminator.is_opcode(Opcode::LLVMRet) {
            builder.branch(way.exits[&None]);
            return;
        }
        let copy = terminator.duplicate();
        for index in 0..terminator.operand_count() {
            let operand = terminator.operand(index);
            let Some(target) = operand.as_block() else { continue };
            let next = self.regions.starting_at(target);
            let leaves = self.regions.list[number].waits || !begins.contains_key(&next);
            let to = if leaves { way.exits[&Some(next)] } else { begins[&next] };
            copy.set_operand(index, to.as_value());
            if next <= number {
                // Without metadata of its own, the loop gets that of the loop over items, if LLVM makes one branch of their two.
                copy.set_metadata(self.context, "llvm.loop", self.context.metadata_loop(&[]));
            }
        }
        if let Some(condition) = terminator.condition() {
            let known = self.crossing.conditions.get(&end);
            let value = match known {
                Some(&number) => {
                    let slot = self.crossing.variables[number].slot;
                    way.keeping.memory.uniform(&builder, slot, nest)
                }
                None => way.keeping.copier.clone().value(condition),
            };
            copy.set_condition(value);
        }
        builder.insert(copy);
    }
}

fn instructions(region: &Region) -> impl Iterator<Item = Value> {
    region.flow.blocks.iter().flat_map(|block| block.instructions())
}

/// Whether an instruction's order counts, or it orders others. Of volatile accesses, those of the builtin library's functions for
/// a whole group.
fn orders(instruction: Value) -> bool {
    atomics::is_ordered(instruction) || instruction.is_opcode(Opcode::LLVMFence)
}

/// What becomes of the atomic operations of a region whose items run one after another.
fn changes(region: &Region) -> Vec<Change> {
    let told = |operation: Value| {
        let line = operation.source_position().map_or(0, |(line, _)| line);
        Some(Change { line, became: atomics::told(operation)?.to_string() })
    };
    instructions(region).filter_map(told).collect()
}

/// The line of the source where a region begins.
fn first_line(region: &Region) -> u32 {
    let position =
        instructions(region).filter_map(|instruction| instruction.source_position()).next();
    position.map_or(0, |(line, _)| line)
}

/// Whether a block of the region leads back to one that dominates it.
fn has_loop(region: &Region) -> bool {
    let end = region.end;
    let inside = region.flow.blocks.iter().filter(|&&block| Some(block) != end);
    inside.copied().any(|block| {
        block.successors().into_iter().any(|target| region.flow.dominates(target, block))
    })
}

/// Where the memory of a variable is not used says nothing about a place that serves all items.
fn is_lifetime_marker(call: Value) -> bool {
    call.called().is_some_and(|called| called.name().starts_with("llvm.lifetime."))
}
