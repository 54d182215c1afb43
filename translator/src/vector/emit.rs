//! Vector code for one region: its control flow.
//!
//! Blocks that all items of a vector run together branch as in the program. An area ([`super::flow::control`]) becomes a straight
//! line: each of its blocks runs for the items that reach it, by a mask in registers, and is jumped over if there are none.
//! Where a branch parts items that are all there, it is first asked whether they really part: if all go one way, that
//! way is code without masks. A loop that is left apart runs until its last item has left.
//!
//! Terms: a mask of none is one of all items.

use super::memory::nowhere::Nowhere;
use std::collections::{HashMap, HashSet};

use super::facts::cost;
use super::facts::graph::{Edge, Graph, LoopId, Node, Scope};
use super::facts::shapes::Facts;
use super::facts::state::{Shape, State};
use super::flow::control::{Area, Control};
use super::flow::homes::{Home, Homes, left_behind};
use super::flow::masks::MaskSlot;
use super::memory::tiles::Tiles;
use super::values::form::Form;
use crate::group::ids::Place;
use crate::ir::copy::Copier;
use crate::llvm::{Block, Builder, Context, Function, IntPredicate, Machine, Opcode, Value};

/// Makes vector code of a region.
pub struct Emitter<'a> {
    pub context: Context,
    pub machine: &'a Machine,
    pub function: Function,
    pub graph: &'a Graph,
    pub facts: &'a Facts,
    pub homes: &'a Homes,
    pub lanes: u64,
    pub copier: Copier,
    pub place: Place,
    /// Where an item's own variables are, and how far apart those of neighbours.
    pub privates_at: &'a HashMap<Value, (Value, i64)>,
    pub privates: &'a super::memory::private::Privates,
    /// What stands for the variables of the group and of items.
    pub slots: &'a HashMap<Value, Home>,
    pub nowhere: Nowhere,
    /// Where the row of items ends, where vectors may leave it before its last one.
    pub row_end: Option<Block>,
    pub builder: Builder,
    /// The items that run what is made now.
    pub mask: Option<Value>,
    /// The block that is made now.
    pub block: usize,
    /// What is known in it.
    pub here: HashMap<Value, Form>,
    pub spread_here: HashMap<Value, Vec<Value>>,
    /// What it loads together, and what was loaded so.
    pub tiles: Tiles,
    pub tiles_loaded: HashMap<usize, Vec<Value>>,
    /// By block: who reaches it, where it is in an area.
    pub masks: &'a HashMap<usize, MaskSlot>,
    /// By loop that is left apart: who is in it, and who stays.
    pub living: &'a HashMap<LoopId, [MaskSlot; 2]>,
    pub frames: Vec<Frame>,
}

/// What follows where items leave the region.
pub type EndOfRegion<'a> = dyn FnMut(&mut Emitter) + 'a;

/// A scope while it is made, or the nodes of an area that all items go through.
pub struct Frame {
    pub scope: Scope,
    pub mask: Option<Value>,
    /// Where blocks begin that branch as in the program.
    pub blocks: HashMap<usize, Block>,
    /// Nodes of an area that all items run here, and where they part in turn.
    whole: Option<(HashSet<Node>, Control)>,
    /// Where edges back to the header lead, and all that remains at the end of an iteration.
    pub end: Block,
    /// Where those go who have left the loop, if not straight on.
    after: Block,
}

/// Ways without masks inside of ways without masks.
pub const MOST_WHOLE: usize = 3;

impl<'a> Emitter<'a> {
    /// Makes the region from where `start` ends on; `end_of_region` makes what its end does.
    pub fn run(&mut self, mask: Option<Value>, end_of_region: &mut EndOfRegion) {
        let blank = self.function.append_block(self.context, "vector.end");
        self.push(None, mask, blank, blank);
        let first = self.frames[0].blocks[&0];
        self.builder.branch(first);
        self.nodes(&self.graph.nodes(None), end_of_region);
        self.frames.pop();
        self.builder.move_to_end(blank);
        self.builder.unreachable();
    }

    /// What the emitter begins with.
    pub fn new(
        shared: Shared<'a>,
        copier: Copier,
        place: Place,
        builder: Builder,
        function: Function,
    ) -> Emitter<'a> {
        let Shared { context, machine, graph, facts, homes, lanes, .. } = shared;
        Emitter {
            context,
            machine,
            function,
            graph,
            facts,
            homes,
            lanes,
            copier,
            place,
            privates_at: shared.privates_at,
            privates: shared.privates,
            slots: shared.slots,
            nowhere: shared.nowhere,
            row_end: shared.row_end,
            builder,
            mask: None,
            block: 0,
            here: HashMap::new(),
            spread_here: HashMap::new(),
            tiles: Tiles::default(),
            tiles_loaded: HashMap::new(),
            masks: shared.masks,
            living: shared.living,
            frames: Vec::new(),
        }
    }

    pub fn push(&mut self, scope: Scope, mask: Option<Value>, end: Block, after: Block) {
        let nodes = self.graph.nodes(scope).into_iter();
        let ordinary = nodes.filter(|&node| !self.facts.control.is_partial(node));
        let heads: Vec<usize> = ordinary.map(|node| self.graph.head(node)).collect();
        let blocks = heads.into_iter().map(|head| (head, self.new_block(head))).collect();
        self.frames.push(Frame { scope, mask, blocks, whole: None, end, after });
    }

    pub fn new_block(&self, number: usize) -> Block {
        let name = format!("{}.lanes", self.graph.blocks[number].name());
        self.function.append_block(self.context, &name)
    }

    pub fn append(&self, name: &str) -> Block {
        self.function.append_block(self.context, name)
    }

    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a frame is open")
    }

    /// What says where items part at a node, or among its likes.
    fn control(&self, node: Node) -> &Control {
        let scope = self.graph.scope_around(node);
        let frames = self.frames.iter().rev().filter(|frame| frame.scope == scope);
        let mut whole = frames.filter_map(|frame| frame.whole.as_ref());
        let here = whole.find(|(nodes, _)| nodes.contains(&node));
        here.map_or(&self.facts.control, |(_, control)| control)
    }

    /// Whether a node runs by a mask of its own.
    fn is_linear(&self, node: Node) -> bool {
        self.control(node).is_partial(node)
    }

    pub fn area(&self, head: Node) -> Option<Area> {
        self.control(head).area(head).cloned()
    }

    /// Makes those of the nodes that all items of the scope run.
    pub fn nodes(&mut self, nodes: &[Node], end_of_region: &mut EndOfRegion) {
        for &node in nodes {
            if self.is_linear(node) {
                continue;
            }
            let head = self.graph.head(node);
            let Some(&begin) = self.frame().blocks.get(&head) else { continue };
            self.builder.move_to_end(begin);
            match node {
                Node::Block(block) => {
                    self.mask = self.frame().mask;
                    self.body(block);
                    self.leave(block, end_of_region);
                }
                Node::Loop(id) => self.ordinary_loop(id, end_of_region),
            }
        }
    }

    /// The instructions of a block.
    fn body(&mut self, block: usize) {
        self.enter(block);
        let source = self.graph.blocks[block];
        let state = |value: Value| State { shape: self.shape_here(value), ..self.facts.of(value) };
        self.tiles = Tiles::find(self.machine, source, self.lanes, &state);
        self.tiles_loaded.clear();
        for phi in source.phis() {
            let form = self.read(&self.homes.phis[&phi]);
            self.keep(phi, form);
        }
        let late = self.late_parts(block);
        for instruction in source.instructions() {
            let is_phi = instruction.is_opcode(Opcode::LLVMPHI);
            if is_phi || instruction.is_terminator() || late.contains(&instruction) {
                continue;
            }
            self.builder.set_debug_location(instruction.debug_location());
            if let Some(form) = self.instruction(instruction) {
                self.keep(instruction, form);
            }
        }
        if let Some(end) = source.terminator() {
            self.builder.set_debug_location(end.debug_location());
        }
    }

    fn enter(&mut self, block: usize) {
        self.block = block;
        self.here.clear();
        self.spread_here.clear();
    }

    fn keep(&mut self, value: Value, form: Form) {
        self.here.insert(value, form);
        for homes in [&self.homes.values, &self.homes.vectors] {
            if let Some(home) = homes.get(&value) {
                self.write_form(home, value);
            }
        }
    }

    fn write_form(&mut self, home: &Home, value: Value) {
        // A strided value's home holds the first item's.
        self.write(&home.clone(), value, None);
    }

    /// What follows a block that all items of the scope run.
    fn leave(&mut self, block: usize, end_of_region: &mut EndOfRegion) {
        let targets = self.graph.successors[block].clone();
        if targets.is_empty() {
            end_of_region(self);
            return;
        }
        if let Some(area) = self.area(Node::Block(block)) {
            self.part(block, &area, end_of_region);
            return;
        }
        if let [to] = targets[..] {
            let edge = Edge { from: block, to };
            self.go(edge);
            return;
        }
        let branch = self.graph.blocks[block].terminator().expect("a block has a terminator");
        let condition = branch.condition().expect("several successors");
        let value = self.first_of(condition);
        let copy = branch.duplicate();
        copy.set_condition(value);
        let sources = branch.successors();
        let mut edges = Vec::new();
        for (index, target) in sources.iter().enumerate() {
            let to = self.graph.number_of(*target).expect("a block of the region");
            let begin = self.append("edge");
            copy.set_successor(index, begin);
            edges.push((Edge { from: block, to }, begin));
        }
        self.builder.insert(copy);
        for (edge, begin) in edges {
            self.aside(begin, |emitter| emitter.go(edge));
        }
    }

    /// Goes along an edge with all items that are here.
    fn go(&mut self, edge: Edge) {
        let mask = self.mask;
        self.cross(edge, mask);
        let target = self.destination(edge);
        self.arrive(edge, mask);
        self.builder.branch(target);
    }

    /// Where an edge leads that all items of the innermost scope take together.
    fn destination(&self, edge: Edge) -> Block {
        for id in self.graph.left_by(edge) {
            let node = Node::Loop(id);
            let collects = self.facts.control.is_left_apart(id)
                || self.is_linear(node)
                || self.control(node).area(node).is_some();
            if collects {
                let scope = Some(id);
                let frame = self.frames.iter().rev().find(|frame| frame.scope == scope);
                return frame.expect("the loop is being made").after;
            }
        }
        let scope = self.common_scope(edge);
        let is_back = scope.is_some_and(|id| self.graph.loops[id].header == edge.to);
        let mut frames = self.frames.iter().rev().filter(|frame| frame.scope == scope);
        if is_back {
            return frames.next().expect("the scope is being made").end;
        }
        frames
            .find_map(|frame| frame.blocks.get(&edge.to).copied())
            .unwrap_or_else(|| panic!("a block that all items run: {}", edge.to))
    }

    /// The scope that has both ends of an edge, inside nodes or as nodes: where the edge stays.
    fn common_scope(&self, edge: Edge) -> Scope {
        let mut scope = self.graph.scope_of(edge.from);
        while !self.graph.is_inside(edge.to, scope) {
            scope = self.graph.scope_around(Node::Loop(scope.expect("the region has all")));
        }
        scope
    }

    /// Notes the items of `mask` where they arrive by an edge.
    fn arrive(&mut self, edge: Edge, mask: Option<Value>) {
        let scope = self.common_scope(edge);
        let is_back = scope.filter(|&id| self.graph.loops[id].header == edge.to);
        if let Some(id) = is_back {
            if let Some([_, next]) = self.living.get(&id).copied() {
                self.add_to(next, mask);
            }
            return;
        }
        let node = self.graph.node_of(edge.to, scope).expect("inside");
        if self.is_linear(node) {
            self.add_to(self.masks[&edge.to], mask);
        }
    }

    /// Who takes which edge out of a block.
    fn parting(&mut self, block: usize) -> Vec<(Edge, Option<Value>)> {
        let branch = self.graph.blocks[block].terminator().expect("a block has a terminator");
        let to = |target: &Block| self.graph.number_of(*target).expect("a block of the region");
        let targets: Vec<usize> = branch.successors().iter().map(to).collect();
        let mask = self.mask;
        if self.graph.successors[block].len() == 1 {
            return vec![(Edge { from: block, to: targets[0] }, mask)];
        }
        let condition = branch.condition().expect("several successors");
        let value = self.lane_vector(condition);
        let mut parts: Vec<(Edge, Option<Value>)> = Vec::new();
        let mut add = |emitter: &Self, to: usize, new: Value| {
            let edge = Edge { from: block, to };
            match parts.iter_mut().find(|(known, _)| *known == edge) {
                Some((_, mask)) => {
                    let both = emitter.builder.or(mask.expect("a mask for each"), new);
                    *mask = Some(both);
                }
                None => parts.push((edge, Some(new))),
            }
        };
        if branch.is_opcode(Opcode::LLVMBr) {
            let yes = self.narrow(mask, value);
            let no = self.opposite(mask, value);
            add(self, targets[0], yes);
            add(self, targets[1], no);
            return parts;
        }
        let mut none = self.mask_type().splat(-1);
        for (index, &target) in targets.iter().enumerate().skip(1) {
            let case = branch.operand(2 * index);
            let case = self.builder.splat(case, self.lanes);
            let is_case = self.builder.compare(IntPredicate::LLVMIntEQ, value, case);
            let yes = self.narrow(mask, is_case);
            add(self, target, yes);
            let not = self.mask_type().splat(-1);
            let not = self.builder.binary(Opcode::LLVMXor, is_case, not);
            none = self.builder.select(not, none, self.mask_type().zero());
        }
        let others = self.narrow(mask, none);
        add(self, targets[0], others);
        parts
    }

    /// Leaves a block at which items part.
    fn part(&mut self, block: usize, area: &Area, end_of_region: &mut EndOfRegion) {
        self.open(area);
        let asks = self.asks_ends(block);
        let known = if asks { self.by_order(block) } else { None };
        if let Some(ends) = &known {
            for &(edge, every) in &ends.edges {
                // Two numbers are compared sooner than vectors, also where nothing follows.
                let side = self.side(edge, area);
                let asked = if side.is_empty() { &area.nodes } else { &side };
                if !cost::is_worth_asking(self.graph, asked) {
                    continue;
                }
                match self.row_ends_by(edge) {
                    Some(row_end) => self.leave_row(every, row_end),
                    None => self.all_one_way(edge, every, area, side, end_of_region),
                }
            }
            self.make_late(ends);
        }
        let parts = self.parting(block);
        if asks && known.is_none() && parts.len() == 2 {
            for &(edge, mask) in &parts {
                let side = self.side(edge, area);
                if !side.is_empty() && cost::is_worth_asking(self.graph, &side) {
                    let every = self.every(mask.expect("items part here"));
                    self.all_one_way(edge, every, area, side, end_of_region);
                }
            }
        }
        for (edge, mask) in parts {
            self.cross(edge, mask);
            self.arrive(edge, mask);
        }
        self.line(area, end_of_region);
    }

    fn varies(&self, block: usize) -> bool {
        let end = self.graph.blocks[block].terminator();
        end.and_then(Value::condition)
            .is_some_and(|it| it.is_instruction() && self.shape_at(it, block) != Shape::Uniform)
    }

    pub fn depth(&self) -> usize {
        self.frames.iter().filter(|frame| frame.whole.is_some()).count()
    }

    /// The nodes of an area that follow an edge.
    fn side(&self, edge: Edge, area: &Area) -> Vec<Node> {
        let scope = self.graph.scope_of(edge.from);
        let inside = |node: &Node| area.nodes.contains(node);
        let mut found: HashSet<Node> = HashSet::new();
        let mut rest: Vec<Node> =
            self.graph.target(edge, scope).into_iter().filter(inside).collect();
        while let Some(node) = rest.pop() {
            if found.insert(node) {
                let edges = self.graph.edges(node).into_iter();
                let targets = edges.filter_map(|edge| self.graph.target(edge, scope));
                rest.extend(targets.filter(inside));
            }
        }
        area.nodes.iter().copied().filter(|node| found.contains(node)).collect()
    }

    /// A way for the case that all items take one edge.
    fn all_one_way(
        &mut self,
        edge: Edge,
        every: Value,
        area: &Area,
        side: Vec<Node>,
        end_of_region: &mut EndOfRegion,
    ) {
        let (whole, parted) = (self.append("lanes.all"), self.append("lanes.some"));
        self.builder.branch_if(every, whole, parted);
        let frame = self.frame();
        let (scope, end, after) = (frame.scope, frame.end, frame.after);
        let varies = |block: usize| self.varies(block);
        let parts = self.facts.control.of_side(self.graph, scope, side.clone(), &varies, area.end);
        let ordinary: Vec<Node> =
            side.iter().copied().filter(|&node| !parts.is_partial(node)).collect();
        let heads = ordinary.iter().map(|&node| self.graph.head(node));
        let blocks = heads.map(|head| (head, self.new_block(head))).collect();
        let nodes = Some((side.into_iter().collect(), parts));
        self.frames.push(Frame { scope, mask: None, blocks, whole: nodes, end, after });
        self.aside(whole, |emitter| {
            emitter.go(edge);
            emitter.nodes(&ordinary, end_of_region);
        });
        self.frames.pop();
        self.block = edge.from;
        self.mask = None;
        self.builder.move_to_end(parted);
    }

    /// Makes something in another block; what is known there is not known here.
    pub fn aside<R>(&mut self, begin: Block, make: impl FnOnce(&mut Self) -> R) -> R {
        let known = (self.here.clone(), self.spread_here.clone());
        self.builder.move_to_end(begin);
        let made = make(self);
        (self.here, self.spread_here) = known;
        made
    }

    /// Begins an area: nobody is in it yet, and nothing is known of what it computes.
    pub fn open(&mut self, area: &Area) {
        for &node in &area.nodes {
            self.clear(self.masks[&self.graph.head(node)]);
            self.forget_node(node);
        }
        if let Some(end) = area.end {
            let head = self.graph.blocks[self.graph.head(end)];
            head.phis().iter().for_each(|phi| self.forget(&self.homes.phis[phi]));
        }
    }

    fn forget_node(&self, node: Node) {
        let blocks: Vec<usize> = match node {
            Node::Block(block) => vec![block],
            Node::Loop(id) => (0..self.graph.blocks.len())
                .filter(|&block| self.graph.is_inside(block, Some(id)))
                .collect(),
        };
        for block in blocks {
            for value in self.graph.blocks[block].instructions() {
                for homes in [&self.homes.values, &self.homes.vectors, &self.homes.phis] {
                    homes.get(&value).iter().for_each(|home| self.forget(home));
                }
            }
        }
    }

    /// The nodes of an area, one after another.
    pub fn line(&mut self, area: &Area, end_of_region: &mut EndOfRegion) {
        for &node in &area.nodes {
            let head = self.graph.head(node);
            let mask = self.read_mask(self.masks[&head]);
            let guarded = cost::needs_guard(self.graph, node);
            let behind = guarded.then(|| {
                let (body, behind) = (self.append("lanes.any"), self.append("lanes.next"));
                let any = self.any(mask);
                self.builder.branch_if(any, body, behind);
                self.builder.move_to_end(body);
                behind
            });
            match node {
                Node::Block(block) => {
                    self.mask = Some(mask);
                    self.body(block);
                    for (edge, mask) in self.parting(block) {
                        self.cross(edge, mask);
                        self.arrive(edge, mask);
                    }
                }
                Node::Loop(id) => self.loop_of(id, Some(mask), end_of_region),
            }
            if let Some(behind) = behind {
                self.builder.branch(behind);
                self.builder.move_to_end(behind);
            }
        }
        self.meet(area);
    }

    /// Goes on where an area ends.
    fn meet(&mut self, area: &Area) {
        let target = match area.end {
            None => self.frame().end,
            Some(end) => {
                let head = self.graph.head(end);
                let scope = self.frame().scope;
                let frames = self.frames.iter().rev().filter(|frame| frame.scope == scope);
                let mut found = frames.filter_map(|frame| frame.blocks.get(&head).copied());
                found.next().expect("an area ends where all items are")
            }
        };
        self.builder.branch(target);
    }

    /// How a value differs where a block uses it.
    pub fn shape_at(&self, value: Value, user: usize) -> Shape {
        let home = value.parent().and_then(|block| self.graph.number_of(block));
        let apart =
            home.is_some_and(|home| left_behind(self.graph, self.facts, home, user).is_some());
        if apart { Shape::Varying } else { self.shape(value) }
    }
}

/// What all vectors of a region share.
#[derive(Clone, Copy)]
pub struct Shared<'a> {
    pub context: Context,
    pub machine: &'a Machine,
    pub graph: &'a Graph,
    pub facts: &'a Facts,
    pub homes: &'a Homes,
    pub lanes: u64,
    pub privates_at: &'a HashMap<Value, (Value, i64)>,
    pub privates: &'a super::memory::private::Privates,
    pub slots: &'a HashMap<Value, Home>,
    pub nowhere: Nowhere,
    pub row_end: Option<Block>,
    pub masks: &'a HashMap<usize, MaskSlot>,
    pub living: &'a HashMap<LoopId, [MaskSlot; 2]>,
}
