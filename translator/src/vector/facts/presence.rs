//! The share of the items of a scope that is taken to run a node which maybe not all of them run.
//!
//! Method: the comparison where the items part tells, as in Ball and Larus, "Branch prediction for free" (PLDI 1993, the opcode
//! heuristic): two numbers in floating point are seldom equal, so that nearly all items run what is done for those that differ.
//! Where it tells nothing, the share is one with which the choice is right for most kernels of the suites
//! (docs/decisions/086-which-kernels-are-vectors.md).

use std::collections::HashSet;

use super::graph::{Graph, LoopId, Node};
use super::shapes::Facts;
use crate::llvm::{Opcode, RealPredicate, Value};

/// Where nothing is known of the test.
const SOME: f64 = 0.8;
const NEARLY_ALL: f64 = 0.95;
/// Items that are still in a loop which they leave one by one, over all iterations; and if each searches or follows something
/// in memory, so that none knows how far.
const STILL: f64 = 0.7;
const STILL_SEARCHING: f64 = 0.6;
/// Of those, in a loop inside of another, if what each item loads for itself decides of both how often they run: the longest of a
/// vector's inner loops is waited for each time.
const OF_NEST: f64 = 0.35;

/// A loop that items leave one by one.
pub struct Apart {
    still_there: f64,
    is_each_items_own: bool,
}

impl Apart {
    pub fn of(graph: &Graph, facts: &Facts, id: LoopId) -> Apart {
        Apart {
            still_there: if is_search(graph, id) { STILL_SEARCHING } else { STILL },
            is_each_items_own: is_each_items_own(graph, facts, id),
        }
    }

    /// The share of its items that are there on average. `is_nested`: a loop inside of it is each item's own; whether it is now, for
    /// what is around both.
    pub fn share(&self, is_nested: &mut bool) -> f64 {
        let is_nest = self.is_each_items_own && *is_nested;
        *is_nested |= self.is_each_items_own;
        self.still_there * if is_nest { OF_NEST } else { 1.0 }
    }
}

/// Whether what a loop loads decides how often it runs.
fn is_search(graph: &Graph, id: LoopId) -> bool {
    let is_inside = |value: Value| {
        let home = value.parent().and_then(|block| graph.number_of(block));
        home.is_some_and(|block| graph.is_inside(block, Some(id)))
    };
    let mut found = false;
    follow(tests(graph, id), |value| {
        found |= is_inside(value) && value.is_opcode(Opcode::LLVMLoad);
        is_inside(value)
    });
    found
}

/// Whether how often a loop runs is decided by what is loaded, and not, as it seems, from one place for most vectors: that of a row
/// or a picture that neighbours share.
fn is_each_items_own(graph: &Graph, facts: &Facts, id: LoopId) -> bool {
    let mut found = false;
    follow(tests(graph, id), |value| {
        let is_load = value.is_opcode(Opcode::LLVMLoad);
        found |= is_load && facts.of(value.operand(0)).shape.stride() != Some(0);
        !is_load && !found
    });
    found
}

/// The conditions by which a loop is left.
fn tests(graph: &Graph, id: LoopId) -> Vec<Value> {
    let inside = |block: usize| graph.is_inside(block, Some(id));
    let of_block = |block: usize| {
        let end = graph.blocks[block].terminator()?;
        let stays = |to| graph.number_of(to).is_some_and(inside);
        let leaves = end.successors().into_iter().any(|to| !stays(to));
        (leaves && end.is_opcode(Opcode::LLVMBr)).then(|| end.condition()).flatten()
    };
    (0..graph.blocks.len()).filter(|&block| inside(block)).filter_map(of_block).collect()
}

/// Visits instructions, and what each is made of if `goes_on` says so.
fn follow(mut work: Vec<Value>, mut goes_on: impl FnMut(Value) -> bool) {
    let mut seen = HashSet::new();
    while let Some(value) = work.pop() {
        if !value.is_instruction() || !seen.insert(value) || !goes_on(value) {
            continue;
        }
        match value.is_opcode(Opcode::LLVMPHI) {
            true => work.extend(value.incoming().into_iter().map(|(value, _)| value)),
            false => work.extend(value.operands()),
        }
    }
}

pub fn share(graph: &Graph, node: Node) -> f64 {
    match parting(graph, node) {
        Some((test, holds)) if tells_apart(test, holds) => NEARLY_ALL,
        _ => SOME,
    }
}

/// The test that alone leads to a node, and whether it holds there.
fn parting(graph: &Graph, node: Node) -> Option<(Value, bool)> {
    let inside = |block: usize| match node {
        Node::Block(_) => false,
        Node::Loop(id) => graph.is_inside(block, Some(id)),
    };
    let head = graph.head(node);
    let mut before = graph.predecessors[head].iter().filter(|&&block| !inside(block));
    let (&from, None) = (before.next()?, before.next()) else { return None };
    let branch = graph.blocks[from].terminator()?;
    if !branch.is_opcode(Opcode::LLVMBr) {
        return None;
    }
    let Some(test) = branch.condition() else {
        let around = graph.scope_around(node) == graph.scope_of(from);
        return around.then(|| parting(graph, Node::Block(from))).flatten();
    };
    Some((test, branch.successors()[0] == graph.blocks[head]))
}

/// Whether only numbers that differ pass a test.
fn tells_apart(test: Value, holds: bool) -> bool {
    match test.real_predicate() {
        Some(RealPredicate::LLVMRealOEQ | RealPredicate::LLVMRealUEQ) => !holds,
        Some(RealPredicate::LLVMRealONE | RealPredicate::LLVMRealUNE) => holds,
        _ => false,
    }
}
