//! Loops by which items stride through a range: as long as no item of a group has come to the end, all go on together.
//!
//! Terms: in a *striding* loop, `for (i = get_global_id(0); i < n; i += get_global_size(0))`, the counter of neighbours along x
//! begins by the same apart, and goes on by the same for all. Its *first* is what the counter of the first item of a row is, its
//! *last* that of the last one.
//! Steps: in front of the loop stands a copy that goes on as long as the condition holds of the first and of the last, and no
//! number between them wraps around: it counts by the first, and what it asks is the same for all items of a row. So no item
//! leaves it before another, and there are no masks in it. The loop itself does what is left, mostly no iteration or one.
//!
//! Invariant: each item does the same in the same order as before, whatever the sizes are. That neighbours are as far apart as was
//! found decides what is gained alone.
//! Not here: which items' vectors go through the copy side by side ([`crate::schedule`]).

mod copied;
mod striding;

use crate::analysis::loops::LoopId;
use crate::llvm::{Block, Context, Module, Value};
use crate::schedule::Plan;
use striding::Striding;

/// Metadata of the branch that decides whether a loop goes on which does what its copy has left.
const REST: &str = "vicinity.rest";

/// Headers of loops.
#[derive(Default)]
pub struct Together {
    /// Copies that all items of a row go through together.
    pub copies: Vec<Block>,
    /// Loops that do what is left.
    pub rests: Vec<Block>,
}

/// Puts copies in front of the striding loops of a plan.
pub fn apply(module: &Module, plan: &Plan) -> Together {
    let ids = plan.analysis.loops.ids();
    let found: Vec<Striding> = ids.filter_map(|id| Striding::find(plan, id)).collect();
    let copies = found.iter().map(|each| copied::put_in_front(module, each)).collect();
    Together { copies, rests: found.iter().map(|each| each.header).collect() }
}

/// Whether items stride by a loop: each leaves it one iteration before another or behind it at most.
pub fn is_striding(plan: &Plan, id: LoopId) -> bool {
    Striding::find(plan, id).is_some()
}

fn mark_rest(context: Context, end: Value) {
    end.set_metadata(context, REST, context.metadata_node(&[]));
}

/// Whether the loop with this header does what its copy has left.
pub fn is_rest(context: Context, header: Block) -> bool {
    header.terminator().is_some_and(|end| end.metadata(context, REST).is_some())
}
