//! `__local` arrays that hold copies of global memory, and what can be loaded there in the place of each read.
//!
//! Such an array saves a graphics processor loads; a processor with caches loads twice what it would load once, and waits at a
//! barrier in between. Terms: the *copies* of an array are its stores, each of a value that was loaded from global memory by its
//! *source*. [`super::copied`] has the others.
//!
//! A read becomes a load by the address that its place was copied from, if
//! 1. all stores are in front of a barrier, and that barrier stands in front of the read, in one iteration of the loops around both;
//!    items that store under a condition, or in a loop that no read is in, do so by tests that can be told as inequalities;
//! 2. all stores copy by one rule, and one of them has stored to the place whenever the read asks for it;
//! 3. the address is made of ids, and of what all items share;
//! 4. nothing in the kernel may write to the sources' memory.
//!
//! Kept although they could go: arrays that *reorganize*. Where neighbours, or one item after the other, read what is far apart in
//! global memory, the copy is what brings it together: rows of a matrix that are 2^11 bytes apart fall on the same few places of a cache.
//! Source: Huang et al. 2015, section 4.1.1, of which 4 is not said, nor several stores. Why so:
//! docs/decisions/041-barriers-and-buffers-that-stay.md, 058-several-copies-in-one-array.md.

mod far;
mod stored;
mod uses;

use super::Analysis;
use super::access;
use super::copied::{Counter, Filled, Made, Outside, Present};
use super::loops::LoopId;
use super::needless::{Event, Facts, Touch, events};
use super::places::{Atom, Places};
use uses::Source;

use crate::view::{BlockId, Callee, Function, Op, Space, TypeKind, ValueId, ValueKind};

/// Why an array stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is no copy of global memory, or calls and atomic operations use it.
    Other,
    /// Several stores fill it by more than one rule, or change it.
    Several,
    /// The size of a group is not known, or some groups have fewer items.
    Size,
    /// Not all is stored before all read.
    Phase,
    /// A read's place may be that of no copy.
    Place(ValueId),
    /// The address of the source is made of what the reader does not have.
    Address,
    /// This access may write what is copied.
    Written(ValueId),
    /// It makes accesses contiguous.
    Reorganizes,
}

#[derive(Clone, Debug)]
pub struct Buffer {
    pub root: ValueId,
    pub found: Result<Copy, Why>,
}

/// A copy that can be left out.
#[derive(Clone, Debug)]
pub struct Copy {
    /// A load as those that take the place of reads.
    pub source: ValueId,
    pub stores: Vec<ValueId>,
    /// What they stored without loading, and when.
    pub outside: Option<Outside>,
    pub reads: Vec<Read>,
}

#[derive(Clone, Debug)]
pub struct Read {
    pub id: ValueId,
    /// Where to load from.
    pub address: Made,
    /// The condition of what is stored outside, as the writer had it.
    pub condition: Option<Made>,
}

/// The arrays of a kernel, in the order of their first accesses.
pub fn find(function: &Function, analysis: &Analysis, facts: &Facts) -> Vec<Buffer> {
    let events = function.block_ids().flat_map(|block| events(function, analysis, facts, block));
    let events: Vec<Event> = events.collect();
    let touches = events.iter().filter_map(|event| match event {
        Event::Touch(touch) => Some(touch),
        _ => None,
    });
    let touches: Vec<&Touch> = touches.collect();
    let mut roots: Vec<ValueId> = Vec::new();
    for root in touches.iter().flat_map(|touch| &touch.roots).copied() {
        if is_array(function, root) && !roots.contains(&root) {
            roots.push(root);
        }
    }
    if roots.is_empty() {
        return Vec::new();
    }
    let places = Places::find(function, analysis);
    let ordered = events.iter().find_map(|event| match event {
        Event::Ordered(id) => Some(*id),
        _ => None,
    });
    let search = Search { function, analysis, facts, places, touches, ordered };
    roots.into_iter().map(|root| Buffer { root, found: search.copy(root) }).collect()
}

fn is_array(function: &Function, root: ValueId) -> bool {
    let value = function.value(root);
    value.ty.space() == Some(Space::Local)
        && matches!(value.kind, ValueKind::Argument(_) | ValueKind::Global(_))
}

struct Search<'a> {
    function: &'a Function,
    analysis: &'a Analysis,
    facts: &'a Facts,
    places: Places<'a>,
    touches: Vec<&'a Touch>,
    /// Something whose effects are not known.
    ordered: Option<ValueId>,
}

impl Search<'_> {
    fn copy(&self, root: ValueId) -> Result<Copy, Why> {
        let function = self.function;
        let (stores, reads) = self.uses(root)?;
        let sources = stores.iter().map(|store| self.source(store).ok_or(Why::Other));
        let sources = sources.collect::<Result<Vec<Source>, Why>>()?;
        let departs = function
            .block_ids()
            .any(|block| function.block(block).departs || function.calls(block, Callee::Departure));
        if departs {
            return Err(Why::Phase);
        }
        let size = function.local_size.filter(|_| function.uniform_groups).ok_or(Why::Size)?;
        let stored = self.stored(&stores, &sources, &reads)?;
        sources.iter().try_for_each(|source| self.unwritten(source))?;
        let filled = Filled::find(&self.places, size, &stored).ok_or(match stores.as_slice() {
            [_] => Why::Place(reads[0].instruction),
            _ => Why::Several,
        })?;
        let (source, store) = (sources[filled.model()].load, stores[filled.model()]);
        let along = access::innermost_dimension(function);
        let pointer = filled.source_address();
        let stride = self.stride(store.spot.pointer, along);
        if stride.is_none() || self.stride(pointer, along) != stride {
            return Err(Why::Reorganizes);
        }
        let mut writers = Vec::new();
        for read in &reads {
            let (id, block) = (read.instruction, read.spot.block);
            let place = self.places.of(read.spot.pointer).map(|known| &known.linear);
            let writer = place.filter(|_| read.spot.bytes == store.spot.bytes);
            let writer = writer.and_then(|place| filled.writer(place)).ok_or(Why::Place(id))?;
            if !filled.is_covered(block, &writer) {
                return Err(Why::Place(id));
            }
            writers.push((block, writer));
        }
        if self.gathers(pointer, along, &writers, size) {
            return Err(Why::Reorganizes);
        }
        let mut found = Vec::new();
        for (read, (_, writer)) in reads.iter().zip(&writers) {
            let id = read.instruction;
            let is_there = |value: ValueId| self.precedes(value, id);
            let counter = |id, factor| self.counter(id, factor);
            let present = Present { is_there: &is_there, counter: &counter };
            let made = |value| filled.made(value, writer, &present).ok_or(Why::Address);
            let condition = filled.outside().map(|outside| made(outside.condition)).transpose()?;
            found.push(Read { id, address: made(pointer)?, condition });
        }
        let stores = stores.iter().map(|store| store.instruction).collect();
        Ok(Copy { source, stores, outside: filled.outside(), reads: found })
    }

    fn loops(&self, block: BlockId) -> impl Iterator<Item = LoopId> + '_ {
        self.analysis.loops.around(block)
    }

    /// Whether one instruction comes before another one on every way to it.
    fn precedes(&self, first: ValueId, second: ValueId) -> bool {
        let home = |id| self.function.instruction(id).map(|made| made.block);
        let (Some(one), Some(other)) = (home(first), home(second)) else { return true };
        if one != other {
            return self.analysis.dominators.dominates(one, other);
        }
        let here = &self.function.block(one).instructions;
        let at = |wanted| here.iter().position(|&id| id == wanted);
        at(first) < at(second)
    }

    /// A phi that counts a loop's iterations by steps of which `factor` is a multiple, read as a signed number.
    fn counter(&self, id: LoopId, factor: i128) -> Option<Counter> {
        let header = self.analysis.loops.get(id).header;
        let phis = self.function.body(header).filter(|(_, made)| matches!(made.op, Op::Phi(_)));
        let counts = |(value, _)| {
            let known = self.places.of(value)?;
            let ty = self.function.value(value).ty;
            let half = 1_i128 << (ty.bits.clamp(1, 64) - 1);
            let step = known.linear.factor(Atom::Iteration(id));
            let counts = known.linear.terms.len() == 1 && step != 0 && factor % step == 0;
            let fits = known.low >= -half && known.high < half;
            let first = known.linear.constant;
            (counts && fits && ty.kind == TypeKind::Integer).then_some(Counter {
                value,
                first,
                step,
            })
        };
        phis.filter_map(counts).next()
    }
}

#[cfg(test)]
mod tests;
