//! What vector code of a part of a region costs, as far as its control flow has to know.

use std::collections::HashSet;

use super::graph::{Graph, LoopId, Node};
use super::presence::{self, Apart};
use super::shapes::Facts;
use super::state::Shape;
use super::support;
use crate::code::atomics;
use crate::group::ids::Id;
use crate::group::long_quotients;
use crate::llvm::{Machine, Opcode, Type, Value};
use crate::rows::Rows;
use crate::vector::memory::atomics::Way;
use crate::vector::memory::tiles::{Cells, Tiles};
use crate::vector::memory::words::is_word;
use crate::vector::values::form::components;

/// Instructions that are cheaper done for nobody than asked about.
const FEW: usize = 6;

/// Whether a node must not run, or had better not, if no item reaches it.
pub fn needs_guard(graph: &Graph, node: Node) -> bool {
    match node {
        Node::Loop(_) => true,
        Node::Block(block) => {
            let instructions = || instructions(graph, block);
            instructions().any(touches) || instructions().count() > FEW
        }
    }
}

/// Whether code without masks is worth a question: nodes that touch memory, call or loop, or that are long.
pub fn is_worth_asking(graph: &Graph, nodes: &[Node]) -> bool {
    let long = |block: usize| {
        instructions(graph, block).any(touches) || instructions(graph, block).count() > FEW
    };
    nodes.iter().any(|&node| match node {
        Node::Loop(_) => true,
        Node::Block(block) => long(block),
    })
}

/// Instructions of a loop that is made once for all items and once for some.
const MOST_TWICE: usize = 60;

/// Whether a loop that items leave one by one is worth code of its own for as long as all are there.
pub fn is_worth_twice(graph: &Graph, facts: &Facts, id: LoopId) -> bool {
    let blocks = || (0..graph.blocks.len()).filter(|&block| graph.is_inside(block, Some(id)));
    let others = (0..graph.loops.len()).filter(|&other| other != id);
    let mut inside = others.filter(|&other| graph.is_inside(graph.loops[other].header, Some(id)));
    inside.all(|other| !facts.control.is_left_apart(other))
        && blocks().map(|block| instructions(graph, block).count()).sum::<usize>() <= MOST_TWICE
}

fn instructions(graph: &Graph, block: usize) -> impl Iterator<Item = Value> {
    let all = graph.blocks[block].instructions().into_iter();
    all.filter(|value| !value.is_opcode(Opcode::LLVMPHI) && !value.is_terminator())
}

/// Whether an instruction touches memory, or is a call that is not simple.
fn touches(value: Value) -> bool {
    use Opcode::*;
    match value.opcode() {
        Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence) => true,
        Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMFDiv) => true,
        Some(LLVMCall) => {
            !value.is_lifetime_marker()
                && Id::of_call(value).is_none()
                && !crate::vector::values::widen::is_simple(value)
        }
        _ => false,
    }
}

/// What a region costs for one vector of items, and what it costs item by item: in instructions, roughly.
pub struct Cost {
    pub vector: f64,
    pub items: f64,
    /// What of `vector` are operations that lock memory, one for each lane.
    pub locked: f64,
    /// What of it are loads and stores of each lane by itself.
    pub scattered: f64,
}

/// Iterations that a loop is taken to have, and loops that count.
const ITERATIONS: f64 = 8.0;
const MOST_DEPTH: i32 = 3;
/// How much faster an item alone is through a loop of which LLVM makes vectors of iterations, where it is long.
const IN_ITERATIONS: f64 = 8.0;
/// Instructions that a processor does while it waits for one step of what an iteration hands to the next: a sum of numbers in
/// floating point, and one that is kept in memory.
const SUM: f64 = 12.0;
const SUM_IN_MEMORY: f64 = 27.0;
/// The same for one step to where a number leads that was loaded: the load, a comparison, and a branch that is often a surprise.
const STEP: f64 = 40.0;

/// Vectors that seem to cost a share of single items from this one on, or up to so many times as much, may be the other of the two.
/// How many items are in a loop inside of one that they leave apart is least known.
const UNSURE: std::ops::Range<f64> = 0.4..16.0;
/// The same where loads and stores of single lanes are so much of the cost: what an item computes of their addresses may be a part of them, or
/// be computed before the loop.
const UNSURE_SCATTERED: std::ops::Range<f64> = 0.1..16.0;
const MOSTLY: f64 = 0.5;

/// Up to such a share vectors gain clearly.
const CLEAR: f64 = 0.5;

impl Cost {
    /// `rows`: what items go along.
    pub fn of(machine: &Machine, graph: &Graph, facts: &Facts, lanes: u64, rows: &Rows) -> Cost {
        let mut cost = Cost { vector: 0.0, items: 0.0, locked: 0.0, scattered: 0.0 };
        let waits = waits(graph);
        let apart = |id| facts.control.is_left_apart(id).then(|| Apart::of(graph, facts, id));
        let apart: Vec<Option<Apart>> = (0..graph.loops.len()).map(apart).collect();
        for (block, source) in graph.blocks.iter().enumerate() {
            let (mut times, mut present, mut masked) = (1.0, 1.0, false);
            let mut node = Node::Block(block);
            let (mut depth, mut is_nested) = (0, false);
            loop {
                let around = graph.scope_around(node);
                let of_loop = match node {
                    Node::Loop(id) => apart[id].as_ref(),
                    Node::Block(_) => None,
                };
                let share = match of_loop {
                    Some(of_loop) => Some(of_loop.share(&mut is_nested)),
                    None => facts.control.is_partial(node).then(|| presence::share(graph, node)),
                };
                present *= share.unwrap_or(1.0);
                masked |= share.is_some();
                let Some(id) = around else { break };
                depth += 1;
                times *= if depth <= MOST_DEPTH { ITERATIONS } else { 1.0 };
                node = Node::Loop(id);
            }
            let tiles = Tiles::find(machine, *source, lanes, &|value| facts.of(value));
            let far = graph.scope_of(block).is_some_and(|id| {
                strides_far(graph, id) && source.instructions().into_iter().any(atomics::is_one)
            });
            let known = Weights { machine, facts, lanes, masked, rows: &rows.loads, tiles, far };
            let (mut vector, mut item) = (0.0, 0.0);
            for value in source.instructions() {
                let (of_vector, of_item) = known.of(value);
                (vector, item) = (vector + of_vector, item + of_item);
                if known.locks_each(value) {
                    cost.locked += times * LOCKED * lanes as f64;
                }
                if value.address().is_some() && of_vector >= TAKEN_OUT * lanes as f64 {
                    cost.scattered += times * of_vector;
                }
            }
            let wait = waits[block];
            cost.vector += times * f64::max(vector, wait);
            let together = if rows.maps.contains(source) { IN_ITERATIONS } else { 1.0 };
            cost.items += times * present * f64::max(item, wait) * lanes as f64 / together;
        }
        cost
    }

    /// Whether vectors of items are worth it. Where there is nearly nothing but locked operations they gain nothing, and each of these
    /// is there as often as there are lanes.
    pub fn pays(&self) -> bool {
        self.vector < self.items && self.locked <= ALL_LOCKED * self.vector
    }

    /// What they cost, as a multiple of single items.
    pub fn of_vectors(&self) -> f64 {
        self.vector / self.items.max(f64::MIN_POSITIVE)
    }

    /// Whether they gain so little that vectors of which a part is empty lose.
    pub fn is_close_to_items(&self) -> bool {
        self.of_vectors() > CLEAR
    }

    /// Whether the other may be the cheaper one all the same.
    pub fn is_close(&self) -> bool {
        let is_scattered = self.scattered > MOSTLY * self.vector;
        let unsure = if is_scattered { UNSURE_SCATTERED } else { UNSURE };
        unsure.contains(&self.of_vectors())
    }
}

struct Weights<'a> {
    machine: &'a Machine,
    facts: &'a Facts,
    lanes: u64,
    masked: bool,
    rows: &'a HashSet<Value>,
    tiles: Tiles,
    /// What neighbours find side by side, an item alone finds far from what it found in the iteration before. Of atomic
    /// operations' blocks alone: others were measured without it.
    far: bool,
}

/// Whether a counter of a loop goes on by a number that is not known, as that of all items.
fn strides_far(graph: &Graph, id: LoopId) -> bool {
    let header = graph.blocks[graph.loops[id].header];
    header.phis().into_iter().any(|phi| {
        phi.incoming().into_iter().any(|(next, _)| {
            let is_sum = next.is_opcode(Opcode::LLVMAdd) && next.operand(0) == phi;
            is_sum && !next.operand(1).is_constant()
        })
    })
}

/// By block: how long one iteration at least takes for an item, of an innermost loop that hands on sums, in the block that
/// computes them, or that follows what it loads, in the block that loads it.
fn waits(graph: &Graph) -> Vec<f64> {
    let mut waits = vec![0.0; graph.blocks.len()];
    for (id, each) in graph.loops.iter().enumerate() {
        let blocks: Vec<usize> =
            (0..graph.blocks.len()).filter(|&block| graph.is_inside(block, Some(id))).collect();
        if blocks.iter().any(|&block| graph.scope_of(block) != Some(id)) {
            continue;
        }
        let home = |value: Value| value.parent().and_then(|block| graph.number_of(block));
        let is_inside = |value: Value| {
            value.is_instruction() && home(value).is_some_and(|at| blocks.contains(&at))
        };
        for phi in graph.blocks[each.header].phis() {
            let sums = phi.incoming().into_iter().map(|(value, _)| value);
            for sum in sums.filter(|&sum| sum.ty().is_float() && is_inside(sum)) {
                waits[home(sum).expect("a block of the loop")] = SUM;
            }
            for at in steps(phi, &is_inside).into_iter().filter_map(home) {
                waits[at] = STEP;
            }
        }
        for &block in &blocks {
            if has_sum_in_memory(graph, block, &is_inside) {
                waits[block] = SUM_IN_MEMORY;
            }
        }
    }
    waits
}

/// Loads that find their place by `phi`, of a loop's header, and on which depends what `phi` is next: a walk, or a search by halves.
fn steps(phi: Value, is_inside: &dyn Fn(Value) -> bool) -> Vec<Value> {
    let header = phi.parent();
    let made_of = |value: Value| {
        let (mut found, mut work) = (HashSet::new(), vec![value]);
        while let Some(value) = work.pop() {
            let is_handed = value.is_opcode(Opcode::LLVMPHI) && value.parent() == header;
            if is_inside(value) && found.insert(value) && !is_handed {
                match value.is_opcode(Opcode::LLVMPHI) {
                    true => work.extend(value.incoming().into_iter().map(|(value, _)| value)),
                    false => work.extend(value.operands()),
                }
            }
        }
        found
    };
    let next = phi.incoming().into_iter().map(|(value, _)| value).filter(|&value| is_inside(value));
    let loads = next.flat_map(made_of).filter(|value| value.is_opcode(Opcode::LLVMLoad));
    loads.filter(|load| made_of(load.operand(0)).contains(&phi)).collect()
}

/// Whether a block of a loop reads and writes a place that stays the same in all iterations.
fn has_sum_in_memory(graph: &Graph, block: usize, is_inside: &dyn Fn(Value) -> bool) -> bool {
    let all = graph.blocks[block].instructions();
    let of = |opcode: Opcode, operand: usize| {
        let all = all.iter().filter(move |value| value.is_opcode(opcode));
        all.map(move |value| value.operand(operand))
    };
    let read: Vec<Value> = of(Opcode::LLVMLoad, 0).filter(|&at| stays(at, is_inside, 0)).collect();
    of(Opcode::LLVMStore, 1).any(|at| read.contains(&at))
}

/// Whether a number is the same in all iterations of a loop: what computes it may still stand inside.
fn stays(number: Value, is_inside: &dyn Fn(Value) -> bool, depth: usize) -> bool {
    use Opcode::*;
    let is_arithmetic = || {
        matches!(
            number.opcode(),
            Some(LLVMGetElementPtr | LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMSExt | LLVMZExt)
        )
    };
    let operands = || number.operands().all(|operand| stays(operand, is_inside, depth + 1));
    !is_inside(number) || depth < MOST_OPERATIONS && is_arithmetic() && operands()
}

/// Operations that are followed from an address to what it is computed of.
const MOST_OPERATIONS: usize = 6;

/// What a function that stays one costs for a vector, beside one item.
const VERSION: f64 = 2.0;

/// A register of divisions, in two registers of double precision.
const DIVISION: f64 = 30.0;

/// A register of divisions of 64 bits.
const LONG_DIVISION: f64 = 24.0;

/// A load and a store of an item; those of a lane, whose address is taken out of a vector, and which waits where the one
/// before it has the same, as neighbours often do.
const CHANGE: f64 = 3.0;
const CHANGE_OF_LANE: f64 = 8.0;
/// A look at what is there, and mostly no more: of an item, and of each lane.
const LOOK: f64 = 6.0;
const SEEN: f64 = 9.0;
/// An access that data leads anywhere, for each lane: by an address that is taken out of a vector; under a mask, or by a gather.
const TAKEN_OUT: f64 = 2.0;
const GATHERED: f64 = 3.5;
/// An instruction on a register of so many bits: processors do two at a time, where they do five or six of an item's.
const WIDE: f64 = 1.5;
const WIDE_BITS: u64 = 512;
/// A line of memory for one number of it.
const OWN_LINE: f64 = 16.0;
/// What asks for a line of memory alone.
const LOCKED: f64 = 16.0;
/// The share of what a vector costs from which on all of it is taken for locked operations.
const ALL_LOCKED: f64 = 0.95;
/// A register of what becomes one number of all lanes.
const COMBINED: f64 = 6.0;

/// Whether a division is by a number that is known, with which LLVM multiplies.
fn by_constant(division: Value) -> bool {
    division.operand(1).is_constant()
}

/// Whether an instruction picks components of an item's own vector: each of them is a vector of all items' already.
fn picks(value: Value) -> bool {
    use crate::vector::values::widen::{has_vector_form, moves_components};
    moves_components(value) && has_vector_form(value)
}

impl Weights<'_> {
    /// Whether an instruction is an operation that locks memory, for each lane by itself.
    fn locks_each(&self, value: Value) -> bool {
        atomics::locks(value) && Way::of(value, self.shape(value.operand(0))) == Way::Each
    }

    fn shape(&self, value: Value) -> Shape {
        match value.is_instruction() {
            true => self.facts.of(value).shape,
            false => Shape::Uniform,
        }
    }

    /// What an instruction costs for one item.
    fn of_item(&self, value: Value) -> f64 {
        use Opcode::*;
        let lies_in_row = |at: Value| matches!(self.facts.of(at).shape, Shape::Strided(_));
        match value.opcode() {
            _ if self.far && value.address().is_some_and(lies_in_row) => OWN_LINE,
            Some(LLVMPHI | LLVMAlloca | LLVMBr | LLVMRet | LLVMBitCast) => 0.0,
            Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) if by_constant(value) => 4.0,
            Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) => 10.0,
            Some(LLVMFDiv) => 4.0,
            Some(LLVMAtomicRMW) if atomics::is_local(value) => CHANGE,
            _ if atomics::is_one(value) && atomics::looks_first(value) => LOOK,
            Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) => LOCKED,
            Some(LLVMCall) if value.is_lifetime_marker() => 0.0,
            Some(LLVMCall) if Id::of_call(value).is_some() => 0.5,
            Some(LLVMCall) if crate::vector::values::widen::is_simple(value) => 2.0,
            Some(LLVMCall) => 30.0,
            Some(LLVMGetElementPtr) => 0.5,
            _ => 1.0,
        }
    }

    /// What an instruction costs for a vector, and for one item.
    fn of(&self, value: Value) -> (f64, f64) {
        use Opcode::*;
        let item = self.of_item(value);
        if value.is_terminator() {
            return (item, 1.0);
        }
        let shape = |value: Value| self.shape(value);
        let lanes = self.lanes as f64;
        let cost = match value.opcode() {
            Some(LLVMLoad) => match shape(value.operand(0)) {
                Shape::Uniform => 1.0,
                _ if self.tiles.of(value).is_some() || self.rows.contains(&value) => {
                    self.of_tile(value.ty())
                }
                at => self.access(value.ty(), at),
            },
            Some(LLVMStore) => {
                let ty = value.operand(0).ty();
                match shape(value.operand(1)) {
                    Shape::Uniform if shape(value.operand(0)) == Shape::Uniform => 1.0,
                    Shape::Uniform => 3.0 * lanes,
                    at => self.access(ty, at),
                }
            }
            _ if !value.ty().is_void() && shape(value) != Shape::Varying => item,
            Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) => {
                match Way::of(value, shape(value.operand(0))) {
                    Way::Combined => item + COMBINED * self.registers(value.operand(1).ty()),
                    Way::Plain => CHANGE_OF_LANE * lanes,
                    Way::Each if atomics::looks_first(value) => SEEN * lanes,
                    Way::Each => item * lanes,
                }
            }
            Some(LLVMGetElementPtr) => 0.5 * self.registers(value.ty()),
            Some(LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) => {
                match value.ty().element().unwrap_or(value.ty()).integer_bits() {
                    0..=32 if by_constant(value) => 2.0 * item * self.registers(value.ty()),
                    // By way of floating point.
                    32 => DIVISION * self.registers(value.ty()),
                    64 if long_quotients::suits(self.machine) => {
                        LONG_DIVISION * self.registers(value.ty())
                    }
                    _ => (item + 3.0) * lanes,
                }
            }
            Some(LLVMFDiv) => item * self.registers(value.ty()),
            _ if item == 0.0 || picks(value) => 0.0,
            _ if support::has_version(self.machine, value, self.lanes) => VERSION * item,
            Some(LLVMCall) if crate::vector::values::library::has_form(value) => {
                item * self.registers(value.ty())
            }
            _ if crate::vector::values::widen::has_vector_form(value) => {
                item * self.registers(value.ty())
            }
            _ => (item + 4.0) * lanes,
        };
        (cost, item)
    }

    /// How many registers a vector of such values takes.
    fn registers(&self, ty: Type) -> f64 {
        let parts = components(ty).unwrap_or_default();
        let bits = |ty: &Type| match ty.integer_bits() {
            1 => 32,
            0 => 8 * self.machine.size_bytes(*ty),
            bits => u64::from(bits),
        };
        let all: u64 = parts.iter().map(bits).sum();
        let width = u64::from(self.machine.vector_bits());
        let count = ((all * self.lanes) as f64 / width as f64).max(parts.len() as f64);
        let is_wide = width >= WIDE_BITS && all * self.lanes >= WIDE_BITS * parts.len() as u64;
        if is_wide { WIDE * count } else { count }
    }

    /// Of each load of a tile's rows: what loads and transposes all of them, and finds the rows.
    fn of_tile(&self, ty: Type) -> f64 {
        let loads = Cells::of(self.machine, ty, self.lanes).map_or(1, |cells| cells.loads) as f64;
        2.0 * self.lanes as f64 / loads + 2.0 * self.registers(ty)
    }

    fn access(&self, ty: Type, at: Shape) -> f64 {
        let bytes = self.machine.size_bytes(ty) as i64;
        let parts = components(ty).map_or(1, |parts| parts.len()) as f64;
        let lanes = self.lanes as f64;
        let is_gather = self.machine.has("avx512f") && !self.machine.gathers_by_parts();
        let each = if is_gather || self.masked { GATHERED } else { TAKEN_OUT };
        match at {
            Shape::Strided(stride) if stride == bytes || stride == -bytes => {
                self.registers(ty) * if parts > 1.0 { 2.0 } else { 1.0 }
            }
            Shape::Strided(stride)
                if stride % bytes == 0 && (2..=4).contains(&(stride / bytes)) =>
            {
                2.0 * (stride / bytes) as f64 * self.registers(ty)
            }
            _ if is_gather && is_word(self.machine, ty) => each * lanes + self.registers(ty),
            _ => each * lanes * parts,
        }
    }
}
