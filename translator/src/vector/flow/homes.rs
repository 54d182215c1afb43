//! Variables for what one block of a region computes and another uses: allocas, which LLVM's `sroa` makes into registers.
//!
//! A value's *home* is written where it is computed. A phi is written by the edges that lead to it. What a loop that is
//! left apart computes, and something behind it uses, is *caught* for each item when that item leaves.

use std::collections::{HashMap, HashSet};

use crate::front::division;
use crate::ir::uses;
use crate::llvm::{Builder, Opcode, Type, Value};
use crate::vector::emit::Emitter;
use crate::vector::facts::graph::{Edge, Graph, LoopId, Node};
use crate::vector::facts::guess::{masked_low_half, shifted_low_half};
use crate::vector::facts::shapes::Facts;
use crate::vector::facts::state::Shape;
use crate::vector::values::extend;
use crate::vector::values::form::{Form, components};

/// The variables that stand for one value.
#[derive(Clone, Debug)]
pub enum Home {
    Uniform(Value, Type),
    Strided(Value, Type, i64),
    Lanes(Vec<(Value, Type)>),
}

#[derive(Default)]
pub struct Homes {
    pub values: HashMap<Value, Home>,
    /// Vectors of divisions whose stride is guessed, beside the first item's number: to compute one again elsewhere, maybe in a loop,
    /// costs much.
    pub vectors: HashMap<Value, Home>,
    /// What edges write for phis.
    pub phis: HashMap<Value, Home>,
    pub caught: HashMap<Value, Home>,
    /// By loop: what is caught where it is left.
    pub catches: HashMap<LoopId, Vec<Value>>,
}

impl Homes {
    /// Makes room, by `builder`, for all that needs it.
    pub fn make(builder: &Builder, graph: &Graph, facts: &Facts, lanes: u64) -> Homes {
        let mut homes = Homes::default();
        let mut parts = parts_of_guessed(graph, facts);
        parts.extend(extend::parts(graph, facts));
        for (number, &block) in graph.blocks.iter().enumerate() {
            for value in block.instructions() {
                let is_phi = value.is_opcode(Opcode::LLVMPHI);
                if value.ty().is_void() || value.is_opcode(Opcode::LLVMAlloca) {
                    continue;
                }
                let uses = Used::of(graph, facts, value, number);
                let home = |lanes_only: bool| room(builder, facts, value, lanes, lanes_only);
                if is_phi {
                    homes.phis.insert(value, home(false));
                }
                if uses.elsewhere || parts.contains(&value) {
                    homes.values.insert(value, home(false));
                    if facts.of(value).guessed && division::is_division(value) {
                        homes.vectors.insert(value, home(true));
                    }
                }
                if let Some(id) = uses.behind {
                    homes.caught.insert(value, home(true));
                    homes.catches.entry(id).or_default().push(value);
                }
            }
        }
        homes
    }
}

/// What guessed values are computed of: where one is used, it may have to be computed again, item by item.
fn parts_of_guessed(graph: &Graph, facts: &Facts) -> HashSet<Value> {
    let all = graph.blocks.iter().flat_map(|block| block.instructions());
    let mut rest: Vec<Value> = all.filter(|&value| facts.of(value).guessed).collect();
    let mut parts = HashSet::new();
    while let Some(value) = rest.pop() {
        let shifted = shifted_low_half(value).map(|low| low.number);
        let masked = masked_low_half(value).map(|(low, _)| low);
        let operands = value.operands().chain(shifted).chain(masked);
        let operands = operands.filter(|operand| operand.is_instruction());
        for operand in operands.filter(|&operand| parts.insert(operand)) {
            if facts.of(operand).guessed {
                rest.push(operand);
            }
        }
    }
    parts
}

/// Where a value is used.
struct Used {
    /// In another block of the region.
    elsewhere: bool,
    /// Behind this loop, which it is computed in, and which is left apart.
    behind: Option<LoopId>,
}

impl Used {
    fn of(graph: &Graph, facts: &Facts, value: Value, home: usize) -> Used {
        let mut used = Used { elsewhere: false, behind: None };
        for at in uses::of(value) {
            let Some(block) = graph.number_of(at.block) else { continue };
            used.elsewhere |= block != home;
            used.behind = used.behind.or(left_behind(graph, facts, home, block));
        }
        used.elsewhere |= used.behind.is_some();
        used
    }
}

/// The innermost loop around `home`, left apart, that `user` is not in.
pub fn left_behind(graph: &Graph, facts: &Facts, home: usize, user: usize) -> Option<LoopId> {
    let mut around = graph.scope_of(home);
    while let Some(id) = around {
        if !graph.is_inside(user, around) && facts.control.is_left_apart(id) {
            return Some(id);
        }
        around = graph.scope_around(Node::Loop(id));
    }
    None
}

fn room(builder: &Builder, facts: &Facts, value: Value, lanes: u64, lanes_only: bool) -> Home {
    let ty = value.ty();
    match facts.of(value).shape {
        Shape::Uniform if !lanes_only => Home::Uniform(builder.alloca(ty), ty),
        Shape::Strided(stride) if !lanes_only => Home::Strided(builder.alloca(ty), ty, stride),
        _ => {
            let components = components(ty).expect("a value of simple components");
            let wide = components.into_iter().map(|ty| ty.vector(lanes));
            Home::Lanes(wide.map(|ty| (builder.alloca(ty), ty)).collect())
        }
    }
}

impl Emitter<'_> {
    /// What was written to a value's home.
    pub fn from_home(&self, value: Value) -> Form {
        let block = value.parent().and_then(|block| self.graph.number_of(block));
        let home = block.expect("a value of this region");
        let apart = left_behind(self.graph, self.facts, home, self.block).is_some();
        let homes = if apart { &self.homes.caught } else { &self.homes.values };
        let home = homes.get(&value).unwrap_or_else(|| panic!("a home of {value}"));
        self.read(home)
    }

    /// The vector that was kept of a value of another block beside its first item's number.
    pub fn vector_from_home(&self, value: Value) -> Option<Vec<Value>> {
        let is_here = value.parent() == Some(self.graph.blocks[self.block]);
        let home = self.homes.vectors.get(&value).filter(|_| !is_here)?;
        let Form::Lanes(lanes) = self.read(home) else { return None };
        Some(lanes)
    }

    pub fn read(&self, home: &Home) -> Form {
        let builder = &self.builder;
        match home {
            Home::Uniform(at, ty) => Form::Uniform(builder.load(*ty, *at)),
            Home::Strided(at, ty, stride) => Form::Strided(builder.load(*ty, *at), *stride),
            Home::Lanes(parts) => {
                Form::Lanes(parts.iter().map(|&(at, ty)| builder.load(ty, at)).collect())
            }
        }
    }

    /// Writes `value` to a home, for the items of `mask` alone if there is one.
    pub fn write(&mut self, home: &Home, value: Value, mask: Option<Value>) {
        match home {
            Home::Uniform(at, _) | Home::Strided(at, _, _) => {
                let first = self.first_of(value);
                self.builder.store(first, *at);
            }
            Home::Lanes(parts) => {
                let lanes = self.lanes_of(value);
                for (&(at, ty), new) in parts.iter().zip(lanes) {
                    let new = match mask {
                        Some(mask) => {
                            let old = self.builder.load(ty, at);
                            self.builder.select(mask, new, old)
                        }
                        None => new,
                    };
                    self.builder.store(new, at);
                }
            }
        }
    }

    /// Makes a home hold nothing, so that nothing lives on in it.
    pub fn forget(&self, home: &Home) {
        match home {
            Home::Uniform(at, ty) | Home::Strided(at, ty, _) => {
                self.builder.store(ty.poison(), *at);
            }
            Home::Lanes(parts) => {
                for &(at, ty) in parts {
                    self.builder.store(ty.poison(), at);
                }
            }
        }
    }

    /// Writes what the phis behind an edge take, and catches what is used behind the loops that it leaves. `mask`: the items that go this
    /// way, if they may not be all.
    pub fn cross(&mut self, edge: Edge, mask: Option<Value>) {
        let (from, to) = (self.graph.blocks[edge.from], self.graph.blocks[edge.to]);
        let left = self.graph.left_by(edge);
        let apart = left.iter().any(|&id| self.facts.control.is_left_apart(id));
        let merging = apart || self.ways_to(edge) > 1;
        for phi in to.phis() {
            let home = self.homes.phis[&phi].clone();
            let value = phi.incoming_from(from).expect("a value for each edge");
            self.write(&home, value, mask.filter(|_| merging));
        }
        for id in left {
            for value in self.homes.catches.get(&id).cloned().unwrap_or_default() {
                let home = self.homes.caught[&value].clone();
                let mask = self.facts.control.is_left_apart(id).then(|| self.all_or(mask));
                self.write(&home, value, mask);
            }
        }
    }

    /// How many edges lead where this one leads, of those into a loop or of those back to its header.
    fn ways_to(&self, edge: Edge) -> usize {
        let graph = self.graph;
        let scope = graph.scope_of(edge.to);
        let header = scope.is_some_and(|id| graph.loops[id].header == edge.to);
        let inside = |from: usize| header && graph.is_inside(from, scope);
        let kind = inside(edge.from);
        graph.predecessors[edge.to].iter().filter(|&&from| inside(from) == kind).count()
    }
}
