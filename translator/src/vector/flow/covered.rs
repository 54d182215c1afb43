//! Switches whose cases are all that there is: the last case becomes the default.
//!
//! LLVM makes a switch of how a function within the kernel has ended (`break`, `return`, neither), and says that its default is
//! `unreachable`. Items of a vector that nobody sends there cannot be masked, so kernels with such a place were none for vectors.
//! The defaults of several switches jump to one such place since the exits of a kernel were united.
//!
//! Source: LLVM's language reference, `switch` and `unreachable`.

use crate::llvm::{Block, Builder, Context, Function, IntPredicate, Opcode, Value};

/// Whether a kernel has such a switch.
pub fn has_one(kernel: Function) -> bool {
    kernel.blocks().into_iter().any(|block| covered(block).is_some())
}

/// Rewrites the switches of a kernel, and ends the blocks that nothing leads to any more.
pub fn switches(context: Context, kernel: Function) {
    let mut left = Vec::new();
    for block in kernel.blocks() {
        let Some(end) = covered(block) else { continue };
        left.push(end.successors()[0]);
        spare_default(context, end);
    }
    let shared: Vec<Block> = left.iter().flat_map(|block| jump(*block)).collect();
    for gone in [left, shared] {
        let unused = kernel.blocks().into_iter().filter(|block| gone.contains(block));
        unused.filter(|block| block.predecessors().is_empty()).for_each(Block::erase);
    }
}

/// The switch that a block ends with, if its default is never reached.
fn covered(block: Block) -> Option<Value> {
    let end = block.terminator().filter(|end| end.is_opcode(Opcode::LLVMSwitch));
    end.filter(|end| is_never(end.successors()[0]))
}

/// Whether a block does nothing but not to be reached, or to jump to one that does not.
fn is_never(block: Block) -> bool {
    ends(block) || jump(block).is_some_and(ends)
}

fn ends(block: Block) -> bool {
    block.first().is_some_and(|first| first.is_opcode(Opcode::LLVMUnreachable))
}

/// Where a block that does nothing else jumps to.
fn jump(block: Block) -> Option<Block> {
    let first = block.first().filter(|first| first.is_opcode(Opcode::LLVMBr));
    first.filter(|first| first.condition().is_none()).map(|first| first.successors()[0])
}

/// As many edges lead to each block as before: its phis stay as they are.
fn spare_default(context: Context, end: Value) {
    let targets = end.successors();
    // The condition, the default, then labels and blocks by turns.
    let label = |case: usize| end.operand(2 * case);
    let Some(last) = (1..targets.len()).next_back() else { return };
    let condition = end.operand(0);
    let builder = Builder::before(context, end);
    builder.set_debug_location(end.debug_location());
    if last == 2 {
        let first = builder.compare(IntPredicate::LLVMIntEQ, condition, label(1));
        builder.branch_if(first, targets[1], targets[2]);
    } else {
        let cases: Vec<(Value, Block)> = (1..last).map(|at| (label(at), targets[at])).collect();
        builder.switch(condition, targets[last], &cases);
    }
    end.erase();
}
