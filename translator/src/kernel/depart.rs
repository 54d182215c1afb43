//! Items that return where others go on to a barrier.
//!
//! OpenCL C wants every item of a group at a barrier or none. Programs cut off their range in front of one all the same
//! (`if (get_global_id(0) >= n) return;`), and mean what graphics processors do: an item that has returned *departs*, and
//! barriers are for those that have not.
//!
//! Terms: a block is *finished* if no barrier comes behind it. A branch *parts* the group if some ways from it may lead to a
//! barrier and others do not, and nothing says that all items take the same.
//! Steps: every edge from a branch that parts the group to a finished block leads to a copy of what follows there, with no way back
//! and no return: it ends in a call of [`DEPART`]. What is left is a kernel whose items all meet at the same barriers,
//! unless they have departed on the way, and all analyses and passes take it so. [`crate::group::workgroup`] writes down who has
//! departed and runs no region for them any more.
//!
//! Invariant: no block of such a copy leads to another that is not of it.
//! Not here: branches both of whose ways lead to barriers (a loop with a barrier that items leave at different times, but for its
//! last edges). There the last item decides for the whole group, and the build log says so. Those where a barrier need not come:
//! [`crate::kernel::agree`].

use std::collections::{HashMap, HashSet};

use crate::analysis::Analysis;
use crate::ir::cfg::Flow;
use crate::ir::copy::{Copier, Special};
use crate::llvm::{Block, Builder, Context, Function, Module, Opcode, Value};
use crate::schedule::Plan;
use crate::schedule::approach::rebuild;
use crate::view::extract::Extracted;
use crate::view::{self, BlockId};

/// What an item calls when it departs; its argument is the variable of the item that says so, the block ends behind it.
pub const DEPART: &str = "vicinity_depart";

/// An edge at which items depart.
type Edge = (BlockId, BlockId);

/// Lets items depart where `plan` found that the group may be parted. Whether there was such a place, so that the plan is
/// out of date.
pub fn apply(module: &Module, kernel: Function, plan: &Plan) -> bool {
    let edges = parting(&plan.view.function, &plan.analysis);
    depart(module, kernel, &plan.view, &edges)
}

/// The same wherever items go to a finished block and others may not, for kernels that are not analysed.
pub fn apply_everywhere(module: &Module, kernel: Function, view: &Extracted) {
    let edges = finishing(&view.function);
    depart(module, kernel, view, &edges);
}

/// Edges from blocks that are not finished, and have other ways, to finished ones.
fn finishing(function: &view::Function) -> Vec<Edge> {
    let reaches = function.reaching(|block| function.has_barrier(block));
    let returns = function.reaching(|block| {
        function.terminator(block).is_some_and(|(_, end)| end.op == view::Op::Return)
    });
    let mut found = Vec::new();
    for from in function.block_ids().filter(|from| reaches[from.index()]) {
        let finished = |to: &&BlockId| !reaches[to.index()] && returns[to.index()];
        found.extend(function.block(from).successors.iter().filter(finished).map(|&to| (from, to)));
    }
    found.retain(|&(from, _)| function.block(from).successors.iter().any(|to| reaches[to.index()]));
    found.sort();
    found.dedup();
    found
}

/// Those of a branch that parts the group. Where there are none, those inside of the ways of such a branch: only some items
/// get there.
fn parting(function: &view::Function, analysis: &Analysis) -> Vec<Edge> {
    let undecided = analysis.undecided();
    let all = finishing(function);
    // That items are apart does not mean that the barrier comes: it may be in a loop that nobody enters.
    let parts = |from: BlockId| undecided.contains(&from) || analysis.is_apart(function, from);
    let own: Vec<Edge> = all.iter().copied().filter(|&(from, _)| parts(from)).collect();
    if !own.is_empty() {
        return own;
    }
    let inside = |&(from, _): &Edge| {
        let mut ways = undecided.iter().flat_map(|&branch| &function.block(branch).successors);
        analysis.is_divergent(from) || ways.any(|&way| analysis.dominators.dominates(way, from))
    };
    all.into_iter().filter(inside).collect()
}

/// Carries it out; whether there was anything to do.
fn depart(module: &Module, kernel: Function, view: &Extracted, edges: &[Edge]) -> bool {
    if edges.is_empty() {
        return false;
    }
    let context = module.context();
    let at = |block: BlockId| view.blocks[block.index()];
    let edges: Vec<(Block, Block)> = edges.iter().map(|&(from, to)| (at(from), at(to))).collect();
    let copies = copy_behind(module, kernel, &edges);
    // Before any phi is rebuilt: several edges may lead to one block.
    for &(from, to) in &edges {
        for _ in places_of(from, to) {
            arrive(&copies, from, to);
        }
    }
    for &(from, to) in &edges {
        let end = from.terminator().expect("a block has a terminator");
        for index in places_of(from, to) {
            end.set_successor(index, copies.blocks[&to]);
        }
        forget(context, from, to);
    }
    end_unreached(context, kernel);
    true
}

/// Which of the successors of `from` are `to`: several labels of a switch may be.
fn places_of(from: Block, to: Block) -> Vec<usize> {
    let ways = from.successors();
    (0..ways.len()).filter(|&index| ways[index] == to).collect()
}

/// Gives the phis of the copy of `to` what those of `to` have from `from`, which leads to the copy from now on.
fn arrive(copies: &Copier, from: Block, to: Block) {
    for phi in to.phis() {
        let incoming = phi.incoming();
        let came = incoming.iter().find(|(_, source)| *source == from);
        copies.values[&phi].add_incoming(came.expect("a value for every edge").0, from);
    }
}

/// Ends what the phis of `to` had from a block that leads there no more.
fn forget(context: Context, from: Block, to: Block) {
    for phi in to.phis() {
        let mut incoming = phi.incoming();
        incoming.retain(|(_, source)| *source != from);
        rebuild(context, phi, incoming);
    }
}

/// Copies what comes behind `edges`, up to where it would return.
fn copy_behind(module: &Module, kernel: Function, edges: &[(Block, Block)]) -> Copier {
    let context = module.context();
    let mut behind: Vec<Block> = Vec::new();
    for &(_, to) in edges {
        let known: HashSet<Block> = behind.iter().copied().collect();
        let flow = Flow::new(to, &|block| known.contains(&block));
        behind.extend(flow.blocks.iter().filter(|block| !known.contains(block)));
    }
    let (departed, function) = (departed(module, kernel), declared(module));
    let mut copier = Copier::new(context, kernel.entry());
    copier.copy(&behind, kernel, &mut |_, builder, original| {
        if !original.is_opcode(Opcode::LLVMRet) {
            return Special::Copy;
        }
        builder.call(function, &[departed]);
        builder.unreachable();
        Special::Nothing
    });
    copier
}

/// The variable that says whether an item has departed, of all copies the same.
fn departed(module: &Module, kernel: Function) -> Value {
    if let Some(known) = variable(kernel) {
        return known;
    }
    let context = module.context();
    let flag = context.integer(8);
    let builder = Builder::at_start(context, kernel);
    let variable = builder.alloca(flag);
    builder.store(flag.constant(0), variable);
    variable
}

/// The variable by which items of `kernel` depart, if they do.
pub fn variable(kernel: Function) -> Option<Value> {
    let mut instructions = kernel.instructions();
    let call = instructions.find(|&instruction| is_departure(instruction))?;
    call.call_arguments().first().copied()
}

pub fn is_departure(instruction: Value) -> bool {
    instruction.called().is_some_and(|called| called.name() == DEPART)
}

fn declared(module: &Module) -> Function {
    let context = module.context();
    let ty = context.void().function(&[context.pointer(0)]);
    module.declared(DEPART, ty)
}

/// Ends blocks that nothing leads to any more.
fn end_unreached(context: Context, kernel: Function) {
    let flow = Flow::new(kernel.entry(), &|_| false);
    let (live, dead): (Vec<Block>, Vec<Block>) =
        kernel.blocks().into_iter().partition(|&block| flow.contains(block));
    let mut lost: HashMap<Block, Vec<Block>> = HashMap::new();
    for &from in &dead {
        for to in from.successors().into_iter().filter(|to| live.contains(to)) {
            lost.entry(to).or_default().push(from);
        }
    }
    for (to, from) in lost {
        from.into_iter().for_each(|from| forget(context, from, to));
    }
    let instructions: Vec<Value> = dead.iter().flat_map(|block| block.instructions()).collect();
    for instruction in instructions.iter().filter(|instruction| !instruction.ty().is_void()) {
        instruction.replace_uses(instruction.ty().poison());
    }
    instructions.into_iter().rev().for_each(Value::erase);
    dead.into_iter().for_each(Block::erase);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// The edges at which items depart, and whether a branch is left that parts the group.
    fn parts(body: &str) -> (Vec<Edge>, bool) {
        let function = parse(&format!("kernel k(a: global, n: i64)\n{body}"));
        let analysis = Analysis::new(&function);
        (parting(&function, &analysis), !analysis.undecided().is_empty())
    }

    /// Blocks 0 to 3: a branch by `condition`, what some do, what the others do, the end.
    fn guarded(condition: &str, some: &str, others: &str) -> (Vec<Edge>, bool) {
        parts(&format!(
            "entry:
              %g = global_id 0
              %c = slt {condition} %n
              branch %c some others
            some:
              {some}
            others:
              {others}
            done:
              ret"
        ))
    }

    #[test]
    fn returns_by_what_differs_depart_from_a_barrier() {
        let barrier = "barrier\njump done";
        let edge = (BlockId(0), BlockId(1));
        assert_eq!(guarded("%g", "ret", barrier), (vec![edge], true));
        assert_eq!(guarded("%g", "jump done", barrier), (vec![edge], true));
        // All return or none.
        assert_eq!(guarded("7", "ret", barrier), (vec![], false));
        // No barrier, or one on either way.
        assert_eq!(guarded("%g", "ret", "jump done"), (vec![], false));
        assert_eq!(guarded("%g", barrier, barrier), (vec![], true));
    }

    #[test]
    fn returns_depart_from_a_barrier_that_may_not_come() {
        let steps = |first: &str| {
            parts(&format!(
                "entry:
                  %g = global_id 0
                  %c = slt {first} %n
                  branch %c leave head
                leave:
                  ret
                head:
                  %k = phi [entry 0] [body %next] : i64
                  %more = slt %k %n
                  branch %more body done
                body:
                  barrier
                  %next = add %k 1
                  jump head
                done:
                  ret"
            ))
        };
        assert_eq!(steps("%g"), (vec![(BlockId(0), BlockId(1))], false));
        assert_eq!(steps("7"), (vec![], false));
    }

    #[test]
    fn who_has_departed_parts_nobody() {
        let function = parse(
            "kernel k(a: global, n: i64)
            entry:
              %g = global_id 0
              %c = slt %g %n
              branch %c leave stay
            leave:
              depart
              unreachable
            stay:
              barrier
              %x = load %a : f32
              ret",
        );
        let analysis = Analysis::new(&function);
        assert!(function.blocks[1].departs && !function.blocks[0].departs);
        assert!(analysis.is_divergent(BlockId(1)) && !analysis.is_divergent(BlockId(2)));
        assert!(parting(&function, &analysis).is_empty() && analysis.undecided().is_empty());
    }
}
