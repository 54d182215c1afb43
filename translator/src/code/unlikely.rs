//! What only unlikely ways use is computed there.
//!
//! Where it is guessed that the items of a vector touch neighbouring places, a test decides, and the places of all items are asked for on
//! the way that nearly never runs ([`crate::vector`]): coordinates that are clamped or wrap around at borders, say. Several accesses use the
//! same places, each on a way of its own; so LLVM, which moves what has one user, leaves them where they are computed each time. Here each way
//! gets a copy.
//!
//! Terms: an *edge* is unlikely if its branch says so; a *way* is what can be reached by such an edge alone, and begins with one block.

use std::collections::{HashMap, HashSet};

use crate::ir::uses::{self, Use};
use crate::llvm::{Block, Builder, Context, Function, Module, Opcode, Value};

/// An edge is unlikely if another one of the branch is so many times as likely.
const FAR_LESS: u64 = 1000;
/// Values with more ways stay.
const MOST_WAYS: usize = 12;

/// Moves such values in all functions of `module`.
pub fn sink(module: &Module) {
    for function in module.functions().into_iter().filter(|function| function.has_body()) {
        sink_in(module.context(), function);
    }
}

fn sink_in(context: Context, function: Function) {
    let ways = Ways::of(context, function);
    if ways.begins.is_empty() {
        return;
    }
    // Copies may be where these were: they are on a way, and stay.
    let mut erased = HashSet::new();
    let mut todo: Vec<Value> = function.instructions().collect();
    // Users come first, as they mostly stand behind.
    while let Some(value) = todo.pop() {
        if erased.contains(&value) || !moves(context, value) {
            continue;
        }
        let Some(used) = ways.uses(value) else { continue };
        let operands: Vec<Value> = value.operands().filter(|it| it.is_instruction()).collect();
        for (way, used) in used {
            let copy = value.duplicate();
            Builder::before(context, way.first_after_phis().expect("an end")).insert(copy);
            used.iter().for_each(|it| it.put(copy));
        }
        value.erase();
        erased.insert(value);
        todo.extend(operands);
    }
}

/// Whether it makes no difference where it is computed, but in time.
fn moves(context: Context, value: Value) -> bool {
    use Opcode::*;
    match value.opcode() {
        Some(LLVMCall) => {
            let pure = |it: Function| it.is_intrinsic() && it.touches_no_memory(context);
            value.called().is_some_and(pure)
        }
        Some(
            LLVMPHI | LLVMLoad | LLVMStore | LLVMAlloca | LLVMFence | LLVMAtomicRMW
            | LLVMAtomicCmpXchg | LLVMFreeze,
        ) => false,
        Some(_) => !value.is_terminator(),
        None => false,
    }
}

/// The way that each block belongs to, if any: by the way's first block.
struct Ways {
    begins: HashMap<Block, Block>,
}

impl Ways {
    fn of(context: Context, function: Function) -> Ways {
        let blocks = function.blocks();
        let begins = |&block: &Block| match block.predecessors()[..] {
            [from] => is_unlikely(context, from, block),
            _ => false,
        };
        let first = blocks.iter().copied().filter(begins);
        let mut ways = Ways { begins: first.map(|block| (block, block)).collect() };
        let mut todo: Vec<Block> = ways.begins.keys().copied().collect();
        while let Some(block) = todo.pop() {
            let way = ways.begins[&block];
            for next in block.successors() {
                if !ways.begins.contains_key(&next) && ways.lead_alone_to(way, next) {
                    ways.begins.insert(next, way);
                    todo.push(next);
                }
            }
        }
        ways
    }

    /// Whether a block is reached from a way alone.
    fn lead_alone_to(&self, way: Block, block: Block) -> bool {
        block.predecessors().iter().all(|from| self.begins.get(from) == Some(&way))
    }

    /// Where a value is used that may move, by way; none if it is used elsewhere, not at all, or on too many.
    fn uses(&self, value: Value) -> Option<HashMap<Block, Vec<Use>>> {
        let at = value.parent().filter(|at| !self.begins.contains_key(at))?;
        let mut found: HashMap<Block, Vec<Use>> = HashMap::new();
        for used in uses::of(value) {
            found.entry(*self.begins.get(&used.block)?).or_default().push(used);
        }
        let few = (1..=MOST_WAYS).contains(&found.len());
        (few && !found.keys().any(|&way| comes_again(way, at))).then_some(found)
    }
}

/// Whether a way may be gone several times where the block before it, `at`, runs once.
fn comes_again(way: Block, at: Block) -> bool {
    let mut met = HashSet::from([at]);
    let mut todo = way.successors();
    while let Some(block) = todo.pop() {
        if block == way {
            return true;
        }
        if met.insert(block) {
            todo.extend(block.successors());
        }
    }
    false
}

fn is_unlikely(context: Context, from: Block, to: Block) -> bool {
    let Some(branch) = from.terminator() else { return false };
    let Some(said) = branch.metadata(context, "prof") else { return false };
    let weights: Vec<u64> = said.values(context).into_iter().filter_map(Value::unsigned).collect();
    let successors = branch.successors();
    let most = weights.iter().max();
    let mut own = successors.iter().zip(&weights).filter(|&(&it, _)| it == to);
    weights.len() == successors.len()
        && own.all(|(_, &weight)| most.is_some_and(|&most| most / FAR_LESS >= weight.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tested::opcodes;

    /// How many multiplications there are once what `%asked` multiplies is used on two unlikely ways, one of them a block later, and
    /// `elsewhere`, too; `around` says where the first way leads.
    fn copies(elsewhere: &str, around: &str) -> usize {
        let text = format!(
            "define void @kernel(i32 %a, i1 %guess, i1 %more, ptr %to) {{
            entry:
                %asked = add i32 %a, 3
                %place = mul i32 %asked, %asked
                br label %next
            next:
                {elsewhere}
                br i1 %guess, label %then, label %first, !prof !0
            first:
                store volatile i32 %place, ptr %to
                br label %{around}
            then:
                br i1 %guess, label %done, label %second, !prof !0
            second:
                br label %third
            third:
                store volatile i32 %place, ptr %to
                br label %done
            done:
                ret void
            }}
            !0 = !{{!\"branch_weights\", i32 1048576, i32 1}}"
        );
        let found = opcodes(&text, sink_in, "verify").1;
        found.into_iter().filter(|&it| it == Opcode::LLVMMul).count()
    }

    #[test]
    fn each_unlikely_way_gets_a_copy() {
        assert_eq!(copies("", "then"), 2);
    }

    #[test]
    fn what_is_used_elsewhere_stays() {
        assert_eq!(copies("store volatile i32 %place, ptr %to", "then"), 1);
    }

    #[test]
    fn what_a_loop_would_ask_for_again_stays() {
        assert_eq!(copies("", "next"), 1);
    }
}
