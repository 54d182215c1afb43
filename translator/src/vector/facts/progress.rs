//! Whether lanes that wait for each other cannot wait for ever.
//!
//! Items one after another can hand a lock on: each finds what the one before it has left. Lanes that leave a loop wait there for
//! those that are still in it. So a loop that lanes leave apart may not wait for what another lane does behind it.
//!
//! Terms: what a lane *sees* is what its atomic operations in the loop give. Such a loop makes progress if
//! - no branch in it depends on what a lane sees: a histogram, numbers that are counted up for places in a list; or
//! - it is *counted*: each iteration asks whether a counter has come to its end; or
//! - it only *fills* places, as in a table of keys: all that changes such places exchanges the same constant, an empty place,
//!   for something else, and who has done so leaves the loop. What is not empty stays as it is for ever, so that nobody waits
//!   for it to change.
//!
//! Other loads are of what nobody changes meanwhile: programs that change it have a race. Volatile ones are not.

use std::collections::HashSet;

use super::address::Offsets;
use super::graph::{Edge, Graph, LoopId, Node};
use super::shapes::Facts;
use crate::code::atomics::is_ordered;
use crate::front::library::is_meeting;
use crate::group::ids::Id;
use crate::llvm::{IntPredicate, Machine, Opcode, Value};
use crate::vector::flow::called::{callee, has_inside};

/// Whether no loop that lanes leave apart can wait for ever.
pub fn is_made(machine: &Machine, graph: &Graph, facts: &Facts) -> bool {
    let all = Progress { machine, graph };
    (0..graph.loops.len()).filter(|&id| facts.control.is_left_apart(id)).all(|id| all.in_loop(id))
}

/// Operations that are followed from a number to what it is computed of.
const MOST_OPERATIONS: usize = 6;

struct Progress<'a> {
    machine: &'a Machine,
    graph: &'a Graph,
}

impl Progress<'_> {
    fn in_loop(&self, id: LoopId) -> bool {
        let inside: Vec<Value> = self.instructions(id).collect();
        if inside.iter().any(|&value| callee(value).is_some_and(|it| has_inside(it, &is_ordered))) {
            return false;
        }
        let ordered: Vec<Value> = inside.into_iter().filter(|&value| is_ordered(value)).collect();
        if ordered.is_empty() {
            return true;
        }
        let seen = self.all_of(id, &ordered);
        let depends = |block: usize| self.condition(block).is_some_and(|it| seen.contains(&it));
        let mut branches = self.blocks(id).filter(|&block| depends(block)).peekable();
        branches.peek().is_none() || self.is_counted(id, &seen) || self.only_fills(id, &ordered)
    }

    fn blocks(&self, id: LoopId) -> impl Iterator<Item = usize> {
        (0..self.graph.blocks.len()).filter(move |&block| self.graph.is_inside(block, Some(id)))
    }

    fn instructions(&self, id: LoopId) -> impl Iterator<Item = Value> {
        self.blocks(id).flat_map(|block| self.graph.blocks[block].instructions())
    }

    fn condition(&self, block: usize) -> Option<Value> {
        self.graph.blocks[block].terminator().and_then(Value::condition)
    }

    fn is_inside(&self, value: Value, id: LoopId) -> bool {
        let home = value.is_instruction().then(|| value.parent()).flatten();
        let home = home.and_then(|block| self.graph.number_of(block));
        home.is_some_and(|block| self.graph.is_inside(block, Some(id)))
    }

    /// What instructions of a loop compute of what these give. Where a branch depends on that, so does what comes together behind it.
    fn all_of(&self, id: LoopId, ordered: &[Value]) -> HashSet<Value> {
        let mut seen: HashSet<Value> = HashSet::new();
        let mut rest = ordered.to_vec();
        let mut parts = false;
        loop {
            while let Some(value) = rest.pop() {
                if seen.insert(value) {
                    let users = value.users().into_iter();
                    rest.extend(users.filter(|&user| self.is_inside(user, id)));
                }
            }
            let depends = |block: usize| self.condition(block).is_some_and(|it| seen.contains(&it));
            if parts || !self.blocks(id).any(depends) {
                return seen;
            }
            parts = true;
            let phis = self.blocks(id).flat_map(|block| self.graph.blocks[block].phis());
            rest.extend(phis.filter(|&phi| self.comes_together(phi, id)));
        }
    }

    /// Whether it depends on branches in the loop which of its numbers a phi is.
    fn comes_together(&self, phi: Value, id: LoopId) -> bool {
        let home = phi.parent().and_then(|block| self.graph.number_of(block));
        let is_header = home == Some(self.graph.loops[id].header);
        let from_inside = |block| {
            self.graph.number_of(block).is_some_and(|from| self.graph.is_inside(from, Some(id)))
        };
        let incoming = phi.incoming().into_iter();
        let ways = incoming.filter(|&(_, from)| !is_header || from_inside(from));
        let values: HashSet<Value> = ways.map(|(value, _)| value).collect();
        values.len() > 1
    }

    /// Whether each iteration comes to an exit that a counter leads to.
    fn is_counted(&self, id: LoopId, seen: &HashSet<Value>) -> bool {
        let header = self.graph.loops[id].header;
        let mut back: Vec<usize> = self.graph.predecessors[header].clone();
        back.retain(|&from| self.graph.is_inside(from, Some(id)));
        let always = [header].into_iter().chain(back.first().copied().filter(|_| back.len() == 1));
        let leaves = |&block: &usize| self.leaves_from(block, id);
        always.filter(leaves).filter_map(|block| self.condition(block)).any(|condition| {
            let is_plain = condition.is_opcode(Opcode::LLVMICmp) && !seen.contains(&condition);
            is_plain && {
                let (a, b) = (condition.operand(0), condition.operand(1));
                self.counts(a, id) && self.stays(b, id, 0)
                    || self.counts(b, id) && self.stays(a, id, 0)
            }
        })
    }

    fn leaves_from(&self, block: usize, id: LoopId) -> bool {
        let edges = self.graph.edges(Node::Block(block)).into_iter();
        self.graph.scope_of(block) == Some(id)
            && edges.into_iter().any(|Edge { to, .. }| !self.graph.is_inside(to, Some(id)))
    }

    /// Whether a number goes on by the same in each iteration.
    fn counts(&self, number: Value, id: LoopId) -> bool {
        use Opcode::*;
        match number.opcode() {
            Some(LLVMZExt | LLVMSExt | LLVMTrunc | LLVMFreeze) => {
                self.counts(number.operand(0), id)
            }
            Some(LLVMAdd | LLVMSub) if self.is_inside(number, id) => {
                self.counts(number.operand(0), id) && self.stays(number.operand(1), id, 0)
            }
            Some(LLVMPHI) => {
                let home = number.parent().and_then(|block| self.graph.number_of(block));
                let mut back = number.incoming();
                back.retain(|&(_, from)| {
                    let from = self.graph.number_of(from);
                    from.is_some_and(|from| self.graph.is_inside(from, Some(id)))
                });
                home == Some(self.graph.loops[id].header)
                    && back.iter().all(|&(next, _)| self.is_step(next, number, id))
            }
            _ => false,
        }
    }

    /// Whether a number is the same in all iterations of a loop: what computes it may still stand inside.
    fn stays(&self, number: Value, id: LoopId, depth: usize) -> bool {
        use Opcode::*;
        let is_arithmetic = matches!(
            number.opcode(),
            Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMSExt | LLVMZExt | LLVMTrunc)
        );
        let operands = || number.operands().all(|operand| self.stays(operand, id, depth + 1));
        !self.is_inside(number, id)
            || Id::of_call(number).is_some()
                && number.call_arguments().into_iter().all(Value::is_constant)
            || depth < MOST_OPERATIONS && is_arithmetic && operands()
    }

    /// Whether `next` is a counter, and a number besides that stays the same.
    fn is_step(&self, next: Value, counter: Value, id: LoopId) -> bool {
        let is_sum = matches!(next.opcode(), Some(Opcode::LLVMAdd | Opcode::LLVMSub));
        is_sum
            && next.operand(0) == counter
            && self.stays(next.operand(1), id, 0)
            && next.operand(1).unsigned() != Some(0)
    }

    /// Whether a loop does nothing that others see but to fill places.
    fn only_fills(&self, id: LoopId, ordered: &[Value]) -> bool {
        let empty = |value: Value| value.operand(1);
        let fills = |&value: &Value| {
            value.is_opcode(Opcode::LLVMAtomicCmpXchg)
                && empty(value).is_constant()
                && self.leaves_when_done(value, id)
        };
        if !ordered.iter().all(fills) {
            return false;
        }
        let others: Vec<Value> = self.beside(id).into_iter().filter(|&it| changes(it)).collect();
        ordered.iter().all(|&fill| {
            others.iter().all(|&other| {
                let same =
                    other.is_opcode(Opcode::LLVMAtomicCmpXchg) && empty(other) == empty(fill);
                same || self.is_elsewhere(fill, other)
            })
        })
    }

    /// What items may do while another one is in a loop: all that no barrier comes between.
    fn beside(&self, id: LoopId) -> Vec<Value> {
        let mut before = vec![false; self.graph.blocks.len()];
        let mut rest = vec![self.graph.loops[id].header];
        while let Some(block) = rest.pop() {
            if !std::mem::replace(&mut before[block], true) && self.behind_barriers(block).is_none()
            {
                rest.extend(&self.graph.predecessors[block]);
            }
        }
        let mut found = Vec::new();
        let mut known = vec![false; self.graph.blocks.len()];
        let mut rest: Vec<usize> = Vec::new();
        for block in (0..before.len()).filter(|&block| before[block]) {
            match self.behind_barriers(block) {
                None => rest.push(block),
                Some(behind) => {
                    found.extend(behind);
                    rest.extend(&self.graph.successors[block]);
                }
            }
        }
        while let Some(block) = rest.pop() {
            if std::mem::replace(&mut known[block], true) {
                continue;
            }
            let all = self.graph.blocks[block].instructions();
            found.extend(all.into_iter().take_while(|&value| !is_meeting(value)));
            if self.behind_barriers(block).is_none() {
                rest.extend(&self.graph.successors[block]);
            }
        }
        found
    }

    /// What stands behind the last barrier of a block that has one.
    fn behind_barriers(&self, block: usize) -> Option<Vec<Value>> {
        let all = self.graph.blocks[block].instructions();
        let last = all.iter().rposition(|&value| is_meeting(value))?;
        Some(all[last + 1..].to_vec())
    }

    /// Whether who has exchanged something leaves the loop there.
    fn leaves_when_done(&self, exchange: Value, id: LoopId) -> bool {
        let Some(block) = exchange.parent().and_then(|block| self.graph.number_of(block)) else {
            return false;
        };
        let end = self.graph.blocks[block].terminator();
        let Some(end) = end.filter(|end| end.is_opcode(Opcode::LLVMBr)) else { return false };
        let Some(condition) = end.condition() else { return false };
        let leaves = |index: usize| {
            let to = self.graph.number_of(end.successors()[index]);
            to.is_some_and(|to| !self.graph.is_inside(to, Some(id)))
        };
        leaves(0) && is_sure(condition, exchange, true)
            || leaves(1) && is_sure(condition, exchange, false)
    }

    /// Whether two accesses are certainly to different memory: of different spaces, or to different members of the elements
    /// of one array.
    fn is_elsewhere(&self, a: Value, b: Value) -> bool {
        if b.is_opcode(Opcode::LLVMCall) {
            return false;
        }
        let (at, bt) = (address(a), address(b));
        let space = |address: Value| address.ty().address_space();
        // 4 may be any.
        if space(at) != space(bt) && space(at) != 4 && space(bt) != 4 {
            return true;
        }
        let (one, other) = (self.place(at), self.place(bt));
        let step = gcd(one.step, other.step);
        let (bytes, others) = (self.bytes(a), self.bytes(b));
        let apart = one.offset - other.offset;
        if one.root != other.root {
            return one.root.is_global_variable() && other.root.is_global_variable();
        }
        if step == 0 {
            return apart >= others || -apart >= bytes;
        }
        let apart = apart.rem_euclid(step);
        apart >= others && step - apart >= bytes
    }

    fn bytes(&self, change: Value) -> i64 {
        let number = match change.opcode() {
            Some(Opcode::LLVMStore) => change.operand(0),
            _ => change.operand(1),
        };
        self.machine.size_bytes(number.ty()) as i64
    }

    fn place(&self, address: Value) -> Place {
        let mut place = Place { root: address, offset: 0, step: 0 };
        while place.root.is_opcode(Opcode::LLVMGetElementPtr) {
            let offsets = Offsets::of(self.machine, place.root);
            place.offset += offsets.constant;
            place.step =
                offsets.scaled.iter().fold(place.step, |step, &(_, scale)| gcd(step, scale));
            place.root = place.root.operand(0);
        }
        place
    }
}

/// An address: so many bytes behind its root, and a multiple of the step.
struct Place {
    root: Value,
    offset: i64,
    step: i64,
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Whether an instruction may change memory of the program.
fn changes(value: Value) -> bool {
    use Opcode::*;
    match value.opcode() {
        Some(LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg) => true,
        Some(LLVMCall) => {
            callee(value).is_some()
                || value.intrinsic_name().is_some_and(|name| name.starts_with("llvm.mem"))
        }
        _ => false,
    }
}

fn address(change: Value) -> Value {
    change.address().unwrap_or_else(|| change.operand(0))
}

/// Whether a condition is certainly `value` if an exchange has been done.
fn is_sure(condition: Value, exchange: Value, value: bool) -> bool {
    use Opcode::*;
    let part = |of: Value, index: u32| {
        of.is_opcode(LLVMExtractValue) && of.operand(0) == exchange && of.indices() == [index]
    };
    let constant = |of: Value, is: u64| of.unsigned() == Some(is);
    match condition.opcode() {
        Some(LLVMExtractValue) => value && part(condition, 1),
        Some(LLVMICmp) => {
            let same = part(condition.operand(0), 0) && condition.operand(1) == exchange.operand(1);
            let wanted = if value { IntPredicate::LLVMIntEQ } else { IntPredicate::LLVMIntNE };
            same && condition.int_predicate() == Some(wanted)
        }
        Some(LLVMOr) if value => condition.operands().any(|it| is_sure(it, exchange, true)),
        Some(LLVMAnd) if !value => condition.operands().any(|it| is_sure(it, exchange, false)),
        Some(LLVMXor) if constant(condition.operand(1), 1) => {
            is_sure(condition.operand(0), exchange, !value)
        }
        Some(LLVMSelect) if value && constant(condition.operand(1), 1) => {
            [0, 2].iter().any(|&at| is_sure(condition.operand(at), exchange, true))
        }
        Some(LLVMSelect) if !value && constant(condition.operand(2), 0) => {
            [0, 1].iter().any(|&at| is_sure(condition.operand(at), exchange, false))
        }
        _ => false,
    }
}
