//! Keeps LLVM's vectorizer from moving the accesses that [`crate::analysis::hazards`] found.
//!
//! It only takes those of one address space together, and does not look through casts between them: so each of these
//! goes by an address of another address space. Machine code has but one.

use crate::analysis::Analysis;
use crate::llvm::{Builder, Context, Opcode};
use crate::view::extract::Extracted;

/// Those of OpenCL's address spaces, by their numbers, that stand for another: generic, or global for what is generic.
const OTHERS: [u32; 2] = [4, 1];

pub fn apply(context: Context, view: &Extracted, analysis: &Analysis) {
    for id in analysis.must_stay(&view.function) {
        let access = view.values[id.index()];
        let index = if access.is_opcode(Opcode::LLVMStore) { 1 } else { 0 };
        let address = access.operand(index);
        let other = OTHERS.into_iter().find(|&space| space != address.ty().address_space());
        let other = context.pointer(other.expect("two differ"));
        let cast = Builder::before(context, access).address_space_cast(address, other);
        access.set_operand(index, cast);
    }
}
