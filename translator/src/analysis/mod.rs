//! What is known of a kernel before anything is changed: one file for each analysis, all pure.
//!
//! [`Analysis`] runs them in order and answers for all of them. What items share and where they part
//! (`shape`, `shapes`, `control`) is sound: code generation may rest on it. Strides and ranges (`forms`,
//! `trips`, `access`, `ranges`) are as near as locality needs, and say which of them are exact.

pub mod access;
pub mod control;
pub mod dominators;
pub mod forms;
pub mod linear;
pub mod loops;
pub mod ranges;
pub mod shape;
pub mod shapes;
pub mod trips;

use access::{Access, Class};
use dominators::Tree;
use forms::Forms;
use loops::{LoopId, Loops};
use ranges::Range;
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
    shapes: [Shapes; 3],
    trips: Vec<Option<Trips>>,
    pub accesses: Vec<Access>,
    /// By access: its class in each loop around it, the innermost first.
    classes: Vec<Vec<(LoopId, Class)>>,
    pub ranges: Vec<Range>,
}

impl Analysis {
    pub fn new(function: &Function) -> Analysis {
        let dominators = Tree::dominators(function);
        let post_dominators = Tree::post_dominators(function);
        let loops = Loops::find(function, &dominators);
        let flow = Flow::new(function, &loops, &post_dominators);
        let shapes = [0, 1, 2].map(|dimension| flow.solve(dimension));
        let forms = Forms::new(function, &loops, &shapes, &dominators::order(function));
        let trips: Vec<_> =
            loops.ids().map(|id| trips::count(function, &loops, &forms, id)).collect();
        let mut accesses = access::find(function);
        access::mark_repeated(&mut accesses, &forms, &loops);
        let class_in = |access: &Access, id| (id, access::classify(function, &forms, access, id));
        let classes = accesses
            .iter()
            .map(|access| loops.around(access.block).map(|id| class_in(access, id)).collect())
            .collect();
        let ranges = ranges::find(function, &forms, &accesses, &trips);
        drop(flow);
        Analysis { dominators, post_dominators, shapes, trips, accesses, classes, ranges, loops }
    }

    /// How a value differs between items, along each dimension.
    pub fn shape(&self, value: ValueId) -> [Shape; 3] {
        [0, 1, 2].map(|dimension: usize| self.shapes[dimension].of(value))
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

    /// Whether maybe only some of the items run this block together.
    pub fn is_divergent(&self, block: BlockId) -> bool {
        self.shapes.iter().any(|shapes| shapes.is_divergent(block))
    }

    /// Whether items may leave this loop in different iterations.
    pub fn is_left_apart(&self, id: LoopId) -> bool {
        self.shapes.iter().any(|shapes| shapes.is_left_apart(id))
    }

    pub fn trips(&self, id: LoopId) -> Option<&Trips> {
        self.trips[id.index()].as_ref()
    }

    /// The accesses inside a loop, those of inner loops too, with their class in it.
    pub fn classes(&self, id: LoopId) -> impl Iterator<Item = (&Access, Class)> {
        let both = self.accesses.iter().zip(&self.classes);
        both.filter_map(move |(access, classes)| {
            classes.iter().find(|(around, _)| *around == id).map(|&(_, class)| (access, class))
        })
    }
}
