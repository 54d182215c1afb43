//! Carries out breadth-first orders: steps, where a loop decides whether it goes on.
//!
//! All items run up to the branch that leaves the loop or goes on, then decide alike, since the branch
//! is uniform: regions end there as they do at a barrier of the program, but that it is enough if the items of a chunk wait
//! for each other ([`crate::group::sections`]).

use super::Plan;
use crate::front::library::{GROUP_STEP, STEP};
use crate::llvm::{Builder, Module};

/// Inserts the steps of `plan`.
pub fn insert_steps(module: &Module, plan: &Plan) {
    let (context, steps) = (module.context(), plan.steps());
    for step in &steps {
        let name = if step.of_group { GROUP_STEP } else { STEP };
        let call = module.declared(name, context.void().function(&[]));
        let end = step.block.terminator().expect("a block has a terminator");
        let builder = Builder::before(context, end);
        builder.set_debug_location(end.debug_location());
        builder.call(call, &[]);
    }
}
