//! Along which dimension of a group its items follow each other: along x, or turned, along y or z.
//!
//! Loops over items are innermost along x, and become vectors there: most programs give neighbours along x neighbouring
//! elements. Some give them to neighbours along another dimension: one that calls its rows `get_global_id(0)`, one that numbers
//! three dimensions as the rows of C's arrays, or a transposition, which
//! has to choose between reading and writing elements that lie together; vectors that are written in one piece cost less
//! than vectors that are read so. Such a kernel is *turned*: x and that dimension change their names, in the kernel here and in what
//! a launch says (`Sizes::along`), and all passes after this one do as always.
//!
//! Where the local size is not known, the kernel is translated twice, and each launch runs what suits its size.

use std::cmp::Reverse;

use crate::analysis::access::{Access, AccessKind};
use crate::analysis::steps::Step;
use crate::group::ids::Id;
use crate::group::launch::{self, Sizes};
use crate::kernel::versions::Versions;
use crate::llvm::{Function, IntPredicate, Machine, Module};
use crate::schedule::Plan;

/// Kernels of more instructions are not translated twice.
const MOST_INSTRUCTIONS: usize = 500;

/// What vectors of items cost that are gathered from different places, where those of neighbours cost 1.
const GATHER: u64 = 12;
const SCATTER: u64 = 2 * GATHER;
/// How many times as much planes of different pages cost as rows.
const FARTHER: u64 = 2;
/// Iterations that a loop is taken to have, and loops that count.
const ITERATIONS: u64 = 8;
const MOST_DEPTH: u32 = 4;

/// What is to be done with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    No,
    /// Its items follow each other along this dimension, y or z.
    Yes(usize),
    /// In groups that have a vector of items there, or as many as along x.
    Sometimes(usize),
}

/// Whether to turn `kernel`, by how its items touch memory.
pub fn decide(machine: &Machine, kernel: Function, plan: &Plan, sizes: Sizes) -> Turn {
    if !may_turn(kernel) {
        return Turn::No;
    }
    match sizes.enqueued {
        Some(size) => of_size(plan, size, lanes(machine)),
        None if length(kernel) > MOST_INSTRUCTIONS => Turn::No,
        None => best(plan, [1, 2]).map_or(Turn::No, Turn::Sometimes),
    }
}

/// In groups of this size.
fn of_size(plan: &Plan, size: [u64; 3], lanes: u64) -> Turn {
    let has = |least: u64| [1, 2].into_iter().filter(move |&at| size[at] >= least);
    let along = match size[0] {
        // Vectors do not have x to choose.
        1 => has(2).min_by_key(|&at| (total(plan, at), Reverse(size[at]))),
        x => best(plan, has(lanes.min(x))),
    };
    along.map_or(Turn::No, Turn::Yes)
}

fn lanes(machine: &Machine) -> u64 {
    u64::from(machine.vector_bits() / 32)
}

/// The one of these dimensions along which vectors cost least, if that pays.
fn best(plan: &Plan, dimensions: impl IntoIterator<Item = usize>) -> Option<usize> {
    let worth_it = dimensions.into_iter().filter(|&at| pays(plan, at));
    worth_it.min_by_key(|&at| total(plan, at))
}

/// Whether vectors along a dimension cost less by a quarter at least than along x, and not because all is the same there.
fn pays(plan: &Plan, at: usize) -> bool {
    let lie_nearer = |access: &Access| {
        let [along_x, step] = [0, at].map(|at| access.steps[at]);
        step != Step::Zero && (is_near(access, at) || step < along_x)
    };
    plan.analysis.accesses.iter().any(lie_nearer) && 4 * total(plan, at) <= 3 * total(plan, 0)
}

/// What all accesses cost with vectors of items along a dimension.
fn total(plan: &Plan, at: usize) -> u64 {
    plan.analysis.accesses.iter().map(|access| cost(plan, access, at)).sum()
}

/// What an access costs with vectors of items along a dimension.
fn cost(plan: &Plan, access: &Access, at: usize) -> u64 {
    let depth = plan.analysis.loops.around(access.block).count() as u32;
    let once = match access.kind {
        _ if is_near(access, at) => 1,
        AccessKind::Load => GATHER,
        AccessKind::Store | AccessKind::Atomic => SCATTER,
    };
    let times = if is_farther(access, at) { FARTHER } else { 1 };
    once * times * ITERATIONS.pow(depth.min(MOST_DEPTH))
}

/// Whether neighbours along a dimension touch the same element, or elements that lie together.
fn is_near(access: &Access, at: usize) -> bool {
    match access.steps[at] {
        Step::Zero => true,
        Step::Bytes(bytes) => bytes <= access.bytes,
        Step::Product(_) | Step::Unknown => false,
    }
}

/// Whether neighbours along a dimension are planes apart where those along another one are rows apart.
fn is_farther(access: &Access, at: usize) -> bool {
    let Step::Product(most) = access.steps[at] else { return false };
    access.steps.iter().any(|step| matches!(step, Step::Product(less) if *less < most))
}

/// Whether items ask for nothing that depends on which dimension is called x. Scans do: they ask for the linear number
/// (`library/sync/group.c`).
fn may_turn(kernel: Function) -> bool {
    let mut instructions = kernel.instructions();
    !instructions.any(|call| {
        matches!(Id::of_call(call), Some(Id::GlobalLinearId | Id::LocalLinearId | Id::WorkDim))
    })
}

fn length(kernel: Function) -> usize {
    kernel.instructions().count()
}

/// Turns `kernel`, whose dimensions are spelled out, so that its items follow each other along the dimension `along`.
pub fn apply(kernel: Function, along: usize) {
    for call in kernel.instructions() {
        if Id::of_call(call).is_none() {
            continue;
        }
        let Some(&dimension) = call.call_arguments().first() else { continue };
        let along = along as u64;
        match dimension.unsigned() {
            Some(0) => call.set_operand(0, dimension.ty().constant(along)),
            Some(at) if at == along => call.set_operand(0, dimension.ty().constant(0)),
            _ => {}
        }
    }
}

/// Makes the entry point `symbol` of the one for groups that are turned, which has that name now, and the one for others.
pub fn join(module: &Module, machine: &Machine, symbol: &str, plain: &str, along: usize) {
    let versions = Versions { symbol, name: "turned", other: plain };
    versions.join(module, machine, &|builder, launch| {
        let word = builder.context().integer(64);
        let [x, items] = [0, along].map(|at| {
            let place = launch::layout::LOCAL_SIZE + 8 * at as u64;
            launch::load_constant(builder, launch, place, word)
        });
        let enough = builder.minimum(x, builder.word(lanes(machine)));
        builder.compare(IntPredicate::LLVMIntUGE, items, enough)
    });
}
