//! Takes barriers away that no two items need ([`crate::analysis::needless`]), so that regions become one.

use std::collections::HashSet;

use crate::analysis::needless::{self, Facts, Verdict, Why};
use crate::llvm::Opcode;
use crate::report::describe::Stays;
use crate::schedule::Plan;
use crate::schedule::explain;
use crate::view::extract::Extracted;
use crate::view::{Op, ValueId};

/// What became of the barriers of a kernel.
#[derive(Debug, Default)]
pub struct Spared {
    pub removed: u32,
    pub stay: Vec<Stays>,
}

/// Intrinsics that touch what they are given addresses of, and nothing else.
const BOUNDED: &[&str] = &["llvm.memcpy.", "llvm.memmove.", "llvm.memset."];

/// The barriers that [`remove`] would remove.
pub fn gone(plan: &Plan, disjoint: bool) -> Vec<ValueId> {
    let verdicts =
        needless::find(&plan.view.function, &plan.analysis, &facts(&plan.view, disjoint));
    verdicts.into_iter().filter(|it| it.stays.is_none()).map(|it| it.barrier).collect()
}

/// Removes barriers of the plan's kernel; the plan is out of date if there were any. `arguments`: their names; `disjoint`: they lead
/// to different memory.
pub fn remove(plan: &Plan, arguments: &[String], disjoint: bool) -> Spared {
    let function = &plan.view.function;
    let facts = facts(&plan.view, disjoint);
    let mut spared = Spared::default();
    for Verdict { barrier, stays } in needless::find(function, &plan.analysis, &facts) {
        match stays {
            None => {
                plan.view.values[barrier.index()].erase();
                spared.removed += 1;
            }
            Some(why) => {
                let line = function.value(barrier).line.unwrap_or(0);
                let stays = Stays { line, why: in_words(plan, arguments, why) };
                if !spared.stay.contains(&stays) {
                    spared.stay.push(stays);
                }
            }
        }
    }
    spared
}

/// What LLVM says of the kernel that the view does not have.
pub fn facts(view: &Extracted, disjoint: bool) -> Facts {
    let function = &view.function;
    let calls = |id: &ValueId| {
        let called = view.values[id.index()].called();
        called.is_some_and(|it| BOUNDED.iter().any(|name| it.name().starts_with(name)))
    };
    let instructions = || function.value_ids().filter(|&id| function.instruction(id).is_some());
    let fences = instructions().filter(|id| {
        let is_marker = function.instruction(*id).is_some_and(|made| made.op == Op::Marker);
        is_marker && view.values[id.index()].is_opcode(Opcode::LLVMFence)
    });
    Facts {
        // `restrict` promises nothing of other items.
        distinct: vec![disjoint; function.arguments.len()],
        fences: fences.collect(),
        bounded: instructions().filter(calls).collect::<HashSet<_>>(),
    }
}

fn in_words(plan: &Plan, arguments: &[String], why: Why) -> String {
    let access = |id: ValueId| explain::access_in_words(plan, arguments, id);
    match why {
        Why::Meets(one, other) => {
            format!(
                "before it one item {}, behind it another {}, maybe in the same place",
                access(one),
                access(other)
            )
        }
        Why::Order(id) => match plan.view.function.value(id).line {
            Some(line) => format!("the order of what is done in line {line} counts"),
            None => "the order of what is done near it counts".to_string(),
        },
        Why::Much => "there is too much that may depend on it".to_string(),
    }
}
