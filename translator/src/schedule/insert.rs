//! Carries out breadth-first orders: barriers of our own, where a loop decides whether it goes on.
//!
//! All items run up to the branch that leaves the loop or goes on, then decide alike, since the branch
//! is uniform: what the regions between barriers make of a barrier of the program, they make of these.

use super::Plan;
use crate::library::BARRIERS;
use crate::llvm::{Builder, Module};

/// Inserts the barriers of `plan`.
pub fn insert_steps(module: &Module, plan: &Plan) {
    let (context, steps) = (module.context(), plan.steps());
    if steps.is_empty() {
        return;
    }
    let number = context.integer(32);
    let barrier = module.declared(BARRIERS[0], context.void().function(&[number]));
    for step in &steps {
        let end = step.terminator().expect("a block has a terminator");
        let builder = Builder::before(context, end);
        builder.set_debug_location(end.debug_location());
        builder.call(barrier, &[number.constant(0)]);
    }
}
