//! What each item advances by the same is told as where it begins and how far all have come.
//!
//! Where all items run an iteration before the next one begins, a header's phi that differs from item to item is kept for each of
//! them, and nothing is known of what is read back: an index that each item advances by itself (`at += n`) becomes a number of which
//! addresses are gathered. Here `at` becomes `first + gone`: `gone` is the same for all, and `first` mostly told by the ids again. The code is then that of
//! `k * n + first`.
//! Steps: for each breadth-first loop that all items run, each phi of its header that gains the same for all items, by an addition or as
//! an address: a phi from zero on for what it gained, and the sum at the top of the header in the place of the old phi.
//! Not exact numbers any more: what was gained may wrap around where the sum does not.

use super::{Order, Plan, Reason};
use crate::analysis::loops::LoopId;
use crate::llvm::{Block, Builder, Context, Opcode, Type, Value};
use crate::view::{BinaryOp, Function, Op, TypeKind, ValueId};

/// Rewrites the loops of `plan`; whether there was anything to do, so that the plan is out of date.
pub fn advance(context: Context, plan: &Plan) -> bool {
    let walks = plan.decisions.iter().filter(|decision| {
        decision.order == Order::BreadthFirst
            && !decision.predicated
            && decision.reason != Reason::Made
            && !plan.analysis.is_left_apart(decision.id)
    });
    let steps: Vec<Step> = walks.flat_map(|decision| steps(plan, decision.id)).collect();
    steps.iter().for_each(|step| step.make(context));
    !steps.is_empty()
}

struct Step {
    phi: Value,
    /// From where it is what it is at first: that may be a phi which another step replaces.
    before: Block,
    /// What it is next, and from where.
    next: (Value, Block),
    /// What it gains: a number, or so many elements of a type.
    gain: Value,
    element: Option<Type>,
}

fn steps(plan: &Plan, id: LoopId) -> Vec<Step> {
    let function = &plan.view.function;
    let header = plan.analysis.loops.get(id).header;
    let phis = function.body(header).filter(|(_, made)| matches!(made.op, Op::Phi(_)));
    phis.filter_map(|(phi, _)| find(plan, id, phi)).collect()
}

/// The step of a phi that differs between items, if it is the same for all of them.
fn find(plan: &Plan, id: LoopId, phi: ValueId) -> Option<Step> {
    let (function, analysis) = (&plan.view.function, &plan.analysis);
    let ty = function.value(phi).ty;
    let counts = matches!(ty.kind, TypeKind::Integer if ty.bits == 32 || ty.bits == 64);
    if ty.lanes != 1
        || !(counts || matches!(ty.kind, TypeKind::Pointer(_)))
        || analysis.is_uniform(phi)
    {
        return None;
    }
    let made = function.instruction(phi)?;
    let Op::Phi(from) = &made.op else { return None };
    let this = analysis.loops.get(id);
    let (inside, outside): (Vec<usize>, Vec<usize>) =
        (0..from.len()).partition(|&at| this.contains(from[at]));
    let (&[first], &[next]) = (outside.as_slice(), inside.as_slice()) else { return None };
    let value = |id: ValueId| plan.view.values[id.index()];
    let edge = |at: usize| (value(made.operands[at]), plan.view.blocks[from[at].index()]);
    let next = edge(next);
    let element = next.0.source_type();
    if element.is_some() && next.0.operand_count() != 2 {
        return None;
    }
    let gain = match gain(function, phi, made.operands[inside[0]])? {
        Some(gain) => {
            let is_shared =
                function.instruction(gain).is_none() || analysis.is_one_for_all(function, gain);
            is_shared.then(|| value(gain))?
        }
        None => next.0.operand(1),
    };
    let before = plan.view.blocks[from[first].index()];
    Some(Step { phi: value(phi), before, next, gain, element })
}

/// What `next` is more than `phi`: a value, or none for a number of elements that is a constant.
fn gain(function: &Function, phi: ValueId, next: ValueId) -> Option<Option<ValueId>> {
    let made = function.instruction(next)?;
    let is_wide = |id: ValueId| function.value(id).ty.bits == 64;
    match (&made.op, made.operands.as_slice()) {
        (Op::Binary(BinaryOp::Add, _), &[a, b]) if a == phi && b != phi => Some(Some(b)),
        (Op::Binary(BinaryOp::Add, _), &[a, b]) if b == phi && a != phi => Some(Some(a)),
        (Op::Address { constant: 0, .. }, &[base, index]) if base == phi && is_wide(index) => {
            Some(Some(index))
        }
        (Op::Address { .. }, &[base]) if base == phi => Some(None),
        _ => None,
    }
}

impl Step {
    fn make(&self, context: Context) {
        let Step { phi, gain, .. } = *self;
        let number = gain.ty();
        let gone = Builder::before(context, phi).phi(number);
        gone.set_name("gone");
        let builder = Builder::before(context, self.next.0);
        builder.set_debug_location(self.next.0.debug_location());
        let further = builder.binary(Opcode::LLVMAdd, gone, gain);
        gone.add_incoming(number.constant(0), self.before);
        gone.add_incoming(further, self.next.1);
        let header = phi.parent().expect("a phi is in a block");
        let mut instructions = header.instructions().into_iter();
        let top = instructions.find(|value| !value.is_opcode(Opcode::LLVMPHI));
        let builder = Builder::before(context, top.expect("a block has a terminator"));
        builder.set_debug_location(phi.debug_location());
        let first = phi.incoming_from(self.before).expect("the loop is entered from there");
        let sum = match self.element {
            Some(ty) => builder.element_anywhere(ty, first, &[gone]),
            None => builder.binary(Opcode::LLVMAdd, first, gone),
        };
        phi.replace_uses(sum);
        phi.erase();
    }
}
