//! Where the items of a vector part, and where they meet again.
//!
//! Terms: a node *parts* if the items that leave it may leave it to different nodes. Its *area* is what some of them may
//! run alone: all that follows it up to where it is post-dominated, or to the end of the scope. An area is entered at its
//! head alone; where that is not so, a node before it becomes the head. A loop is *left apart* if items may leave it in
//! different iterations, or to different places.
//!
//! Blocks in areas run one after another, each for the items that reach it; all else branches as in the program.
//! Source: R. Karrenberg, S. Hack, "Whole-function vectorization" (CGO 2011).

use std::collections::{HashMap, HashSet};

use crate::vector::facts::graph::{Graph, LoopId, Node, Scope};

/// What follows a node whose items part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// In an order in which edges lead forward.
    pub nodes: Vec<Node>,
    /// Where all meet; none: at the end of the scope.
    pub end: Option<Node>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    areas: HashMap<Node, Area>,
    /// Nodes that are in the area of another.
    partial: HashSet<Node>,
    left_apart: Vec<bool>,
    /// Nodes where areas end.
    meetings: HashSet<Node>,
}

impl Control {
    /// `varies`: whether the branch of a block may go differently for items of one vector.
    pub fn find(graph: &Graph, varies: &dyn Fn(usize) -> bool) -> Control {
        let left_apart = vec![false; graph.loops.len()];
        let mut control = Control { left_apart, ..Control::default() };
        // Inner loops have greater numbers.
        for id in (0..graph.loops.len()).rev() {
            control.part(graph, Some(id), varies);
            control.left_apart[id] = control.is_left_apart_by(graph, id, varies);
        }
        control.part(graph, None, varies);
        control
    }

    /// The area behind a node whose items part.
    pub fn area(&self, head: Node) -> Option<&Area> {
        self.areas.get(&head)
    }

    /// Whether maybe only some of those that run the scope run this node of it.
    pub fn is_partial(&self, node: Node) -> bool {
        self.partial.contains(&node)
    }

    pub fn is_left_apart(&self, id: LoopId) -> bool {
        self.left_apart[id]
    }

    /// Whether a loop that items leave apart is around one block and not around another: what is computed in the first is from different
    /// iterations in the second.
    pub fn parts_behind(&self, graph: &Graph, home: usize, user: usize) -> bool {
        let mut around = std::iter::successors(graph.scope_of(home), |&id| graph.loops[id].parent);
        around.any(|id| !graph.is_inside(user, Some(id)) && self.is_left_apart(id))
    }

    /// Whether items come to a node by different ways.
    pub fn is_meeting(&self, node: Node) -> bool {
        self.partial.contains(&node) || self.meetings.contains(&node)
    }

    fn is_left_apart_by(&self, graph: &Graph, id: LoopId, varies: &dyn Fn(usize) -> bool) -> bool {
        graph.edges(Node::Loop(id)).into_iter().any(|edge| {
            let mut at = Node::Block(edge.from);
            let mut apart = varies(edge.from);
            loop {
                apart |= self.partial.contains(&at);
                let around = graph.scope_around(at).expect("the edge comes out of a loop");
                if around == id {
                    return apart;
                }
                apart |= self.left_apart[around];
                at = Node::Loop(around);
            }
        })
    }

    /// Finds the areas of a scope, whose inner loops are known.
    fn part(&mut self, graph: &Graph, scope: Scope, varies: &dyn Fn(usize) -> bool) {
        let view = ScopeView::new(graph, scope, graph.nodes(scope));
        self.part_in(graph, &view, varies, None);
    }

    /// The areas among some nodes of a scope that follow one edge, when all items take it; they go on at `end`.
    pub fn of_side(
        &self,
        graph: &Graph,
        scope: Scope,
        nodes: Vec<Node>,
        varies: &dyn Fn(usize) -> bool,
        end: Option<Node>,
    ) -> Control {
        let left_apart = self.left_apart.clone();
        let mut control = Control { left_apart, ..Control::default() };
        let view = ScopeView::new(graph, scope, nodes);
        control.part_in(graph, &view, varies, end);
        control
    }

    fn part_in(
        &mut self,
        graph: &Graph,
        view: &ScopeView,
        varies: &dyn Fn(usize) -> bool,
        last: Option<Node>,
    ) {
        for at in 0..view.nodes.len() {
            let parts = match view.nodes[at] {
                Node::Block(block) => varies(block) && graph.successors[block].len() > 1,
                Node::Loop(id) => self.left_apart[id] && view.targets[at].len() > 1,
            };
            if !parts {
                continue;
            }
            let (head, inside) = view.area(at);
            let end = view.nodes.get(view.post_dominator[head]).copied().or(last);
            let node = |number: usize| view.nodes[number];
            self.partial.extend(inside.iter().map(|&number| node(number)));
            self.meetings.extend(end);
            let nodes = inside.into_iter().map(node).collect();
            self.areas.insert(node(head), Area { nodes, end });
        }
    }
}

/// Nodes of a scope by their order, the first of which leads to all; what is behind them has the number behind the last.
struct ScopeView {
    nodes: Vec<Node>,
    targets: Vec<Vec<usize>>,
    post_dominator: Vec<usize>,
    /// By node: those that dominate it.
    dominates: Vec<HashSet<usize>>,
}

impl ScopeView {
    fn new(graph: &Graph, scope: Scope, nodes: Vec<Node>) -> ScopeView {
        let number: HashMap<Node, usize> =
            nodes.iter().enumerate().map(|(number, &node)| (node, number)).collect();
        let end = nodes.len();
        let mut targets = Vec::new();
        for &node in &nodes {
            let inside = |node: Node| number.get(&node).copied();
            let edges = graph.edges(node).into_iter();
            let mut after: Vec<usize> = edges
                .map(|edge| graph.target(edge, scope).and_then(inside).unwrap_or(end))
                .collect();
            after.sort();
            after.dedup();
            targets.push(after);
        }
        let mut post_dominator = vec![end; nodes.len() + 1];
        for at in (0..nodes.len()).rev() {
            let meet = |mut a: usize, mut b: usize| {
                while a != b {
                    if a < b { a = post_dominator[a] } else { b = post_dominator[b] }
                }
                a
            };
            post_dominator[at] = targets[at].iter().copied().reduce(meet).unwrap_or(end);
        }
        let mut dominates: Vec<HashSet<usize>> = Vec::new();
        for at in 0..nodes.len() {
            let before = (0..at).filter(|&from| targets[from].contains(&at));
            let common = before
                .map(|from| dominates[from].clone())
                .reduce(|a, b| a.intersection(&b).copied().collect());
            let mut above = common.unwrap_or_default();
            above.insert(at);
            dominates.push(above);
        }
        ScopeView { nodes, targets, post_dominator, dominates }
    }

    /// The head and the nodes of the area in which the items that part at a node are.
    fn area(&self, at: usize) -> (usize, Vec<usize>) {
        let mut head = at;
        loop {
            let inside = self.reach(head);
            let enters = |from: usize| {
                from != head
                    && !inside.contains(&from)
                    && self.targets[from].iter().any(|to| inside.contains(to))
            };
            if !(0..self.nodes.len()).any(enters) {
                return (head, inside);
            }
            let above = |candidate: &usize| {
                inside.iter().chain([&head]).all(|&node| self.dominates[node].contains(candidate))
            };
            head = (0..head).rev().find(above).expect("the first node dominates all");
        }
    }

    /// What follows a node before all meet.
    fn reach(&self, head: usize) -> Vec<usize> {
        let end = self.post_dominator[head];
        let mut inside = vec![];
        let mut rest = self.targets[head].clone();
        while let Some(at) = rest.pop() {
            if at != end && at != self.nodes.len() && !inside.contains(&at) {
                inside.push(at);
                rest.extend(&self.targets[at]);
            }
        }
        inside.sort();
        inside
    }
}
