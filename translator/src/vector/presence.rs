//! The share of the items of a scope that is taken to run a node which maybe not all of them run.
//!
//! Method: the comparison where the items part tells, as in Ball and Larus, "Branch prediction for free" (PLDI 1993, the opcode
//! heuristic): two numbers in floating point are seldom equal, so that nearly all items run what is done for those that differ.

use super::graph::{Graph, Node};
use crate::llvm::{Opcode, RealPredicate, Value};

/// Where nothing is known of the test, and of loops that items leave one by one.
pub const SOME: f64 = 0.7;
const NEARLY_ALL: f64 = 0.95;

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
