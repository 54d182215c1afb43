//! Sums along tiles in local memory stay loops until groups are cut into chunks.
//!
//! `for (k = 0; k < 16; k++) sum += rows[y][k] * columns[k][x];` is so short that LLVM writes it out, and `#pragma unroll` often asks
//! for it. Written out, one vector of items after the other goes through all of it: a chain of dependent additions, with two loads
//! for each. As a loop, the vectors of a chunk go through it together ([`crate::group::sections`]), so that they share what they load, and their sums are
//! registers. So such loops are marked while others are written out; afterwards LLVM may do with them as it likes.
//!
//! Which loops: innermost ones of [`FEWEST_ITERATIONS`] and more in kernels with barriers, which hand on a number in floating point from
//! iteration to iteration, load local memory at places that their counter leads to, and write none.

use crate::front::library;
use crate::front::written_out::{Loop, find};
use crate::group::local::LOCAL_SPACE;
use crate::llvm::{Context, Function, Module, Opcode, Value};

/// What shorter loops would gain, entering them for several vectors costs.
const FEWEST_ITERATIONS: i64 = 8;

const LOOP: &str = "llvm.loop";
/// Tells LLVM to leave a loop as it is.
const STAYS: &str = "llvm.loop.unroll.disable";
/// Marks the branches that we told so.
const OURS: &str = "vicinity.rolled";

/// Marks the loops of a module that are to stay.
pub fn mark(module: &Module) {
    let context = module.context();
    for function in module.functions().into_iter().filter(|function| waits(*function)) {
        let loops = find(function);
        for each in loops.iter().filter(|each| stays(each, &loops)) {
            let branch = each.latch.terminator().expect("a whole block");
            let stays = context.metadata_node(&[context.metadata_text(STAYS)]);
            branch.set_metadata(context, LOOP, context.metadata_loop(&[stays]));
            branch.set_metadata(context, OURS, context.metadata_node(&[]));
        }
    }
}

/// Takes the marks away.
pub fn release(module: &Module) {
    let context = module.context();
    let all = module.functions().into_iter().flat_map(Function::blocks);
    for branch in all.filter_map(|block| block.terminator()).filter(|it| is_ours(context, *it)) {
        branch.remove_metadata(context, LOOP);
        branch.remove_metadata(context, OURS);
    }
}

fn is_ours(context: Context, branch: Value) -> bool {
    branch.metadata(context, OURS).is_some()
}

/// Whether a function is one whose items wait for each other.
fn waits(function: Function) -> bool {
    function.has_body() && function.instructions().any(library::is_barrier)
}

fn stays(each: &Loop, loops: &[Loop]) -> bool {
    let is_innermost =
        loops.iter().all(|other| !each.contains(other) || other.blocks == each.blocks);
    let inside = || each.blocks.iter().flat_map(|block| block.instructions());
    let number = |phi: Value| phi.ty().element().unwrap_or(phi.ty());
    let hands_on = each.blocks[0].phis().into_iter().any(|phi| number(phi).is_float());
    let addresses = computed_from(each.counter);
    is_innermost
        && each.count >= Some(FEWEST_ITERATIONS)
        && hands_on
        && inside().all(only_reads)
        && inside().any(|load| is_local(load, &addresses))
}

/// Whether an instruction writes no memory, waits for nobody, and touches no array of the item's own.
fn only_reads(instruction: Value) -> bool {
    use Opcode::*;
    match instruction.opcode() {
        Some(LLVMLoad) => {
            let is_own = instruction.operand(0).root().is_opcode(LLVMAlloca);
            !is_own && !instruction.is_volatile() && !instruction.is_atomic()
        }
        Some(LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence) => false,
        Some(LLVMCall) => instruction.called().is_some_and(Function::is_intrinsic),
        _ => true,
    }
}

/// Whether a load reads local memory at an address among these.
fn is_local(load: Value, addresses: &[Value]) -> bool {
    let is_one = load.is_opcode(Opcode::LLVMLoad) && addresses.contains(&load.operand(0));
    is_one && load.operand(0).ty().address_space() == LOCAL_SPACE
}

/// What is computed from a counter, by the arithmetic of addresses alone.
fn computed_from(counter: Value) -> Vec<Value> {
    use Opcode::*;
    let mut found = vec![counter];
    let mut at = 0;
    while let Some(&value) = found.get(at) {
        at += 1;
        for user in value.users() {
            let computes = matches!(
                user.opcode(),
                Some(LLVMGetElementPtr | LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMOr)
                    | Some(LLVMSExt | LLVMZExt | LLVMTrunc)
            );
            if computes && !found.contains(&user) {
                found.push(user);
            }
        }
    }
    found
}
