//! Which divergent loops run breadth-first by predicates: a pure decision.
//!
//! Terms: a loop is *divergent* if items leave it in different iterations, or if maybe only some run it. The
//! *root* of a divergent loop is the outermost divergent loop around it: a nest goes by predicates as a whole,
//! since items that run a loop inside at different times do not meet there.
//! What predicates cost is about the same for every loop (items that have left it are carried along), what
//! they gain is that items make vectors. So the votes of the accesses decide as for any loop, but a tie is
//! breadth-first if all that the nest does can be done by vectors and vector code of our own has not been found to be slower than
//! the items one by one. What cannot is breadth-first where the votes say so and
//! neighbours share lines of `__global` memory: item by item each line would be fetched for each of them. A loop that does nothing but fill `__local` memory gains
//! neither: that is in the cache in any order, and there is nothing to compute. Nor does a nest in which items search
//! something one by one: what they touch there makes no vectors.
//! By the paper's rules (`Wish::Paper`) all that is to be breadth-first goes so, and what is depth-first inside stays so.
//! Source: CGO'15, section 3.4; the rule for ties is ours (docs/decisions/011-divergent-loops.md).

use super::approach::Approach;
use super::decide::{Order, Vectors, obstacle};
use super::wish::Wish;
use crate::analysis::Analysis;
use crate::analysis::access::{Access, AccessKind, Class, Stride};
use crate::analysis::loops::{Loop, LoopId};
use crate::view::{BlockId, Callee, Function, MemoryKind, Op, Space};

/// Items of a group below which they make no vectors.
const FEWEST_ITEMS: u64 = 4;
/// Blocks of a kernel above which no nest is made anew: each takes an analysis of the whole kernel.
const MOST_BLOCKS: usize = 400;

/// For each loop whether it is to go by predicates; `wanted` are the orders that the accesses ask for.
pub fn predicated(
    function: &Function,
    analysis: &Analysis,
    (wish, vectors): (Wish, Vectors),
    wanted: &[Option<Order>],
) -> Vec<bool> {
    let roots: Vec<Option<LoopId>> = analysis.loops.ids().map(|id| root(analysis, id)).collect();
    if wish == Wish::Paper {
        let goes = |id: LoopId| wanted[id.index()] == Some(Order::BreadthFirst);
        let going = |id: LoopId, root: &Option<LoopId>| {
            goes(id) && root.is_some_and(|root| goes(root) && is_feasible(function, analysis, root))
        };
        return analysis.loops.ids().zip(&roots).map(|(id, root)| going(id, root)).collect();
    }
    let goes = |id: LoopId| {
        let inside = |other: LoopId| roots[other.index()] == Some(id);
        let apart =
            analysis.loops.ids().any(|other| inside(other) && analysis.is_left_apart(other));
        let mut outer = analysis.loops.around(analysis.loops.get(id).header).skip(1);
        let around = outer.any(|outer| is_made(function, analysis.loops.get(outer)));
        let chosen = match wish {
            Wish::Always(order) => order == Order::BreadthFirst,
            Wish::Auto | Wish::Paper => {
                let asked = match wanted[id.index()] {
                    Some(order) => order == Order::BreadthFirst,
                    None => vectors != Vectors::NotWorthIt,
                };
                asked
                    && !is_small(function)
                    && !searches_inside(analysis, id)
                    && !only_fills(function, analysis.loops.get(id))
                    && (makes_vectors(function, analysis, analysis.loops.get(id))
                        || wanted[id.index()] == Some(Order::BreadthFirst)
                            && (shares_lines(function, analysis, id)
                                || walks_together(function, analysis, id)))
            }
        };
        (around || apart && chosen) && is_feasible(function, analysis, id)
    };
    roots.iter().map(|root| root.is_some_and(goes)).collect()
}

/// Whether this loop goes by predicates already: what items bring at its end decides whether it goes on.
pub fn is_made(function: &Function, this: &Loop) -> bool {
    this.latches.iter().any(|&latch| function.calls(latch, Callee::Question))
}

/// The outermost divergent loop around a divergent one.
fn root(analysis: &Analysis, id: LoopId) -> Option<LoopId> {
    let around = std::iter::successors(Some(id), |&id| analysis.loops.get(id).parent);
    let divergent =
        around.take_while(|&id| !analysis.loops.irreducible && obstacle(analysis, id).is_some());
    divergent.last()
}

fn is_small(function: &Function) -> bool {
    let items = function.local_size.map(|size| size.iter().product::<u64>());
    items.is_some_and(|items| items < FEWEST_ITEMS)
}

/// Whether items can meet where the nest begins, and nothing inside makes them wait for each other.
fn is_feasible(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    let this = analysis.loops.get(id);
    let meets = |block: BlockId| {
        function.body(block).any(|(_, at)| {
            matches!(at.op, Op::Call(Callee::Barrier | Callee::Collective | Callee::Question))
        })
    };
    let way = Approach::of(function, analysis, this.header, |block| this.contains(block));
    let Some(way) = way else { return false };
    // Loops of the approach are all in it.
    let whole = |block: BlockId| {
        let around = analysis.loops.around(block).map(|id| analysis.loops.get(id));
        around
            .filter(|around| !around.contains(this.header))
            .all(|around| around.blocks.iter().all(|block| way.blocks.contains(block)))
    };
    let same = analysis.loops.innermost(way.fork) == this.parent;
    function.blocks.len() <= MOST_BLOCKS
        && same
        && !this.blocks.iter().any(|&block| meets(block))
        && way.blocks.iter().all(|&block| !meets(block) && whole(block))
}

/// Whether the loop only stores, into `__local` memory, what was there before it.
fn only_fills(function: &Function, this: &Loop) -> bool {
    let is_inside = |value| {
        function.instruction(value).is_some_and(|instruction| this.contains(instruction.block))
    };
    let (mut stores, mut other) = (false, false);
    for (_, at) in this.blocks.iter().flat_map(|&block| function.body(block)) {
        match (&at.op, at.operands.as_slice()) {
            (Op::Store(_), &[value, place])
                if function.value(place).ty.space() == Some(Space::Local) && !is_inside(value) =>
            {
                stores = true;
            }
            (Op::Store(_) | Op::Load(_) | Op::Atomic | Op::Call(_) | Op::Pure | Op::Other, _) => {
                other = true;
            }
            _ => {}
        }
    }
    stores && !other
}

/// Whether items leave a loop inside one by one, and touch places there that data tells. LLVM makes no vectors of such accesses,
/// and in each iteration inside all items of the group would read and write what they keep in memory.
fn searches_inside(analysis: &Analysis, id: LoopId) -> bool {
    let this = analysis.loops.get(id);
    let anywhere = Class { work_item: Stride::Other, iteration: Stride::Other };
    let searches = |inner: LoopId| {
        inner != id
            && this.contains(analysis.loops.get(inner).header)
            && analysis.is_left_apart(inner)
            && analysis.classes(inner).any(|(_, class)| class == anywhere)
    };
    analysis.loops.ids().any(searches)
}

/// Whether neighbours do atomic operations on neighbouring places of `__global` memory: their lines go from processor to
/// processor, and items that follow each other need a line once.
fn shares_lines(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    analysis.classes(id).any(|(access, class)| {
        access.kind == AccessKind::Atomic
            && class.work_item == Stride::One
            && function.value(access.pointer).ty.space() == Some(Space::Global)
    })
}

/// Whether neighbours read or write neighbouring places of `__global` memory, which one item after the other fetches again and
/// again, and none may wait for what another one does behind the loop: a lock or a flag, which is
/// one place.
fn walks_together(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    let is_lock = |(access, class): (&Access, Class)| {
        let op = function.instruction(access.instruction).map(|made| &made.op);
        let own = matches!(op, Some(Op::Load(MemoryKind::Plain) | Op::Store(MemoryKind::Plain)));
        !own && class.iteration == Stride::Zero
    };
    let is_shared = |(access, class): (&Access, Class)| {
        let space = function.value(access.pointer).ty.space();
        space == Some(Space::Global)
            && class == Class { work_item: Stride::One, iteration: Stride::Other }
    };
    analysis.classes(id).any(is_shared) && !analysis.classes(id).any(is_lock)
}

/// Whether all that the loop does can be done for several items at once.
fn makes_vectors(function: &Function, analysis: &Analysis, this: &Loop) -> bool {
    let is_private = |pointer| {
        analysis.roots.of(pointer).iter().any(|&root| {
            let op = function.instruction(root).map(|at| &at.op);
            op.is_some_and(|op| *op == Op::Alloca)
        })
    };
    let mut all = this.blocks.iter().flat_map(|&block| function.body(block));
    all.all(|(_, at)| match &at.op {
        Op::Load(MemoryKind::Shared) | Op::Store(MemoryKind::Shared) | Op::Atomic => false,
        Op::Load(_) => !is_private(at.operands[0]),
        Op::Store(_) => !is_private(at.operands[1]),
        Op::Call(Callee::Unknown) | Op::Other => false,
        _ => true,
    })
}
