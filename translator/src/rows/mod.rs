//! Loops along rows, of which each item reads one of its own, take several numbers of the row in an iteration.
//!
//! Then a vector of items finds tiles in it ([`crate::vector::memory::tiles`]). In front of such a loop stands a copy of it that goes on as long
//! as the condition holds for so many iterations; the loop itself does those that are left. Each item computes the same in
//! the same order.

mod counted;
mod maps;
mod several;

use std::collections::HashSet;

use crate::analysis::access::Access;
use crate::analysis::loops::LoopId;
use crate::analysis::shape::Shape;
use crate::llvm::{Block, Context, Machine, Opcode, Value};
use crate::schedule::Plan;
use crate::vector::facts::sums::Sum;
use crate::vector::memory::tiles::Cells;
use counted::Counted;

/// Lanes of the vectors, as far as it counts for whether there are tiles.
const LANES: u64 = 4;

/// Loops along rows.
#[derive(Default)]
pub struct Rows {
    loops: Vec<Counted>,
    /// What they read of the rows.
    pub loads: HashSet<Value>,
    /// The blocks of loops that write rows, each number computed of its own place alone ([`maps`]).
    pub maps: HashSet<Block>,
}

impl Rows {
    pub fn find(machine: &Machine, plan: &Plan) -> Rows {
        let mut rows = Rows::default();
        for id in plan.analysis.loops.ids().filter(|&id| leave_together(plan, id)) {
            let Some(counted) = Counted::of(machine, plan, id) else {
                let map = maps::find(machine, plan, id);
                rows.maps.extend(map.iter().flat_map(Counted::blocks));
                continue;
            };
            let loads = of_rows(machine, plan, &counted);
            if !loads.is_empty() {
                rows.loads.extend(loads);
                rows.loops.push(counted);
            }
        }
        rows
    }

    /// Gives the headers of the copies.
    pub fn apply(&self, context: Context) -> Vec<Block> {
        self.loops.iter().map(|each| several::put_in_front(context, each)).collect()
    }
}

/// Whether all items that run an innermost loop leave it in the same iteration.
fn leave_together(plan: &Plan, id: LoopId) -> bool {
    let loops = &plan.analysis.loops;
    let is_innermost = loops.ids().all(|other| loops.get(other).parent != Some(id));
    is_innermost && !loops.irreducible && !plan.analysis.is_left_apart(id)
}

/// Loads or stores of a loop, and whether what an item touches by them is apart from what its neighbours do.
fn touches<'a>(
    plan: &'a Plan,
    counted: &'a Counted,
    opcode: Opcode,
) -> impl Iterator<Item = (Value, bool)> + 'a {
    let block = |access: &Access| plan.view.blocks[access.block.index()];
    let inside =
        plan.analysis.accesses.iter().filter(move |it| counted.blocks().contains(&block(it)));
    let each = inside.map(|access| {
        let apart = match plan.analysis.shape(access.pointer)[0] {
            Shape::Uniform => false,
            Shape::Affine(stride) => stride.unsigned_abs() > access.bytes,
            Shape::Linear | Shape::Varying => true,
        };
        (plan.view.values[access.instruction.index()], apart)
    });
    each.filter(move |(value, _)| value.is_opcode(opcode))
}

/// Loads of a loop, of numbers that follow each other from iteration to iteration and are apart from item to item.
fn of_rows(machine: &Machine, plan: &Plan, counted: &Counted) -> Vec<Value> {
    let loads = touches(plan, counted, Opcode::LLVMLoad)
        .filter_map(|(load, apart)| apart.then_some(load))
        .filter(|load| Cells::of(machine, load.ty(), LANES).is_some_and(|cells| cells.loads > 1));
    loads
        .filter(|load| {
            let grows = counted.growth(machine, &Sum::of_address(machine, load.operand(0)));
            grows == Some(machine.size_bytes(load.ty()) as i64)
        })
        .collect()
}
