//! The stores that fill a `__local` array in front of a barrier, and when each of them is carried out.

use super::super::copied::Stored;
use super::super::loops::LoopId;
use super::super::needless::Touch;
use super::super::places::{Atom, Linear};
use super::uses::Source;
use super::{Search, Why};
use crate::view::{BlockId, Callee, Op, ValueId};

impl Search<'_> {
    /// The stores, where all of them are in front of a barrier that each read is behind, in one iteration of the loops around them all.
    pub(super) fn stored(
        &self,
        stores: &[&Touch],
        sources: &[Source],
        reads: &[&Touch],
    ) -> Result<Vec<Stored>, Why> {
        let (function, loops) = (self.function, &self.analysis.loops);
        let ty = |id: ValueId| function.value(id).ty;
        let of_one_type = |id: ValueId| ty(id) == ty(sources[0].load);
        let mut all = sources
            .iter()
            .map(|source| source.load)
            .chain(reads.iter().map(|read| read.instruction));
        if !all.all(of_one_type) || loops.irreducible {
            return Err(Why::Other);
        }
        let holds = |id: LoopId| reads.iter().all(|read| loops.get(id).contains(read.spot.block));
        let common: Vec<LoopId> =
            self.loops(stores[0].spot.block).filter(|&id| holds(id)).collect();
        let barriers = function.block_ids().flat_map(|block| {
            let body = function.body(block);
            body.filter_map(move |(id, made)| {
                (made.op == Op::Call(Callee::Barrier)).then_some((block, id))
            })
        });
        let barriers: Vec<(BlockId, ValueId)> = barriers
            .filter(|&(block, _)| common.iter().all(|&id| loops.get(id).contains(block)))
            .collect();
        let parted = |&&(_, barrier): &&(BlockId, ValueId)| {
            reads.iter().all(|read| self.precedes(barrier, read.instruction))
        };
        let of = |&(at, barrier): &(BlockId, ValueId)| {
            let one = |(store, source): (&&Touch, &Source)| {
                self.stored_before(store, source, &common, (at, barrier))
            };
            stores.iter().zip(sources).map(one).collect::<Option<Vec<Stored>>>()
        };
        barriers.iter().filter(parted).find_map(of).ok_or(Why::Phase)
    }

    fn stored_before(
        &self,
        store: &Touch,
        source: &Source,
        common: &[LoopId],
        (at, barrier): (BlockId, ValueId),
    ) -> Option<Stored> {
        let loops = &self.analysis.loops;
        let home = store.spot.block;
        let own: Vec<LoopId> = self.loops(home).filter(|id| !common.contains(id)).collect();
        let is_inside = common.iter().all(|&id| loops.get(id).contains(home))
            && own.iter().all(|&id| !loops.get(id).contains(at));
        let is_before = home != at || self.precedes(store.instruction, barrier);
        if !is_inside || !is_before || self.comes_again(home, at, common) {
            return None;
        }
        let pointer = self.function.instruction(source.load)?.operands[0];
        Some(Stored {
            block: home,
            place: self.places.of(store.spot.pointer)?.linear.clone(),
            address: pointer,
            outside: source.outside,
            conditions: self.conditions(home, &own, at)?,
            own,
        })
    }

    /// When a block runs, of all items that come to the barrier in another one: where all of these are at most 0.
    fn conditions(&self, home: BlockId, own: &[LoopId], barrier: BlockId) -> Option<Vec<Linear>> {
        let analysis = self.analysis;
        let (mut at, mut found) = (home, Vec::new());
        loop {
            let inside = own.iter().any(|&id| analysis.loops.get(id).contains(at));
            if !inside && analysis.dominators.dominates(at, barrier) {
                return Some(found);
            }
            let up = analysis.dominators.parent(at)?;
            if let Some(&id) = own.iter().find(|&&id| analysis.loops.get(id).header == at) {
                found.extend(self.goes_on(id)?);
            }
            let before = &self.function.block(at).predecessors;
            let enters = |from: &BlockId| {
                let around = own.iter().find(|&&id| analysis.loops.get(id).header == at);
                around.is_none_or(|&id| !analysis.loops.get(id).contains(*from))
            };
            let entries: Vec<BlockId> = before.iter().copied().filter(enters).collect();
            if entries == [up] && !self.always_leads(up, at) {
                found.extend_from_slice(self.places.condition(up, at)?);
            } else if !self.always_leads(up, at) {
                return None;
            }
            at = up;
        }
    }

    /// Whether whoever comes to a block comes to another one later.
    fn always_leads(&self, from: BlockId, to: BlockId) -> bool {
        self.analysis.post_dominators.dominates(to, from)
    }

    /// When an iteration follows on all those before it: where this is at most 0, and it is that of an iteration then.
    fn goes_on(&self, id: LoopId) -> Option<Vec<Linear>> {
        let this = self.analysis.loops.get(id);
        let [(from, _)] = this.exits.as_slice() else { return None };
        let [_] = this.latches.as_slice() else { return None };
        let ways = &self.function.block(*from).successors;
        let mut inside = ways.iter().filter(|&&to| this.contains(to));
        let (Some(&to), None) = (inside.next(), inside.next()) else { return None };
        if !self.always_leads(this.header, *from) {
            return None;
        }
        let iteration = Atom::Iteration(id);
        let before = |sum: &Linear| {
            let factor = sum.factor(iteration);
            // Later iterations say more.
            if factor < 0 { None } else { sum.and(-factor) }
        };
        self.places.condition(*from, to)?.iter().map(before).collect()
    }

    /// Whether a way leads from a barrier's block to that of a store, within one iteration of the loops around both.
    fn comes_again(&self, store: BlockId, barrier: BlockId, common: &[LoopId]) -> bool {
        let head = common.first().map(|&id| self.analysis.loops.get(id).header);
        let ends = |block: BlockId| Some(block) == head;
        let behind = |&next: &BlockId| self.function.behind(next, &ends).contains(&store);
        self.function.block(barrier).successors.iter().any(behind)
    }
}
