//! The ways on which a group goes through the sections of its kernel: as a whole, or chunk by chunk.
//!
//! Every section of a kernel has one way for the whole group, or one for whole chunks and, where there may be any, one for shorter
//! ones. What the variables of items are on a way, and what of them outlives it, is the way's [`Keeping`].
//!
//! Invariants:
//! 1. A chunk begins a section with the variables of all items as the group has left them, and what it changes of its own items'
//!    is in the group's arrays when the next chunk begins.
//! 2. All chunks leave a section for the same region: what decides is the same for all items of the group.

use std::collections::HashMap;
use std::rc::Rc;

use crate::chunks::{self, Chunks, Shape};
use crate::copy::Copier;
use crate::crossing::{Crossing, Storage, Variable};
use crate::items::Within;
use crate::launch::Entry;
use crate::llvm::{Block, Builder, Context, Machine, Value};
use crate::memory::{Kept, Memory};
use crate::regions::{Region, Regions};
use crate::sections::{self, Section};
use crate::storage::{self, Layout};

/// The sections of a kernel, and how groups are cut for them.
pub struct Cuts {
    pub sections: Vec<Section>,
    shapes: Vec<Option<Shape>>,
    /// By region: the section that it is in.
    section_of: Vec<usize>,
    /// Whether the chunks of a section have arrays of their own.
    owning: Vec<bool>,
}

/// Where the variables and allocas of a way are, with what stands for the same in all regions.
pub struct Keeping {
    pub copier: Copier,
    pub memory: Memory,
}

/// A copy of a section's regions.
pub struct Way {
    /// The number of its section.
    pub section: usize,
    pub keeping: Rc<Keeping>,
    /// Where it begins; its end is open.
    pub begin: Block,
    /// Where it must lead to, by region; by none where items return.
    pub exits: HashMap<Option<usize>, Block>,
    /// Where it must lead to if nobody is left.
    pub over: Block,
    /// How many items it runs.
    pub size: [Value; 3],
    pub kind: Kind,
    /// The local id of the first item, if that is not zero.
    pub origin: Option<[Value; 3]>,
    /// Where its items are in the group, if something is kept for all of that.
    pub within: Option<Within>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Group,
    WholeChunk,
    /// What whole chunks leave.
    Rest,
}

impl Cuts {
    pub fn new(of: chunks::Of) -> Cuts {
        let chunks::Of { machine, regions, crossing, .. } = of;
        let sections = sections::find(regions);
        let mut section_of = vec![0; regions.list.len()];
        for (number, section) in sections.iter().enumerate() {
            section.0.iter().for_each(|&region| section_of[region] = number);
        }
        let mut shapes = chunks::shapes(of, &sections);
        let fits = |section: &Section, &[columns, rows]: &Shape| {
            let all = crossing.variables.iter();
            let touched = all.filter(|variable| section.touches(regions, variable.slot));
            storage::fits_stack(machine, touched, columns * rows)
        };
        let all = sections.iter().zip(&shapes);
        let owning: Vec<bool> = all
            .map(|(section, shape)| shape.as_ref().is_some_and(|shape| fits(section, shape)))
            .collect();
        if sections.len() > 1 {
            shapes
                .iter_mut()
                .zip(&owning)
                .filter(|(_, owns)| !**owns)
                .for_each(|(shape, _)| *shape = None);
        }
        Cuts { sections, shapes, section_of, owning }
    }

    /// Whether all of the kernel is done chunk by chunk.
    pub fn are_all_chunks(&self) -> bool {
        self.sections.len() == 1 && self.shapes[0].is_some()
    }

    /// Whether a variable of items is needed by no others than those of a chunk.
    pub fn is_in_chunks(&self, regions: &Regions, variable: &Variable) -> bool {
        let mut touching = (0..self.sections.len())
            .filter(|&section| self.sections[section].touches(regions, variable.slot));
        match (touching.next(), touching.next()) {
            (Some(section), None) => self.owning[section],
            _ => false,
        }
    }

    /// What the ways keep, section by section; the `copier` knows of the kernel's parameters.
    pub fn keepings(
        &self,
        mut copier: Copier,
        entry: &Entry,
        regions: &Regions,
        (crossing, layout): (&Crossing, &Layout),
    ) -> Vec<Vec<Rc<Keeping>>> {
        let memory = Memory::new(&mut copier, entry, crossing, layout);
        let common = Rc::new(Keeping { copier, memory });
        let of = |number: usize| {
            let (section, ways) =
                (&self.sections[number], if self.are_all_chunks() { 2 } else { 1 });
            let Some([columns, rows]) = self.shapes[number].filter(|_| self.owning[number]) else {
                return vec![common.clone(); ways];
            };
            let own = |_| {
                let mut copier = common.copier.clone();
                let is_touched = |slot| section.touches(regions, slot);
                let all = (crossing, layout);
                let memory =
                    common.memory.of_chunk(&mut copier, entry, all, &is_touched, columns * rows);
                Rc::new(Keeping { copier, memory })
            };
            (0..ways).map(own).collect()
        };
        (0..self.sections.len()).map(of).collect()
    }
}

/// What ways are made of.
pub struct Of<'a> {
    pub context: Context,
    pub machine: &'a Machine,
    pub entry: &'a Entry,
    pub regions: &'a Regions,
    pub cuts: &'a Cuts,
    /// How many items a group has.
    pub size: [Value; 3],
    /// Where a group begins; its end is open.
    pub begin: Block,
    /// Where it must lead to.
    pub next: Block,
    /// Numbers of 32 bits in a vector.
    pub lanes: u64,
}

impl Of<'_> {
    /// All ways, section by section.
    pub fn ways(&self, keepings: Vec<Vec<Rc<Keeping>>>) -> Vec<Way> {
        let function = self.entry.function;
        let begins: Vec<Block> = (self.cuts.sections.iter())
            .map(|_| function.append_block(self.context, "section"))
            .collect();
        Builder::at_end(self.context, self.begin).branch(begins[0]);
        let all = keepings.into_iter().enumerate();
        all.flat_map(|(section, keepings)| self.of_section(section, keepings, &begins)).collect()
    }

    fn of_section(
        &self,
        section: usize,
        mut keepings: Vec<Rc<Keeping>>,
        begins: &[Block],
    ) -> Vec<Way> {
        let targets = self.cuts.sections[section].exits(self.regions);
        let exits: HashMap<Option<usize>, Block> = targets
            .iter()
            .map(|&to| (to, to.map_or(self.next, |region| begins[self.cuts.section_of[region]])))
            .collect();
        let begin = begins[section];
        let Some(shape) = self.cuts.shapes[section] else {
            let (keeping, over) = (keepings.remove(0), self.next);
            let (size, kind) = (self.size, Kind::Group);
            return vec![Way {
                section,
                keeping,
                begin,
                exits,
                over,
                size,
                kind,
                origin: None,
                within: None,
            }];
        };
        if self.cuts.sections.len() > 1 {
            return vec![self.part(section, keepings.remove(0), begin, shape, &targets, exits)];
        }
        let chunks =
            chunks::make(self.context, self.entry.function, shape, self.size, begin, self.next);
        let Chunks { origin, whole, rest, next: over } = chunks;
        let exits = HashMap::from([(None, over)]);
        let parts = [(Kind::WholeChunk, Some(whole)), (Kind::Rest, rest)];
        let way = |((kind, part), keeping): ((Kind, Option<(Block, [Value; 3])>), Rc<Keeping>)| {
            let ((begin, size), exits, origin) = (part?, exits.clone(), Some(origin));
            Some(Way { section, keeping, begin, exits, over, size, kind, origin, within: None })
        };
        parts.into_iter().zip(keepings).filter_map(way).collect()
    }

    /// The way of the chunks of one of several sections.
    fn part(
        &self,
        section: usize,
        keeping: Rc<Keeping>,
        begin: Block,
        shape: Shape,
        targets: &[Option<usize>],
        exits: HashMap<Option<usize>, Block>,
    ) -> Way {
        let (context, function) = (self.context, self.entry.function);
        let regions: Vec<&Region> = self.cuts.sections[section].regions(self.regions).collect();
        let changed = |kept: &Kept| regions.iter().any(|region| kept.is_touched(region, &[1]));
        let variables = &keeping.memory.variables;
        let builder = Builder::at_end(context, begin);
        let uniform: Vec<(&Kept, Value)> = variables
            .iter()
            .filter(|kept| section > 0 && kept.storage == Storage::Uniform && changed(kept))
            .map(|kept| (kept, builder.load(kept.memory_ty, kept.kept)))
            .collect();
        let done = function.append_block(context, "section.done");
        let Chunks { origin, whole: (whole, size), next, .. } =
            chunks::make(context, function, shape, self.size, begin, done);
        let within = Within { origin, size: self.size };
        let carried: Vec<Carried> = variables
            .iter()
            .filter_map(|kept| {
                let of_group = kept.of_group?;
                let alignment = self.machine.alignment_bytes(kept.memory_ty) as u32;
                Some(Carried { kept, of_group, alignment, lanes: self.lanes, shape, within })
            })
            .collect();
        let builder = Builder::at_end(context, whole);
        for (kept, value) in uniform {
            builder.store(value, kept.kept);
        }
        carried.iter().for_each(|it| it.copy(&builder, Towards::Chunk));
        let number = context.integer(32);
        let end_of_head = self.entry.head.terminator().expect("a closed head");
        let chosen = Builder::before(context, end_of_head).alloca(number);
        let mut leaving = HashMap::new();
        for (at, &to) in targets.iter().enumerate() {
            let block = function.append_block(context, "chunk.leaves");
            let builder = Builder::at_end(context, block);
            carried
                .iter()
                .filter(|it| changed(it.kept))
                .for_each(|it| it.copy(&builder, Towards::Group));
            builder.store(number.constant(at as u64), chosen);
            builder.branch(next);
            leaving.insert(to, block);
        }
        let builder = Builder::at_end(context, done);
        let cases: Vec<(Value, Block)> = targets
            .iter()
            .enumerate()
            .map(|(at, to)| (number.constant(at as u64), exits[to]))
            .collect();
        match cases.split_last() {
            Some((&(_, last), others)) => {
                builder.switch(builder.load(number, chosen), last, others)
            }
            None => builder.unreachable(),
        };
        let (kind, over) = (Kind::WholeChunk, self.next);
        let (origin, within) = (Some(origin), Some(within));
        Way { section, keeping, begin: whole, exits: leaving, over, size, kind, origin, within }
    }
}

/// Which way a copy goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Towards {
    Chunk,
    Group,
}

/// What a chunk's items have of a variable that outlives their way.
struct Carried<'a> {
    kept: &'a Kept,
    of_group: Value,
    /// Of one item's.
    alignment: u32,
    lanes: u64,
    shape: Shape,
    within: Within,
}

impl Carried<'_> {
    /// Copies it, a vector of items at a time: chunks of sections are made of whole vectors.
    fn copy(&self, builder: &Builder, towards: Towards) {
        let ([columns, rows], ty) = (self.shape, self.kept.memory_ty);
        let vector = ty.vector(self.lanes);
        for row in 0..rows {
            for column in (0..columns).step_by(self.lanes as usize) {
                let in_chunk = builder.word(row * columns + column);
                let local_id = [builder.word(column), builder.word(row), builder.word(0)];
                let in_group = self.within.linear_id(builder, local_id);
                let in_chunk = builder.element(ty, self.kept.kept, &[in_chunk]);
                let in_group = builder.element(ty, self.of_group, &[in_group]);
                let (from, to) = match towards {
                    Towards::Chunk => (in_group, in_chunk),
                    Towards::Group => (in_chunk, in_group),
                };
                let read = builder.load(vector, from);
                read.set_alignment(self.alignment);
                builder.store(read, to).set_alignment(self.alignment);
            }
        }
    }
}
