//! Loops that count from or to what all items choose alike are made twice, once for each choice.
//!
//! In `for (i = diagonal ? lid + 1 : 0; i < n; i++)` each item counts by itself, reads a place of its own and leaves the loop
//! when it likes; but only in the groups on the diagonal. In all others a group counts together.
//!
//! Terms: a *choice* is a select by a condition that is the same for all items, of a number that is, too, and one that differs.
//! A loop *goes by* it if a counter begins at what is computed of it, or is compared with that where the loop is left. Its
//! *reach* are the blocks behind it up to where they have all met again, so far that such loops are inside.
//! Steps: the reach is made twice, and the condition leads to one or the other. Inside, all selects by that condition are
//! what it chooses there.
//! Not here: choices with a barrier or a long way in their reach, and phis behind branches.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::analysis::Analysis;
use crate::analysis::loops::{Loop, LoopId};
use crate::ir::copy::{Copier, Special};
use crate::ir::uses;
use crate::llvm::{self, Builder, Context, Machine, Module, Opcode, run_passes_on};
use crate::program::failure::Failure;
use crate::view::extract::Extracted;
use crate::view::{BinaryOp, BlockId, Callee, Function, Op, ValueId};

/// Instructions that are made twice, at most.
const MOST_INSTRUCTIONS: usize = 200;
/// Choices of a kernel that are taken apart, each of which may stand in the reach of another.
pub const MOST_CHOICES: usize = 3;
/// Operations that are followed from a choice to a loop that goes by it.
const MOST_OPERATIONS: usize = 16;

/// Takes apart a choice that loops go by. Whether there was one, so that `view` and `analysis` are out of date.
pub fn apply(
    module: &Module,
    machine: &Machine,
    view: &Extracted,
    analysis: &Analysis,
) -> Result<bool, Failure> {
    let Some(choice) = find(&view.function, analysis) else { return Ok(false) };
    choice.make(module.context(), view);
    run_passes_on(module, machine, view.kernel(), "sroa,adce").map_err(Failure::Internal)?;
    Ok(true)
}

struct Choice {
    select: ValueId,
    home: BlockId,
    reach: BTreeSet<BlockId>,
    meeting: BlockId,
}

fn find(function: &Function, analysis: &Analysis) -> Option<Choice> {
    let all = function.block_ids().flat_map(|block| function.body(block));
    let choices: Vec<ValueId> =
        all.map(|(id, _)| id).filter(|&id| is_choice(function, analysis, id)).collect();
    // Few kernels have any, and it takes long to find out who uses what.
    let finder = (!choices.is_empty()).then(|| Finder::new(function, analysis))?;
    choices.into_iter().find_map(|select| finder.choice(select))
}

fn is_choice(function: &Function, analysis: &Analysis, id: ValueId) -> bool {
    let Some(made) = function.instruction(id) else { return false };
    let &[condition, yes, no] = made.operands.as_slice() else { return false };
    made.op == Op::Select
        && analysis.is_one_for_all(function, condition)
        && function.integer(condition).is_none()
        && analysis.is_uniform(yes) != analysis.is_uniform(no)
}

struct Finder<'a> {
    function: &'a Function,
    analysis: &'a Analysis,
    users: HashMap<ValueId, Vec<ValueId>>,
}

impl<'a> Finder<'a> {
    fn new(function: &'a Function, analysis: &'a Analysis) -> Finder<'a> {
        let mut users: HashMap<ValueId, Vec<ValueId>> = HashMap::new();
        for (id, made) in function.block_ids().flat_map(|block| function.body(block)) {
            made.operands.iter().for_each(|&operand| users.entry(operand).or_default().push(id));
        }
        Finder { function, analysis, users }
    }

    fn choice(&self, select: ValueId) -> Option<Choice> {
        let Finder { function, analysis, .. } = *self;
        let made = function.instruction(select)?;
        let loops = self.loops_by(select);
        let headers: Vec<BlockId> = loops.iter().map(|&id| analysis.loops.get(id).header).collect();
        let mut meeting = analysis.post_dominators.parent(made.block);
        while let Some(met) = meeting.filter(|_| !headers.is_empty()) {
            let ways = function.ways(made.block).into_iter();
            let reach: BTreeSet<BlockId> =
                ways.flat_map(|way| function.behind(way, &|block| block == met)).collect();
            if !self.may_be_twice(made.block, &reach) {
                return None;
            }
            if headers.iter().all(|header| reach.contains(header)) {
                return Some(Choice { select, home: made.block, reach, meeting: met });
            }
            meeting = analysis.post_dominators.parent(met);
        }
        None
    }

    fn may_be_twice(&self, home: BlockId, reach: &BTreeSet<BlockId>) -> bool {
        let Finder { function, analysis, .. } = *self;
        let is_short = |block: &BlockId| function.block(*block).instructions.len();
        let stays = |&block: &BlockId| {
            function.block(block).departs
                || function.has_barrier(block)
                || function.calls(block, Callee::Question)
                || function.body(block).any(|(_, made)| made.op == Op::Alloca)
                || !analysis.dominators.dominates(home, block)
        };
        !reach.contains(&home)
            && reach.iter().map(is_short).sum::<usize>() <= MOST_INSTRUCTIONS
            && !reach.iter().any(stays)
    }

    /// The loops that go by a choice.
    fn loops_by(&self, select: ValueId) -> Vec<LoopId> {
        let mut known = vec![select];
        let mut at = 0;
        let mut loops = Vec::new();
        while let Some(&number) = known.get(at) {
            at += 1;
            for &user in self.users.get(&number).into_iter().flatten() {
                loops.extend(self.begins_at(user, number));
                loops.extend(self.ends_at(user, number));
                if known.len() < MOST_OPERATIONS
                    && self.is_arithmetic(user)
                    && !known.contains(&user)
                {
                    known.push(user);
                }
            }
        }
        loops
    }

    fn is_arithmetic(&self, id: ValueId) -> bool {
        let op = self.function.instruction(id).map(|made| &made.op);
        matches!(op, Some(Op::Binary(..) | Op::Cast(_) | Op::Extremum))
    }

    /// The loop that counts by `phi`, from `number` on and by the same for all items.
    fn begins_at(&self, phi: ValueId, number: ValueId) -> Option<LoopId> {
        let made = self.function.instruction(phi)?;
        let Op::Phi(from) = &made.op else { return None };
        let id = self.analysis.loops.headed_by(made.block)?;
        let this = self.analysis.loops.get(id);
        let mut edges = from.iter().zip(&made.operands);
        let right = edges.all(|(&from, &value)| match this.contains(from) {
            true => self.is_step(value, phi),
            false => value == number,
        });
        right.then_some(id)
    }

    /// Whether `next` is a counter, and besides a number that is the same for all items.
    fn is_step(&self, next: ValueId, counter: ValueId) -> bool {
        let Some(made) = self.function.instruction(next) else { return false };
        let Op::Binary(BinaryOp::Add | BinaryOp::Sub, _) = made.op else { return false };
        made.operands[0] == counter && self.analysis.is_uniform(made.operands[1])
    }

    /// The loop that is left by a comparison of a number which all items share with `number`.
    fn ends_at(&self, comparison: ValueId, number: ValueId) -> Option<LoopId> {
        let made = self.function.instruction(comparison)?;
        let is_shared = |&operand: &ValueId| operand == number || self.analysis.is_uniform(operand);
        if !matches!(made.op, Op::Compare(_)) || !made.operands.iter().all(is_shared) {
            return None;
        }
        let id = self.analysis.loops.innermost(made.block)?;
        let this = self.analysis.loops.get(id);
        let decides = self.users.get(&comparison).into_iter().flatten().any(|&end| {
            let end = self.function.instruction(end).filter(|end| end.op == Op::Branch);
            end.is_some_and(|end| is_left_from(this, end.block))
        });
        decides.then_some(id)
    }
}

fn is_left_from(this: &Loop, block: BlockId) -> bool {
    this.exits.iter().any(|&(from, _)| from == block)
}

impl Choice {
    fn make(&self, context: Context, view: &Extracted) {
        let select = view.values[self.select.index()];
        let home = view.blocks[self.home.index()];
        let condition = select.operand(0);
        let function = home.function();
        let fork = home.split_before(context, uses::behind(select));
        let mut reach = vec![home];
        reach.extend(self.reach.iter().map(|block| view.blocks[block.index()]));
        let inside: HashSet<llvm::Block> = reach.iter().copied().collect();
        uses::keep_phis_in_memory(context, view.blocks[self.meeting.index()]);
        for &block in &reach {
            uses::keep_in_memory(context, block, &|other| inside.contains(&other));
        }
        let is_settled = |value: llvm::Value| {
            value.is_opcode(Opcode::LLVMSelect) && value.operand(0) == condition
        };
        let is_inside = |value: llvm::Value| value.parent().is_some_and(|it| inside.contains(&it));
        let settled: Vec<llvm::Value> =
            condition.users().into_iter().filter(|&user| is_settled(user)).collect();
        let mut copier = Copier::new(context, function.entry());
        let outside = settled.iter().filter(|&&select| !is_inside(select));
        copier.values.extend(outside.map(|&select| (select, select.operand(2))));
        copier.copy(&reach, function, &mut |_, _, _| Special::Copy);
        for &select in &settled {
            let uses = uses::of(select).into_iter().filter(|at| inside.contains(&at.block));
            uses.for_each(|at| at.put(select.operand(1)));
        }
        for &copy in settled.iter().filter(|&&it| is_inside(it)).map(|it| &copier.values[it]) {
            copy.replace_uses(copy.operand(2));
        }
        let end = fork.terminator().expect("it falls through");
        let builder = Builder::before(context, end);
        builder.set_debug_location(select.debug_location());
        // A select may be of poison where nobody uses what it gives; a branch may not.
        builder.branch_if(builder.freeze(condition), home, copier.blocks[&home]);
        end.erase();
    }
}
