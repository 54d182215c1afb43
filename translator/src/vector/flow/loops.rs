//! Loops of a region, whose items leave them together or one by one.

use super::masks::MaskSlot;
use crate::llvm::{Block, Value};
use crate::together;
use crate::vector::emit::{Emitter, EndOfRegion};
use crate::vector::facts::cost;
use crate::vector::facts::graph::{LoopId, Node};

impl Emitter<'_> {
    /// A loop that all items of the scope enter.
    pub fn ordinary_loop(&mut self, id: LoopId, end_of_region: &mut EndOfRegion) {
        let node = Node::Loop(id);
        let area = self.area(node);
        if let Some(area) = &area {
            self.open(area);
        }
        let mask = self.frame().mask;
        self.loop_of(id, mask, end_of_region);
        if let Some(area) = area {
            self.line(&area, end_of_region);
            return;
        }
        // Straight on, if anybody comes here at all.
        let scope = self.frame().scope;
        let edge = self.graph.edges(node)[0];
        if !self.facts.control.is_left_apart(id) {
            self.builder.unreachable();
            return;
        }
        match self.graph.target(edge, scope) {
            None => {
                let end = self.frame().end;
                self.builder.branch(end);
            }
            Some(target) => {
                let head = self.graph.head(target);
                let frames = self.frames.iter().rev().filter(|frame| frame.scope == scope);
                let mut found = frames.filter_map(|frame| frame.blocks.get(&head).copied());
                let target = found.next().expect("all go on at one place");
                self.builder.branch(target);
            }
        }
    }

    /// A loop, for the items of `mask`; goes on behind it.
    pub fn loop_of(&mut self, id: LoopId, mask: Option<Value>, end_of_region: &mut EndOfRegion) {
        let after = self.append("lanes.left");
        self.forget_behind(id);
        match self.living.get(&id).copied() {
            None => {
                let top = self.append("lanes.loop");
                self.builder.branch(top);
                self.iteration(id, top, mask, after, end_of_region);
                self.builder.branch(top);
            }
            Some(slots) => self.until_none_is_left(id, slots, mask, after, end_of_region),
        }
        self.builder.move_to_end(after);
        self.here.clear();
        self.spread_here.clear();
    }

    /// A loop that items leave one by one. `slots`: who is in it, and who stays for the next iteration. As long as all are
    /// there, they need no masks.
    fn until_none_is_left(
        &mut self,
        id: LoopId,
        [now, next]: [MaskSlot; 2],
        mask: Option<Value>,
        after: Block,
        end_of_region: &mut EndOfRegion,
    ) {
        let top = self.append("lanes.loop");
        let is_rest =
            together::is_rest(self.context, self.graph.blocks[self.graph.loops[id].header]);
        let twice = mask.is_none() && !is_rest && cost::is_worth_twice(self.graph, self.facts, id);
        if twice {
            let (full, parted) = (self.append("lanes.full"), self.append("lanes.parted"));
            self.builder.branch(full);
            self.builder.move_to_end(full);
            self.clear(next);
            self.iteration(id, full, None, after, end_of_region);
            let left = self.read_mask(next);
            let every = self.every(left);
            self.builder.branch_if(every, full, parted);
            self.builder.move_to_end(parted);
            self.write_mask(now, left);
            let any = self.any(left);
            self.builder.branch_if(any, top, after);
        } else {
            self.write_mask(now, self.all_or(mask));
            self.builder.branch(top);
        }
        self.builder.move_to_end(top);
        let inside = self.read_mask(now);
        self.clear(next);
        self.iteration(id, top, Some(inside), after, end_of_region);
        let left = self.read_mask(next);
        self.write_mask(now, left);
        let any = self.any(left);
        self.builder.branch_if(any, top, after);
    }

    /// The nodes of a loop, from the end of `top` on; goes on where an iteration ends.
    fn iteration(
        &mut self,
        id: LoopId,
        top: Block,
        mask: Option<Value>,
        after: Block,
        end_of_region: &mut EndOfRegion,
    ) {
        self.builder.move_to_end(top);
        let end = self.append("lanes.again");
        self.push(Some(id), mask, end, after);
        let header = self.graph.loops[id].header;
        let begin = self.frame().blocks[&header];
        self.builder.branch(begin);
        let nodes = self.graph.nodes(Some(id));
        self.nodes(&nodes, end_of_region);
        self.frames.pop();
        self.builder.move_to_end(end);
    }

    /// What a loop alone leads to takes nothing from before it.
    fn forget_behind(&self, id: LoopId) {
        for edge in self.graph.edges(Node::Loop(id)) {
            let inside = |&from: &usize| self.graph.is_inside(from, Some(id));
            if self.graph.predecessors[edge.to].iter().all(inside) {
                let phis = self.graph.blocks[edge.to].phis();
                phis.iter().for_each(|phi| self.forget(&self.homes.phis[phi]));
            }
        }
    }
}
