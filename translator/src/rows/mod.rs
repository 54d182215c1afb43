//! Loops along rows, of which each item reads one of its own, take several numbers of the row in an iteration.
//!
//! Then a vector of items finds tiles in it ([`crate::vector::memory::tiles`]). In front of such a loop stands a copy of it that goes on as long
//! as the condition holds for so many iterations; the loop itself does those that are left. Where registers hold whole lines of the cache,
//! one for those may stand in front of that. Each item computes the same in the same order.

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
use crate::vector::memory::tiles::{self, Cells};
use counted::Counted;

/// Lanes of the vectors, as far as it counts for whether there are tiles.
const LANES: u64 = 4;

/// Iterations that become one: as many as the shortest row of a tile has numbers of four bytes.
const TIMES: u64 = 4;

/// Instructions of a copy for longer rows.
const MOST_INSTRUCTIONS: u64 = 256;

/// Loops along rows.
#[derive(Default)]
pub struct Rows {
    /// Each with the numbers of iterations that become one, the most first.
    loops: Vec<(Counted, Vec<u64>)>,
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
                let times = times(machine, &counted, &loads);
                rows.loads.extend(loads.into_iter().map(|(load, _)| load));
                rows.loops.push((counted, times));
            }
        }
        rows
    }

    /// Gives the headers of the copies.
    pub fn apply(&self, context: Context) -> Vec<Block> {
        let copies = self.loops.iter().flat_map(|(counted, times)| {
            times.iter().map(move |&times| several::put_in_front(context, counted, times))
        });
        copies.collect()
    }
}

/// How many iterations become one: those of the longest rows, if registers hold them and not much else is done, and then those of the
/// shortest. Where rows are anywhere they may turn out to be next to each other, and longer copies would be in vain.
fn times(machine: &Machine, counted: &Counted, loads: &[(Value, Place)]) -> Vec<u64> {
    let bytes = loads.iter().map(|(load, _)| machine.size_bytes(load.ty())).max();
    let line = tiles::LINE / bytes.unwrap_or(tiles::LINE);
    let fits = |times: &u64| {
        2 * times * loads.len() as u64 <= machine.vector_registers()
            && times * counted.instructions().len() as u64 <= MOST_INSTRUCTIONS
    };
    let suits = tiles::holds_lines(machine) && loads.iter().all(|&(_, at)| at == Place::Row);
    let longer = [line, line / 2].into_iter().filter(|&times| suits && times > TIMES).find(fits);
    longer.into_iter().chain([TIMES]).collect()
}

/// Whether all items that run an innermost loop leave it in the same iteration.
fn leave_together(plan: &Plan, id: LoopId) -> bool {
    let loops = &plan.analysis.loops;
    let is_innermost = loops.ids().all(|other| loops.get(other).parent != Some(id));
    is_innermost && !loops.irreducible && !plan.analysis.is_left_apart(id)
}

/// Where an item touches memory beside its neighbours.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// In the same place, or next to them.
    Near,
    /// In a row of its own, as far from theirs as they are from each other.
    Row,
    /// Anywhere.
    Anywhere,
}

/// Loads or stores of a loop, and where they are.
fn touches<'a>(
    plan: &'a Plan,
    counted: &'a Counted,
    opcode: Opcode,
) -> impl Iterator<Item = (Value, Place)> + 'a {
    let block = |access: &Access| plan.view.blocks[access.block.index()];
    let inside =
        plan.analysis.accesses.iter().filter(move |it| counted.blocks().contains(&block(it)));
    let each = inside.map(|access| {
        let place = match plan.analysis.shape(access.pointer)[0] {
            Shape::Affine(stride) if stride.unsigned_abs() > access.bytes => Place::Row,
            Shape::Uniform | Shape::Affine(_) => Place::Near,
            Shape::Linear => Place::Row,
            Shape::Varying => Place::Anywhere,
        };
        (plan.view.values[access.instruction.index()], place)
    });
    each.filter(move |(value, _)| value.is_opcode(opcode))
}

/// Loads of a loop, of numbers that follow each other from iteration to iteration and are apart from item to item.
fn of_rows(machine: &Machine, plan: &Plan, counted: &Counted) -> Vec<(Value, Place)> {
    let loads = touches(plan, counted, Opcode::LLVMLoad).filter(|&(load, place)| {
        let cells = Cells::of(machine, load.ty(), LANES);
        place != Place::Near && cells.is_some_and(|cells| cells.loads > 1)
    });
    loads
        .filter(|(load, _)| {
            let grows = counted.growth(machine, &Sum::of_address(machine, load.operand(0)));
            grows == Some(machine.size_bytes(load.ty()) as i64)
        })
        .collect()
}
