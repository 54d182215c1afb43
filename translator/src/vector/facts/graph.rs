//! The control flow of one region: its blocks by number, its loops, and the scopes that they are.
//!
//! Terms: a *scope* is the region or a loop in it; its *nodes* are the blocks that are in no loop inside, and the loops
//! right inside. Seen from a scope, edges between its nodes lead forward only; those back to its header and those out of
//! it lead to its end. Blocks are numbered in reverse postorder, and a loop is known by its header there.

use std::collections::HashMap;

use crate::group::regions::Region;
use crate::llvm::Block;

/// A loop, by its number.
pub type LoopId = usize;

/// The region, or a loop of it.
pub type Scope = Option<LoopId>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    Block(usize),
    Loop(LoopId),
}

#[derive(Debug)]
pub struct Loop {
    pub header: usize,
    /// By block: whether it is inside.
    inside: Vec<bool>,
    pub parent: Scope,
}

/// An edge from block to block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
}

pub struct Graph {
    pub blocks: Vec<Block>,
    number: HashMap<Block, usize>,
    pub successors: Vec<Vec<usize>>,
    pub predecessors: Vec<Vec<usize>>,
    pub loops: Vec<Loop>,
    innermost: Vec<Scope>,
}

impl Graph {
    /// None if a loop is entered at several places, or never left.
    pub fn new(region: &Region) -> Option<Graph> {
        let blocks = region.flow.blocks.clone();
        let number: HashMap<Block, usize> =
            blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        let mut successors = Vec::new();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, &block) in blocks.iter().enumerate() {
            let mut targets = Vec::new();
            if Some(block) != region.end {
                for target in block.successors() {
                    let to = number[&target];
                    if !targets.contains(&to) {
                        targets.push(to);
                        predecessors[to].push(from);
                    }
                }
            }
            successors.push(targets);
        }
        let innermost = vec![None; blocks.len()];
        let loops = Vec::new();
        let mut graph = Graph { blocks, number, successors, predecessors, loops, innermost };
        graph.find_loops(region).then_some(graph)
    }

    pub fn number_of(&self, block: Block) -> Option<usize> {
        self.number.get(&block).copied()
    }

    fn find_loops(&mut self, region: &Region) -> bool {
        let mut bodies: HashMap<usize, Vec<bool>> = HashMap::new();
        for from in 0..self.blocks.len() {
            for &to in &self.successors[from] {
                if to > from {
                    continue;
                }
                if !region.flow.dominates(self.blocks[to], self.blocks[from]) {
                    return false;
                }
                let inside = bodies.entry(to).or_insert_with(|| {
                    let mut inside = vec![false; self.blocks.len()];
                    inside[to] = true;
                    inside
                });
                let mut rest = vec![from];
                while let Some(at) = rest.pop() {
                    if !std::mem::replace(&mut inside[at], true) {
                        rest.extend(&self.predecessors[at]);
                    }
                }
            }
        }
        let mut headers: Vec<usize> = bodies.keys().copied().collect();
        headers.sort();
        for header in headers {
            let inside = bodies.remove(&header).expect("the body of a header");
            // Outer loops have smaller headers: the last one that has this header is the nearest around it.
            let parent = self.innermost[header];
            let id = self.loops.len();
            for (block, _) in inside.iter().enumerate().filter(|(_, inside)| **inside) {
                self.innermost[block] = Some(id);
            }
            self.loops.push(Loop { header, inside, parent });
        }
        let ids = 0..self.loops.len();
        ids.into_iter().all(|id| !self.edges(Node::Loop(id)).is_empty())
    }

    pub fn is_inside(&self, block: usize, scope: Scope) -> bool {
        scope.is_none_or(|id| self.loops[id].inside[block])
    }

    /// The scope that a block is a node of.
    pub fn scope_of(&self, block: usize) -> Scope {
        self.innermost[block]
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: usize) -> u32 {
        let around = std::iter::successors(self.innermost[block], |&id| self.loops[id].parent);
        around.count() as u32
    }

    /// The node of `scope` that a block is or is in; none if it is outside.
    pub fn node_of(&self, block: usize, scope: Scope) -> Option<Node> {
        let mut at = Node::Block(block);
        let mut around = self.innermost[block];
        while around != scope {
            let id = around?;
            at = Node::Loop(id);
            around = self.loops[id].parent;
        }
        Some(at)
    }

    /// The scope that a node is right inside of.
    pub fn scope_around(&self, node: Node) -> Scope {
        match node {
            Node::Block(block) => self.innermost[block],
            Node::Loop(id) => self.loops[id].parent,
        }
    }

    /// The block where a node is entered.
    pub fn head(&self, node: Node) -> usize {
        match node {
            Node::Block(block) => block,
            Node::Loop(id) => self.loops[id].header,
        }
    }

    /// The nodes of a scope in an order in which edges lead forward.
    pub fn nodes(&self, scope: Scope) -> Vec<Node> {
        let mut nodes: Vec<Node> = (0..self.blocks.len())
            .filter(|&block| self.innermost[block] == scope)
            .map(Node::Block)
            .collect();
        let inner = (0..self.loops.len()).filter(|&id| self.loops[id].parent == scope);
        nodes.extend(inner.map(Node::Loop));
        nodes.sort_by_key(|&node| self.head(node));
        nodes
    }

    /// The edges that lead out of a node.
    pub fn edges(&self, node: Node) -> Vec<Edge> {
        let of = |from: usize| self.successors[from].iter().map(move |&to| Edge { from, to });
        match node {
            Node::Block(block) => of(block).collect(),
            Node::Loop(id) => {
                let inside = &self.loops[id].inside;
                let blocks = (0..self.blocks.len()).filter(|&block| inside[block]);
                blocks.flat_map(of).filter(|edge| !inside[edge.to]).collect()
            }
        }
    }

    /// Where an edge leads, seen from a scope; none: to its end.
    pub fn target(&self, edge: Edge, scope: Scope) -> Option<Node> {
        let is_back = scope.is_some_and(|id| self.loops[id].header == edge.to);
        if is_back { None } else { self.node_of(edge.to, scope) }
    }

    /// The loops that an edge leaves, innermost first.
    pub fn left_by(&self, edge: Edge) -> Vec<LoopId> {
        let mut left = Vec::new();
        let mut around = self.innermost[edge.from];
        while let Some(id) = around {
            if self.loops[id].inside[edge.to] {
                break;
            }
            left.push(id);
            around = self.loops[id].parent;
        }
        left
    }
}
