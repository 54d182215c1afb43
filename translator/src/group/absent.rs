//! Who has departed ([`crate::kernel::depart`]), in a work-group function: a flag of each item, and how many there are.
//!
//! Regions behind a departure are there twice: for groups from which nobody has departed, and for others, where items that
//! have departed are passed over. So what an early return costs, only the groups pay in which an item takes it.
//!
//! Invariant: a region is run only while the group has an item that has not departed: it writes what all items share.

use crate::group::items::Nest;
use crate::group::regions::Regions;
use crate::ir::copy::Copier;
use crate::kernel::depart;
use crate::llvm::{Block, Builder, Context, Function, IntPredicate, Type, Value};

pub struct Absent {
    context: Context,
    /// The flag, an alloca of the kernel.
    flag: Value,
    /// How many items of the group have departed: an alloca of the work-group function.
    count: Value,
    /// By region: whether items depart in it, and whether some may have before.
    departing: Vec<bool>,
    behind: Vec<bool>,
}

impl Absent {
    /// None if nobody departs. `head` is where allocas belong.
    pub fn find(
        context: Context,
        kernel: Function,
        regions: &Regions,
        head: Block,
    ) -> Option<Absent> {
        let flag = depart::variable(kernel)?;
        let departs = |block: &Block| block.instructions().into_iter().any(depart::is_departure);
        let departing: Vec<bool> =
            regions.list.iter().map(|region| region.flow.blocks.iter().any(departs)).collect();
        let after = |number: usize| {
            let targets = regions.list[number].end.map(Block::successors).unwrap_or_default();
            targets.into_iter().map(|target| regions.starting_at(target))
        };
        let mut behind = vec![false; departing.len()];
        let numbers = 0..departing.len();
        let mut work: Vec<usize> = numbers.filter(|&at| departing[at]).flat_map(after).collect();
        while let Some(number) = work.pop() {
            if !std::mem::replace(&mut behind[number], true) {
                work.extend(after(number));
            }
        }
        let count = Builder::at_end(context, head).alloca(context.integer(32));
        Some(Absent { context, flag, count, departing, behind })
    }

    /// As wide as most of what items compute, so that vectors of them count as many at once.
    fn number(&self) -> Type {
        self.context.integer(32)
    }

    /// Whether items may have departed before the region with this number.
    pub fn is_behind(&self, region: usize) -> bool {
        self.behind[region]
    }

    /// A group begins: everybody is there.
    pub fn begin(&self, builder: &Builder) {
        builder.store(self.number().constant(0), self.count);
    }

    /// An item departs, and leaves its region. The access of its flag.
    pub fn depart(&self, builder: &Builder, copier: &Copier, nest: &Nest) -> Value {
        let flag = self.context.integer(8);
        let access = builder.store(flag.constant(1), copier.values[&self.flag]);
        let count = builder.load(self.number(), self.count);
        builder.store(builder.add(count, self.number().constant(1)), self.count);
        builder.branch(nest.latch);
        access
    }

    /// Leads an item that has departed around the region that begins at `start`. The access of its flag.
    pub fn pass_over(
        &self,
        builder: &Builder,
        copier: &Copier,
        nest: &Nest,
        start: Block,
    ) -> Value {
        let flag = self.context.integer(8);
        let read = builder.load(flag, copier.values[&self.flag]);
        let stays = builder.compare(IntPredicate::LLVMIntEQ, read, flag.constant(0));
        builder.branch_if(stays, start, nest.latch);
        read
    }

    /// A block that leads to `whole` if all items are there, else to `fewer`.
    pub fn choose(&self, function: Function, whole: Block, fewer: Block) -> Block {
        let block = function.append_block(self.context, "present");
        let builder = Builder::at_end(self.context, block);
        let count = builder.load(self.number(), self.count);
        let none = builder.compare(IntPredicate::LLVMIntEQ, count, self.number().constant(0));
        builder.branch_if(none, whole, fewer);
        block
    }

    /// Behind the region with this number: leads to `next`, where the group is done, if nobody is left.
    pub fn leave(&self, builder: &Builder, region: usize, nest: &Nest, next: Block) {
        if !self.departing[region] {
            return;
        }
        let count = builder.load(self.number(), self.count);
        let items = builder.resize(nest.items(builder), self.number());
        let all = builder.compare(IntPredicate::LLVMIntEQ, count, items);
        let on = nest.after.function().append_block(self.context, "some.left");
        builder.branch_if(all, next, on);
        builder.move_to_end(on);
    }
}
