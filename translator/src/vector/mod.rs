//! Vector code for regions: W items of a group, neighbours along x, go through a region together.
//!
//! Terms: a *lane* is one of these items. What all lanes share is computed once, what differs by a known stride is the first
//! lane's value, all else is vectors. The way of a region: [`facts`] finds what is known of it, [`emit`] makes the code, block by
//! block, with [`flow`] for branches and loops, [`memory`] for loads and stores and [`values`] for all that is computed;
//! [`fill`] has whole rows of items go through it. [`facts::support`] says which kernels can go this way; others are left to
//! LLVM's loop vectorizer.
//!
//! Invariants:
//! 1. What a lane does is what its item would do alone, in the order of its program.
//! 2. A lane that is off touches no memory of the program, divides by nothing but one, and calls nothing that it can be
//!    noticed by. It may be loaded with its neighbours from a page where one of them is ([`memory::masked`]).
//! 3. Masks are never undefined: what lanes that are off compute reaches them through a select alone.

mod emit;
pub mod facts;
pub mod fill;
pub mod flow;
pub mod memory;
pub mod values;

use memory::nowhere::Nowhere;
use std::collections::HashMap;

pub use emit::Emitter;
pub use flow::homes::Home;
pub use memory::private::Privates;

use crate::group::ids::Place;
use crate::group::launch::Sizes;
use crate::group::regions::Region;
use crate::ir::copy::Copier;
use crate::llvm::{Block, Builder, Context, Function, Machine, Value};
use crate::report::describe::Change;
use emit::Shared;
use facts::graph::Graph;
use facts::shapes::{Facts, Known};
use facts::state::State;
use flow::homes::Homes;
use flow::masks::MaskSlot;

/// A region whose vector code can be made.
pub struct Plan {
    graph: Graph,
    facts: Facts,
}

/// What a plan is made of.
pub struct Of<'a> {
    pub machine: &'a Machine,
    pub privates: &'a Privates,
    /// Variables that stand for what comes from elsewhere, and how that differs between items.
    pub slots: &'a HashMap<Value, State>,
    pub is_uniform: &'a dyn Fn(Value) -> bool,
    pub sizes: Sizes,
    /// Items of a vector.
    pub lanes: u64,
}

impl Plan {
    /// None where [`facts::support`] lacks something.
    pub fn new(region: &Region, of: &Of) -> Option<Plan> {
        let graph = Graph::new(region)?;
        let known = Known {
            machine: of.machine,
            graph: &graph,
            privates: of.privates,
            slots: of.slots,
            is_uniform: of.is_uniform,
            any_ids: of.sizes.any_ids,
            lanes: of.lanes,
        };
        let facts = Facts::find(&known);
        // Items of a sub-group may not wait for each other in loops.
        let makes_progress =
            of.sizes.sub_group.is_some() || facts::progress::is_made(of.machine, &graph, &facts);
        makes_progress.then_some(Plan { graph, facts })
    }

    /// What becomes of atomic operations.
    pub fn changes(&self) -> Vec<Change> {
        let all = self.graph.blocks.iter().flat_map(|block| block.instructions());
        all.filter(|&value| crate::code::atomics::is_one(value))
            .map(|operation| {
                let at = operation.operand(0);
                let shape = self.facts.of(at).shape;
                let line = operation.source_position().map_or(0, |(line, _)| line);
                Change { line, became: memory::atomics::told(operation, shape).to_string() }
            })
            .collect()
    }

    /// Whether the code is right only for ids along x below 2^31.
    pub fn wants_narrow_launch(&self) -> bool {
        self.facts.narrow_launch
    }
}

/// Where the code of a plan goes, and what it works on.
pub struct Site<'a> {
    pub context: Context,
    pub machine: &'a Machine,
    pub function: Function,
    /// Where allocas are made.
    pub head: Block,
    pub lanes: u64,
    pub copier: Copier,
    pub place: Place,
    pub privates: &'a Privates,
    /// By alloca of the kernel: the first lane's, and how many bytes farther the next one's is.
    pub privates_at: HashMap<Value, (Value, i64)>,
    pub slots: &'a HashMap<Value, Home>,
    pub nowhere: Nowhere,
    /// Where the row of items ends, where vectors may leave it before its last one.
    pub row_end: Option<Block>,
}

/// Makes the code at the end of `begin`, for the lanes of `mask`, or all. `end` makes what follows, where the lanes leave.
pub fn make(
    plan: &Plan,
    site: Site,
    begin: Block,
    mask: Option<Value>,
    end: &mut dyn FnMut(&mut Emitter),
) {
    let Plan { graph, facts } = plan;
    let head = Builder::before(site.context, site.head.terminator().expect("a closed head"));
    let homes = Homes::make(&head, graph, facts, site.lanes);
    let slot = || MaskSlot::make(&head, site.context, site.lanes);
    let partial = |&block: &usize| {
        (0..graph.loops.len())
            .filter(|&id| graph.loops[id].header == block)
            .map(facts::graph::Node::Loop)
            .chain([facts::graph::Node::Block(block)])
            .any(|node| facts.control.is_partial(node))
    };
    let masks: HashMap<usize, MaskSlot> =
        (0..graph.blocks.len()).filter(partial).map(|block| (block, slot())).collect();
    let living: HashMap<usize, [MaskSlot; 2]> = (0..graph.loops.len())
        .filter(|&id| facts.control.is_left_apart(id))
        .map(|id| (id, [slot(), slot()]))
        .collect();
    let shared = Shared {
        context: site.context,
        machine: site.machine,
        graph,
        facts,
        homes: &homes,
        lanes: site.lanes,
        privates_at: &site.privates_at,
        privates: site.privates,
        slots: site.slots,
        nowhere: site.nowhere,
        row_end: site.row_end,
        masks: &masks,
        living: &living,
    };
    let builder = Builder::at_end(site.context, begin);
    let mut emitter = Emitter::new(shared, site.copier, site.place, builder, site.function);
    emitter.run(mask, end);
}
