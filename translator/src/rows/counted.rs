//! Loops that count upwards in even steps to a limit that does not change: a header that decides, and a body without branches.

use crate::analysis::loops::LoopId;
use crate::llvm::{Block, IntPredicate, Machine, Opcode, Value};
use crate::schedule::Plan;
use crate::vector::facts::sums::{Extension, Sum};
use crate::vector::memory::tiles;
use crate::view::BlockId;

/// Instructions of a loop that is worth several copies.
const MOST_INSTRUCTIONS: usize = 60;
/// Steps at most.
const MOST_STEP: i64 = 1 << 16;

/// A loop that counts.
pub struct Counted {
    pub header: Block,
    pub body: Block,
    /// It goes on while this holds of the counter and the limit. Both are asked of it, because a copy of a loop puts other values in the
    /// place of its phis, and one of them may be another loop's limit.
    condition: Value,
    pub predicate: IntPredicate,
    pub step: u64,
}

impl Counted {
    /// Of a loop that writes no memory, and whose limit is computed before.
    pub fn of(machine: &Machine, plan: &Plan, id: LoopId) -> Option<Counted> {
        let any = Counted::any(machine, plan, id)?;
        let suits = !any.has(any.limit()) && any.instructions().into_iter().all(is_simple);
        suits.then_some(any)
    }

    /// Of a loop whatever it does.
    pub fn any(machine: &Machine, plan: &Plan, id: LoopId) -> Option<Counted> {
        let this = plan.analysis.loops.get(id);
        let block = |id: BlockId| plan.view.blocks[id.index()];
        let (&[a, b], &[(from, _)]) = (this.blocks.as_slice(), this.exits.as_slice()) else {
            return None;
        };
        let header = block(this.header);
        let body = block(if a == this.header { b } else { a });
        let end = header.terminator().filter(|_| from == this.header)?;
        let condition = end.condition().filter(|it| it.is_opcode(Opcode::LLVMICmp))?;
        let (counter, limit) = (condition.operand(0), condition.operand(1));
        if end.successors()[0] != body || !header.phis().contains(&counter) {
            return None;
        }
        let step = step(machine, counter, body, Extension::None)?;
        let predicate = condition.int_predicate()?;
        let upwards = match predicate {
            IntPredicate::LLVMIntNE => step == 1,
            IntPredicate::LLVMIntSLT | IntPredicate::LLVMIntULT => true,
            IntPredicate::LLVMIntSLE | IntPredicate::LLVMIntULE => true,
            _ => false,
        };
        let counted = Counted { header, body, condition, predicate, step: step as u64 };
        let is_wide = counter.ty().integer_bits() >= 32;
        let even = upwards && is_wide && (1..MOST_STEP).contains(&step);
        let suits = even && counted.stays(limit);
        (suits && counted.instructions().len() <= MOST_INSTRUCTIONS).then_some(counted)
    }

    pub fn counter(&self) -> Value {
        self.condition.operand(0)
    }

    pub fn limit(&self) -> Value {
        self.condition.operand(1)
    }

    pub fn blocks(&self) -> [Block; 2] {
        [self.header, self.body]
    }

    /// What an iteration does, but for its branches and what decides.
    pub fn instructions(&self) -> Vec<Value> {
        let end = self.header.terminator().expect("it decides");
        let all = self.blocks().into_iter().flat_map(|block| block.instructions());
        let ends = |value: Value| value.is_terminator() || value.users() == [end];
        all.filter(|&value| !value.is_opcode(Opcode::LLVMPHI) && !ends(value)).collect()
    }

    fn has(&self, value: Value) -> bool {
        value.is_instruction() && value.parent().is_some_and(|at| self.blocks().contains(&at))
    }

    /// Whether a value is the same in all iterations: what computes it may still stand inside.
    pub fn stays(&self, value: Value) -> bool {
        use Opcode::*;
        let computes = matches!(
            value.opcode(),
            Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMAnd | LLVMOr | LLVMSExt | LLVMZExt)
                | Some(LLVMTrunc | LLVMGetElementPtr)
        );
        !self.has(value) || computes && value.operands().all(|operand| self.stays(operand))
    }

    /// By how much an address grows in an iteration, if always by as much.
    pub fn growth(&self, machine: &Machine, address: &Sum) -> Option<i64> {
        let phis = self.header.phis();
        let of = |value: Value, extension: Extension| match phis.contains(&value) {
            true => step(machine, value, self.body, extension),
            false => self.stays(value).then_some(0),
        };
        let terms = address.terms.iter();
        let each = terms.map(|term| Some(of(term.value, term.extension)?.wrapping_mul(term.bytes)));
        each.chain([of(address.root, Extension::None)])
            .try_fold(0i64, |sum, one| Some(sum.wrapping_add(one?)))
    }

    /// Whether all that goes from iteration to iteration grows in even steps.
    pub fn hands_on_nothing_else(&self, machine: &Machine) -> bool {
        let grows = |&phi: &Value| step(machine, phi, self.body, Extension::None).is_some();
        self.header.phis().iter().all(grows)
    }

    /// What a phi of the header is in the next iteration.
    pub fn next(&self, phi: Value) -> Value {
        phi.incoming_from(self.body).expect("an edge from the body")
    }
}

/// What a phi grows by in an iteration: a number as the word that `extension` makes of it, a pointer in bytes.
fn step(machine: &Machine, phi: Value, body: Block, extension: Extension) -> Option<i64> {
    let next = phi.incoming_from(body)?;
    if phi.ty().is_pointer() {
        let sum = Sum::of_address(machine, next);
        return (sum.root == phi && sum.terms.is_empty()).then_some(sum.constant);
    }
    let sum = Sum::of_number(next, extension);
    match sum.terms[..] {
        [term] if term.value == phi && term.bytes == 1 => Some(sum.constant),
        _ => None,
    }
}

/// Whether an instruction writes no memory, and orders none.
fn is_simple(value: Value) -> bool {
    !value.is_opcode(Opcode::LLVMAlloca) && !tiles::may_write(value)
}
