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

use crate::group::carried::{Carried, Towards};
use crate::group::chunks::{self, Chunks, Shape};
use crate::group::crossing::Storage;
use crate::group::cuts::{Cuts, Keeping};
use crate::group::items::Within;
use crate::group::launch::Entry;
use crate::group::memory::Kept;
use crate::group::regions::{Region, Regions};
use crate::llvm::{Block, Builder, Context, Machine, Value};

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
        let parts = [Some((Kind::WholeChunk, whole)), rest.map(|rest| (Kind::Rest, rest))];
        let ways = parts.into_iter().flatten().zip(keepings);
        ways.map(|((kind, (begin, size)), keeping)| {
            let (exits, origin) = (exits.clone(), Some(origin));
            Way { section, keeping, begin, exits, over, size, kind, origin, within: None }
        })
        .collect()
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
