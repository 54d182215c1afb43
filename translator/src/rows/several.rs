//! A copy of a loop that does several iterations in one.

use std::collections::HashMap;

use super::counted::Counted;
use crate::llvm::{Block, Builder, Context, IntPredicate, Value};

/// Puts a copy that does so many iterations in one in front of the loop, which does those that are left, and gives its header.
pub fn put_in_front(context: Context, this: &Counted, times: u64) -> Block {
    let header = this.header;
    let before: Vec<Block> =
        header.predecessors().into_iter().filter(|&block| block != this.body).collect();
    let decides = header.insert_before(context, "several.head");
    let inside = header.insert_before(context, "several");
    let builder = Builder::at_end(context, decides);
    let mut values: HashMap<Value, Value> = HashMap::new();
    let phis: Vec<(Value, Value)> =
        header.phis().into_iter().map(|phi| (phi, copy_phi(&builder, this, phi))).collect();
    values.extend(phis.iter().copied());
    let end = header.terminator().expect("it decides");
    builder.set_debug_location(end.debug_location());
    let goes_on = goes_on(&builder, this, times, values[&this.counter()]);
    builder.branch_if(goes_on, inside, header);
    builder.move_to_end(inside);
    for time in 0..times {
        for original in this.instructions() {
            if time == 0 || !this.stays(original) {
                values.insert(original, copy(&builder, original, &values));
            }
        }
        let next = |phi: Value| values.get(&this.next(phi)).copied().unwrap_or(this.next(phi));
        let handed_on: Vec<(Value, Value)> =
            phis.iter().map(|&(phi, _)| (phi, next(phi))).collect();
        values.extend(handed_on);
    }
    builder.branch(decides);
    phis.iter().for_each(|&(phi, copy)| copy.add_incoming(values[&phi], inside));
    before.into_iter().for_each(|block| block.redirect(header, decides));
    phis.into_iter().for_each(|(phi, copy)| enter_from(context, this, phi, copy, decides));
    decides
}

/// A phi with the edges into the loop.
fn copy_phi(builder: &Builder, this: &Counted, phi: Value) -> Value {
    let copy = builder.phi(phi.ty());
    copy.set_debug_location(phi.debug_location());
    let outside = phi.incoming().into_iter().filter(|&(_, from)| from != this.body);
    outside.for_each(|(value, from)| copy.add_incoming(value, from));
    copy
}

fn copy(builder: &Builder, original: Value, values: &HashMap<Value, Value>) -> Value {
    let copy = original.duplicate();
    builder.insert(copy);
    copy.set_debug_location(original.debug_location());
    for index in 0..original.operand_count() {
        if let Some(&new) = values.get(&original.operand(index)) {
            copy.set_operand(index, new);
        }
    }
    copy
}

/// Whether the condition holds now and for as many iterations as are done together: how far the limit is cannot overflow then.
fn goes_on(builder: &Builder, this: &Counted, times: u64, counter: Value) -> Value {
    let now = builder.compare(this.predicate, counter, this.limit());
    let left = builder.sub(this.limit(), counter);
    let further = counter.ty().constant(this.step * (times - 1));
    let is_far = match this.predicate {
        IntPredicate::LLVMIntSLE | IntPredicate::LLVMIntULE => IntPredicate::LLVMIntUGE,
        _ => IntPredicate::LLVMIntUGT,
    };
    builder.and(now, builder.compare(is_far, left, further))
}

/// Leaves a phi of the header with the edges from the body and from `before`.
fn enter_from(context: Context, this: &Counted, phi: Value, first: Value, before: Block) {
    let new = Builder::before(context, phi).phi(phi.ty());
    new.set_debug_location(phi.debug_location());
    let next = this.next(phi);
    new.add_incoming(first, before);
    new.add_incoming(if next == phi { new } else { next }, this.body);
    phi.replace_uses(new);
    phi.erase();
}
