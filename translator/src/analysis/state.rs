//! What each item keeps from one iteration of a loop to the next, where all items run an iteration before the next one begins.
//!
//! Terms: the *state* of a loop is what has to be kept for each item: the phis of its header, and what is computed before the
//! loop or in it and used in it again or behind it, as far as items differ in it. What all items share is kept once; what is affine
//! along all dimensions is computed again of the ids (`crate::group::crossing`), unless an iteration hands it on.
//! An estimate: what is used behind the loop on one way only counts as kept.

use super::Analysis;
use super::loops::LoopId;
use super::shape::Shape;
use crate::view::{BlockId, Function, Op, ValueId};

/// Bytes of the state of an item.
pub fn bytes_per_item(function: &Function, analysis: &Analysis, id: LoopId) -> u64 {
    let this = analysis.loops.get(id);
    let mut behind = vec![false; function.blocks.len()];
    for &(_, exit) in &this.exits {
        for block in function.behind(exit, &|block| behind[block.index()]) {
            behind[block.index()] = true;
        }
    }
    let mut kept = vec![false; function.values.len()];
    for block in function.block_ids() {
        let inside = this.contains(block);
        if !inside && !behind[block.index()] {
            continue;
        }
        for (value, made) in function.body(block) {
            if inside && block == this.header && matches!(made.op, Op::Phi(_)) {
                kept[value.index()] |= !analysis.is_uniform(value);
                continue;
            }
            for &operand in &made.operands {
                let home = function.instruction(operand).map(|made| made.block);
                let crosses = home.is_some_and(|home| {
                    is_before(analysis, home, id) || this.contains(home) && !inside
                });
                kept[operand.index()] |= crosses && !is_computed_again(analysis, operand);
            }
        }
    }
    let kept = function.value_ids().filter(|value| kept[value.index()]);
    kept.map(|value| function.value(value).ty.bytes).sum()
}

/// Whether a block is one that all who run the loop come from.
fn is_before(analysis: &Analysis, block: BlockId, id: LoopId) -> bool {
    let this = analysis.loops.get(id);
    !this.contains(block) && analysis.dominators.dominates(block, this.header)
}

fn is_computed_again(analysis: &Analysis, value: ValueId) -> bool {
    analysis.shape(value).iter().all(|shape| *shape != Shape::Varying)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// The state of a loop over k that adds up what it loads, with `before` in front of it and `behind` it.
    fn state(before: &str, inside: &str, behind: &str) -> u64 {
        let function = parse(&format!(
            "kernel k(a: global, n: i64)
            entry:
              %g = global_id 0
              {before}
              jump head
            head:
              %k = phi [entry 0] [head %k1]
              %s = phi [entry 0] [head %t] : f32
              {inside}
              %p = address %a %k*4
              %v = load %p : f32
              %t = pure %s %v %g : f32
              %k1 = add %k 1
              %c = slt %k1 %n
              branch %c head done
            done:
              %q = address %a %g*4
              {behind}
              ret"
        ));
        let analysis = Analysis::new(&function);
        bytes_per_item(&function, &analysis, LoopId(0))
    }

    #[test]
    fn sums_are_kept_and_what_ids_tell_is_not() {
        assert_eq!(state("", "", ""), 4);
        assert_eq!(state("", "", "store %t %q"), 8);
        assert_eq!(state("%e = mul %g 4", "%f = add %e %k", ""), 4);
        assert_eq!(state("%e = mul %n 4", "%f = add %e %k", ""), 4);
    }

    #[test]
    fn what_was_loaded_before_is_kept_as_long_as_it_is_used() {
        let load = "%o = address %a %g*8\n %w = load %o : i64";
        assert_eq!(state(load, "", ""), 4);
        assert_eq!(state(load, "%f = add %w %k", ""), 12);
        assert_eq!(state(load, "", "store %w %q"), 12);
    }
}
