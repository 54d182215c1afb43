//! Loops that all items of a group seldom run: a pure decision.
//!
//! Terms: fork, approach, bypass: see [`super::approach`]. A condition is *by data* if it is computed from what the items load, each
//! for itself; by ids and by what all share it is *by place*.
//! Most guards by place cut off the end of the range: in nearly every group all items pass, which is what [`super::muster`] is for.
//! Guards by data (`if (mask[i] == 0) return`) let some of the neighbours pass, and guards that ask for a certain place
//! (`if (get_local_id(0) == 0)`) one of them. Then items would be asked for nothing: what was gained of breadth-first order times
//! the chance that so many items agree is less than the question.

use super::approach::Approach;
use crate::analysis::Analysis;
use crate::analysis::loops::LoopId;
use crate::view::{BlockId, Callee, Function, Op, Predicate, ValueId};

/// Whether the loop, or one around it, is behind a guard by data, or behind one that asks for a certain place.
pub fn is_seldom_run_by_all(function: &Function, analysis: &Analysis, id: LoopId) -> bool {
    let around = analysis.loops.around(analysis.loops.get(id).header);
    let guarded = around.filter(|&id| analysis.is_divergent(analysis.loops.get(id).header));
    let Some(outermost) = guarded.last() else { return false };
    let this = analysis.loops.get(outermost);
    let way = Approach::of(function, analysis, this.header, |block| this.contains(block));
    way.is_some_and(|way| {
        let is_way = |to: &BlockId| *to == this.header || way.blocks.contains(to);
        way.blocks.iter().chain([&way.fork]).any(|&block| {
            let successors = &function.block(block).successors;
            !successors.iter().all(is_way)
                && (parts_by_data(function, analysis, block)
                    || asks_for_place(function, analysis, block, is_way(&successors[0])))
        })
    })
}

/// Whether the branch at the end of a block goes to its first successor, if that is `wanted`, or to the other one, only
/// where numbers that differ between items are equal to something.
fn asks_for_place(function: &Function, analysis: &Analysis, block: BlockId, wanted: bool) -> bool {
    use Predicate::{Equal, NotEqual};
    let mut work: Vec<ValueId> = function.condition(block).into_iter().collect();
    // Each is a part of a condition of finite length: there are no phis among them.
    while let Some(value) = work.pop() {
        let Some(made) = function.instruction(value) else { continue };
        let differs = || made.operands.iter().any(|&operand| !analysis.is_uniform(operand));
        match (&made.op, wanted) {
            (Op::Compare(Equal), true) | (Op::Compare(NotEqual), false) if differs() => {
                return true;
            }
            _ => work.extend(function.both(value, wanted).into_iter().flatten()),
        }
    }
    false
}

/// Whether the branch at the end of a block is by data.
fn parts_by_data(function: &Function, analysis: &Analysis, block: BlockId) -> bool {
    let mut work: Vec<ValueId> = function.condition(block).into_iter().collect();
    let mut seen = vec![false; function.values.len()];
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut seen[value.index()], true) || analysis.is_uniform(value) {
            continue;
        }
        let Some(made) = function.instruction(value) else { continue };
        if matches!(made.op, Op::Load(_) | Op::Atomic | Op::Call(Callee::Unknown)) {
            return true;
        }
        work.extend(&made.operands);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::text::parse;

    /// A loop behind two guards, of which the first is by `place`, the second by what `condition` says.
    fn is_seldom(condition: &str) -> bool {
        let function = parse(&format!(
            "kernel k(a: global, n: i32)
            entry:
              %g = global_id 0
              %i = trunc %g : i32
              %in = slt %i %n
              branch %in there done
            there:
              %p = address %a %g*4
              %v = load %p : i32
              %w = load %a : i32
              {condition}
              branch %c head done
            head:
              %k = phi [there 0] [head %k1] : i32
              %k1 = add.nsw %k 1
              %d = slt %k1 %n
              branch %d head done
            done:
              ret"
        ));
        let analysis = Analysis::new(&function);
        is_seldom_run_by_all(&function, &analysis, LoopId(0))
    }

    #[test]
    fn what_items_load_parts_them_and_where_they_are_does_not() {
        assert!(!is_seldom("%c = slt 0 %i"));
        assert!(is_seldom("%c = slt %v %n"));
        assert!(is_seldom("%m = and %v 255\n %b = slt %m 7\n %a1 = slt 0 %i\n %c = and %a1 %b"));
        // All load the same.
        assert!(!is_seldom("%b = slt %i %w\n %c = and %b %b"));
    }

    #[test]
    fn a_certain_place_is_one_item_s() {
        assert!(is_seldom("%c = eq %i 0"));
        assert!(is_seldom("%r = and %i 31\n %e = eq %r 0\n %l = slt %i %n\n %c = and %l %e"));
        assert!(!is_seldom("%c = ne %i 0"), "all others");
        assert!(!is_seldom("%c = eq %w 0"), "all or none");
        assert!(!is_seldom("%e = eq %i 0\n %l = slt %i %n\n %c = or %l %e"));
    }

    #[test]
    fn choices_on_the_way_that_all_come_back_from_part_nobody() {
        let function = parse(
            "kernel k(a: global, n: i32)
            entry:
              %g = global_id 0
              %i = trunc %g : i32
              %in = slt %i %n
              branch %in there done
            there:
              %p = address %a %g*4
              %v = load %p : i32
              %c = slt %v %n
              branch %c one meet
            one:
              %x = add %v 1
              jump meet
            meet:
              %y = phi [there %v] [one %x] : i32
              jump head
            head:
              %k = phi [meet 0] [head %k1] : i32
              %k1 = add.nsw %k 1
              %d = slt %k1 %n
              branch %d head done
            done:
              ret",
        );
        let analysis = Analysis::new(&function);
        assert!(!is_seldom_run_by_all(&function, &analysis, LoopId(0)));
    }
}
