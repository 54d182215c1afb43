//! What breadth-first order gains and what it costs where items are lanes of vector code: a pure estimate.
//!
//! Depth-first, a vector of neighbours runs the whole loop, so that much of what speaks for breadth-first is had anyway. What is left
//! to gain, for each vector of items in each iteration:
//! - lines of memory that neighbours share are fetched once (W1LX), unless the loop runs so few times that they are in the cache still
//!   when the next vector comes, or they are `__local` memory, which always is;
//! - what all items read (W0L1, W0LX) is read once for several vectors;
//! - numbers that have to follow each other are computed for several vectors meanwhile, which a processor does by itself across
//!   short loops.
//!
//! What it costs: entering the loop for all of the vectors together; and where items have to keep together because of barriers elsewhere in
//! the kernel, the state of each item ([`state`]) is read and written in each iteration, in memory, as far as arithmetic does not take
//! longer, unless a group is so small that registers hold it; what gains nothing is not worth that even if it seems to cost nothing. In other kernels they go in chunks, and registers do ([`crate::group::chunks`]),
//! if there are enough ([`super::crowded`]).
//! Unit: cycles of a vector in an iteration, as measured in docs/decisions/039-what-breadth-first-is-worth.md.

use super::crowded::is_crowded;
use super::decide::{recurs, voters};
use crate::analysis::Analysis;
use crate::analysis::access::{Access, Class, Stride};
use crate::analysis::loops::LoopId;
use crate::analysis::shape::Shape;
use crate::analysis::state;
use crate::group::chunks;
use crate::view::{Function, Op, Space};

/// Iterations whose lines stay in the cache: as many as a set of a first-level cache has lines, on most processors. In steps of a power of two
/// all of them are in one set.
const FEW: i64 = 8;
/// Iterations across which a processor finds work of other vectors by itself.
pub(super) const SHORT: i64 = 32;

/// To fetch a line again, from the second-level cache at best.
const FETCH: f64 = 12.0;
/// To read a number for all lanes.
const READ: f64 = 1.0;
/// To wait for the number before.
pub(super) const WAIT: f64 = 4.0;

/// To enter a loop and to leave it.
const ENTRY: f64 = 20.0;
/// To go through the vectors of a group once more.
const STEP: f64 = 3.0;
/// To read and write four bytes of each lane; twice as much where they do not stay in the first-level cache.
pub(super) const WORD: f64 = 1.5;
const NEAR_BYTES: u64 = 16 << 10;
/// So much state of a group is in registers: eight of 32 bytes.
const REGISTER_BYTES: u64 = 256;
/// Vectors that are computed in a cycle.
pub(super) const COMPUTED: f64 = 2.0;
/// Items of a group whose size is not known.
const USUAL_ITEMS: u64 = 256;

/// Why breadth-first order is not worth what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// The loop has few iterations.
    Few,
    /// All items' state goes through memory in each of them.
    State,
    /// Registers do not hold what several vectors need.
    Crowded,
}

/// What falls short if a loop is made breadth-first, if anything, on a machine with so many vector registers; `in_chunks`: groups are cut into
/// chunks between barriers.
pub fn falls_short(
    function: &Function,
    analysis: &Analysis,
    id: LoopId,
    registers: u64,
    in_chunks: bool,
) -> Option<Short> {
    let gain = gain(function, analysis, id);
    let entry = if is_few(analysis, id) { ENTRY / few(analysis, id) as f64 } else { 0.0 };
    if gain < entry {
        return Some(Short::Few);
    }
    if waits(function) && !in_chunks {
        return (gain <= entry + steps(function, analysis, id)).then_some(Short::State);
    }
    // A chunk of a single vector only costs, but where its items leave the loop apart.
    let words = state::bytes_per_item(function, analysis, id).div_ceil(4);
    let is_apart = analysis.is_left_apart(id) && !waits(function);
    let is_alone = chunks::fitting(words) == 1 && !is_apart;
    (is_alone || is_crowded(function, analysis, id, registers)).then_some(Short::Crowded)
}

/// Whether the lines of global memory that neighbours share in a loop are worth it to go through all vectors of a group in each iteration,
/// although the group could be cut into chunks between barriers. Runs of memory are longer then.
pub fn is_of_group(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    let classes = voters(function, analysis, id);
    let lines: f64 = classes.map(|voter| line(function, analysis, id, voter)).sum();
    waits(function) && lines > steps(function, analysis, id)
}

/// Whether the items of a kernel have to keep together somewhere.
fn waits(function: &Function) -> bool {
    function.block_ids().any(|block| function.has_barrier(block))
}

fn gain(function: &Function, analysis: &Analysis, id: LoopId) -> f64 {
    let long = known(analysis, id).is_none_or(|trips| trips > SHORT);
    let waits = if long && recurs(function, analysis, id) { WAIT } else { 0.0 };
    reads(function, analysis, id) + waits
}

/// What is gained of accesses.
pub(super) fn reads(function: &Function, analysis: &Analysis, id: LoopId) -> f64 {
    let of = |(access, class): (&Access, Class)| {
        let lanes = f64::from(function.value(access.instruction).ty.lanes);
        match (class.work_item, class.iteration) {
            (Stride::Zero, Stride::One | Stride::Other) => READ * lanes,
            _ => line(function, analysis, id, (access, class)),
        }
    };
    voters(function, analysis, id).map(of).sum()
}

/// What is gained of an access because neighbours share its lines.
fn line(
    function: &Function,
    analysis: &Analysis,
    id: LoopId,
    (access, class): (&Access, Class),
) -> f64 {
    let shared = (class.work_item, class.iteration) == (Stride::One, Stride::Other);
    let local = function.value(access.pointer).ty.space() == Some(Space::Local);
    if shared && !local && !is_few(analysis, id) { FETCH } else { 0.0 }
}

/// What it costs to go through all vectors of a group.
fn steps(function: &Function, analysis: &Analysis, id: LoopId) -> f64 {
    let bytes = state::bytes_per_item(function, analysis, id);
    let items = function.local_size.map_or(USUAL_ITEMS, |size| size.iter().product());
    let all = bytes.saturating_mul(items);
    if function.local_size.is_some() && all <= REGISTER_BYTES {
        return 0.0;
    }
    let word = if all <= NEAR_BYTES { WORD } else { 2.0 * WORD };
    let cost = STEP + word * bytes.div_ceil(4) as f64;
    (cost - computed(function, analysis, id) / COMPUTED).max(0.0)
}

/// Vectors that are computed in an iteration, from memory's point of view.
pub(super) fn computed(function: &Function, analysis: &Analysis, id: LoopId) -> f64 {
    let blocks = analysis.loops.get(id).blocks.iter();
    let vectors = blocks.flat_map(|&block| function.body(block)).filter(|(value, made)| {
        let computes = matches!(made.op, Op::Binary(..) | Op::Pure | Op::Select | Op::Extremum);
        computes && analysis.shape(*value).contains(&Shape::Varying)
    });
    vectors.map(|(value, _)| f64::from(function.value(value).ty.lanes)).sum()
}

/// How often the loop runs, at most, if that is a number.
pub(super) fn known(analysis: &Analysis, id: LoopId) -> Option<i64> {
    analysis.trips(id)?.count.as_constant()
}

/// Whether it runs so few times that lines stay in the cache: as the program says, or because each item has a share of what is
/// to be done, and there are many items.
fn is_few(analysis: &Analysis, id: LoopId) -> bool {
    let share = analysis.trips(id).is_some_and(|trips| trips.share);
    known(analysis, id).map_or(share, |trips| trips <= FEW)
}

/// How often one of few iterations runs.
fn few(analysis: &Analysis, id: LoopId) -> i64 {
    known(analysis, id).unwrap_or(FEW / 2).max(1)
}
