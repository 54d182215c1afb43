//! Places in memory that a loop can keep in a register: scalar promotion, for one work-item.
//!
//! GPU programs sum up in memory (`c[i] += a[i * n + k] * b[k]`), where each iteration waits for what the one before it
//! stored. Promoted, the place is read before the loop and written behind it.
//!
//! Conditions: the address stays in the loop; every access that may touch the place has this address and one type, and one of
//! them is a store; nobody else can see the place in between (no barrier, atomic access, or unknown call). And the loop must write it,
//! since no item may touch what the program does not let it touch: see [`Written`].
//! Source: LLVM's pass `licm`; OpenCL C 3.0, section 6.2 of the API (memory model: no write may be added that races).

use std::collections::BTreeMap;

use super::dominators::{self, Tree};
use super::loops::{Loop, Loops};
use super::overlap::{Overlap, Place};
use super::roots::Roots;
use crate::view::{
    BinaryOp, BlockId, Callee, Function, Instruction, MemoryKind, Op, Type, TypeKind, ValueId,
};

/// Loops with more accesses are left alone: the effort grows with the square.
const MOST_ACCESSES: usize = 200;

#[derive(Debug, PartialEq, Eq)]
pub struct Promotion {
    /// Of the loop, which is entered from one block.
    pub header: BlockId,
    pub blocks: Vec<BlockId>,
    pub places: Vec<Promoted>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Promoted {
    pub address: ValueId,
    pub accesses: Vec<ValueId>,
    pub written: Written,
}

/// Why the place may be read before the loop, and written behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The item stored there before the loop, and nobody could see it since; or it stores there before it can leave the loop.
    Always,
    /// Every iteration stores there, and the header decides whether there is one: where this value is as the loop is entered.
    IfEntered { condition: ValueId, when: bool },
}

/// What to promote now: loops without such a loop inside.
pub fn find(function: &Function, distinct: &[bool]) -> Vec<Promotion> {
    let dominators = &Tree::dominators(function);
    let loops = &Loops::find(function, dominators);
    let order = dominators::order(function);
    let roots = &Roots::find(function, &order);
    let overlap = Overlap { function, roots, distinct };
    let mut found: Vec<Promotion> = Vec::new();
    for id in loops.ids().rev() {
        let it = loops.get(id);
        if !found.iter().any(|inner| it.contains(inner.header)) {
            let search = Search { function, dominators, overlap: &overlap, it };
            found.extend(search.promotion());
        }
    }
    found
}

struct Search<'a> {
    function: &'a Function,
    dominators: &'a Tree,
    overlap: &'a Overlap<'a>,
    it: &'a Loop,
}

impl Search<'_> {
    fn promotion(&self) -> Option<Promotion> {
        let Loop { header, blocks, .. } = self.it;
        let before = self.function.block(*header).predecessors.iter();
        let is_entered_once = before.filter(|&&from| !self.it.contains(from)).count() == 1;
        let accesses = self.accesses().filter(|_| is_entered_once)?;
        let mut by_address: BTreeMap<ValueId, Vec<ValueId>> = BTreeMap::new();
        for &(id, place) in &accesses {
            by_address.entry(place.address).or_default().push(id);
        }
        let places = by_address.into_iter().filter_map(|(address, own)| {
            let is_promotable = self.has_one_type(&own)
                && self.stays(address)
                && own.iter().any(|&id| self.is_store(id))
                && self.is_alone(address, &accesses);
            let (_, ty) = self.accessed(own[0])?;
            let written = self.written(address, ty, &own).filter(|_| is_promotable)?;
            Some(Promoted { address, accesses: own, written })
        });
        let places: Vec<Promoted> = places.collect();
        let (header, blocks) = (*header, blocks.clone());
        (!places.is_empty()).then_some(Promotion { header, blocks, places })
    }

    /// The loads and stores inside, if that is all that touches memory there.
    fn accesses(&self) -> Option<Vec<(ValueId, Place)>> {
        let mut accesses = Vec::new();
        for (id, instruction) in self.it.blocks.iter().flat_map(|&at| self.function.body(at)) {
            if is_seen(instruction) {
                return None;
            }
            if let Some((address, ty)) = self.accessed(id) {
                accesses.push((id, Place { address, bytes: ty.bytes }));
            }
        }
        (accesses.len() <= MOST_ACCESSES).then_some(accesses)
    }

    fn accessed(&self, id: ValueId) -> Option<(ValueId, Type)> {
        let instruction = self.function.instruction(id)?;
        match (&instruction.op, instruction.operands.as_slice()) {
            (Op::Load(_), &[address]) => Some((address, self.function.value(id).ty)),
            (Op::Store(_), &[value, address]) => Some((address, self.function.value(value).ty)),
            _ => None,
        }
    }

    fn is_store(&self, id: ValueId) -> bool {
        matches!(self.function.instruction(id), Some(Instruction { op: Op::Store(_), .. }))
    }

    fn has_one_type(&self, accesses: &[ValueId]) -> bool {
        let mut types = accesses.iter().filter_map(|&id| self.accessed(id)).map(|(_, ty)| ty);
        let Some(first) = types.next() else { return false };
        first.kind != TypeKind::Other && types.all(|ty| ty == first)
    }

    /// Whether an address is the same in all iterations, and can be computed before the loop.
    fn stays(&self, value: ValueId) -> bool {
        let Some(instruction) = self.function.instruction(value) else { return true };
        if !self.it.contains(instruction.block) {
            return true;
        }
        use BinaryOp::{SDiv, SRem, UDiv, URem};
        let is_speculatable = match &instruction.op {
            Op::Binary(op, _) => !matches!(op, UDiv | SDiv | URem | SRem),
            Op::Cast(_) | Op::Address { .. } | Op::Call(Callee::WorkItem(_)) => true,
            _ => false,
        };
        is_speculatable && instruction.operands.iter().all(|&operand| self.stays(operand))
    }

    /// Whether no access with another address may touch it.
    fn is_alone(&self, address: ValueId, accesses: &[(ValueId, Place)]) -> bool {
        let of = |&(_, place): &(ValueId, Place)| place;
        let Some(own) = accesses.iter().map(of).find(|place| place.address == address) else {
            return false;
        };
        let mut others = accesses.iter().map(of).filter(|place| place.address != address);
        others.all(|other| !self.overlap.is_possible(own, other))
    }

    fn written(&self, address: ValueId, ty: Type, accesses: &[ValueId]) -> Option<Written> {
        let block_of = |id: ValueId| self.function.instruction(id).map(|it| it.block);
        let stores = || accesses.iter().copied().filter(|&id| self.is_store(id));
        let leads_to = |blocks: &[BlockId], store: ValueId| {
            let at = block_of(store);
            let dominates = |block| at.is_some_and(|at| self.dominators.dominates(at, block));
            blocks.iter().all(|&block| dominates(block))
        };
        let sources: Vec<BlockId> = self.it.exits.iter().map(|&(from, _)| from).collect();
        let last = [sources.as_slice(), &self.it.latches].concat();
        if stores().any(|store| leads_to(&last, store)) || self.is_written_before(address, ty) {
            return Some(Written::Always);
        }
        let only_header = sources == [self.it.header];
        let each = stores().any(|store| leads_to(&self.it.latches, store));
        let (_, end) = self.function.terminator(self.it.header)?;
        let condition = *end.operands.first().filter(|_| end.op == Op::Branch)?;
        let when = self.it.contains(self.function.block(self.it.header).successors[0]);
        (only_header && each && self.is_known_before(condition))
            .then_some(Written::IfEntered { condition, when })
    }

    /// Whether the item stored there before the loop, and nobody could see it on the way.
    fn is_written_before(&self, address: ValueId, ty: Type) -> bool {
        let header = self.it.header;
        let ends = |block| block == header;
        self.function.value_ids().any(|id| {
            let Some(instruction) = self.function.instruction(id).filter(|_| self.is_store(id))
            else {
                return false;
            };
            let from = instruction.block;
            if instruction.operands[1] != address
                || self.function.value(instruction.operands[0]).ty.bytes < ty.bytes
                || self.it.contains(from)
                || !self.dominators.dominates(from, header)
            {
                return false;
            }
            let ways = self.function.behind(from, &ends);
            let mut between = ways.iter().flat_map(|&block| self.function.body(block));
            !between.any(|(_, instruction)| is_seen(instruction))
        })
    }

    /// Whether a value of the header can be computed for the first iteration before the loop.
    fn is_known_before(&self, value: ValueId) -> bool {
        let Some(instruction) = self.function.instruction(value) else { return true };
        if !self.it.contains(instruction.block) {
            return true;
        }
        let is_simple = match &instruction.op {
            Op::Phi(_) => return instruction.block == self.it.header,
            Op::Binary(..) | Op::Cast(_) | Op::Compare(_) | Op::Select | Op::Extremum => true,
            Op::Pure | Op::Call(Callee::WorkItem(_)) => true,
            _ => false,
        };
        is_simple
            && instruction.block == self.it.header
            && instruction.operands.iter().all(|&operand| self.is_known_before(operand))
    }
}

/// Whether others may see or change memory there.
fn is_seen(instruction: &Instruction) -> bool {
    match &instruction.op {
        Op::Call(callee) => !matches!(callee, Callee::WorkItem(_)),
        Op::Load(kind) | Op::Store(kind) => *kind == MemoryKind::Shared,
        Op::Atomic | Op::Other => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// What is found in a loop of `n` iterations that `before` comes in front of, and whose body is `body`.
    fn found(before: &str, body: &str, distinct: bool) -> Vec<(ValueId, Written)> {
        let text = format!(
            "kernel k(a: global, b: global, n: i64)
            entry:
              %g = global_id 0
              %p = address %a %g*4
              {before}
              jump head
            head:
              %k = phi [entry 0] [body %next] : i64
              %c = slt %k %n
              branch %c body done
            body:
              {body}
              %next = add %k 1
              jump head
            done:
              ret"
        );
        let function = parse(&text);
        let all = find(&function, &[distinct; 3]);
        all.into_iter().flat_map(|it| it.places).map(|it| (it.address, it.written)).collect()
    }

    const SUM: &str = "%x = load %p : f32
              store %x %p";

    #[test]
    fn a_place_that_every_iteration_writes_is_kept_if_the_loop_is_entered() {
        let found = found("", SUM, false);
        assert!(matches!(found[..], [(_, Written::IfEntered { when: true, .. })]), "{found:?}");
    }

    #[test]
    fn a_place_that_was_written_before_is_kept_always() {
        let found = found("store %n %p", SUM, false);
        assert!(matches!(found[..], [(_, Written::Always)]), "{found:?}");
        let seen = self::found("store %n %p\nbarrier", SUM, false);
        assert!(matches!(seen[..], [(_, Written::IfEntered { .. })]), "others saw it: {seen:?}");
    }

    #[test]
    fn what_may_touch_the_place_keeps_it_in_memory() {
        let beside = |more: &str, distinct| found("", &format!("{SUM}\n{more}"), distinct).len();
        let other = "%q = address %b %k*4
              %y = load %q : f32";
        assert_eq!((beside(other, false), beside(other, true)), (0, 1));
        let same = "%q = address %a %k*4
              %y = load %q : f32";
        assert_eq!(beside(same, true), 0, "by another index");
        let part = "%q = address %p +2
              %y = load %q : i8";
        assert_eq!(beside(part, true), 0, "a part of it");
        let next = "%q = address %p +4
              %y = load %q : f32";
        assert_eq!(beside(next, true), 1, "its neighbour");
        assert_eq!(beside("barrier", true), 0, "others see it");
    }

    #[test]
    fn a_place_that_is_only_read_or_moves_is_left_alone() {
        assert_eq!(found("", "%x = load %p : f32", true), []);
        let moving = "%q = address %p %k*4
              %x = load %q : f32
              store %x %q";
        assert_eq!(found("", moving, true), []);
    }
}
