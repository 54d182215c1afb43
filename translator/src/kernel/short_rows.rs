//! Rows of items that are shorter than a kernel's vectors.
//!
//! Items that touch numbers of 8 or 16 bits alone go 32 or 16 at a time where a register holds as many of them. What a row has
//! beside whole vectors goes item by item: in a group of 16 x 16, all of it. Code for one local size has vectors that are no longer
//! than its rows. Where the size is not known, a kernel that shows how its items are grouped is made twice, with long vectors and
//! with short ones, and each launch runs what suits its rows. Items of other kernels are grouped by the driver, in longer rows.

use crate::group::ids;
use crate::group::launch::{self, Sizes};
use crate::kernel::versions::Versions;
use crate::llvm::{Function, IntPredicate, Machine, Module};

/// Rows of groups of two dimensions have 16 items more often than not, and then 8.
const USUAL: [u64; 2] = [16, 8];

/// Kernels of more instructions are not made twice.
const MOST_INSTRUCTIONS: usize = 1000;

/// How many items a short vector has of a kernel whose vectors have so many `lanes`; none: there is one version.
pub fn lanes(kernel: Function, sizes: Sizes, lanes: u64) -> Option<u64> {
    let may_be_short = sizes.enqueued.is_none() && sizes.sub_group.is_none();
    let is_small = || kernel.instructions().count() <= MOST_INSTRUCTIONS;
    let shorter = USUAL.into_iter().find(|&usual| usual < lanes)?;
    (may_be_short && ids::sees_groups(kernel) && is_small()).then_some(shorter)
}

/// Makes the entry point `symbol` of the one with `long` vectors, which has that name now, and that with short ones, whose name is
/// `other`: it runs where a row has a short vector beside its long ones.
pub fn join(
    module: &Module,
    machine: &Machine,
    symbol: &str,
    other: &str,
    [long, short]: [u64; 2],
) {
    let versions = Versions { symbol, name: "long", other };
    versions.join(module, machine, &|builder, launch| {
        let word = builder.context().integer(64);
        let row = launch::load_constant(builder, launch, launch::layout::LOCAL_SIZE, word);
        let beside = builder.and(row, builder.word(long - 1));
        builder.compare(IntPredicate::LLVMIntULT, beside, builder.word(short))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Context;

    const TEXT: &str = "define spir_kernel void @kernel(ptr addrspace(3) %t) {
        store i8 1, ptr addrspace(3) %t
        ret void
    }";

    #[test]
    fn vectors_of_bytes_are_too_long_for_usual_rows() {
        let module = Module::from_text(Context::new(), TEXT).expect("LLVM's assembly");
        let kernel = module.function("kernel").expect("the kernel");
        let of = |long| lanes(kernel, Sizes::default(), long);
        assert_eq!([8, 16, 32, 64].map(of), [None, Some(8), Some(16), Some(16)]);
        let known = Sizes { enqueued: Some([16, 16, 1]), ..Sizes::default() };
        let sub_groups = Sizes { sub_group: Some(32), ..Sizes::default() };
        assert_eq!([known, sub_groups].map(|sizes| lanes(kernel, sizes, 32)), [None, None]);
    }
}
