//! The loops over the items of a region, a vector of them at a time: what lanes read where a region begins and write where it
//! ends, and the last items of a row, which are fewer than a vector.

use super::memory::nowhere::Nowhere;
use std::collections::{BTreeMap, HashMap};

use super::emit::Emitter;
use super::facts::classes::{self, Finding, Shares};
use super::facts::state::{State, UNIFORM, VARYING};
use super::flow::homes::Home;
use super::memory::private::Privates;
use super::values::form::components;
use super::values::observe::Observer;
use super::{Of, Plan, Site, make};
use crate::group::crossing::{Crossing, Storage};
use crate::group::ids::{Place, SubGroup};
use crate::group::items::Nest;
use crate::group::launch::Entry;
use crate::group::memory::{Kept, Memory, in_scratch};
use crate::group::regions::{Region, Regions};
use crate::group::storage::{self, Layout};
use crate::ir::copy::Copier;
use crate::llvm::{Block, Builder, Context, Function, IntPredicate, Machine, Module, Type, Value};
use crate::report::describe::Change;
use crate::schedule::beside;

/// Vectors of a row that always all begin.
const FEW: u64 = 4;

/// Vector code for all regions of a kernel.
pub struct Vectors {
    /// By region.
    lanes: Vec<u64>,
    whole: Plans,
    /// What is found in whole vectors, by region.
    findings: Vec<Vec<Finding>>,
    /// Where some lanes may not be there, if that is something else.
    part: Option<Plans>,
    /// By alloca of the program that serves in turn: where the lanes' are.
    rooms: HashMap<Value, (Value, i64)>,
    nowhere: Nowhere,
}

/// Plans for all regions, and how private memory lies for them.
struct Plans {
    regions: Vec<Plan>,
    privates: Privates,
}

/// What is known of a kernel when its vector code is planned.
pub type Made<'a> = (&'a Machine, u64, &'a Regions, &'a Crossing, &'a Layout, &'a Entry);

/// One nest and what it is filled with.
pub struct Filling<'a> {
    pub context: Context,
    pub machine: &'a Machine,
    pub function: Function,
    pub head: Block,
    pub region: &'a Region,
    pub nest: &'a Nest,
    pub memory: &'a Memory,
    pub copier: &'a Copier,
    pub place: Place,
    pub origin: Option<[Value; 3]>,
}

impl Vectors {
    /// None if some region cannot be made so.
    pub fn new(
        context: Context,
        (machine, lanes, regions, crossing, layout, entry): Made,
        is_uniform: &dyn Fn(Value) -> bool,
    ) -> Option<Vectors> {
        let state = |storage: Storage| if storage == Storage::Uniform { UNIFORM } else { VARYING };
        let variables = crossing.variables.iter();
        let slots: HashMap<Value, State> =
            variables.map(|it| (it.slot, state(it.storage))).collect();
        let width = |region: &Region| lanes * beside::vectors(context, &region.flow.blocks);
        let sizes = entry.sizes;
        let plans = |privates: Privates| {
            let plan = |region| {
                let (privates, slots, lanes) = (&privates, &slots, width(region));
                Plan::new(region, &Of { machine, privates, slots, is_uniform, sizes, lanes })
            };
            let made: Option<Vec<Plan>> = regions.list.iter().map(plan).collect();
            made.map(|regions| Plans { regions, privates })
        };
        let whole = plans(privates(machine, lanes, layout, true))?;
        let of = Of { machine, privates: &whole.privates, slots: &slots, is_uniform, sizes, lanes };
        let widths = regions.list.iter().map(width).collect();
        let findings = whole.regions.iter().map(|plan| plan.findings(&of)).collect();
        // The last items of a row have less room together than a vector takes.
        let mut arrays = layout.allocas.iter().filter(|own| is_array(own));
        let part = match arrays.any(|own| whole.privates.is_interleaved(own.alloca)) {
            true => Some(plans(privates(machine, lanes, layout, false))?),
            false => None,
        };
        let head = Builder::at_end(context, entry.head);
        let byte = context.integer(8);
        let mut rooms = HashMap::new();
        for own in layout.allocas.iter().filter(|own| !is_array(own)) {
            let private = whole.privates.get(own.alloca).expect("each was added");
            let room = match own.site {
                storage::Site::Scratch(offset) => {
                    in_scratch(&head, entry, offset, private.alignment)
                }
                _ => {
                    let room = head.alloca(byte.array(private.bytes * lanes));
                    room.set_alignment(private.alignment.max(64) as u32);
                    room
                }
            };
            rooms.insert(own.alloca, (room, private.stride()));
        }
        let nowhere = Nowhere::new(&head);
        Some(Vectors { lanes: widths, whole, findings, part, rooms, nowhere })
    }

    /// How many items go through a region together.
    pub fn lanes(&self, region: usize) -> u64 {
        self.lanes[region]
    }

    /// Whether the code is right only for ids along x below 2^31.
    pub fn want_narrow_launch(&self) -> bool {
        self.whole.regions.iter().any(Plan::wants_narrow_launch)
    }

    /// How many values are of which class, by what they are.
    pub fn shares(&self) -> BTreeMap<String, Shares> {
        classes::count(self.findings.iter().flatten())
    }

    /// Lets all regions tell what their values really are, of code for item after item.
    pub fn watch(&self, module: &Module, machine: &Machine, kernel: Function) -> Observer {
        let observer = Observer::new(module);
        let all = self.whole.regions.iter().zip(&self.findings);
        for (region, (plan, findings)) in all.enumerate() {
            observer.watch((module, machine), kernel, plan, findings, region);
        }
        observer
    }

    /// What becomes of the atomic operations of a region.
    pub fn changes(&self, number: usize) -> Vec<Change> {
        self.whole.regions[number].changes()
    }

    /// Fills a nest that goes along x in steps of a vector with the region of this number.
    pub fn fill(&self, number: usize, filling: &Filling) {
        let Filling { context, function, nest, region, memory, .. } = *filling;
        let uniform = memory.read_uniform(context, region, nest);
        let lanes = self.lanes[number];
        let slots = self.slots(filling, memory, lanes);
        let builder = Builder::at_end(context, nest.body);
        let left = builder.sub(nest.size[0], nest.local_id[0]);
        let row = nest.size[0].unsigned();
        let (whole, part) = match row {
            _ if nest.row_factor().is_multiple_of(lanes) => (Some(nest.body), None),
            Some(row) if row < lanes => (None, Some(nest.body)),
            _ => {
                let whole = function.append_block(context, "lanes.whole");
                let part = function.append_block(context, "lanes.part");
                let enough = builder.word(lanes);
                let enough = builder.compare(IntPredicate::LLVMIntUGE, left, enough);
                builder.branch_if(enough, whole, part);
                (Some(whole), Some(part))
            }
        };
        if let Some(begin) = whole {
            self.fill_one(number, filling, &uniform, &slots, begin, None);
        }
        if let Some(begin) = part {
            let builder = Builder::at_end(context, begin);
            let mask = first(&builder, left, lanes);
            self.fill_one(number, filling, &uniform, &slots, begin, Some(mask));
        }
    }

    fn fill_one(
        &self,
        number: usize,
        filling: &Filling,
        uniform: &[(Value, Value)],
        slots: &HashMap<Value, Home>,
        begin: Block,
        mask: Option<Value>,
    ) {
        let Filling { context, nest, region, memory, .. } = *filling;
        let plans = self.part.as_ref().filter(|_| mask.is_some()).unwrap_or(&self.whole);
        let builder = Builder::at_end(context, begin);
        for &(working, value) in uniform {
            builder.store(value, working);
        }
        let in_group = nest.id_in_group(&builder);
        let mut privates_at = self.rooms.clone();
        for array in &memory.arrays {
            let at = builder.mul_exact(in_group, builder.word(array.bytes));
            let first = builder.offset(array.first, at);
            let private = plans.privates.get(array.alloca).expect("each was added");
            privates_at.insert(array.alloca, (first, private.stride()));
        }
        for kept in touched(memory, region, &[0, 1], Storage::Item) {
            self.read(filling, &builder, kept, slots, mask);
        }
        let local_id = [0, 1, 2].map(|d| match filling.origin {
            Some(origin) => builder.add_exact(origin[d], nest.local_id[d]),
            None => nest.local_id[d],
        });
        let sub_group = SubGroup { whole: mask.is_none(), ..filling.place.sub_group };
        let leaves = memory.variables.iter().any(|kept| kept.is_touched(region, &[1]));
        let is_short = nest.size[0].unsigned().is_some_and(|row| row <= FEW * self.lanes[number]);
        let site = Site {
            context,
            machine: filling.machine,
            function: filling.function,
            head: filling.head,
            lanes: self.lanes[number],
            copier: filling.copier.clone(),
            place: Place { local_id, sub_group, ..filling.place },
            privates: &plans.privates,
            privates_at,
            slots,
            nowhere: self.nowhere,
            row_end: nest.row_end.filter(|_| !leaves && !is_short),
        };
        make(&plans.regions[number], site, begin, mask, &mut |emitter| {
            self.end(filling, emitter, slots);
            emitter.builder.branch(nest.latch);
        });
    }

    /// Room for the variables of items while a vector of them runs.
    fn slots(&self, filling: &Filling, memory: &Memory, lanes: u64) -> HashMap<Value, Home> {
        let end = filling.head.terminator().expect("a closed head");
        let head = Builder::before(filling.context, end);
        let room = |kept: &Kept| match kept.storage {
            Storage::Uniform => Home::Uniform(kept.working, kept.ty),
            _ => {
                let parts = components(kept.ty).expect("a variable of simple components");
                let wide = parts.into_iter().map(|ty| ty.vector(lanes));
                Home::Lanes(wide.map(|ty| (head.alloca(ty), ty)).collect())
            }
        };
        memory.variables.iter().map(|kept| (kept.slot, room(kept))).collect()
    }

    /// The place of a variable of the first lane, and how it is aligned.
    fn place(&self, filling: &Filling, builder: &Builder, kept: &Kept) -> (Value, u32) {
        let place = kept.place(builder, filling.nest);
        (place, filling.machine.alignment_bytes(kept.memory_ty) as u32)
    }

    fn read(
        &self,
        filling: &Filling,
        builder: &Builder,
        kept: &Kept,
        slots: &HashMap<Value, Home>,
        mask: Option<Value>,
    ) {
        let Home::Lanes(parts) = &slots[&kept.slot] else { return };
        let &[(slot, ty)] = parts.as_slice() else { panic!("a variable of one component") };
        let (place, alignment) = self.place(filling, builder, kept);
        let wide = kept.memory_ty.vector(ty.count());
        let has_room = kept.has_room(filling.nest, ty.count());
        let read = match mask.filter(|_| !has_room) {
            None => {
                let read = builder.load(wide, place);
                read.set_alignment(alignment);
                // Items that are not there may never have left anything.
                if mask.is_some() { builder.freeze(read) } else { read }
            }
            Some(mask) => {
                let alignment = filling.context.integer(32).constant(alignment.into());
                let arguments = [place, alignment, mask, wide.zero()];
                builder.intrinsic("llvm.masked.load", &[wide, place.ty()], &arguments)
            }
        };
        builder.store(builder.resize_lanes(read, ty), slot);
    }

    /// What lanes leave behind.
    fn end(&self, filling: &Filling, emitter: &mut Emitter, slots: &HashMap<Value, Home>) {
        let Filling { memory, region, .. } = *filling;
        let mask = emitter.mask;
        let builder = &emitter.builder;
        for kept in memory.variables.iter().filter(|kept| kept.is_touched(region, &[1])) {
            let (slot, ty) = match &slots[&kept.slot] {
                Home::Lanes(parts) => parts[0],
                _ => {
                    let value = builder.load(kept.ty, kept.working);
                    builder.store(builder.resize_any(value, kept.memory_ty), kept.kept);
                    continue;
                }
            };
            let value = builder.load(ty, slot);
            let wide = kept.memory_ty.vector(emitter.lanes);
            let value = builder.resize_lanes(value, wide);
            match kept.storage {
                Storage::Item => {
                    let (place, alignment) = self.place(filling, builder, kept);
                    let has_room = kept.has_room(filling.nest, emitter.lanes);
                    match mask.filter(|_| !has_room) {
                        None => builder.store(value, place).set_alignment(alignment),
                        Some(mask) => {
                            let alignment = filling.context.integer(32).constant(alignment.into());
                            let arguments = [value, place, alignment, mask];
                            let types = [wide, place.ty()];
                            builder.intrinsic("llvm.masked.store", &types, &arguments);
                        }
                    }
                }
                storage => {
                    let all = storage == Storage::All;
                    let neutral = if all { wide.splat(1) } else { wide.zero() };
                    let value = match mask {
                        Some(mask) => builder.select(mask, value, neutral),
                        None => value,
                    };
                    let how = if all { "llvm.vector.reduce.and" } else { "llvm.vector.reduce.add" };
                    let together = builder.intrinsic(how, &[wide], &[value]);
                    let before = builder.load(kept.memory_ty, kept.kept);
                    let sum = match all {
                        true => builder.and(before, together),
                        false => builder.add(before, together),
                    };
                    builder.store(sum, kept.kept);
                }
            }
        }
    }
}

/// A mask of the first `count` lanes.
fn first(builder: &Builder, count: Value, lanes: u64) -> Value {
    let number = builder.context().integer(32);
    let numbers: Vec<Value> = (0..lanes).map(|lane| number.constant(lane)).collect();
    let most = builder.word(lanes);
    let count = builder.resize(builder.minimum(count, most), number);
    let count = builder.splat(count, lanes);
    builder.compare(IntPredicate::LLVMIntULT, Type::constant_vector(&numbers), count)
}

/// What there is of private memory; `together`: arrays of items that are all there lie interleaved, those that outlive a region too.
fn privates(machine: &Machine, lanes: u64, layout: &Layout, together: bool) -> Privates {
    let mut privates = Privates::default();
    for own in &layout.allocas {
        privates.add(machine, own.alloca, lanes, together || !is_array(own));
    }
    privates
}

fn is_array(own: &storage::Own) -> bool {
    matches!(own.site, storage::Site::Array(_))
}

fn touched<'a>(
    memory: &'a Memory,
    region: &'a Region,
    operands: &'a [usize],
    storage: Storage,
) -> impl Iterator<Item = &'a Kept> {
    let variables = memory.variables.iter();
    variables.filter(move |kept| kept.storage == storage && kept.is_touched(region, operands))
}
