//! What a kernel's analysis and decisions come to: the plan that code generation follows.
//!
//! Made of the kernel as `prepare` leaves it; code generation then changes the kernel, and asks here
//! about the values that were there before.

use std::collections::{BTreeMap, HashSet};

use super::{Decision, Order, Reason, Vectors, Wish, apart, decide};
use crate::analysis::Analysis;
use crate::analysis::access::{Access, AccessKind};
use crate::analysis::loops::LoopId;
use crate::analysis::shape::Shape;
use crate::analysis::steps::{self, Lines};
use crate::group::launch::Sizes;
use crate::llvm::{self, Context, Machine};
use crate::program::way::Way;
use crate::view::BlockId;
use crate::view::extract::{Extracted, extract};

pub struct Plan {
    pub view: Extracted,
    pub analysis: Analysis,
    pub decisions: Vec<Decision>,
    /// Why items gain nothing from each other, if so: then the program's vectors stay whole.
    pub apart: Option<Reason>,
}

const CACHE_LINE_BYTES: u64 = 64;

/// Metadata of instructions that give all items of a group the same.
const SHARED: &str = "vicinity.shared";

/// Whether one place can hold a value for all items of the group, as [`Plan::mark_shared`] found.
pub fn is_shared(context: Context, value: llvm::Value) -> bool {
    !value.is_instruction() || value.metadata(context, SHARED).is_some()
}

impl Plan {
    /// `sizes`: what is known of the sizes of groups; `vectors`: whether items that leave a loop apart are lanes of vector code.
    pub fn new(
        context: Context,
        machine: &Machine,
        kernel: llvm::Function,
        sizes: Sizes,
        wish: Wish,
        vectors: Vectors,
    ) -> Plan {
        let view = extract(context, machine, kernel, sizes);
        let analysis = Analysis::by(&view.function, wish.rules());
        let apart = apart::apart(&view.function, &analysis, machine.vector_bits());
        let decisions = decide(&view.function, &analysis, wish, apart, vectors);
        Plan { view, analysis, decisions, apart }
    }

    /// Whether the loop goes by predicates, or one around it does.
    pub fn is_in_made(&self, id: LoopId) -> bool {
        let loops = &self.analysis.loops;
        let made = |id: LoopId| self.decisions[id.index()].reason == Reason::Made;
        loops.around(loops.get(id).header).any(made)
    }

    /// The instructions of `blocks` whose value is the same for all items that compute it.
    pub fn uniform_in(&self, blocks: &[BlockId]) -> HashSet<llvm::Value> {
        let inside = blocks.iter().flat_map(|&block| self.view.function.body(block));
        let uniform = inside.filter(|&(id, _)| self.analysis.is_uniform(id));
        uniform.map(|(id, _)| self.view.values[id.index()]).collect()
    }

    /// Marks the instructions whose value one place can hold for all items of the group. A mark stays
    /// with its instruction when code generation copies it, and is gone with it when it is erased.
    pub fn mark_shared(&self, context: Context) {
        let mark = context.metadata_node(&[]);
        let function = &self.view.function;
        for (id, value) in function.value_ids().zip(&self.view.values) {
            let instruction = function.instruction(id).is_some() && !value.ty().is_void();
            if instruction && self.analysis.is_one_for_all(function, id) {
                value.set_metadata(context, SHARED, mark);
            }
        }
    }

    /// Whether neighbours along x touch memory that is far apart, by the same stride everywhere.
    pub fn strides_far(&self) -> bool {
        self.analysis.accesses.iter().any(|access| match self.analysis.shape(access.pointer)[0] {
            Shape::Affine(bytes) => bytes.unsigned_abs() > CACHE_LINE_BYTES,
            Shape::Linear => true,
            Shape::Uniform | Shape::Varying => false,
        })
    }

    /// Orders of all loops that may be better than those that are chosen. `in_vectors`: of items.
    pub fn other_ways(&self, in_vectors: bool) -> Vec<Way> {
        let has = |order| {
            let is_doubtful = |it: &Decision| it.order == order && it.reason.is_doubtful(order);
            self.decisions.iter().any(is_doubtful)
        };
        let depth_first = has(Order::BreadthFirst).then_some(Way::Dfo);
        let breadth_first = (in_vectors && has(Order::DepthFirst)).then_some(Way::Bfo);
        depth_first.into_iter().chain(breadth_first).collect()
    }

    /// Whether what a row of items loads in a breadth-first loop serves the rows above and below, too.
    pub fn serves_rows(&self) -> bool {
        let is_breadth_first = |id: LoopId| self.decisions[id.index()].order == Order::BreadthFirst;
        self.analysis.accesses.iter().any(|access| {
            let [along_x, along_y, _] = self.analysis.shape(access.pointer);
            access.kind == AccessKind::Load
                && along_y.is_uniform()
                && !along_x.is_uniform()
                && self.analysis.loops.around(access.block).any(is_breadth_first)
        })
    }

    /// Lines of the cache that neighbours along another dimension share, of which neighbours along x touch one each, by accesses
    /// that are in as many loops as any. None where data tells which lines items touch: those may be near along x alone.
    pub fn shares_lines(&self) -> Option<Lines> {
        let accesses = || self.analysis.accesses.iter();
        let depth = |access: &Access| self.analysis.loops.around(access.block).count();
        let deepest = accesses().map(depth).max()?;
        let deep = || accesses().filter(|access| depth(access) == deepest);
        let is_known = deep().all(|access| access.steps[0] != steps::Step::Unknown);
        deep().find_map(|access| Lines::shared(access.steps)).filter(|_| is_known)
    }

    /// The blocks behind whose instructions items wait for each other so that loops run breadth-first:
    /// those that decide whether such a loop goes on.
    pub fn steps(&self) -> Vec<Step> {
        let mut blocks: BTreeMap<BlockId, bool> = BTreeMap::new();
        for decision in &self.decisions {
            let ours = decision.order == Order::BreadthFirst && !decision.reason.is_given();
            if ours && !decision.predicated {
                let exits = &self.analysis.loops.get(decision.id).exits;
                let departs = |to: BlockId| self.view.function.block(to).departs;
                for &(from, _) in exits.iter().filter(|&&(_, to)| !departs(to)) {
                    *blocks.entry(from).or_default() |= decision.of_group;
                }
            }
        }
        let block = |id: BlockId| self.view.blocks[id.index()];
        blocks.into_iter().map(|(id, of_group)| Step { block: block(id), of_group }).collect()
    }
}

/// Where items that go through a loop together wait for each other.
pub struct Step {
    pub block: llvm::Block,
    /// Not only those of a chunk.
    pub of_group: bool,
}
