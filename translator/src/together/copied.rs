//! The copy of a striding loop that all items of a row go through together.

use std::collections::HashMap;

use super::mark_rest;
use super::striding::Striding;
use crate::group::ids::Id;
use crate::ir::copy::{Copier, Special};
use crate::llvm::{Block, Builder, IntPredicate, Module, Opcode, Value, predicates};
use crate::schedule::approach::rebuild;

/// Puts the copy in front of the loop, and gives its header.
pub fn put_in_front(module: &Module, this: &Striding) -> Block {
    let context = module.context();
    let Striding { before, header, counter, .. } = *this;
    let new = |name: &str| header.insert_before(context, name);
    let (decides, top, leaves) = (new("together.head"), new("together"), new("together.left"));
    let enters = before.terminator().expect("a block has a terminator");
    let builder = Builder::before(context, enters);
    let end = header.terminator().expect("it decides");
    builder.set_debug_location(end.debug_location());
    let row = Row::of(module, &builder, this);
    let begin = builder.binary(Opcode::LLVMSub, this.start, row.own);

    builder.move_to_end(decides);
    let first = builder.phi(counter.ty());
    first.add_incoming(begin, before);
    let mut copier = Copier::new(context, header.function().entry());
    let others: Vec<(Value, Value)> = header
        .phis()
        .into_iter()
        .filter(|&phi| phi != counter)
        .map(|phi| (phi, builder.phi(phi.ty())))
        .collect();
    copier.values.extend(others.iter().copied());
    let go = goes_on(&builder, this, first, row.reach);
    builder.branch_if(go, top, leaves);
    builder.move_to_end(leaves);
    let own = builder.add(first, row.own);
    builder.branch(header);

    builder.move_to_end(top);
    copier.values.insert(counter, row.counter(&builder, this, first));
    copy_header(&builder, this, &mut copier);
    copier.blocks.insert(header, top);
    copier.copy(&this.body, header.function(), &mut |_, _, _| Special::Copy);
    builder.set_debug_location(end.debug_location());
    let further = builder.add(first, row.step);
    builder.branch(copier.blocks[&this.begin]);
    let latch = copier.blocks[&this.latch];
    latch.redirect(top, decides);

    first.add_incoming(further, latch);
    for &(phi, copy) in &others {
        copy.set_debug_location(phi.debug_location());
        let at_first = phi.incoming_from(before).expect("the loop is entered from there");
        copy.add_incoming(at_first, before);
        let next = phi.incoming_from(this.latch).expect("an edge back");
        copy.add_incoming(copier.value(next), latch);
    }
    before.redirect(header, decides);
    let ends: HashMap<Value, Value> = others.into_iter().chain([(counter, own)]).collect();
    for phi in header.phis() {
        let next = phi.incoming_from(this.latch).expect("an edge back");
        rebuild(context, phi, vec![(ends[&phi], leaves), (next, this.latch)]);
    }
    mark_rest(context, end);
    decides
}

/// What an item's counter is more than that of the first item of its row, what that of the last one is, and what all go on by.
struct Row {
    own: Value,
    reach: Value,
    step: Value,
}

impl Row {
    fn of(module: &Module, builder: &Builder, this: &Striding) -> Row {
        let context = module.context();
        let (word, number) = (context.integer(64), context.integer(32));
        let ty = this.counter.ty();
        let ask = |id: Id| {
            let asked = module.declared(id.name(), word.function(&[number]));
            builder.call(asked, &[number.constant(0)])
        };
        let item = builder.resize(ask(Id::LocalId), ty);
        let last = builder.sub(ask(Id::LocalSize), builder.word(1));
        let last = builder.resize(last, ty);
        let times = |count: Value| match this.apart {
            1 => count,
            apart => builder.mul_exact(count, ty.constant(apart)),
        };
        let mut copies: HashMap<Value, Value> = HashMap::new();
        for &part in &this.parts {
            let copy = part.duplicate();
            builder.insert(copy);
            for (index, operand) in part.operands().enumerate() {
                if let Some(&new) = copies.get(&operand) {
                    copy.set_operand(index, new);
                }
            }
            copies.insert(part, copy);
        }
        let step = copies.get(&this.step).copied().unwrap_or(this.step);
        Row { own: times(item), reach: times(last), step }
    }

    /// An item's counter in an iteration: it is between the first and the last, so that nothing wraps around.
    fn counter(&self, builder: &Builder, this: &Striding, first: Value) -> Value {
        match predicates::is_signed(this.predicate) {
            true => builder.add_signed(first, self.own),
            false => builder.add_unsigned(first, self.own),
        }
    }
}

/// Whether the condition holds for all items of a row: for the last, which is not below the first.
fn goes_on(builder: &Builder, this: &Striding, first: Value, reach: Value) -> Value {
    let last = builder.add(first, reach);
    let holds = builder.compare(this.predicate, last, this.limit);
    let order = match predicates::is_signed(this.predicate) {
        true => IntPredicate::LLVMIntSLE,
        false => IntPredicate::LLVMIntULE,
    };
    builder.and(builder.compare(order, first, last), holds)
}

/// What the header computes, but for its phis and its branch.
fn copy_header(builder: &Builder, this: &Striding, copier: &mut Copier) {
    let all = this.header.instructions().into_iter();
    for original in all.filter(|it| !it.is_opcode(Opcode::LLVMPHI) && !it.is_terminator()) {
        let copy = original.duplicate();
        builder.insert(copy);
        copy.set_debug_location(original.debug_location());
        for index in 0..original.operand_count() {
            let new = copier.value(original.operand(index));
            if new != original.operand(index) {
                copy.set_operand(index, new);
            }
        }
        copier.values.insert(original, copy);
    }
}
