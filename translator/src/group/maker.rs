//! The regions of a kernel become nests of loops over items, on each way that a group goes through them ([`ways`]).

use std::collections::HashMap;
use std::rc::Rc;

use crate::code::remarks::{self, ItemLoop};
use crate::code::{atomics, emit};
use crate::group::absent::Absent;
use crate::group::crossing::Crossing;
use crate::group::cuts::{Cuts, Keeping};
use crate::group::groups::Groups;
use crate::group::ids::{self, Id, Place};
use crate::group::items::{Hints, Nest, access_group, room};
use crate::group::launch::Entry;
use crate::group::regions::{Region, Regions};
use crate::group::ways::{self, Kind, Way};
use crate::ir::copy::Special;
use crate::kernel::depart;
use crate::llvm::{Block, Builder, Context, Machine, Metadata, Opcode, Value};
use crate::report::describe::Change;
use crate::vector::fill::{Filling, Vectors};
use crate::vector::values::observe::Observer;

/// Regions of at most so many instructions are unrolled row by row: sixteen rows stay below a thousand.
const SMALL_INSTRUCTIONS: usize = 48;

/// So long are the vectors of processors that have masks for all that they do.
const MASKED_LANES: u64 = 16;

/// Vectors of items in a group that are code one after another at most.
const MOST_VECTORS: u64 = 16;

/// Everything that the regions' nests are made of.
pub struct Maker<'a> {
    pub context: Context,
    pub machine: &'a Machine,
    pub entry: Entry,
    pub groups: Groups,
    /// How many items a group has, for the loops over them.
    pub size: [Value; 3],
    pub regions: Regions,
    pub crossing: Crossing,
    pub cuts: Cuts,
    pub absent: Option<Absent>,
    pub vectors: Option<Vectors>,
    pub observer: Option<Observer>,
    pub brief: bool,
    /// Numbers of 32 bits in a vector.
    pub lanes: u32,
    /// The number of the first loop over items in the program.
    pub first_loop: usize,
}

impl Maker<'_> {
    /// Makes and fills all ways. The loops that are told of.
    pub fn make_all(&self, keepings: Vec<Vec<Rc<Keeping>>>) -> Vec<ItemLoop> {
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
                is_outer: region.has_loop(),
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
        let row_unit = if self.vectors.is_some() { self.cuts.row_unit } else { 1 };
        let sizes = way.size.map(Value::unsigned);
        let few = match sizes {
            [Some(x), Some(y), Some(z)] => room([x, y, z], row_unit) <= MOST_VECTORS * lanes,
            _ => false,
        };
        Hints {
            place,
            small: chunk || lengths.sum::<usize>() <= SMALL_INSTRUCTIONS,
            straight: several
                && few
                && x.is_some_and(|x| x % lanes == 0 || row_unit.is_multiple_of(lanes)),
            short: several && x.is_none(),
            ordered: region.instructions().any(orders),
            locks: locks_mostly(region),
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
            // Where the memory of a variable is not used says nothing about a place that serves all items.
            if is_alloca || original.is_lifetime_marker() {
                Special::Nothing
            } else {
                Special::Copy
            }
        });
        let start = copier.blocks[&region.start];
        match self.absent.as_ref().filter(|_| some_may_lack) {
            Some(absent) => accesses.push(absent.pass_over(&at_item, &copier, nest, start)),
            None => {
                at_item.branch(start);
            }
        }
        let unordered = region.instructions().filter(|&original| !atomics::is_ordered(original));
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

/// Whether every item waits for locked operations, and for little else.
fn locks_mostly(region: &Region) -> bool {
    let locked = region.instructions().filter(|&one| atomics::locks(one)).count();
    let is_straight = region.flow.blocks.len() == 1;
    is_straight && locked > 0 && locked * OTHERS >= region.instructions().count()
}

/// Instructions that take as long together as one locked operation.
const OTHERS: usize = 8;

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
    region.instructions().filter_map(told).collect()
}

/// The line of the source where a region begins.
fn first_line(region: &Region) -> u32 {
    let position =
        region.instructions().filter_map(|instruction| instruction.source_position()).next();
    position.map_or(0, |(line, _)| line)
}
