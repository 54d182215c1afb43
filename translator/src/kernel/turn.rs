//! Along which dimension of a group its items follow each other: along x, or turned, along y.
//!
//! Loops over items are innermost along x, and become vectors there: most programs give neighbours along x neighbouring
//! elements. Some give them to neighbours along y: one that calls its rows `get_global_id(0)`, or a transposition, which
//! has to choose between reading and writing elements that lie together; vectors that are written in one piece cost less
//! than vectors that are read so. Such a kernel is *turned*: x and y change their names, in the kernel here and in what
//! a launch says (`Sizes::turned`), and all passes after this one do as always.
//!
//! Where the local size is not known, the kernel is translated twice, and each launch runs what suits its size.

use crate::analysis::access::{Access, AccessKind};
use crate::analysis::shape::Shape;
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
/// Iterations that a loop is taken to have, and loops that count.
const ITERATIONS: u64 = 8;
const MOST_DEPTH: u32 = 4;

/// What is to be done with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    No,
    Yes,
    /// In groups that have a vector of items along y.
    Sometimes,
}

/// Whether to turn `kernel`, by how its items touch memory.
pub fn decide(machine: &Machine, kernel: Function, plan: &Plan, sizes: Sizes) -> Turn {
    let lanes = lanes(machine);
    if !may_turn(kernel) {
        return Turn::No;
    }
    match sizes.enqueued {
        // Vectors have one dimension to choose.
        Some([1, y, _]) if y > 1 => Turn::Yes,
        _ if !pays(plan) => Turn::No,
        Some([x, y, _]) if y >= lanes.min(x) => Turn::Yes,
        Some(_) => Turn::No,
        None if length(kernel) > MOST_INSTRUCTIONS => Turn::No,
        None => Turn::Sometimes,
    }
}

fn lanes(machine: &Machine) -> u64 {
    u64::from(machine.vector_bits() / 32)
}

/// Whether vectors along y cost less by a quarter at least, and not because all is the same there.
fn pays(plan: &Plan) -> bool {
    let accesses = || plan.analysis.accesses.iter();
    let lie_together = |access: &Access| {
        near(plan, access, 1) && !plan.analysis.shape(access.pointer)[1].is_uniform()
    };
    let [along_x, along_y] =
        [0, 1].map(|dimension| accesses().map(|access| cost(plan, access, dimension)).sum::<u64>());
    accesses().any(lie_together) && 4 * along_y <= 3 * along_x
}

/// What an access costs with vectors of items along a dimension.
fn cost(plan: &Plan, access: &Access, dimension: usize) -> u64 {
    let depth = plan.analysis.loops.around(access.block).count() as u32;
    let once = match access.kind {
        _ if near(plan, access, dimension) => 1,
        AccessKind::Load => GATHER,
        AccessKind::Store | AccessKind::Atomic => SCATTER,
    };
    once * ITERATIONS.pow(depth.min(MOST_DEPTH))
}

/// Whether neighbours along a dimension touch the same element, or elements that lie together.
fn near(plan: &Plan, access: &Access, dimension: usize) -> bool {
    match plan.analysis.shape(access.pointer)[dimension] {
        Shape::Uniform => true,
        Shape::Affine(bytes) => bytes.unsigned_abs() <= access.bytes,
        Shape::Linear | Shape::Varying => false,
    }
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

/// Turns `kernel`, whose dimensions are spelled out.
pub fn apply(kernel: Function) {
    for call in kernel.instructions() {
        if Id::of_call(call).is_none() {
            continue;
        }
        let Some(&dimension) = call.call_arguments().first() else { continue };
        if let Some(number @ 0..2) = dimension.unsigned() {
            call.set_operand(0, dimension.ty().constant(1 - number));
        }
    }
}

/// Makes the entry point `symbol` of the one for turned groups, which has that name now, and the one for others.
pub fn join(module: &Module, machine: &Machine, symbol: &str, plain: &str) {
    let versions = Versions { symbol, name: "turned", other: plain };
    versions.join(module, machine, &|builder, launch| {
        let word = builder.context().integer(64);
        let items = launch::load_constant(builder, launch, launch::layout::LOCAL_SIZE + 8, word);
        builder.compare(IntPredicate::LLVMIntUGE, items, builder.word(lanes(machine)))
    });
}
