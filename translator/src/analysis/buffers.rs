//! `__local` arrays that hold copies of global memory, and what can be loaded there in the place of each read.
//!
//! Such an array saves a graphics processor loads; a processor with caches loads twice what it would load once, and waits at a
//! barrier in between. Terms: the *copy* of an array is its only store, of a value that was loaded from global memory by the
//! *source*. The *writer* of a place is the item whose copy it is: its local id as a sum of what the reader has.
//!
//! A read becomes a load by the address that its writer had, if
//! 1. every item stores its copy in front of a barrier, and that barrier stands in front of the read, in one iteration of all loops
//!    around the copy;
//! 2. the place that is read is, term by term, the place that some writer stored to, and there is such an item: its id lies within
//!    the group, whose size is known;
//! 3. the writer's address is made of ids, and of what all items share;
//! 4. nothing in the kernel may write to the source's memory.
//!
//! Kept although they could go: arrays that *reorganize*. Where neighbours, or one item after the other, read what is far apart in
//! global memory, the copy is what brings it together: rows of a matrix that are 2^11 bytes apart fall on the same few places of a cache.
//! Not here: several stores that fill one array together (borders of a stencil).
//! Source: Huang et al. 2015, section 4.1.1, of which 4 is not said. Why so: docs/decisions/041-barriers-and-buffers-that-stay.md.

use super::Analysis;
use super::access;
use super::loops::LoopId;
use super::needless::{Event, Facts, Touch, events, relation_of_items};
use super::overlap::Relation;
use super::places::{Atom, Linear, Places};
use crate::view::{
    BlockId, Callee, Function, MemoryKind, Op, Space, TypeKind, ValueId, ValueKind, WorkItem,
};

/// Rows so near lie together in a cache: a line.
const NEAR_BYTES: i128 = 64;

/// Instructions that an address is made of at most.
const MOST_MADE_OF: usize = 64;

/// Reads of an array at most.
const MOST_READS: usize = 256;

/// Why an array stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is no copy of global memory, or calls and atomic operations use it.
    Other,
    /// Several stores fill it, or change it.
    Several,
    /// The size of a group is not known, or some groups have fewer items.
    Size,
    /// Not every item stores its copy, once, before all read.
    Phase,
    /// A read's place is that of no one item's copy.
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
    pub source: ValueId,
    pub store: ValueId,
    /// Each read, and the local id of its writer.
    pub reads: Vec<(ValueId, [Linear; 3])>,
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
        let (store, reads) = self.uses(root)?;
        let source = self.source(store).ok_or(Why::Other)?;
        let function = self.function;
        let departs = function
            .block_ids()
            .any(|block| function.block(block).departs || function.calls(block, Callee::Departure));
        if departs {
            return Err(Why::Phase);
        }
        let size = function.local_size.filter(|_| function.uniform_groups).ok_or(Why::Size)?;
        for read in &reads {
            self.phase(store, read.instruction, source)?;
        }
        self.unwritten(source)?;
        let along = access::innermost_dimension(function);
        let pointer = function.instruction(source).expect("a load").operands[0];
        let stride = self.stride(store.spot.pointer, along);
        if stride.is_none() || self.stride(pointer, along) != stride {
            return Err(Why::Reorganizes);
        }
        let mut found = Vec::new();
        for read in reads {
            let id = read.instruction;
            let writer = self.writer(store, read, size).ok_or(Why::Place(id))?;
            if !self.is_made_of_ids(pointer, id) {
                return Err(Why::Address);
            }
            if self.gathers(pointer, along, &writer, size) {
                return Err(Why::Reorganizes);
            }
            found.push((id, writer));
        }
        Ok(Copy { source, store: store.instruction, reads: found })
    }

    /// Whether reads that stay near in the array go through memory by long steps: by rows of the group other than the reader's
    /// own, where rows are far apart, or by rows that differ from neighbour to neighbour.
    fn gathers(&self, pointer: ValueId, along: u8, writer: &[Linear; 3], size: [u64; 3]) -> bool {
        let others = (0..3_u8).filter(|&at| at != along && size[usize::from(at)] > 1);
        others.into_iter().any(|dimension| {
            let row = &writer[usize::from(dimension)];
            let step = self.stride(pointer, dimension);
            let is_near = step.is_some_and(|step| step.abs() <= NEAR_BYTES);
            *row != Linear::atom(Atom::Local(dimension))
                && (!is_near || row.factor(Atom::Local(along)) != 0)
        })
    }

    /// How many bytes a neighbour's address is further, where that is plain to see.
    fn stride(&self, pointer: ValueId, along: u8) -> Option<i128> {
        let linear = &self.places.of(pointer)?.linear;
        let differs = |&atom: &Atom| match atom {
            Atom::Value(id) => !self.analysis.shape(id)[usize::from(along)].is_uniform(),
            _ => false,
        };
        (!linear.terms.keys().any(differs)).then(|| linear.factor(Atom::Local(along)))
    }

    /// The store and the loads of an array that has one store, and no other uses.
    fn uses(&self, root: ValueId) -> Result<(&Touch, Vec<&Touch>), Why> {
        let function = self.function;
        let leads = |&value: &ValueId| self.analysis.roots.leads_to(value, root);
        let is_odd = |instruction: &crate::view::Instruction| match instruction.op {
            Op::Address { .. } | Op::Load(MemoryKind::Plain) | Op::Marker => false,
            Op::Cast(_) => instruction.operands.iter().any(leads),
            Op::Store(MemoryKind::Plain) => leads(&instruction.operands[0]),
            _ => instruction.operands.iter().any(leads),
        };
        let mut instructions = function.block_ids().flat_map(|block| function.body(block));
        if instructions.any(|(_, instruction)| is_odd(instruction)) {
            return Err(Why::Other);
        }
        let relates = |touch: &&&Touch| {
            let relations = touch
                .roots
                .iter()
                .map(|&other| relation_of_items(function, self.facts, root, other));
            relations.into_iter().any(|relation| relation != Relation::Apart)
        };
        let all: Vec<&Touch> = self.touches.iter().filter(relates).copied().collect();
        if all.iter().any(|touch| touch.roots != [root]) || all.len() > MOST_READS {
            return Err(Why::Other);
        }
        let (stores, reads): (Vec<&Touch>, Vec<&Touch>) =
            all.into_iter().partition(|touch| touch.writes);
        match stores.as_slice() {
            [store] if !reads.is_empty() => Ok((store, reads)),
            [_, _, ..] => Err(Why::Several),
            _ => Err(Why::Other),
        }
    }

    /// The load from global memory whose value a store copies.
    fn source(&self, store: &Touch) -> Option<ValueId> {
        let function = self.function;
        let stored = function.instruction(store.instruction)?.operands[0];
        let made = function.instruction(stored)?;
        let pointer = *made.operands.first().filter(|_| made.op == Op::Load(MemoryKind::Plain))?;
        let spaces = [Some(Space::Global), Some(Space::Constant)];
        let of_arguments = self.analysis.roots.of(pointer).into_iter().all(|root| {
            let value = function.value(root);
            spaces.contains(&value.ty.space()) && matches!(value.kind, ValueKind::Argument(_))
        });
        let together = self.loops(made.block).eq(self.loops(store.spot.block));
        (of_arguments && together).then_some(stored)
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

    /// Whether all items have stored before a barrier that a read comes behind, in one iteration of the loops around the store.
    fn phase(&self, store: &Touch, read: ValueId, source: ValueId) -> Result<(), Why> {
        let function = self.function;
        let Some(home) = function.instruction(read).map(|made| made.block) else {
            return Err(Why::Other);
        };
        let value = |id: ValueId| function.value(id).ty;
        if value(read) != value(source) || self.analysis.loops.irreducible {
            return Err(Why::Other);
        }
        let around = |block| {
            self.loops(store.spot.block).all(|id| self.analysis.loops.get(id).contains(block))
        };
        if !around(home) {
            return Err(Why::Phase);
        }
        let barriers = function.block_ids().flat_map(|block| {
            let body = function.body(block);
            body.filter_map(move |(id, made)| {
                (made.op == Op::Call(Callee::Barrier)).then_some((block, id))
            })
        });
        let parts = |&(block, barrier): &(BlockId, ValueId)| {
            around(block)
                && self.precedes(store.instruction, barrier)
                && self.precedes(barrier, read)
                && !self.comes_again(store.spot.block, block)
        };
        if barriers.into_iter().any(|barrier| parts(&barrier)) { Ok(()) } else { Err(Why::Phase) }
    }

    /// Whether a way leads from a barrier's block to that of the store, within one iteration of the loops around the store.
    fn comes_again(&self, store: BlockId, barrier: BlockId) -> bool {
        let head = self.loops(store).next().map(|id| self.analysis.loops.get(id).header);
        let ends = |block: BlockId| Some(block) == head;
        let behind = |&next: &BlockId| self.function.behind(next, &ends).contains(&store);
        self.function.block(barrier).successors.iter().any(behind)
    }

    /// Nothing may write what the source reads.
    fn unwritten(&self, source: ValueId) -> Result<(), Why> {
        if let Some(id) = self.ordered {
            return Err(Why::Written(id));
        }
        let pointer = self.function.instruction(source).expect("a load").operands[0];
        let roots = self.analysis.roots.of(pointer);
        let may = |touch: &&&Touch| {
            touch.writes
                && touch.roots.iter().any(|&written| {
                    roots.iter().any(|&read| {
                        relation_of_items(self.function, self.facts, read, written)
                            != Relation::Apart
                    })
                })
        };
        match self.touches.iter().find(may) {
            Some(touch) => Err(Why::Written(touch.instruction)),
            None => Ok(()),
        }
    }

    /// The local id of the item whose copy a read finds.
    fn writer(&self, store: &Touch, read: &Touch, size: [u64; 3]) -> Option<[Linear; 3]> {
        if store.spot.bytes != read.spot.bytes {
            return None;
        }
        let place = |touch: &Touch| Some(&self.places.of(touch.spot.pointer)?.linear);
        let (stored, wanted) = (place(store)?, place(read)?);
        let mut factors: Vec<(i128, usize)> = (0..3)
            .map(|dimension| (stored.factor(Atom::Local(dimension as u8)), dimension))
            .filter(|&(factor, dimension)| factor != 0 && size[dimension] > 1)
            .collect();
        factors.sort_by_key(|&(factor, _)| std::cmp::Reverse(factor.abs()));
        let fixed = |&(&atom, _): &(&Atom, &i128)| !matches!(atom, Atom::Local(_));
        let shared = stored.terms.iter().filter(fixed).map(|(&atom, &factor)| (atom, factor));
        let shared = Linear { terms: shared.collect(), constant: stored.constant };
        if !shared.terms.keys().all(|&atom| self.is_same(atom, store.spot.block)) {
            return None;
        }
        let rest = wanted.minus(&shared)?;
        let mut writer: [Linear; 3] = Default::default();
        // Items that are not told apart store to one place.
        let told = |dimension: usize| factors.iter().any(|&(_, used)| used == dimension);
        if (0..3).any(|dimension| size[dimension] > 1 && !told(dimension)) {
            return None;
        }
        let is_zero = |atom: Atom| matches!(atom, Atom::Local(at) if size[usize::from(at)] == 1);
        for (&atom, &factor) in rest.terms.iter().filter(|&(&atom, _)| !is_zero(atom)) {
            let &(by, dimension) = factors.iter().find(|(by, _)| factor % by == 0)?;
            let term = Linear::atom(atom).times(factor / by)?;
            writer[dimension] = writer[dimension].plus(&term)?;
        }
        let mut constant = rest.constant;
        for &(by, dimension) in &factors {
            let times = constant / by;
            writer[dimension].constant += times;
            constant -= times * by;
        }
        let within = |dimension: usize| {
            let sum = &writer[dimension];
            let most = i128::from(size[dimension]) - 1;
            let bounds = [sum.times(-1), sum.and(-most)];
            bounds
                .into_iter()
                .all(|claim| claim.is_some_and(|claim| self.places.holds(read.spot.block, &claim)))
        };
        if constant != 0 || !(0..3).all(within) {
            return None;
        }
        let [x, y, z] = writer.map(|sum| self.made_of_values(&sum, read.instruction));
        Some([x?, y?, z?])
    }

    /// The same sum of local ids and values that are there in front of a read.
    fn made_of_values(&self, sum: &Linear, read: ValueId) -> Option<Linear> {
        let mut made = Linear::constant(sum.constant);
        for (&atom, &factor) in &sum.terms {
            let value = match atom {
                Atom::Local(_) => Linear::atom(atom),
                Atom::Iteration(id) => {
                    let (phi, more) = self.counter(id)?;
                    Linear::atom(Atom::Value(phi)).and(-more)?
                }
                Atom::Value(_) => Linear::atom(atom),
                _ => return None,
            };
            let is_there = |&part: &Atom| match part {
                Atom::Value(id) => {
                    let ty = self.function.value(id).ty;
                    ty.kind == TypeKind::Integer && ty.bits <= 64 && self.precedes(id, read)
                }
                _ => true,
            };
            if !value.terms.keys().all(is_there) {
                return None;
            }
            made = made.plus(&value.times(factor)?)?;
        }
        Some(made)
    }

    /// Whether an atom of a store's place is the same for all items, and still when its copies are read.
    fn is_same(&self, atom: Atom, home: BlockId) -> bool {
        match atom {
            Atom::Value(id) => self.analysis.is_one_for_all(self.function, id),
            // Of the loops around the store alone.
            Atom::Iteration(id) => self.loops(home).any(|around| around == id),
            Atom::Turns(..) | Atom::Quotient(_) | Atom::Local(_) => false,
            _ => true,
        }
    }

    /// A phi that is the number of its loop's iteration and a constant more, read as a signed number.
    fn counter(&self, id: LoopId) -> Option<(ValueId, i128)> {
        let header = self.analysis.loops.get(id).header;
        let phis = self.function.body(header).filter(|(_, made)| matches!(made.op, Op::Phi(_)));
        let counts = |(phi, _)| {
            let known = self.places.of(phi)?;
            let ty = self.function.value(phi).ty;
            let half = 1_i128 << (ty.bits.clamp(1, 64) - 1);
            let alone =
                known.linear.terms.len() == 1 && known.linear.factor(Atom::Iteration(id)) == 1;
            let fits = known.low >= -half && known.high < half;
            (alone && fits && ty.kind == TypeKind::Integer).then_some((phi, known.linear.constant))
        };
        phis.filter_map(counts).next()
    }

    /// Whether an address can be made anew in front of a read, for another item than the one that made it.
    fn is_made_of_ids(&self, address: ValueId, read: ValueId) -> bool {
        let (mut work, mut seen) = (vec![address], Vec::new());
        while let Some(id) = work.pop() {
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            if seen.len() > MOST_MADE_OF {
                return false;
            }
            let Some(made) = self.function.instruction(id) else {
                if matches!(self.function.value(id).kind, ValueKind::Undefined) {
                    return false;
                }
                continue;
            };
            match made.op {
                Op::Call(Callee::WorkItem(WorkItem::LocalId | WorkItem::GlobalId)) => {
                    let dimension = made.operands.first().and_then(|&of| self.function.integer(of));
                    if !dimension.is_some_and(|dimension| (0..3).contains(&dimension)) {
                        return false;
                    }
                }
                _ if self.analysis.is_one_for_all(self.function, id) => {
                    if !self.precedes(id, read) {
                        return false;
                    }
                }
                Op::Binary(..)
                | Op::Cast(_)
                | Op::Address { .. }
                | Op::Select
                | Op::Compare(_)
                | Op::Extremum => {
                    work.extend(&made.operands);
                }
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// What is found of `%t`, in a group of 16 items; `alone`: its arguments are distinct.
    fn found(alone: bool, body: &str) -> Result<Copy, Why> {
        found_of("size 16 1 1 uniform", alone, body)
    }

    fn found_of(size: &str, alone: bool, body: &str) -> Result<Copy, Why> {
        let text = format!(
            "kernel k(t: local, a: global, b: global, n: i64) {size}
            entry:
              %l = local_id 0
              %g = global_id 0
              %from = address %a %g*4
              %to = address %b %g*4
              {body}"
        );
        let function = parse(&text);
        let analysis = Analysis::new(&function);
        let facts = Facts { distinct: vec![alone; 3], ..Facts::default() };
        find(&function, &analysis, &facts).remove(0).found
    }

    const COPY: &str = "%v = load %from : f32
        %p = address %t %l*4
        store %v %p
        barrier";

    fn read_at(index: &str) -> Result<Copy, Why> {
        found(true, &format!("{COPY}\n{index}\n%x = load %q : f32\nstore %x %to\nret"))
    }

    #[test]
    fn reads_within_the_group_have_a_writer() {
        let writer = |index: &str| read_at(index).map(|copy| copy.reads[0].1[0].clone());
        assert_eq!(writer("%q = address %t 12"), Ok(Linear::constant(3)));
        assert_eq!(writer("%q = address %t %l*4"), Ok(Linear::atom(Atom::Local(0))));
        let last = Linear { constant: 15, ..Linear::atom(Atom::Local(0)).times(-1).unwrap() };
        assert_eq!(writer("%r = sub 15 %l\n%q = address %t %r*4"), Ok(last));
    }

    #[test]
    fn reads_beyond_the_group_or_between_elements_have_none() {
        let fails = |index: &str| assert!(matches!(read_at(index), Err(Why::Place(_))), "{index}");
        fails("%q = address %t 64");
        fails("%q = address %t %l*4 +4");
        fails("%q = address %t %l*4 -4");
        fails("%q = address %t %l*8");
        fails("%q = address %t %l*4 +2");
        fails("%q = address %t %n*4");
        fails("%q = address %t %l*2");
    }

    #[test]
    fn what_may_be_written_is_read_when_it_was_read() {
        let body = |to: &str| {
            format!("{COPY}\n%q = address %t 12\n%x = load %q : f32\nstore %x {to}\nret")
        };
        assert!(found(true, &body("%to")).is_ok());
        assert!(matches!(found(false, &body("%to")), Err(Why::Written(_))));
        assert!(matches!(found(true, &body("%from")), Err(Why::Written(_))));
        let ordered = body("%to").replace("ret", "%c = atomic %to 1 : i32\nret");
        assert!(matches!(found(true, &ordered), Err(Why::Written(_))));
    }

    #[test]
    fn all_items_copy_once_in_front_of_the_barrier() {
        let without = COPY.replace("barrier", "");
        let reads = "%q = address %t 12\n%x = load %q : f32\nstore %x %to";
        let fails =
            |body: &str| assert_eq!(found(true, body).map(|_| ()), Err(Why::Phase), "{body}");
        fails(&format!("{without}\n{reads}\nret"));
        fails(&format!("{without}\n{reads}\nbarrier\nret"));
        let guarded = format!(
            "%c = slt %l 8
              branch %c some all
            some:
              {without}
              jump all
            all:
              barrier
              {reads}
              ret"
        );
        fails(&guarded);
        let repeated = format!(
            "jump head
            head:
              %k = phi [entry 0] [head %k1] : i64
              {COPY}
              %k1 = add %k 1
              %more = slt %k1 %n
              branch %more head done
            done:
              {reads}
              ret"
        );
        fails(&repeated);
        // Read in the iteration behind.
        let carried = format!(
            "jump head
            head:
              %k = phi [entry 0] [head %k1] : i64
              {reads}
              {COPY}
              %k1 = add %k 1
              %more = slt %k1 %n
              branch %more head done
            done:
              ret"
        );
        fails(&carried);
        let within =
            carried.replace(reads, "barrier").replace("%k1 = add", &format!("{reads}\n%k1 = add"));
        assert!(found(true, &within).is_ok());
    }

    #[test]
    fn sizes_must_be_known_and_stores_alone() {
        let body = format!("{COPY}\n%q = address %t 12\n%x = load %q : f32\nstore %x %to\nret");
        for size in ["", "size 16 1 1", "uniform"] {
            assert_eq!(found_of(size, true, &body).map(|_| ()), Err(Why::Size), "{size}");
        }
        let twice = body.replace("barrier", "store %v %p\nbarrier");
        assert_eq!(found(true, &twice).map(|_| ()), Err(Why::Several));
        let other = body.replace("store %v %p", "store %n %p");
        assert_eq!(found(true, &other).map(|_| ()), Err(Why::Other));
        assert!(found_of("size 16 2 1 uniform", true, &body).is_err());
    }

    #[test]
    fn what_neighbours_would_load_far_apart_stays() {
        let columns = COPY
            .replace("%v = load", "%col = address %a %l*64\n%v = load")
            .replace("load %from", "load %col");
        let body =
            format!("{columns}\n%q = address %t %l*4\n%x = load %q : f32\nstore %x %to\nret");
        assert_eq!(found(true, &body).map(|_| ()), Err(Why::Reorganizes));
    }

    #[test]
    fn addresses_must_be_made_of_ids() {
        let by = |index: &str| {
            let copy = COPY.replace(
                "%v = load %from",
                &format!("{index}\n%far = address %a %i*4 %l*4\n%v = load %far"),
            );
            found(
                true,
                &format!("{copy}\n%q = address %t 12\n%x = load %q : f32\nstore %x %to\nret"),
            )
            .map(|_| ())
        };
        assert_eq!(by("%i = load %a : i64"), Ok(()));
        assert_eq!(
            by("%o = address %a %g*8\n%h = load %o : i64\n%i = and %h 1"),
            Err(Why::Reorganizes)
        );
        assert_eq!(by("%i = mul %n %n"), Ok(()));
    }
}
