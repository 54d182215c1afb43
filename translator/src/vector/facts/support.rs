//! Which kernels vector code can be made of, and how long the vectors are.

use std::collections::{HashMap, HashSet};

use super::cost::Cost;
use super::graph::Graph;
use super::progress;
use super::shapes::{Facts, Known};
use super::state::Shape;
use crate::code::atomics;
use crate::front::calls::{callees, callees_first};
use crate::front::library;
use crate::group::ids::Id;
use crate::group::launch::Sizes;
use crate::group::regions::Region;
use crate::group::storage::{MOST_STACK_BYTES, MOST_TOGETHER_BYTES};
use crate::ir::cfg::Flow;
use crate::llvm::{Function, Machine, Opcode, Type, Value};
use crate::program::way::Way;
use crate::rows::Rows;
use crate::vector::flow::called::{callee, has_inside};
use crate::vector::memory::private::Privates;
use crate::vector::values::form::components;
use crate::vector::values::widen::{has_vector_form, is_only_said, is_simple};

/// Kernels of more blocks are left to LLVM: areas are looked for once for each.
const MOST_BLOCKS: usize = 1000;

/// Vectors that the instructions of a kernel make: a thousand take LLVM half a second to a whole one, twice what single items take.
const MOST_VECTORS: usize = 2000;
/// Kernels of more are made so if they run for long.
const MOST_VECTORS_LATER: usize = 8000;

/// Registers that one value takes in all lanes: LLVM's time for machine code of vectors that are wider grows too fast.
const MOST_REGISTERS: u64 = 4;
/// Fewer lanes are worth nothing in kernels with vectors of their own.
const FEWEST_LANES: u64 = 4;

/// The same of a function that stays one: there are few, and many calls of them.
const MOST_VECTORS_CALLED: usize = 4000;

/// Vectors that stand for the instructions of an atomic operation.
const CHANGE: usize = 8;

/// Instructions that go item by item.
const MOST_SERIAL: usize = 32;

/// What a component of a vector takes of registers; masks are as wide as bytes at least. Wider ones are rare, and taken for 32 bits.
fn bits(part: Type) -> u64 {
    match part.integer_bits() {
        0 => 32,
        bits => u64::from(bits).clamp(8, 32),
    }
}

/// How many items go together: as many numbers of 32 bits as a register holds, or of fewer where a kernel touches no others,
/// and no more than a row has, or than lets the kernel's own vectors stay in registers. None for one.
fn lanes(machine: &Machine, kernel: Function, sizes: Sizes) -> Option<u64> {
    let touched = kernel.instructions().filter_map(|value| match value.opcode() {
        Some(Opcode::LLVMLoad) => Some(value.ty()),
        Some(Opcode::LLVMStore) => Some(value.operand(0).ty()),
        _ if atomics::is_one(value) => Some(value.operand(1).ty()),
        _ => None,
    });
    let bytes = |ty: Type| machine.size_bytes(ty.element().unwrap_or(ty));
    let widest = touched.map(bytes).max().unwrap_or(4).clamp(1, 4);
    let most = u64::from(machine.vector_bits() / 8) / widest;
    let row = sizes.enqueued.map_or(most, |[x, _, _]| x);
    let parts = kernel.instructions().filter_map(|value| components(value.ty()));
    let parts: Vec<Vec<Type>> = parts.filter(|parts| parts.len() > 1).collect();
    let least = if parts.is_empty() { 2 } else { FEWEST_LANES };
    let bits = parts.iter().map(|parts| parts.iter().map(|&part| bits(part)).sum::<u64>()).max();
    let in_registers = MOST_REGISTERS * u64::from(machine.vector_bits());
    let most = bits.map_or(most, |bits| most.min(in_registers / bits));
    let lanes = 1 << most.min(row).max(1).ilog2();
    (lanes >= least).then_some(lanes)
}

/// Whether a kernel can be done for vectors of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suits {
    /// It had better be, with so many lanes.
    Lanes(u64),
    /// It can, and is faster item by item.
    NotWorthIt,
    No,
}

/// Which kernels are to become vectors of items, of those that can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Those that are faster so, as far as that is known.
    #[default]
    Auto,
    Always,
    /// All, with half as many items in a vector as there would be.
    Half,
    /// All, with twice as many.
    Double,
    Never,
}

impl Wanted {
    pub fn parse(text: &str) -> Option<Wanted> {
        match text {
            "auto" => Some(Wanted::Auto),
            "always" => Some(Wanted::Always),
            "half" => Some(Wanted::Half),
            "double" => Some(Wanted::Double),
            "never" => Some(Wanted::Never),
            _ => None,
        }
    }
}

/// A kernel that can be done for vectors of items: how many items go together, and what it costs.
pub struct Possible {
    pub lanes: u64,
    pub cost: Cost,
    /// Whether twice as many can.
    more: bool,
    /// It takes long to make.
    is_large: bool,
}

impl Possible {
    /// Whether vectors are worth it. `may_be_short`: rows of items may be shorter than one, where a part of it is empty.
    pub fn pays(&self, may_be_short: bool) -> bool {
        self.cost.pays() && !(may_be_short && self.cost.is_close_to_items())
    }

    /// `pays`: whether vectors seem to be worth it.
    pub fn suits(&self, wanted: Wanted, pays: bool) -> Suits {
        let is_worth_it = match wanted {
            // LLVM makes vectors of its loops.
            Wanted::Auto | Wanted::Never if self.is_large => return Suits::No,
            Wanted::Auto => pays,
            Wanted::Always | Wanted::Half | Wanted::Double => true,
            Wanted::Never => false,
        };
        if is_worth_it { Suits::Lanes(self.lanes) } else { Suits::NotWorthIt }
    }

    /// What may be better than what seems so. `waits`: items may wait long for others of their vector, in loops that they leave apart.
    pub fn other_ways(&self, waits: bool, pays: bool) -> Vec<Way> {
        if self.is_large {
            return if pays { vec![Way::Vectors] } else { Vec::new() };
        }
        let other = if pays { Way::Items } else { Way::Vectors };
        let other = self.cost.is_close().then_some(other);
        let double = pays && self.more && self.cost.vector >= LEAST_TO_WAIT;
        let half = pays && waits && self.lanes > FEWEST_LANES;
        let numbers = [double.then_some(Way::Double), half.then_some(Way::Half)];
        other.into_iter().chain(numbers.into_iter().flatten()).collect()
    }
}

/// Why a kernel cannot be done for vectors of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Rows of items are too short, or the program's own vectors too long.
    FewLanes,
    /// An instruction is right only for one item after the other, or not known: that in this line.
    Alone(u32),
    /// It has too many blocks, makes too many vectors, or has too many instructions that go item by item.
    Large,
    /// All items of a vector together have too much memory for themselves.
    Private,
    /// A loop has several entries.
    Entries,
    /// Items of one vector might wait for each other for ever.
    Waiting,
}

impl Refusal {
    /// For people.
    pub fn text(self) -> String {
        match self {
            Refusal::FewLanes => "rows of items are too short, or its own vectors too long".into(),
            Refusal::Alone(0) => "an instruction is right only for one item after the other".into(),
            Refusal::Alone(line) => {
                format!("line {line} is right only for one item after the other")
            }
            Refusal::Large => "it is too large".into(),
            Refusal::Private => "private arrays of a vector's items are too large".into(),
            Refusal::Entries => "a loop is entered in several places".into(),
            Refusal::Waiting => "items of one vector might wait for each other for ever".into(),
        }
    }
}

/// How many items go together, if they can, and half or twice as many where that is `wanted`. `is_uniform`: whether an instruction gives all
/// items of a group the same; `rows`: what items go along.
pub fn possible(
    machine: &Machine,
    kernel: Function,
    sizes: Sizes,
    rows: &Rows,
    wanted: Wanted,
    is_uniform: &dyn Fn(Value) -> bool,
) -> Result<Possible, Refusal> {
    let whole = lanes(machine, kernel, sizes).ok_or(Refusal::FewLanes)?;
    let row = sizes.enqueued.map_or(u64::MAX, |[x, _, _]| x);
    let can_be_done = |lanes, most| kernel_can_be_done(machine, kernel, lanes, most);
    let more = |lanes: u64| row >= 2 * lanes && can_be_done(2 * lanes, MOST_VECTORS).is_ok();
    let lanes = match wanted {
        Wanted::Half => whole / 2,
        Wanted::Double if more(whole) => 2 * whole,
        _ => whole,
    };
    if lanes < 2 {
        return Err(Refusal::FewLanes);
    }
    let is_large = can_be_done(lanes, MOST_VECTORS).is_err();
    if is_large {
        can_be_done(lanes, MOST_VECTORS_LATER)?;
    }
    let graph = Graph::new(&Region::whole(kernel)).ok_or(Refusal::Entries)?;
    let mut privates = Privates::default();
    for alloca in kernel.allocas() {
        privates.add(machine, alloca, lanes, true);
    }
    let none = HashMap::new();
    let known = Known {
        machine,
        graph: &graph,
        privates: &privates,
        slots: &none,
        is_uniform,
        any_ids: sizes.any_ids,
        lanes,
    };
    let facts = Facts::find(&known);
    if !progress::is_made(machine, &graph, &facts) {
        return Err(Refusal::Waiting);
    }
    let cost = Cost::of(machine, &graph, &facts, lanes, rows);
    let more = wanted != Wanted::Double && more(lanes);
    let doubled = more && waits_for_itself(&graph, &facts);
    let lanes = if doubled { 2 * lanes } else { lanes };
    Ok(Possible { lanes, cost, more: more && !doubled, is_large })
}

/// What a vector costs in a kernel that may gain from twice as many items, since it waits for what it has just computed or loaded.
const LEAST_TO_WAIT: f64 = 64.0;
/// Values that such a loop hands from one iteration to the next: more leave no registers.
const MOST_HANDED: usize = 6;
/// Instructions of such a loop.
const MOST_SHORT: usize = 100;

/// Whether a kernel has a short loop that is left apart, and touches memory only where lanes find it together: two vectors go through
/// it together, so that neither waits for what it has just computed.
fn waits_for_itself(graph: &Graph, facts: &Facts) -> bool {
    let near = |value: Value| match value.opcode() {
        Some(Opcode::LLVMLoad) => facts.of(value.operand(0)).shape == Shape::Uniform,
        Some(Opcode::LLVMStore) => false,
        Some(Opcode::LLVMCall) => is_simple(value),
        _ if atomics::is_one(value) => false,
        _ => true,
    };
    (0..graph.loops.len()).filter(|&id| facts.control.is_left_apart(id)).any(|id| {
        let inside = (0..graph.blocks.len()).filter(|&block| graph.is_inside(block, Some(id)));
        let all: Vec<Value> = inside.flat_map(|block| graph.blocks[block].instructions()).collect();
        let header = graph.blocks[graph.loops[id].header];
        let is_short = all.len() <= MOST_SHORT && header.phis().len() <= MOST_HANDED;
        is_short && all.into_iter().all(near)
    })
}

fn kernel_can_be_done(
    machine: &Machine,
    kernel: Function,
    lanes: u64,
    most: usize,
) -> Result<(), Refusal> {
    let called = with_versions(machine, &callees(kernel), lanes);
    can_be_done(machine, kernel, lanes, (most, MOST_TOGETHER_BYTES), &called)
}

/// Whether all instructions of a function can be done for vectors of items, with so many vectors and bytes of variables at most.
/// `with_versions`: of those that it calls.
fn can_be_done(
    machine: &Machine,
    function: Function,
    lanes: u64,
    (most, most_bytes): (usize, u64),
    with_versions: &HashSet<Function>,
) -> Result<(), Refusal> {
    let alone = |value: Value| Refusal::Alone(value.source_position().map_or(0, |(line, _)| line));
    let has_version = |call| callee(call).is_some_and(|called| with_versions.contains(&called));
    let blocks = Flow::new(function.entry(), &|_| false).blocks;
    let mut serial = 0;
    let mut vectors = 0;
    let mut private = 0;
    for value in blocks.iter().flat_map(|block| block.instructions()) {
        vectors += components(value.ty()).map_or(1, |parts| parts.len());
        match value.opcode() {
            Some(Opcode::LLVMAlloca) => {
                let ty = value.allocated_type().ok_or(alone(value))?;
                private += machine.size_bytes(ty) + u64::from(value.alignment());
            }
            Some(Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMRet) => {}
            // Items one after another: what is read here was written by the item before. So do functions of whole groups.
            _ if atomics::keeps_items_in_turn(value) || !is_known(value) => {
                return Err(alone(value));
            }
            Some(Opcode::LLVMLoad | Opcode::LLVMStore) if value.is_volatile() => serial += 1,
            Some(Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMPHI) => {}
            _ if is_marker(value) || has_vector_form(value) => {}
            Some(Opcode::LLVMFence) => {}
            _ if atomics::is_one(value) => vectors += CHANGE,
            _ if !has_version(value) => serial += 1,
            _ => {}
        }
    }
    if blocks.len() > MOST_BLOCKS || vectors > most || serial > MOST_SERIAL {
        return Err(Refusal::Large);
    }
    if private * lanes > most_bytes { Err(Refusal::Private) } else { Ok(()) }
}

/// Whether a call is one of a function that has versions for vectors of items.
pub fn has_version(machine: &Machine, call: Value, lanes: u64) -> bool {
    callee(call).is_some_and(|called| has_versions(machine, called, lanes))
}

/// Whether a function that stays one has versions for vectors of items: not those that are rarely called.
pub fn has_versions(machine: &Machine, function: Function, lanes: u64) -> bool {
    with_versions(machine, &[function], lanes).contains(&function)
}

/// Those of these functions, and of what they call, that have such versions.
fn with_versions(machine: &Machine, functions: &[Function], lanes: u64) -> HashSet<Function> {
    let mut found = HashSet::new();
    for function in callees_first(functions).expect("what calls itself is refused before") {
        let is_one = !function.is_cold()
            && can_be_done(
                machine,
                function,
                lanes,
                (MOST_VECTORS_CALLED, MOST_STACK_BYTES),
                &found,
            )
            .is_ok();
        found.extend(is_one.then_some(function));
    }
    found
}

/// Whether all instructions of a kernel can be done for sub-groups of so many items, however long that takes.
pub fn can_go_together(machine: &Machine, kernel: Function, lanes: u64) -> bool {
    let private = |alloca: Value| alloca.allocated_type().map(|ty| machine.size_bytes(ty));
    let private: Option<u64> = kernel.allocas().map(private).sum();
    let fits = private.is_some_and(|bytes| bytes * lanes <= MOST_TOGETHER_BYTES);
    let goes_without = |value: Value| {
        use Opcode::*;
        matches!(value.opcode(), Some(LLVMAlloca | LLVMBr | LLVMSwitch | LLVMRet))
    };
    fits && kernel.instructions().all(|value| goes_without(value) || is_known(value))
        && Graph::new(&Region::whole(kernel)).is_some()
}

/// Whether a call says something to the compiler, asks about an item's place, or is an instruction of vectors of any length.
pub fn is_one_instruction(call: Value) -> bool {
    Id::of_call(call).is_some()
        || is_only_said(call)
        || crate::vector::values::widen::is_simple(call)
}

fn is_marker(value: Value) -> bool {
    library::is_meeting(value) || Id::of_call(value).is_some() || is_only_said(value)
}

/// Whether an instruction can be done, by vectors or item by item.
fn is_known(value: Value) -> bool {
    use Opcode::*;
    if is_marker(value) {
        return true;
    }
    let simple = |value: Value| components(value.ty()).is_some();
    let operands = || value.operands().filter(|operand| operand.as_function().is_none());
    if !value.ty().is_void() && !simple(value) || !operands().all(simple) {
        return false;
    }
    match value.opcode() {
        Some(LLVMCall) => value.called().is_some_and(is_plain),
        Some(LLVMLoad) => value.ty().integer_bits() != 1,
        Some(LLVMPHI | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence) => true,
        Some(LLVMExtractElement | LLVMInsertElement | LLVMBitCast) => true,
        Some(LLVMUnreachable | LLVMIndirectBr | LLVMInvoke | LLVMVAArg) | None => false,
        Some(_) => has_vector_form(value),
    }
}

/// Whether nothing of a function, or of what it calls, has to be done by one item after another.
fn is_plain(called: Function) -> bool {
    let is_other = |value: Value| {
        value.is_volatile() || value.is_opcode(Opcode::LLVMCall) && value.called().is_none()
    };
    !has_inside(called, &is_other)
}
