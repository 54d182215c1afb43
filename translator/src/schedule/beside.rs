//! Loops through which several vectors of items go side by side, in a kernel whose items wait for each other elsewhere.
//!
//! Breadth-first, all items' sums go through memory in each iteration; depth-first, a vector reads a few bytes of each of a column
//! of lines, or pages, and the next vector the next few. Side by side a few vectors share what an iteration reads, and their sums
//! stay in registers.
//! Steps of all items stand before the loop and behind it, so that it is a region by itself, and a mark says how many
//! vectors go through that together: they are one, of so many more lanes ([`crate::vector::fill`]).
//! Which: copies of striding loops ([`crate::together`]) that would be breadth-first for what memory gains, without loops or branches
//! inside that items may take differently, that touch memory where neighbours find theirs side by side or all the same. Not other
//! loops: where a group reads whole lines of each row in few iterations, breadth-first reads them in one go.

use super::crowded;
use super::{Order, Plan, Reason};
use crate::analysis::loops::LoopId;
use crate::analysis::shape::Shape;
use crate::code::atomics;
use crate::front::library::GROUP_STEP;
use crate::llvm::{Block, Builder, Context, Module, Opcode, Value};
use crate::vector::facts::support;
use crate::view::Op;

/// Metadata of a branch that decides whether such a loop goes on: how many vectors go through it together.
const BESIDE: &str = "vicinity.beside";

/// Vectors at most: four lines of memory, and as many additions as are under way at once on most processors.
const MOST_VECTORS: u64 = 8;
/// Instructions of all vectors together.
const MOST_INSTRUCTIONS: u64 = 256;

/// A loop and how many vectors go through it.
pub struct Beside {
    before: Block,
    header: Block,
    behind: Block,
    vectors: u64,
}

/// Decides for those loops of a plan that are copies of striding ones, by their headers, for vectors of so many lanes.
pub fn choose(plan: &mut Plan, copies: &[Block], lanes: u64, registers: u64) -> Vec<Beside> {
    let function = &plan.view.function;
    let waits = function.block_ids().any(|block| function.has_barrier(block));
    let row = function.local_size.filter(|_| waits && function.uniform_groups).map(|size| size[0]);
    let Some(row) = row else { return Vec::new() };
    let mut found = Vec::new();
    let is_copy = |plan: &Plan, id: &LoopId| {
        let header = plan.analysis.loops.get(*id).header;
        copies.contains(&plan.view.blocks[header.index()])
    };
    for id in plan.analysis.loops.ids().filter(|id| is_copy(plan, id)).collect::<Vec<_>>() {
        if let Some(beside) = find(plan, id, row / lanes, registers, row % lanes == 0) {
            let decision = &mut plan.decisions[id.index()];
            (decision.order, decision.reason) = (Order::DepthFirst, Reason::Beside);
            found.push(beside);
        }
    }
    found
}

fn find(plan: &Plan, id: LoopId, in_row: u64, registers: u64, whole: bool) -> Option<Beside> {
    let (function, analysis) = (&plan.view.function, &plan.analysis);
    let this = analysis.loops.get(id);
    let decision = &plan.decisions[id.index()];
    let wanted = decision.order == Order::BreadthFirst
        && decision.reason.is_estimated()
        && !decision.predicated;
    let reached = this.parent.is_none_or(|outer| plan.decisions[outer.index()].reason.is_given());
    let innermost = analysis.loops.ids().all(|other| analysis.loops.get(other).parent != Some(id));
    let &[(from, out)] = this.exits.as_slice() else { return None };
    if !whole || !wanted || !reached || !innermost || from != this.header || !is_plain(plan, id) {
        return None;
    }
    let at = |block: crate::view::BlockId| plan.view.blocks[block.index()];
    let mut before = function.block(this.header).predecessors.clone();
    before.retain(|&block| !this.contains(block));
    let &[before] = before.as_slice() else { return None };
    let inside = |block: &crate::view::BlockId| function.block(*block).instructions.len() as u64;
    let long: u64 = this.blocks.iter().map(inside).sum();
    let fits = |vectors: &u64| {
        in_row.is_multiple_of(*vectors)
            && vectors * long <= MOST_INSTRUCTIONS
            && !crowded::spills(function, analysis, id, *vectors, registers)
    };
    let vectors = [MOST_VECTORS, MOST_VECTORS / 2, MOST_VECTORS / 4].into_iter().find(fits)?;
    let (before, header, behind) = (at(before), at(this.header), at(out));
    Some(Beside { before, header, behind, vectors })
}

/// Whether vectors of any length do what a loop does as those of the machine do: without masks, and with memory side by side.
fn is_plain(plan: &Plan, id: LoopId) -> bool {
    let (function, analysis) = (&plan.view.function, &plan.analysis);
    let this = analysis.loops.get(id);
    let parts = |&block: &crate::view::BlockId| analysis.is_apart(function, block);
    let values = this.blocks.iter().flat_map(|&block| function.body(block));
    let is_near = |access: &crate::analysis::access::Access| {
        let stride = match analysis.shape(access.pointer)[0] {
            Shape::Uniform => 0,
            Shape::Affine(stride) => stride,
            Shape::Linear | Shape::Varying => return false,
        };
        let stores = function.instruction(access.instruction).map(|made| &made.op);
        let stores = matches!(stores, Some(Op::Store(_)));
        stride == access.bytes as i64 || stride == 0 && !stores
    };
    let simple = |value: Value| {
        !atomics::is_ordered(value)
            && !value.ty().is_vector()
            && (!value.is_opcode(Opcode::LLVMCall) || support::is_one_instruction(value))
    };
    !this.blocks.iter().any(parts)
        && values.map(|(value, _)| plan.view.values[value.index()]).all(simple)
        && analysis.classes(id).all(|(access, _)| is_near(access))
}

/// Carries out what was chosen.
pub fn insert(module: &Module, chosen: &[Beside]) {
    let context = module.context();
    let number = context.integer(32);
    let step = module.declared(GROUP_STEP, context.void().function(&[]));
    for Beside { before, header, behind, vectors } in chosen {
        let end = header.terminator().expect("it decides");
        for (from, to) in [(before, header), (header, behind)] {
            let (on, _) = from.split_edge(context, *to);
            let builder = Builder::before(context, on.terminator().expect("it was made"));
            builder.set_debug_location(end.debug_location());
            builder.call(step, &[]);
        }
        let count = context.metadata_value(number.constant(*vectors));
        end.set_metadata(context, BESIDE, context.metadata_node(&[count]));
    }
}

/// How many vectors go through a region together that has these blocks.
pub fn vectors(context: Context, blocks: &[Block]) -> u64 {
    let marked = blocks.iter().filter_map(|block| block.terminator()?.metadata(context, BESIDE));
    let counts = marked.filter_map(|mark| mark.values(context).first()?.unsigned());
    counts.max().unwrap_or(1)
}
