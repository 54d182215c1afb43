//! A plain copy of one function in SSA form: what analyses and decisions read instead of LLVM.
//!
//! Terms: a [`ValueId`] names an argument, a constant, a global variable or an instruction; a
//! [`BlockId`] a basic block, block 0 is the entry. Ids are dense and mean nothing outside their
//! function. The one file that fills a [`Function`] from LLVM keeps, beside it, which LLVM value and
//! block each id stands for, so that a decision made here can be carried out there.
//! Invariants: successors and predecessors mirror each other, an edge that a switch has twice is
//! listed twice; a phi's operands are in the order of its `incoming` blocks; a block ends in its only
//! terminator. Sizes and scales are bytes.
//! Not here: bodies of other functions (everything is inlined into the kernel by then), metadata.

mod edges;
pub mod extract;
mod ops;
#[cfg(test)]
pub mod text;
mod types;

pub use ops::{BinaryOp, Callee, Cast, Instruction, MemoryKind, NoWrap, Op, Predicate, WorkItem};
pub use types::{Space, Type, TypeKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

impl ValueId {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl BlockId {
    pub const ENTRY: BlockId = BlockId(0);

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub values: Vec<Value>,
    pub blocks: Vec<Block>,
    /// The arguments' values, in order.
    pub arguments: Vec<ValueId>,
    /// Items of a work-group in each dimension as it is enqueued, where the kernel or the specialization fixes them.
    pub local_size: Option<[u64; 3]>,
    /// Every group has as many: none is cut off at the end of the range.
    pub uniform_groups: bool,
    /// Global ids along x and y are below 2^30.
    pub narrow: bool,
}

#[derive(Clone, Debug)]
pub struct Value {
    pub ty: Type,
    pub kind: ValueKind,
    /// What the address of a variable, or an argument that is a pointer, is certain to be a multiple of.
    pub alignment_bytes: u64,
    /// The line of the source it comes from, if the front end said.
    pub line: Option<u32>,
}

#[derive(Clone, Debug)]
pub enum ValueKind {
    Argument(u32),
    /// An integer constant, sign-extended; null pointers are 0.
    Integer(i64),
    /// An address so many bytes into a variable of the program.
    Part(ValueId, i64),
    /// Any other constant: floats, vectors, expressions over globals.
    Constant,
    /// A value nobody may depend on: undef and poison.
    Undefined,
    /// The address of a variable of the program; `__local` arrays are such.
    Global(String),
    Instruction(Instruction),
}

#[derive(Clone, Debug, Default)]
pub struct Block {
    pub name: String,
    pub instructions: Vec<ValueId>,
    pub successors: Vec<BlockId>,
    pub predecessors: Vec<BlockId>,
    /// Whether nobody comes back from it to where others are: behind it are departures ([`crate::kernel::depart`]) and what is said to be
    /// unreachable (the default of a switch over all there is), no return, and no barrier.
    pub departs: bool,
}

impl Function {
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    pub fn value_ids(&self) -> impl Iterator<Item = ValueId> + use<> {
        (0..self.values.len() as u32).map(ValueId)
    }

    pub fn instruction(&self, id: ValueId) -> Option<&Instruction> {
        match &self.value(id).kind {
            ValueKind::Instruction(instruction) => Some(instruction),
            _ => None,
        }
    }

    /// How many items a group has along a dimension, as it is enqueued or as [`WorkItem::LocalSize`] says, if that is fixed.
    pub fn size(&self, asked: WorkItem, dimension: usize) -> Option<u64> {
        let known = asked == WorkItem::EnqueuedLocalSize || self.uniform_groups;
        self.local_size.filter(|_| known)?.get(dimension).copied()
    }

    /// The constant that `id` is, if it is an integer.
    pub fn integer(&self, id: ValueId) -> Option<i64> {
        match self.value(id).kind {
            ValueKind::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The instructions of a block with their ids.
    pub fn body(&self, block: BlockId) -> impl Iterator<Item = (ValueId, &Instruction)> {
        let ids = self.block(block).instructions.iter();
        ids.filter_map(|&id| self.instruction(id).map(|instruction| (id, instruction)))
    }

    pub fn terminator(&self, block: BlockId) -> Option<(ValueId, &Instruction)> {
        let last = *self.block(block).instructions.last()?;
        let instruction = self.instruction(last)?;
        instruction.op.is_terminator().then_some((last, instruction))
    }

    /// What the branch at the end of a block depends on.
    pub fn condition(&self, block: BlockId) -> Option<ValueId> {
        self.terminator(block).and_then(|(_, end)| end.operands.first().copied())
    }

    /// The two conditions that are both `truth` where this one is: those of `a && b` if it is true, of `a || b` if it is false.
    pub fn both(&self, condition: ValueId, truth: bool) -> Option<[ValueId; 2]> {
        let made = self.instruction(condition)?;
        let operands = &made.operands;
        match made.op {
            Op::Binary(BinaryOp::And, _) if truth => Some([operands[0], operands[1]]),
            Op::Binary(BinaryOp::Or, _) if !truth => Some([operands[0], operands[1]]),
            // What && and || become.
            Op::Select if truth && self.integer(operands[2]) == Some(0) => {
                Some([operands[0], operands[1]])
            }
            Op::Select if !truth && self.integer(operands[1]) == Some(-1) => {
                Some([operands[0], operands[2]])
            }
            _ => None,
        }
    }

    /// Whether a barrier stands in this block.
    pub fn has_barrier(&self, block: BlockId) -> bool {
        self.calls(block, Callee::Barrier)
    }

    pub fn calls(&self, block: BlockId, callee: Callee) -> bool {
        self.body(block).any(|(_, instruction)| instruction.op == Op::Call(callee))
    }

    /// Fills the predecessors from the successors, and says which blocks depart.
    pub fn link(&mut self) {
        for block in &mut self.blocks {
            block.predecessors.clear();
        }
        for id in self.block_ids() {
            for successor in self.block(id).successors.clone() {
                self.blocks[successor.index()].predecessors.push(id);
            }
        }
        let ends =
            |block, wanted: Op| self.terminator(block).is_some_and(|(_, end)| end.op == wanted);
        let departs = self.reaching(|block| ends(block, Op::Unreachable));
        let goes_on = self.reaching(|block| self.has_barrier(block) || ends(block, Op::Return));
        for (at, block) in self.blocks.iter_mut().enumerate() {
            block.departs = departs[at] && !goes_on[at];
        }
    }

    /// The blocks that a branch leads to, each once.
    pub fn ways(&self, branch: BlockId) -> Vec<BlockId> {
        let mut ways = self.block(branch).successors.clone();
        ways.sort();
        ways.dedup();
        ways
    }

    /// The blocks from `first` on, in front of those that `ends` holds of.
    pub fn behind(&self, first: BlockId, ends: &dyn Fn(BlockId) -> bool) -> Vec<BlockId> {
        let (mut found, mut work) = (vec![false; self.blocks.len()], vec![first]);
        while let Some(block) = work.pop() {
            if !ends(block) && !std::mem::replace(&mut found[block.index()], true) {
                work.extend(&self.block(block).successors);
            }
        }
        self.block_ids().filter(|block| found[block.index()]).collect()
    }

    /// By block: whether one of which something holds is the block or comes behind it.
    pub fn reaching(&self, holds: impl Fn(BlockId) -> bool) -> Vec<bool> {
        let mut reaches = vec![false; self.blocks.len()];
        let mut work: Vec<BlockId> = self.block_ids().filter(|&block| holds(block)).collect();
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut reaches[block.index()], true) {
                work.extend(&self.block(block).predecessors);
            }
        }
        reaches
    }
}
