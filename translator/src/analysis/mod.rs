//! What is known of a kernel before anything is changed: one file for each analysis, all pure.
//!
//! [`Analysis`] runs them in order and answers for all of them. What items share and where they part
//! (`shapes` with `rules` and `origins`, `control`, `alignments`), and what must not be moved (`hazards`), is sound: code generation may rest
//! on it, as far as the program keeps its promises. Of a `shape` that says of uniform values: its other strides rest on an assumption
//! (`rules`), and so do the orders that are chosen by them. Strides and ranges (`forms`,
//! with `approximate`, `trips`, `access`, `ranges`, `serving`) are as near as locality needs, and say which of them are exact.

pub mod access;
pub mod alignments;
pub mod approximate;
pub mod buffers;
pub mod control;
pub mod copied;
pub mod deciding;
pub mod dominators;
pub mod forms;
pub mod hazards;
pub mod inequalities;
pub mod linear;
pub mod loops;
pub mod needless;
pub mod origins;
pub mod overlap;
pub mod places;
pub mod promotion;
pub mod ranges;
pub mod roots;
pub mod rules;
pub mod same;
pub mod serving;
pub mod shape;
pub mod shapes;
pub mod state;
pub mod steps;
pub mod trips;

use access::{Access, Class, Stride};
use alignments::Alignments;
use approximate::Rules;
use deciding::Deciding;
use dominators::Tree;
use forms::Forms;
use loops::{LoopId, Loops};
use ranges::Range;
use roots::Roots;
use shape::Shape;
use shapes::{Flow, Shapes};
use trips::Trips;

use crate::view::{BlockId, Function, ValueId};

/// Everything known of one kernel.
#[derive(Debug)]
pub struct Analysis {
    pub dominators: Tree,
    pub post_dominators: Tree,
    pub loops: Loops,
    /// The blocks whose branches possibly decide whether a barrier is reached ([`deciding`]).
    pub possible: Vec<BlockId>,
    shapes: [Shapes; 3],
    alignments: Alignments,
    trips: Vec<Option<Trips>>,
    pub roots: Roots,
    pub accesses: Vec<Access>,
    /// By loop: the numbers of the accesses inside, and their classes in it.
    classes: Vec<Vec<(usize, Class)>>,
    /// The numbers of the accesses outside of all loops, and their strides from item to item.
    straight: Vec<(usize, Stride)>,
    pub ranges: Vec<Range>,
}

impl Analysis {
    pub fn new(function: &Function) -> Analysis {
        Analysis::by(function, Rules::default())
    }

    /// With strides by these rules where they are approximate.
    pub fn by(function: &Function, rules: Rules) -> Analysis {
        let dominators = Tree::dominators(function);
        let post_dominators = Tree::post_dominators(function);
        let loops = Loops::find(function, &dominators);
        let order = dominators::order(function);
        let alignments = Alignments::find(function, &order);
        let Deciding { certain, possible } = Deciding::find(function, &post_dominators);
        let flow = Flow::new(function, &loops, &post_dominators, &order, &alignments, &certain);
        let shapes = [0, 1, 2].map(|dimension| flow.solve(dimension));
        let forms = Forms::new(function, &loops, &shapes, &order, rules);
        let trips: Vec<_> =
            loops.ids().map(|id| trips::count(function, &loops, &forms, id)).collect();
        let roots = Roots::find(function, &order);
        let mut accesses = access::find(function, &roots);
        access::compare(&mut accesses, &forms, &loops);
        let mut classes = vec![Vec::new(); loops.len()];
        let mut straight = Vec::new();
        for (number, access) in accesses.iter().enumerate() {
            if loops.innermost(access.block).is_none() {
                straight.push((number, access::from_item_to_item(function, &forms, access)));
            }
            for id in loops.around(access.block) {
                let class = access::classify(function, &forms, access, id);
                classes[id.index()].push((number, class));
            }
        }
        let ranges = ranges::find(function, &forms, &accesses, &roots, &trips);
        drop(flow);
        Analysis {
            dominators,
            post_dominators,
            loops,
            possible,
            shapes,
            alignments,
            trips,
            roots,
            accesses,
            classes,
            straight,
            ranges,
        }
    }

    /// Accesses that LLVM must not move ([`hazards`]): for the one who makes code, not for every plan.
    pub fn must_stay(&self, function: &Function) -> Vec<ValueId> {
        let order = dominators::order(function);
        let forms = &Forms::new(function, &self.loops, &self.shapes, &order, Rules::default());
        let along = usize::from(access::innermost_dimension(function));
        let shape = &|value| self.shapes[along].of(value);
        let (loops, roots, order) = (&self.loops, &self.roots, order.as_slice());
        hazards::find(&hazards::Knowledge { function, loops, forms, roots, order, shape })
    }

    /// How a value differs between items, along each dimension.
    pub fn shape(&self, value: ValueId) -> [Shape; 3] {
        [0, 1, 2].map(|dimension: usize| self.shapes[dimension].of(value))
    }

    /// The power of two that every item's value is a multiple of; the highest there is for 0.
    pub fn multiple_of(&self, value: ValueId) -> u64 {
        1 << self.alignments.of(value).min(u64::BITS - 1)
    }

    /// Whether all items of a work-group have the same, where the value is computed.
    pub fn is_uniform(&self, value: ValueId) -> bool {
        self.shapes.iter().all(|shapes| shapes.of(value).is_uniform())
    }

    /// Whether one place can hold the value for all items of a group: they all have the same, also
    /// when they have left the loops it is computed in.
    pub fn is_one_for_all(&self, function: &Function, value: ValueId) -> bool {
        let apart = function.instruction(value).is_some_and(|instruction| {
            self.loops.around(instruction.block).any(|id| self.is_left_apart(id))
        });
        self.is_uniform(value) && !apart
    }

    /// The blocks whose branches decide whether a barrier is reached by what may differ from item to item.
    pub fn undecided(&self) -> Vec<BlockId> {
        let mut found: Vec<BlockId> =
            self.shapes.iter().flat_map(|shapes| shapes.claimed.iter().copied()).collect();
        found.sort();
        found.dedup();
        found
    }

    /// Whether items may disagree at the branch of `block`, by what differs where it stands.
    pub fn is_apart(&self, function: &Function, block: BlockId) -> bool {
        let Some((_, end)) = function.terminator(block) else { return false };
        let Some(&condition) = end.operands.first() else { return false };
        let home = function.instruction(condition).map(|made| made.block);
        let mut left = home.into_iter().flat_map(|home| self.loops.around(home));
        !self.is_uniform(condition)
            || left.any(|id| self.is_left_apart(id) && !self.loops.get(id).contains(block))
    }

    /// Whether maybe only some of the items run this block together.
    pub fn is_divergent(&self, block: BlockId) -> bool {
        self.shapes.iter().any(|shapes| shapes.is_divergent(block))
    }

    /// Whether items may leave this loop in different iterations.
    pub fn is_left_apart(&self, id: LoopId) -> bool {
        self.shapes.iter().any(|shapes| shapes.is_left_apart(id))
    }

    /// The launch's dimensions along which neighbouring work-groups load the same memory in loops ([`serving`]). `names`: what it calls
    /// the kernel's.
    pub fn serving(&self, function: &Function, names: [usize; 3]) -> Vec<u8> {
        let loads = self.loops.ids().flat_map(|id| self.classes(id));
        serving::dimensions(function, &dominators::order(function), names, loads)
    }

    pub fn trips(&self, id: LoopId) -> Option<&Trips> {
        self.trips[id.index()].as_ref()
    }

    /// The accesses inside a loop, those of inner loops too, with their class in it.
    pub fn classes(&self, id: LoopId) -> impl Iterator<Item = (&Access, Class)> {
        let inside = self.classes[id.index()].iter();
        inside.map(|&(number, class)| (&self.accesses[number], class))
    }

    /// The accesses outside of all loops, with their strides from item to item.
    pub fn straight(&self) -> impl Iterator<Item = (&Access, Stride)> {
        self.straight.iter().map(|&(number, stride)| (&self.accesses[number], stride))
    }
}
