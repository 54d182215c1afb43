//! Which barriers no two items need.
//!
//! A barrier keeps what items do before it apart from what others do behind it. Where no access before it, and behind the last
//! barrier that stays, may touch what another item's access touches behind it and before the next that stays, with a write among
//! the two, it keeps nothing apart: what one item does itself stays in its order anyway. Ways around a loop count, also such on
//! which the barrier is passed again.
//!
//! Terms: of a barrier, an access is *near* if no way to it closes a loop: then both are in the same iteration of all loops that hold
//! them.
//! Method: barriers are tried one after the other, those of inner loops first; each is tried as if those that have gone were not
//! there. A pair of accesses that only one that has gone keeps apart was looked at when that one went.
//! Two arguments may lead to one buffer. A barrier of which the program says that it orders local memory alone
//! (`CLK_LOCAL_MEM_FENCE`) orders no accesses through different arguments to global memory; those through the same one are
//! ordered by it all the same, as programs expect that were written for processors where it makes no difference.
//! Not here: what nobody knows the order of (atomic and volatile accesses, fences, unknown calls) keeps a barrier near it. Other
//! groups do not count: a barrier says nothing to them.
//! Source: Huang et al. 2015, section 4.1.2. Why so: docs/decisions/041-barriers-and-buffers-that-stay.md.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::Analysis;
use super::access::{self, AccessKind};
use super::loops::LoopId;
use super::overlap::{Relation, relation};
use super::places::{Moment, Places, Spot};
use crate::view::{
    BlockId, Callee, Function, Instruction, MemoryKind, Op, Space, TypeKind, ValueId, ValueKind,
    WorkItem,
};

/// Pairs of accesses that are looked at for one kernel.
const MOST_PAIRS: usize = 3000;

/// `CLK_LOCAL_MEM_FENCE`.
const LOCAL_ALONE: i64 = 1;

/// What LLVM knows of a kernel and the view does not.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By number of the argument: no other leads to its memory, for any item.
    pub distinct: Vec<bool>,
    /// Instructions that order memory.
    pub fences: HashSet<ValueId>,
    /// Calls that touch nothing but what they are given addresses of.
    pub bounded: HashSet<ValueId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Two items may meet in one place by these accesses, of which the first comes before the barrier.
    Meets(ValueId, ValueId),
    /// It is near something whose order counts.
    Order(ValueId),
    /// There is too much to look at.
    Much,
}

/// A barrier, and why it stays if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub barrier: ValueId,
    pub stays: Option<Why>,
}

/// An access to memory that items share.
#[derive(Clone, Debug)]
pub struct Touch {
    pub instruction: ValueId,
    pub spot: Spot,
    pub writes: bool,
    pub roots: Vec<ValueId>,
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Barrier(ValueId),
    Touch(Touch),
    /// Its order counts.
    Ordered(ValueId),
}

/// Says of each barrier whether it is needed, in the order of the blocks.
pub fn find(function: &Function, analysis: &Analysis, facts: &Facts) -> Vec<Verdict> {
    let events: Vec<Vec<Event>> =
        function.block_ids().map(|block| events(function, analysis, facts, block)).collect();
    let barriers: Vec<(BlockId, usize, ValueId)> = function
        .block_ids()
        .flat_map(|block| {
            let here = events[block.index()].iter().enumerate();
            here.filter_map(move |(at, event)| match event {
                Event::Barrier(id) => Some((block, at, *id)),
                _ => None,
            })
        })
        .collect();
    if barriers.is_empty() {
        return Vec::new();
    }
    let mut search = Search {
        function,
        analysis,
        facts,
        places: Places::find(function, analysis),
        events,
        gone: HashSet::new(),
        known: RefCell::default(),
    };
    let mut tried = barriers.clone();
    let depth = |block: BlockId| analysis.loops.around(block).count();
    tried.sort_by_key(|&(block, ..)| std::cmp::Reverse(depth(block)));
    let mut stays = BTreeMap::new();
    for (block, at, barrier) in tried {
        let why = search.why(block, at, barrier);
        if why.is_none() {
            search.gone.insert(barrier);
        }
        stays.insert(barrier, why);
    }
    let verdict = |&(_, _, barrier): &_| Verdict { barrier, stays: stays[&barrier] };
    barriers.iter().map(verdict).collect()
}

pub(super) fn events(
    function: &Function,
    analysis: &Analysis,
    facts: &Facts,
    block: BlockId,
) -> Vec<Event> {
    let mut found = Vec::new();
    for (id, instruction) in function.body(block) {
        if let Some((kind, pointer, bytes)) = access::touched(function, id, instruction) {
            let roots = analysis.roots.of(pointer);
            if roots.iter().all(|&root| is_private(function, root)) {
                continue;
            }
            let shared = matches!(
                instruction.op,
                Op::Load(MemoryKind::Shared) | Op::Store(MemoryKind::Shared)
            );
            let writes = kind == AccessKind::Store;
            found.push(match kind == AccessKind::Atomic || shared {
                true => Event::Ordered(id),
                false => Event::Touch(Touch {
                    instruction: id,
                    spot: Spot { block, pointer, bytes },
                    writes,
                    roots,
                }),
            });
        } else if instruction.op == Op::Call(Callee::Barrier) {
            found.push(Event::Barrier(id));
        } else if facts.fences.contains(&id)
            || has_effects(function, analysis, facts, id, instruction)
        {
            found.push(Event::Ordered(id));
        }
    }
    found
}

/// Whether an instruction that is no access may touch what items share.
fn has_effects(
    function: &Function,
    analysis: &Analysis,
    facts: &Facts,
    id: ValueId,
    instruction: &Instruction,
) -> bool {
    let is_address =
        |&operand: &ValueId| matches!(function.value(operand).ty.kind, TypeKind::Pointer(_));
    let own = |operand: ValueId| {
        analysis.roots.of(operand).iter().all(|&root| is_private(function, root))
    };
    match instruction.op {
        Op::Call(Callee::Unknown) if facts.bounded.contains(&id) => {
            !instruction.operands.iter().copied().filter(|it| is_address(it)).all(own)
        }
        Op::Call(Callee::Unknown | Callee::Collective) | Op::Other => true,
        _ => false,
    }
}

fn is_private(function: &Function, root: ValueId) -> bool {
    let value = function.value(root);
    let variable = function.instruction(root).is_some_and(|made| made.op == Op::Alloca);
    variable
        || value.ty.space() == Some(Space::Private)
        || matches!(value.kind, ValueKind::Undefined)
}

/// How the memory of two roots may be related, for different items. `distinct`: [`super::overlap`].
pub fn relation_of_items(function: &Function, facts: &Facts, a: ValueId, b: ValueId) -> Relation {
    match is_private(function, a) || is_private(function, b) {
        true => Relation::Apart,
        false => relation(function, &facts.distinct, a, b),
    }
}

struct Search<'a> {
    function: &'a Function,
    analysis: &'a Analysis,
    facts: &'a Facts,
    places: Places<'a>,
    /// By block.
    events: Vec<Vec<Event>>,
    gone: HashSet<ValueId>,
    /// Pairs that were looked at, by the loops whose iteration they share; none if they share none.
    known: RefCell<HashMap<Pair, bool>>,
}

/// Two accesses, and the loops whose iteration they share, if any.
type Pair = (ValueId, ValueId, Option<Vec<LoopId>>);

/// What is on the ways to or from a barrier, and whether it is near.
type Reached<'a> = Vec<(&'a Event, bool)>;

impl Search<'_> {
    /// Why a barrier, the event with a number in a block, stays.
    fn why(&self, block: BlockId, at: usize, barrier: ValueId) -> Option<Why> {
        let function = self.function;
        let alone = (0..3).all(|d| function.size(WorkItem::EnqueuedLocalSize, d) == Some(1));
        if alone {
            return None;
        }
        if self.analysis.loops.irreducible {
            return Some(Why::Much);
        }
        let before = self.reached(block, at, false, barrier);
        let behind = self.reached(block, at, true, barrier);
        let ordered = before.iter().chain(&behind).find_map(|(event, _)| match event {
            Event::Ordered(id) => Some(Why::Order(*id)),
            _ => None,
        });
        if ordered.is_some() {
            return ordered;
        }
        let flags = function.instruction(barrier).and_then(|call| call.operands.first());
        let local_alone = flags.and_then(|&flags| function.integer(flags)) == Some(LOCAL_ALONE);
        for &(one, one_is_near) in &before {
            for &(other, other_is_near) in &behind {
                let (Event::Touch(a), Event::Touch(b)) = (one, other) else { continue };
                if !(a.writes || b.writes) {
                    continue;
                }
                if self.known.borrow().len() > MOST_PAIRS {
                    return Some(Why::Much);
                }
                let near = (one_is_near && other_is_near).then_some(block);
                if self.may_conflict(a, b, near, local_alone) {
                    return Some(Why::Meets(a.instruction, b.instruction));
                }
            }
        }
        None
    }

    /// The events from a barrier on, or back from it, up to barriers that stay.
    fn reached(&self, block: BlockId, at: usize, on: bool, barrier: ValueId) -> Reached<'_> {
        let stops = |event: &&Event| matches!(event, Event::Barrier(id) if *id != barrier && !self.gone.contains(id));
        let mut found: BTreeMap<(BlockId, usize), (&Event, bool)> = BTreeMap::new();
        let mut seen: HashSet<(BlockId, bool)> = HashSet::new();
        let here = &self.events[block.index()];
        let mut work = vec![(block, if on { at + 1..here.len() } else { 0..at }, true)];
        while let Some((block, range, near)) = work.pop() {
            let numbered =
                range.clone().map(|number| (number, &self.events[block.index()][number]));
            let mut stopped = false;
            let mut take = |(number, event)| {
                stopped |= stops(&event);
                if !stopped {
                    let known = found.entry((block, number)).or_insert((event, near));
                    // One that both kinds of ways lead to counts as both: as the one that shares less.
                    known.1 &= near;
                }
                !stopped
            };
            if on {
                let _ = numbered.into_iter().all(&mut take);
            } else {
                let _ = numbered.rev().all(&mut take);
            }
            if stopped {
                continue;
            }
            let around = if on {
                &self.function.block(block).successors
            } else {
                &self.function.block(block).predecessors
            };
            for &next in around {
                let (from, to) = if on { (block, next) } else { (next, block) };
                let closes = self.analysis.dominators.dominates(to, from);
                let near = near && !closes;
                if seen.insert((next, near)) {
                    work.push((next, 0..self.events[next.index()].len(), near));
                }
            }
        }
        found.into_values().collect()
    }

    /// Whether two items may touch one place by these accesses. `near`: the block of the barrier between them, if no way from the
    /// one to the other closes a loop.
    fn may_conflict(&self, a: &Touch, b: &Touch, near: Option<BlockId>, local_alone: bool) -> bool {
        let mut same = false;
        for (&one, &other) in a.roots.iter().flat_map(|one| b.roots.iter().map(move |b| (one, b))) {
            match relation_of_items(self.function, self.facts, one, other) {
                Relation::Apart => {}
                Relation::Arguments if local_alone => {}
                Relation::Same => same = true,
                Relation::Arguments | Relation::Unknown => return true,
            }
        }
        same && self.may_meet(a, b, near)
    }

    fn may_meet(&self, a: &Touch, b: &Touch, near: Option<BlockId>) -> bool {
        let loops = near.map(|block| {
            let inside = |&id: &LoopId| {
                let this = self.analysis.loops.get(id);
                this.contains(a.spot.block) && this.contains(b.spot.block)
            };
            self.analysis.loops.around(block).filter(inside).collect::<Vec<_>>()
        });
        let key = (a.instruction, b.instruction, loops.clone());
        if let Some(&known) = self.known.borrow().get(&key) {
            return known;
        }
        let moment = loops.as_deref().map_or(Moment::Apart, Moment::Same);
        let meets = self.places.may_meet(a.spot, b.spot, moment);
        self.known.borrow_mut().insert(key, meets);
        meets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// Which barriers stay, of a kernel whose group is 16 items.
    fn stay(body: &str) -> Vec<bool> {
        verdicts("size 16 1 1", body).iter().map(|verdict| verdict.stays.is_some()).collect()
    }

    fn verdicts(size: &str, body: &str) -> Vec<Verdict> {
        let text = format!(
            "kernel k(t: local, u: local, a: global, b: global, n: i64) {size}
            entry:
              %l = local_id 0
              %g = global_id 0
              %own = address %t %l*8
              %next = address %t %l*8 +8
              %ga = address %a %g*4
              %gb = address %b %g*4
              {body}"
        );
        let function = parse(&text);
        find(&function, &Analysis::new(&function), &Facts::default())
    }

    #[test]
    fn own_elements_need_no_barrier_and_neighbours_do() {
        assert_eq!(stay("store %l %own\nbarrier 1\n%x = load %own : i32\nret"), [false]);
        assert_eq!(stay("store %l %own\nbarrier 1\n%x = load %next : i32\nret"), [true]);
        assert_eq!(stay("%x = load %next : i32\nbarrier 1\nstore %l %own\nret"), [true]);
        assert_eq!(stay("%x = load %next : i32\nbarrier 1\n%y = load %own : i32\nret"), [false]);
        assert_eq!(stay("store %l %own\nbarrier 1\nstore %g %next\nret"), [true]);
        let other = "%o = address %u %l*8 +8\nstore %l %own\nbarrier 1\n%x = load %o : i32\nret";
        assert_eq!(stay(other), [false]);
        assert_eq!(stay("store %l %own\nbarrier 1\nret"), [false]);
    }

    #[test]
    fn of_two_barriers_in_a_row_one_goes() {
        let body = "store %l %own\nbarrier 1\nbarrier 1\n%x = load %next : i32\nret";
        assert_eq!(stay(body), [false, true]);
        let three =
            "store %l %own\nbarrier 1\n%x = load %own : i32\nbarrier 1\n%y = load %next : i32\nret";
        assert_eq!(stay(three), [false, true]);
    }

    #[test]
    fn ways_around_a_loop_count() {
        let looped = |body: &str| {
            stay(&format!(
                "jump head
                head:
                  %k = phi [entry 0] [head %k1] : i64
                  {body}
                  %k1 = add %k 1
                  %more = slt %k1 %n
                  branch %more head done
                done:
                  ret"
            ))
        };
        assert_eq!(looped("%x = load %next : i32\nstore %x %own\nbarrier 1"), [true]);
        assert_eq!(looped("%x = load %own : i32\nstore %x %own\nbarrier 1"), [false]);
        let both = "store %l %own\nbarrier 1\n%x = load %next : i32\nbarrier 1";
        assert_eq!(looped(both), [true, true]);
        // The neighbour's of the iteration before.
        let moved = "%i = add %l %k\n%m = and %i 15\n%p = address %t %m*8\nstore %l %p\n%x = load %p : i32\nbarrier 1";
        assert_eq!(looped(moved), [true]);
    }

    #[test]
    fn fences_and_arguments_tell_what_is_ordered() {
        let between = |flags: &str, store: &str| {
            stay(&format!("%x = load %ga : i32\nbarrier {flags}\nstore %x {store}\nret"))
        };
        assert_eq!(between("1", "%gb"), [false]);
        assert_eq!(between("2", "%gb"), [true]);
        assert_eq!(between("3", "%gb"), [true]);
        assert_eq!(between("0", "%gb"), [true]);
        assert_eq!(between("2", "%ga"), [false]);
        let neighbours = "%f = address %ga 4\n";
        assert_eq!(
            stay(&format!("{neighbours}%x = load %f : i32\nbarrier 1\nstore %x %ga\nret")),
            [true]
        );
    }

    #[test]
    fn what_has_an_order_keeps_barriers() {
        assert_eq!(stay("%x = atomic %own 1 : i32\nbarrier 1\nret"), [true]);
        assert_eq!(stay("%x = load.shared %own : i32\nbarrier 1\nret"), [true]);
        assert_eq!(stay("barrier 1\ncall %n\nret"), [true]);
        assert_eq!(stay("%p = alloca\nstore %l %p\nbarrier 1\n%x = load %p : i64\nret"), [false]);
        let alone = verdicts("size 1 1 1", "%x = atomic %own 1 : i32\nbarrier 1\nret");
        assert_eq!(alone[0].stays, None);
        let of_any_size = verdicts("", "store %l %own\nbarrier 1\n%x = load %own : i32\nret");
        assert!(matches!(of_any_size[0].stays, Some(Why::Meets(..))));
    }
}
