//! Loops in which an item writes to a place until it finds there what it wrote: a pure decision.
//!
//! GPU programs add to a place that way without an atomic operation: an item writes its number with a tag of its own, reads, and
//! begins anew where another has written meanwhile (NVIDIA's sample histogram256). An item that goes alone finds what it wrote at
//! once; items that go together overwrite each other as often as they share a place. So neither such a loop nor one around
//! it is worth going through together.

use crate::analysis::Analysis;
use crate::analysis::loops::LoopId;
use crate::view::{BlockId, Function, Op, ValueId};

/// Whether the loop is such, or one inside of it.
pub fn are_made_in(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    let inside = |&other: &LoopId| {
        analysis.loops.around(analysis.loops.get(other).header).any(|around| around == id)
    };
    analysis.loops.ids().filter(inside).any(|inner| is_claim(function, analysis, inner))
}

/// Whether it decides if the loop goes on what is read again where an iteration has written.
fn is_claim(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    if !analysis.is_left_apart(id) {
        return false;
    }
    let this = analysis.loops.get(id);
    let again: Vec<ValueId> =
        this.blocks.iter().flat_map(|&block| read_again(function, block)).collect();
    let mut work: Vec<ValueId> =
        this.exits.iter().filter_map(|&(from, _)| function.condition(from)).collect();
    let mut seen = vec![false; function.values.len()];
    while let Some(value) = work.pop() {
        let Some(made) = function.instruction(value) else { continue };
        if again.contains(&value) {
            return true;
        }
        let goes_on = !matches!(made.op, Op::Load(_) | Op::Phi(_));
        if goes_on && !std::mem::replace(&mut seen[value.index()], true) {
            work.extend(&made.operands);
        }
    }
    false
}

/// What a block loads from where it has stored before. Where that is not volatile, LLVM has the number already.
fn read_again(function: &Function, block: BlockId) -> Vec<ValueId> {
    let mut written: Vec<ValueId> = Vec::new();
    let mut again = Vec::new();
    for (value, made) in function.body(block) {
        match made.op {
            Op::Store(_) => written.push(made.operands[1]),
            Op::Load(_) if written.contains(&made.operands[0]) => again.push(value),
            _ => {}
        }
    }
    again
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// An item writes to `place` what it has read there and some more, and goes on as long as `read` is something else.
    fn claims(read: &str) -> Vec<bool> {
        let function = parse(&format!(
            "kernel k(a: global, t: local, n: i64)
            entry:
              %g = global_id 0
              jump outer
            outer:
              %i = phi [entry %g] [latch %i1]
              %p = address %a %i*4
              %v = load %p : i32
              %w = sext %v : i64
              %q = address %t %w*4
              jump head
            head:
              %x = load %q : i32
              %y = add %x %v
              store %y %q
              %r = load {read} : i32
              %again = ne %r %y
              branch %again head latch
            latch:
              %i1 = add %i %n
              %c = slt %i1 %n
              branch %c outer done
            done:
              ret"
        ));
        let analysis = Analysis::new(&function);
        let ids = analysis.loops.ids();
        ids.map(|id| are_made_in(&function, &analysis, id)).collect()
    }

    #[test]
    fn who_waits_for_its_own_number_claims_a_place() {
        assert_eq!(claims("%q"), [true, true]);
        assert_eq!(claims("%p"), [false, false], "somebody else's");
    }
}
