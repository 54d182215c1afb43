//! What touches a `__local` array, what its stores copy, and whether anything writes there.

use super::{Search, Why};
use crate::analysis::copied::Outside;
use crate::analysis::needless::{Touch, relation_of_items};
use crate::analysis::overlap::Relation;
use crate::view::{BlockId, MemoryKind, Op, Space, ValueId, ValueKind};

/// Stores to an array at most.
const MOST_STORES: usize = 12;

/// Reads of an array at most.
const MOST_READS: usize = 256;

/// What a store copies.
pub(super) struct Source {
    pub load: ValueId,
    pub outside: Option<Outside>,
}

impl Search<'_> {
    /// The stores and the loads of an array that has no other uses.
    pub(super) fn uses(&self, root: ValueId) -> Result<(Vec<&Touch>, Vec<&Touch>), Why> {
        let function = self.function;
        let leads = |&value: &ValueId| self.analysis.roots.leads_to(value, root);
        let is_odd = |instruction: &crate::view::Instruction| match instruction.op {
            Op::Address { .. } | Op::Load(MemoryKind::Plain) | Op::Marker => false,
            Op::Cast(_) => instruction.operands.iter().any(leads),
            Op::Store(MemoryKind::Plain) => leads(&instruction.operands[0]),
            _ => instruction.operands.iter().any(leads),
        };
        let mut instructions = function.block_ids().flat_map(|block| function.body(block));
        if instructions.any(|(_, instruction)| is_odd(instruction)) {
            return Err(Why::Other);
        }
        let relates = |touch: &&&Touch| {
            let relations = touch
                .roots
                .iter()
                .map(|&other| relation_of_items(function, self.facts, root, other));
            relations.into_iter().any(|relation| relation != Relation::Apart)
        };
        let all: Vec<&Touch> = self.touches.iter().filter(relates).copied().collect();
        if all.iter().any(|touch| touch.roots != [root]) || all.len() > MOST_READS {
            return Err(Why::Other);
        }
        let (stores, reads): (Vec<&Touch>, Vec<&Touch>) =
            all.into_iter().partition(|touch| touch.writes);
        match stores.len() {
            0 => Err(Why::Other),
            _ if reads.is_empty() => Err(Why::Other),
            1..=MOST_STORES => Ok((stores, reads)),
            _ => Err(Why::Several),
        }
    }

    /// The load from global memory whose value a store copies.
    pub(super) fn source(&self, store: &Touch) -> Option<Source> {
        let function = self.function;
        let stored = function.instruction(store.instruction)?.operands[0];
        let source = self.guarded(stored).unwrap_or(Source { load: stored, outside: None });
        let made = function.instruction(source.load)?;
        let pointer = *made.operands.first().filter(|_| made.op == Op::Load(MemoryKind::Plain))?;
        let spaces = [Some(Space::Global), Some(Space::Constant)];
        let of_arguments = self.analysis.roots.of(pointer).into_iter().all(|root| {
            let value = function.value(root);
            spaces.contains(&value.ty.space()) && matches!(value.kind, ValueKind::Argument(_))
        });
        let together = self.loops(made.block).eq(self.loops(store.spot.block));
        (of_arguments && together).then_some(source)
    }

    /// A value that is loaded where a condition holds, and elsewhere a constant.
    fn guarded(&self, value: ValueId) -> Option<Source> {
        let made = self.function.instruction(value)?;
        let (condition, [(yes, true), (no, false)] | [(no, false), (yes, true)]) = (match &made.op {
            Op::Select => (made.operands[0], [(made.operands[1], true), (made.operands[2], false)]),
            Op::Phi(from) => self.chosen(made.block, from, &made.operands)?,
            _ => return None,
        }) else {
            return None;
        };
        let (load, constant, inside) =
            if self.is_constant(no) { (yes, no, true) } else { (no, yes, false) };
        let outside = Some(Outside { condition, inside, constant });
        self.is_constant(constant).then_some(Source { load, outside })
    }

    /// The condition by which a phi of two values has the one or the other, and for each of them whether it holds.
    fn chosen(
        &self,
        home: BlockId,
        from: &[BlockId],
        values: &[ValueId],
    ) -> Option<(ValueId, [(ValueId, bool); 2])> {
        let fork = self.analysis.dominators.parent(home)?;
        let (_, end) = self.function.terminator(fork)?;
        let ways = &self.function.block(fork).successors;
        let (&[one, other], &[a, b], &[yes, no]) = (from, values, ways.as_slice()) else {
            return None;
        };
        let leads_by = |from: BlockId| {
            let block = self.function.block(from);
            let is_between = block.predecessors == [fork] && block.successors == [home];
            let way = if from == fork { Some(home) } else { is_between.then_some(from) };
            way.filter(|_| yes != no).map(|way| way == yes)
        };
        let condition = *end.operands.first().filter(|_| end.op != Op::Switch)?;
        Some((condition, [(a, leads_by(one)?), (b, leads_by(other)?)]))
    }

    fn is_constant(&self, value: ValueId) -> bool {
        matches!(self.function.value(value).kind, ValueKind::Constant | ValueKind::Integer(_))
    }

    /// Nothing may write what the source reads.
    pub(super) fn unwritten(&self, source: &Source) -> Result<(), Why> {
        if let Some(id) = self.ordered {
            return Err(Why::Written(id));
        }
        let pointer = self.function.instruction(source.load).expect("a load").operands[0];
        let roots = self.analysis.roots.of(pointer);
        let may = |touch: &&&Touch| {
            touch.writes
                && touch.roots.iter().any(|&written| {
                    roots.iter().any(|&read| {
                        relation_of_items(self.function, self.facts, read, written)
                            != Relation::Apart
                    })
                })
        };
        match self.touches.iter().find(may) {
            Some(touch) => Err(Why::Written(touch.instruction)),
            None => Ok(()),
        }
    }
}
