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

mod stored;

use super::Analysis;
use super::access;
use super::copied::{Counter, Filled, Made};
use super::loops::LoopId;
use super::needless::{Event, Facts, Touch, events, relation_of_items};
use super::overlap::Relation;
use super::places::{Atom, Linear, Places};
use crate::view::{BlockId, Callee, Function, MemoryKind, Op, Space, TypeKind, ValueId, ValueKind};

/// Rows so near lie together in a cache: a line.
const NEAR_BYTES: i128 = 64;

/// Rows of global memory that the items of one row read, to both sides of their own: a set of most first-level caches has as many
/// lines.
const NEAR_ROWS: i128 = 4;

/// Stores to an array at most.
const MOST_STORES: usize = 12;

/// Reads of an array at most.
const MOST_READS: usize = 256;

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
    /// Each read, and the address to load from.
    pub reads: Vec<(ValueId, Made)>,
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
        let sources = sources.collect::<Result<Vec<ValueId>, Why>>()?;
        let departs = function
            .block_ids()
            .any(|block| function.block(block).departs || function.calls(block, Callee::Departure));
        if departs {
            return Err(Why::Phase);
        }
        let size = function.local_size.filter(|_| function.uniform_groups).ok_or(Why::Size)?;
        let stored = self.stored(&stores, &sources, &reads)?;
        sources.iter().try_for_each(|&source| self.unwritten(source))?;
        let filled = Filled::find(&self.places, size, &stored).ok_or(match stores.as_slice() {
            [_] => Why::Place(reads[0].instruction),
            _ => Why::Several,
        })?;
        let (source, store) = (sources[filled.model()], stores[filled.model()]);
        let along = access::innermost_dimension(function);
        let pointer = filled.source_address();
        let stride = self.stride(store.spot.pointer, along);
        if stride.is_none() || self.stride(pointer, along) != stride {
            return Err(Why::Reorganizes);
        }
        let mut found = Vec::new();
        for read in reads {
            let (id, block) = (read.instruction, read.spot.block);
            let place = self.places.of(read.spot.pointer).map(|known| &known.linear);
            let writer = place.filter(|_| read.spot.bytes == store.spot.bytes);
            let writer = writer.and_then(|place| filled.writer(place)).ok_or(Why::Place(id))?;
            if !filled.is_covered(block, &writer) {
                return Err(Why::Place(id));
            }
            if self.gathers(pointer, along, (block, &writer), size) {
                return Err(Why::Reorganizes);
            }
            let is_there = |value: ValueId| self.precedes(value, id);
            let made = filled.address(&writer, &is_there, &|id, factor| self.counter(id, factor));
            found.push((id, made.ok_or(Why::Address)?));
        }
        let stores = stores.iter().map(|store| store.instruction).collect();
        Ok(Copy { source, stores, reads: found })
    }

    /// Whether reads that stay near in the array go through memory by long steps: by rows of the group other than the reader's
    /// own and those next to it, where rows are far apart, or by rows that differ from neighbour to neighbour.
    fn gathers(
        &self,
        pointer: ValueId,
        along: u8,
        (block, writer): (BlockId, &[Linear; 3]),
        size: [u64; 3],
    ) -> bool {
        let others = (0..3_u8).filter(|&at| at != along && size[usize::from(at)] > 1);
        others.into_iter().any(|dimension| {
            let row = &writer[usize::from(dimension)];
            let step = self.stride(pointer, dimension);
            let is_near = step.is_some_and(|step| step.abs() <= NEAR_BYTES);
            let away = row.minus(&Linear::atom(Atom::Local(dimension)));
            let few = away.as_ref().is_some_and(|away| {
                let bounds =
                    [away.and(-NEAR_ROWS), away.times(-1).and_then(|it| it.and(-NEAR_ROWS))];
                bounds.into_iter().flatten().filter(|sum| self.places.holds(block, sum)).count()
                    == 2
            });
            !few && (!is_near || row.factor(Atom::Local(along)) != 0)
        })
    }

    /// How many bytes a neighbour's address is further, where that is plain to see.
    fn stride(&self, pointer: ValueId, along: u8) -> Option<i128> {
        let linear = &self.places.of(pointer)?.linear;
        let differs = |&atom: &Atom| {
            let parts = self.places.factors(atom);
            let is_one = parts.len() == 1;
            parts.into_iter().any(|part| match part {
                Atom::Value(id) | Atom::Turns(id, _) | Atom::Quotient(id) => {
                    !self.analysis.shape(id)[usize::from(along)].is_uniform()
                }
                Atom::Local(dimension) => dimension == along && !is_one,
                _ => false,
            })
        };
        (!linear.terms.keys().any(differs)).then(|| linear.factor(Atom::Local(along)))
    }

    /// The stores and the loads of an array that has no other uses.
    fn uses(&self, root: ValueId) -> Result<(Vec<&Touch>, Vec<&Touch>), Why> {
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
        match stores.len() {
            0 => Err(Why::Other),
            _ if reads.is_empty() => Err(Why::Other),
            1..=MOST_STORES => Ok((stores, reads)),
            _ => Err(Why::Several),
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

    /// How much further the next item loads, and where the first item of the first group does.
    fn loads_at(found: Result<Copy, Why>) -> Result<(i128, i128), Why> {
        found.map(|copy| {
            let Made::Sum(_, terms) = &copy.reads[0].1 else { panic!("a sum") };
            let factor = |wanted: &[Atom]| {
                let term = terms.iter().find(|(_, atoms)| atoms == wanted);
                term.map_or(0, |&(factor, _)| factor)
            };
            (factor(&[Atom::Local(0)]), factor(&[]))
        })
    }

    #[test]
    fn reads_within_the_group_have_a_writer() {
        let at = |index: &str| loads_at(read_at(index));
        assert_eq!(at("%q = address %t 12"), Ok((0, 12)));
        assert_eq!(at("%q = address %t %l*4"), Ok((4, 0)));
        assert_eq!(at("%r = sub 15 %l\n%q = address %t %r*4"), Ok((-4, 60)));
    }

    /// A row with one element more at each end: `left` and `right` are conditions of its stores, `next` how far `right` is.
    fn row_with_ends(left: &str, right: &str, next: &str) -> Result<(i128, i128), Why> {
        let body = format!(
            "%v = load %from : f32
              %p = address %t %l*4 +4
              store %v %p
              %first = {left}
              branch %first one two
            one:
              %fl = address %a %g*4 -4
              %vl = load %fl : f32
              store %vl %t
              jump two
            two:
              %last = {right}
              branch %last three all
            three:
              %fr = address %a %g*4 {next}
              %vr = load %fr : f32
              %pr = address %t %l*4 +8
              store %vr %pr
              jump all
            all:
              barrier
              %q = address %t %l*4 +8
              %x = load %q : f32
              %q2 = address %t %l*4
              %x2 = load %q2 : f32
              store %x %to
              ret"
        );
        loads_at(found(true, &body))
    }

    #[test]
    fn several_stores_cover_what_is_read_together() {
        let (first, last) = ("eq %l 0", "eq %l 15");
        assert_eq!(row_with_ends(first, last, "+4"), Ok((4, 4)));
        assert_eq!(row_with_ends("slt %l 1", "sgt %l 14", "+4"), Ok((4, 4)));
        // From elsewhere, not by all who should, not by a test that says all.
        assert_eq!(row_with_ends(first, last, "+8"), Err(Why::Several));
        assert!(matches!(row_with_ends("eq %l 1", last, "+4"), Err(Why::Place(_) | Why::Several)));
        assert!(matches!(row_with_ends(first, "slt %l 15", "+4"), Err(Why::Place(_))));
        assert_eq!(row_with_ends("slt %n 1", last, "+4"), Err(Why::Several));
    }

    /// A loop in which sixteen items copy `limit` elements, of which the last is read.
    fn copied_in_a_loop(limit: &str, read: &str) -> Result<(i128, i128), Why> {
        let body = format!(
            "%some = slt %l {limit}
              branch %some head all
            head:
              %i = phi [entry %l] [head %i1] : i64
              %first = sub %g %l
              %f = address %a %first*4 %i*4
              %v = load %f : f32
              %p = address %t %i*4
              store %v %p
              %i1 = add.nsw %i 16
              %more = slt %i1 {limit}
              branch %more head all
            all:
              barrier
              %q = address %t {read}
              %x = load %q : f32
              store %x %to
              ret"
        );
        loads_at(found(true, &body))
    }

    #[test]
    fn copies_in_loops_are_those_of_items_to_come() {
        assert_eq!(copied_in_a_loop("40", "156"), Ok((0, 156)));
        assert_eq!(copied_in_a_loop("40", "%l*4 +96"), Ok((4, 96)));
        assert!(matches!(copied_in_a_loop("40", "160"), Err(Why::Place(_))));
        assert!(matches!(copied_in_a_loop("40", "%l*4 +100"), Err(Why::Place(_))));
        assert!(matches!(copied_in_a_loop("%n", "0"), Err(Why::Place(_))));
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
        // The first eight have.
        assert!(found(true, &guarded).is_ok());
        let beyond = guarded.replace("address %t 12", "address %t 32");
        assert!(matches!(found(true, &beyond), Err(Why::Place(_))));
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
        let changed = body.replace("barrier", "%w = load %a : f32\nstore %w %p\nbarrier");
        assert_eq!(found(true, &changed).map(|_| ()), Err(Why::Several));
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
