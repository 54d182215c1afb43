//! Where a value is used, and putting others in its place: another value, or a variable in memory.
//!
//! Terms: a phi uses a value where it comes from. Where several edges lead from there (the labels of a switch), it has the
//! value several times, and LLVM wants the same one each time: they are one use here.

use std::collections::HashSet;

use crate::llvm::{Block, Builder, Context, Opcode, Value};

/// A use of a value.
pub struct Use {
    pub user: Value,
    /// Where the value must be there.
    pub block: Block,
    /// Which operands of the user it is.
    places: Vec<usize>,
}

impl Use {
    /// The instruction before which the value must be there.
    pub fn place(&self) -> Value {
        match self.user.is_opcode(Opcode::LLVMPHI) {
            true => self.block.terminator().expect("a block has a terminator"),
            false => self.user,
        }
    }

    pub fn put(&self, value: Value) {
        self.places.iter().for_each(|&index| self.user.set_operand(index, value));
    }
}

/// The uses of `value`.
pub fn of(value: Value) -> Vec<Use> {
    let mut found: Vec<Use> = Vec::new();
    let mut seen = HashSet::new();
    for user in value.users() {
        if !seen.insert(user) {
            continue;
        }
        let first = found.len();
        let incoming = user.incoming();
        for index in (0..user.operand_count()).filter(|&index| user.operand(index) == value) {
            let from = incoming.get(index).map(|&(_, from)| from);
            let block = from.or_else(|| user.parent()).expect("an instruction in a block");
            match found[first..].iter_mut().find(|known| from.is_some() && known.block == block) {
                Some(known) => known.places.push(index),
                None => found.push(Use { user, block, places: vec![index] }),
            }
        }
    }
    found
}

/// Where what is written down of `value` has to stand: behind it, or behind the phis that it is among.
pub fn behind(value: Value) -> Value {
    let next = match value.is_opcode(Opcode::LLVMPHI) {
        true => value.parent().expect("an instruction in a block").first_after_phis(),
        false => value.next(),
    };
    next.expect("a terminator comes last")
}

/// A variable for what `value` is.
fn variable_for(context: Context, value: Value) -> Value {
    let home = value.parent().expect("an instruction in a block");
    Builder::at_start(context, home.function()).alloca(value.ty())
}

/// A variable that `value` is written to where it is computed.
pub fn variable_of(context: Context, value: Value) -> Value {
    let variable = variable_for(context, value);
    Builder::before(context, behind(value)).store(value, variable);
    variable
}

/// Puts a variable in the place of each phi of `block`.
pub fn keep_phis_in_memory(context: Context, block: Block) {
    for phi in block.phis() {
        let variable = variable_for(context, phi);
        let mut written = HashSet::new();
        for (value, from) in phi.incoming() {
            if written.insert(from) {
                let end = from.terminator().expect("a block has a terminator");
                Builder::before(context, end).store(value, variable);
            }
        }
        let place = block.first_after_phis().expect("a block has a terminator");
        phi.replace_uses(Builder::before(context, place).load(phi.ty(), variable));
        phi.erase();
    }
}

/// Lets what `block` computes go through variables to all blocks but those of which `is_inside` holds. Gives the values that do, each
/// with its variable.
pub fn keep_in_memory(
    context: Context,
    block: Block,
    is_inside: &dyn Fn(Block) -> bool,
) -> Vec<(Value, Value)> {
    let mut kept = Vec::new();
    for value in block.instructions() {
        let mut outside = of(value);
        outside.retain(|at| !is_inside(at.block));
        if !outside.is_empty() {
            let variable = variable_of(context, value);
            for at in &outside {
                at.put(Builder::before(context, at.place()).load(value.ty(), variable));
            }
            kept.push((value, variable));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::llvm::{Context, Module};

    #[test]
    fn what_comes_by_several_labels_is_used_once() {
        let text = "define i32 @kernel(i32 %n) {
            entry:
              %v = add i32 %n, 1
              switch i32 %n, label %other [ i32 0, label %done
                                            i32 1, label %done ]
            other:
              %w = mul i32 %v, %v
              br label %done
            done:
              %r = phi i32 [ %v, %entry ], [ %v, %entry ], [ %v, %other ]
              ret i32 %r
            }";
        let module = Module::from_text(Context::new(), text).expect("LLVM's assembly");
        let kernel = module.function("kernel").expect("the kernel");
        let value = kernel.entry().first().expect("the sum");
        let uses = of(value);
        let mut blocks: Vec<String> = uses.iter().map(|at| at.block.name()).collect();
        blocks.sort();
        // The product's operands may be replaced apart.
        assert_eq!(blocks, ["entry", "other", "other", "other"]);
        uses.iter().for_each(|at| at.put(kernel.parameters()[0]));
        assert!(!value.is_used());
        module.verify().expect("what was built holds LLVM's rules");
    }
}
