//! Basic blocks.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::{Builder, Context, Function, Opcode, Value};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block(pub(super) LLVMBasicBlockRef);

impl Block {
    pub(super) fn some(raw: LLVMBasicBlockRef) -> Option<Block> {
        (!raw.is_null()).then_some(Block(raw))
    }

    pub fn function(self) -> Function {
        Function(Value(llvm!(LLVMGetBasicBlockParent(self.0))))
    }

    pub fn first(self) -> Option<Value> {
        Value::some(llvm!(LLVMGetFirstInstruction(self.0)))
    }

    /// The instructions as they are now.
    pub fn instructions(self) -> Vec<Value> {
        std::iter::successors(self.first(), |instruction| instruction.next()).collect()
    }

    pub fn phis(self) -> Vec<Value> {
        let phi = |instruction: &Value| instruction.is_opcode(Opcode::LLVMPHI);
        std::iter::successors(self.first(), |at| at.next()).take_while(phi).collect()
    }

    /// The first instruction that is no phi.
    pub fn first_after_phis(self) -> Option<Value> {
        std::iter::successors(self.first(), |at| at.next())
            .find(|instruction| !instruction.is_opcode(Opcode::LLVMPHI))
    }

    pub fn terminator(self) -> Option<Value> {
        Value::some(llvm!(LLVMGetBasicBlockTerminator(self.0)))
    }

    pub fn successors(self) -> Vec<Block> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// The blocks that jump here, each once.
    pub fn predecessors(self) -> Vec<Block> {
        let mut found = Vec::new();
        for user in self.as_value().users() {
            if let Some(block) = user.is_instruction().then(|| user.parent()).flatten()
                && !found.contains(&block)
            {
                found.push(block);
            }
        }
        found
    }

    pub fn as_value(self) -> Value {
        Value(llvm!(LLVMBasicBlockAsValue(self.0)))
    }

    pub fn name(self) -> String {
        self.as_value().name()
    }

    pub fn set_name(self, name: &str) {
        self.as_value().set_name(name);
    }

    /// A new block in front of this one.
    pub fn insert_before(self, context: Context, name: &str) -> Block {
        let name = super::c_text(name);
        Block(llvm!(LLVMInsertBasicBlockInContext(context.0, self.0, name.as_ptr())))
    }

    /// Moves everything in front of `at` into a new block, which falls through to this one and is come to in its place. The new block.
    pub fn split_before(self, context: Context, at: Value) -> Block {
        let before = self.insert_before(context, &format!("{}.before", self.name()));
        for user in self.as_value().users() {
            for index in 0..user.operand_count() {
                if user.operand(index).as_block() == Some(self) {
                    user.set_operand(index, before.as_value());
                }
            }
        }
        let builder = Builder::at_end(context, before);
        let mut location = at.debug_location();
        while let Some(instruction) = self.first().filter(|&first| first != at) {
            location = instruction.debug_location();
            instruction.unlink();
            builder.insert(instruction);
            instruction.set_debug_location(location);
        }
        builder.set_debug_location(location);
        builder.branch(self);
        before
    }

    /// Makes a block in front of `at` that is run only if a condition is `when`. The block in front of both, and what builds in the new one.
    pub fn only_if(
        self,
        context: Context,
        at: Value,
        condition: Value,
        when: bool,
    ) -> (Block, Builder) {
        let fork = self.split_before(context, at);
        let jump = fork.terminator().expect("it falls through");
        let then = self.insert_before(context, &format!("{}.if", self.name()));
        let builder = Builder::before(context, jump);
        match when {
            true => builder.branch_if(condition, then, self),
            false => builder.branch_if(condition, self, then),
        };
        builder.move_to_end(then);
        let jumps = builder.branch(self);
        builder.move_before(jumps);
        jump.erase();
        (fork, builder)
    }

    /// Lets all edges to one block lead to another; the phis of neither are changed.
    pub fn redirect(self, from: Block, to: Block) {
        let end = self.terminator().expect("a block has a terminator");
        for (index, successor) in end.successors().into_iter().enumerate() {
            if successor == from {
                end.set_successor(index, to);
            }
        }
    }

    /// A new block on the way from this one to `to`, and the phis of `to` before and after: each is made anew, since LLVM lets nobody
    /// change where a number comes from.
    pub fn split_edge(self, context: Context, to: Block) -> (Block, Vec<(Value, Value)>) {
        let between = to.insert_before(context, &format!("{}.edge", to.name()));
        let end = self.terminator().expect("it has a successor");
        let builder = Builder::at_end(context, between);
        builder.set_debug_location(end.debug_location());
        builder.branch(to);
        self.redirect(to, between);
        let renew = |phi: Value| {
            let new = Builder::before(context, phi).phi(phi.ty());
            new.take_metadata_of(context, phi);
            let (own, others): (Vec<_>, Vec<_>) =
                phi.incoming().into_iter().partition(|&(_, from)| from == self);
            let own = own.first().map(|&(value, _)| (value, between));
            others.into_iter().chain(own).for_each(|(value, from)| new.add_incoming(value, from));
            phi.replace_uses(new);
            phi.erase();
            (phi, new)
        };
        (between, to.phis().into_iter().map(renew).collect())
    }

    /// Ends a block that nothing jumps to, with its instructions.
    pub fn erase(self) {
        llvm!(LLVMDeleteBasicBlock(self.0));
    }
}
