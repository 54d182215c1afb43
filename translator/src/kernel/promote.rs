//! Sums in memory become sums in registers, in loops of one work-item: what [`promotion`] finds, carried out.
//!
//! The place is read before the loop into a variable of the item, which stands for it inside, and is written back on the edges
//! that leave. Where the loop may run no times, both happen if its condition holds as it is entered. LLVM's own pass would
//! also move what is computed in the loop to its front, for which items would need memory where barriers stand between.
//!
//! Most programs do not say that their buffers are different memory. The launch says whether they are, so a kernel for which that counts
//! has two versions.

use std::collections::{HashMap, HashSet};

use crate::analysis::promotion::{self, Promotion, Written};
use crate::group::launch::{self, Sizes};
use crate::kernel::versions::{self, Versions};
use crate::llvm::{
    Block, Builder, Context, Function, IntPredicate, Machine, Module, Opcode, Value, run_passes_on,
};
use crate::program::failure::Failure;
use crate::report::describe::{self, ArgumentText};
use crate::view::extract::{Extracted, extract};
use crate::view::{BlockId, ValueId};

/// Loops are nested this deep at most, and each round takes one loop of each nest.
const MOST_ROUNDS: usize = 8;

/// Kernels of more instructions have no second version.
const MOST_INSTRUCTIONS: usize = 2000;

/// Promotes what can be in `kernel`. Where more can be in launches whose buffers do not overlap, `kernel` becomes the version
/// for those, and the one for others is given.
pub fn promote(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    described: &describe::Kernel,
) -> Result<Option<Function>, Failure> {
    if kernel.instructions().any(|instruction| instruction.is_opcode(Opcode::LLVMFence)) {
        return Ok(None);
    }
    let promised: Vec<bool> = described.arguments.iter().map(ArgumentText::is_restrict).collect();
    let all = vec![true; promised.len()];
    let view = extract(module.context(), machine, kernel, Sizes::default());
    let [most, sure] = [&all, &promised].map(|distinct| promotion::find(&view.function, distinct));
    if most.is_empty() {
        return Ok(None);
    }
    let are_two = most != sure && may_have_two(kernel, described);
    let other = are_two.then(|| overlapping(module.context(), kernel));
    if let Some(other) = other {
        promote_one(module, machine, other, &promised)?;
    }
    promote_one(module, machine, kernel, if are_two { &all } else { &promised })?;
    Ok(other)
}

/// Whether `kernel` may get a version for buffers that overlap.
pub fn may_have_two(kernel: Function, described: &describe::Kernel) -> bool {
    kernel.instructions().count() <= MOST_INSTRUCTIONS && !described.prints
}

/// The version of `kernel` for launches whose buffers may overlap; `kernel` is then for all others.
pub fn overlapping(context: Context, kernel: Function) -> Function {
    versions::copy(context, kernel, "overlapping")
}

/// Makes one entry point of those of both versions.
pub fn join(module: &Module, machine: &Machine, symbol: &str, overlapping: &str) {
    let versions = Versions { symbol, name: "disjoint", other: overlapping };
    versions.join(module, machine, &|builder, launch| {
        let word = builder.context().integer(64);
        let disjoint = launch::load_constant(builder, launch, launch::layout::DISJOINT, word);
        builder.compare(IntPredicate::LLVMIntNE, disjoint, builder.word(0))
    });
}

/// `distinct`: [`crate::analysis::overlap`].
fn promote_one(
    module: &Module,
    machine: &Machine,
    kernel: Function,
    distinct: &[bool],
) -> Result<(), Failure> {
    for _ in 0..MOST_ROUNDS {
        let mut view = extract(module.context(), machine, kernel, Sizes::default());
        let found = promotion::find(&view.function, distinct);
        if found.is_empty() {
            break;
        }
        found.iter().for_each(|promotion| apply(module.context(), kernel, &mut view, promotion));
        module.check(kernel, "promote");
        run_passes_on(module, machine, kernel, "mem2reg").map_err(Failure::Internal)?;
    }
    Ok(())
}

fn apply(context: Context, kernel: Function, view: &mut Extracted, promotion: &Promotion) {
    let block = |id: &BlockId| view.blocks[id.index()];
    let blocks: Vec<Block> = promotion.blocks.iter().map(block).collect();
    let header = block(&promotion.header);
    let mut front = Front::new(context, view, header, &blocks);
    let mut exits: Vec<Block> = Vec::new();
    for &from in &blocks {
        let mut outside = from.successors();
        outside.retain(|to| !blocks.contains(to));
        // A switch may lead to one block by several of its cases.
        let mut seen = HashSet::new();
        outside.retain(|&to| seen.insert(to));
        exits.extend(outside.into_iter().map(|to| view.split_edge(context, from, to)));
    }
    let value = |id: ValueId| view.values[id.index()];
    let (mut always, mut if_entered, mut condition) = (Vec::new(), Vec::new(), None);
    for promoted in &promotion.places {
        let accesses: Vec<Value> = promoted.accesses.iter().map(|&id| value(id)).collect();
        let slot = Slot::new(context, kernel, front.value(value(promoted.address)), &accesses);
        accesses.iter().for_each(|&access| slot.take(access));
        match promoted.written {
            Written::Always => always.push(slot),
            Written::IfEntered { condition: id, when } => {
                condition = Some((front.value(value(id)), when));
                if_entered.push(slot);
            }
        }
    }
    for (slots, condition) in [(always, None), (if_entered, condition)] {
        if slots.is_empty() {
            continue;
        }
        let builder = reached(context, front.before, condition);
        slots.iter().for_each(|slot| slot.read(&builder));
        for &exit in &exits {
            let builder = reached(context, exit, condition);
            slots.iter().for_each(|slot| slot.write(&builder));
        }
    }
}

/// Before the terminator of a block or, with a condition, where it holds.
fn reached(context: Context, block: Block, condition: Option<(Value, bool)>) -> Builder {
    let end = block.terminator().expect("a block ends");
    let Some((condition, when)) = condition else { return Builder::before(context, end) };
    block.only_if(context, end, condition, when).1
}

/// What is computed before a loop as its first iteration would compute it.
struct Front<'a> {
    context: Context,
    blocks: &'a [Block],
    /// The block that leads to the loop, and nowhere else.
    before: Block,
    copies: HashMap<Value, Value>,
}

impl<'a> Front<'a> {
    fn new(
        context: Context,
        view: &mut Extracted,
        header: Block,
        blocks: &'a [Block],
    ) -> Front<'a> {
        let mut outside = header.predecessors().into_iter().filter(|from| !blocks.contains(from));
        let before = outside.next().expect("a loop is entered");
        let leads_elsewhere = before.successors().iter().any(|&to| to != header);
        let before = match leads_elsewhere {
            true => view.split_edge(context, before, header),
            false => before,
        };
        Front { context, blocks, before, copies: HashMap::new() }
    }

    fn value(&mut self, value: Value) -> Value {
        let home = value.is_instruction().then(|| value.parent()).flatten();
        if home.is_none_or(|home| !self.blocks.contains(&home)) {
            return value;
        }
        if let Some(&copy) = self.copies.get(&value) {
            return copy;
        }
        if value.is_opcode(Opcode::LLVMPHI) {
            let first = value.incoming_from(self.before);
            return first.expect("the loop is entered from there");
        }
        let operands: Vec<Value> = value.operands().map(|operand| self.value(operand)).collect();
        let copy = value.duplicate();
        let end = self.before.terminator().expect("a block ends");
        let builder = Builder::before(self.context, end);
        builder.insert(copy);
        copy.set_debug_location(value.debug_location());
        operands.into_iter().enumerate().for_each(|(at, operand)| copy.set_operand(at, operand));
        self.copies.insert(value, copy);
        copy
    }
}

/// A place in memory, and the variable that stands for it.
struct Slot {
    address: Value,
    variable: Value,
    /// One of the accesses.
    like: Value,
    alignment: u32,
}

impl Slot {
    fn new(context: Context, kernel: Function, address: Value, accesses: &[Value]) -> Slot {
        let like = accesses[0];
        let ty = if like.is_opcode(Opcode::LLVMStore) { like.operand(0).ty() } else { like.ty() };
        let variable = Builder::at_start(context, kernel).alloca(ty);
        let alignments = || accesses.iter().map(|access| access.alignment());
        variable.set_alignment(alignments().max().unwrap_or(1));
        Slot { address, variable, like, alignment: alignments().min().unwrap_or(1) }
    }

    fn read(&self, builder: &Builder) {
        self.copy(builder, self.address, self.variable);
    }

    fn write(&self, builder: &Builder) {
        self.copy(builder, self.variable, self.address);
    }

    fn copy(&self, builder: &Builder, from: Value, to: Value) {
        builder.set_debug_location(self.like.debug_location());
        let ty = self.variable.allocated_type().expect("that of an alloca");
        let value = builder.load(ty, from);
        value.set_alignment(self.alignment);
        builder.store(value, to).set_alignment(self.alignment);
    }

    /// The access is one of the variable now.
    fn take(&self, access: Value) {
        let at = if access.is_opcode(Opcode::LLVMStore) { 1 } else { 0 };
        access.set_operand(at, self.variable);
    }
}
