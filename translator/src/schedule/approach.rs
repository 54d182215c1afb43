//! The way to a loop that maybe only some items take.
//!
//! Terms: the *fork* is the last block before the loop that all items run; the *approach* the blocks between
//! it and the loop; a *bypass* an edge from there to elsewhere.

use std::collections::HashSet;

use crate::analysis::Analysis;
use crate::front::division;
use crate::group::crossing::is_arithmetic;
use crate::group::ids::Id;
use crate::llvm::{Block, Builder, Context, Opcode, Value};
use crate::view::{BlockId, Callee, Function};

pub struct Approach {
    pub fork: BlockId,
    pub blocks: Vec<BlockId>,
}

impl Approach {
    /// The way to `header`, the first block of a loop that has `inside`. None where all items are asked something on it: what
    /// they answer decides for all, also which barrier comes next, and items that meet later would decide it each for itself.
    pub fn of(
        function: &Function,
        analysis: &Analysis,
        header: BlockId,
        inside: impl Fn(BlockId) -> bool,
    ) -> Option<Approach> {
        let mut fork = analysis.dominators.parent(header)?;
        while analysis.is_divergent(fork) {
            fork = analysis.dominators.parent(fork)?;
        }
        let mut blocks: Vec<BlockId> = Vec::new();
        let mut work = function.block(header).predecessors.clone();
        while let Some(block) = work.pop() {
            if block != fork && !inside(block) && !blocks.contains(&block) {
                blocks.push(block);
                work.extend(&function.block(block).predecessors);
            }
        }
        let asks = |&block: &BlockId| function.calls(block, Callee::Question);
        if blocks.iter().chain([&fork]).any(asks) {
            return None;
        }
        blocks.sort();
        Some(Approach { fork, blocks })
    }
}

/// Moves arithmetic of the approach `blocks` to the end of the `fork`, where it serves all ways. Divisions go along where they are
/// `uniform`: they are done once for a group, and what comes of them stays the same for all items, as what crosses a
/// question to all items does not.
pub fn hoist(context: Context, fork: Block, blocks: &[Block], uniform: &HashSet<Value>) {
    let end = fork.terminator().expect("a block has a terminator");
    let mut moved = true;
    while moved {
        moved = false;
        for block in blocks {
            for value in block.instructions() {
                let ready = || {
                    value.operands().all(|operand| {
                        let home = operand.is_instruction().then(|| operand.parent()).flatten();
                        home.is_none_or(|home| !blocks.contains(&home))
                    })
                };
                let divides = division::is_division(value) && uniform.contains(&value);
                if (is_harmless(value) || divides) && ready() {
                    value.unlink();
                    Builder::before(context, end).insert(value);
                    division::secure_one(context, value);
                    moved = true;
                }
            }
        }
    }
}

/// Instructions that may run where their result is not wanted.
pub fn is_harmless(value: Value) -> bool {
    use Opcode::*;
    let of_floats =
        matches!(value.opcode(), Some(LLVMFCmp | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFNeg));
    let extremum = || {
        let name = value.intrinsic_name();
        name.is_some_and(|name| {
            ["llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"].contains(&&*name)
        })
    };
    is_arithmetic(value) || of_floats || Id::of_call(value).is_some() || extremum()
}

/// A phi in the place of `phi`, with other edges.
pub fn rebuild(context: Context, phi: Value, incoming: Vec<(Value, Block)>) {
    let new = Builder::before(context, phi).phi(phi.ty());
    new.set_debug_location(phi.debug_location());
    for (value, from) in incoming {
        new.add_incoming(if value == phi { new } else { value }, from);
    }
    phi.replace_uses(new);
    phi.erase();
}
