//! Loops in which an item goes along rows of its own and writes one of them, each number of what is at its own place in the others.
//!
//! Programs that were made for more work in an item have them (`for (i = first; i < first + n; i++) c[i] = a[i] * a[i];`). Vectors of
//! items would load and store single numbers there. Item by item, LLVM's loop vectorizer makes vectors of the iterations, and asks
//! at run time whether the rows overlap.

use super::counted::Counted;
use super::{Place, touches};
use crate::analysis::loops::LoopId;
use crate::llvm::{Machine, Opcode, Value};
use crate::schedule::Plan;
use crate::vector::facts::sums::Sum;
use crate::vector::values::widen;

/// Iterations that are worth vectors of them.
const FEWEST: i64 = 16;

/// The loop, if it is one.
pub fn find(machine: &Machine, plan: &Plan, id: LoopId) -> Option<Counted> {
    let counted = Counted::any(machine, plan, id)?;
    let trips = plan.analysis.trips(id).and_then(|trips| trips.count.as_constant());
    let all = counted.instructions();
    let stores = all.iter().any(|value| value.is_opcode(Opcode::LLVMStore));
    let suits = stores
        && trips.is_none_or(|trips| trips >= FEWEST)
        && counted.hands_on_nothing_else(machine)
        && all.iter().all(|&value| goes_along(machine, &counted, value))
        && touches(plan, &counted, Opcode::LLVMStore).all(|(_, place)| place != Place::Near);
    suits.then_some(counted)
}

/// Whether an instruction of the loop touches no memory, or what lies side by side from iteration to iteration; or reads what stays.
fn goes_along(machine: &Machine, counted: &Counted, value: Value) -> bool {
    let (place, ty, stays) = match value.opcode() {
        Some(Opcode::LLVMLoad) => (value.operand(0), value.ty(), true),
        Some(Opcode::LLVMStore) => (value.operand(1), value.operand(0).ty(), false),
        Some(Opcode::LLVMCall) => return widen::is_simple(value) || widen::is_only_said(value),
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence) => {
            return false;
        }
        _ => return true,
    };
    let grows = counted.growth(machine, &Sum::of_address(machine, place));
    let along = grows == Some(machine.size_bytes(ty) as i64) || stays && grows == Some(0);
    along && !value.is_volatile() && !value.is_atomic() && !ty.is_vector()
}
