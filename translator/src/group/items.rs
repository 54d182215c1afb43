//! Loops over the work-items of a group: z outermost, x innermost.
//!
//! Invariant: a group has at least one item along each dimension (so the enqueued range is not empty, and the last
//! group is not either): the loops test at their end, and what a loop computes once can be hoisted out of it.

use crate::llvm::{Block, Builder, Context, Function, IntPredicate, Metadata, Opcode, Value};

/// A loop nest whose body is still to be made.
pub struct Nest {
    /// Begins it all: runs once before the loops, and leads into them. For what all items share.
    pub before: Block,
    /// Begins the work of one item; its end is open.
    pub body: Block,
    /// Where the work of one item must lead to.
    pub latch: Block,
    /// Where a row of items ends, along x, if it takes more than one step.
    pub row_end: Option<Block>,
    /// Runs after the last item; its end is open.
    pub after: Block,
    /// The item, inside the loops.
    pub local_id: [Value; 3],
    /// How many items there are along each dimension.
    pub size: [Value; 3],
    /// The group that they are a part of, if it has more than these and keeps something for all.
    pub within: Option<Within>,
    /// The branches back, from z to x, for their metadata. There is none where there is one item, or one step.
    back: [Option<Value>; 3],
}

/// Where the items of a nest are in their group.
#[derive(Clone, Copy)]
pub struct Within {
    /// The local id of the first one.
    pub origin: [Value; 3],
    /// How many items the group has.
    pub size: [Value; 3],
}

impl Within {
    /// The number of an item in the group, x fastest.
    pub fn linear_id(&self, builder: &Builder, local_id: [Value; 3]) -> Value {
        let [x, y, z] = [0, 1, 2].map(|d| builder.add_exact(self.origin[d], local_id[d]));
        linear(builder, [x, y, z], self.size)
    }
}

fn linear(builder: &Builder, [x, y, z]: [Value; 3], size: [Value; 3]) -> Value {
    let plane = builder.mul_exact(z, size[1]);
    let row = builder.mul_exact(builder.add_exact(plane, y), size[0]);
    builder.add_exact(row, x)
}

/// For how many items there is room in an array whose rows have room for a multiple of `unit` items each.
pub fn room([row, rows, planes]: [u64; 3], unit: u64) -> u64 {
    let row = row.checked_next_multiple_of(unit).unwrap_or(u64::MAX);
    row.saturating_mul(rows).saturating_mul(planes)
}

/// What a number is surely a multiple of, by the products that it is made of.
fn factor(number: Value) -> u64 {
    match number.unsigned() {
        Some(known) => known,
        None if number.is_instruction() && number.is_opcode(Opcode::LLVMMul) => {
            factor(number.operand(0)).saturating_mul(factor(number.operand(1)))
        }
        None => 1,
    }
}

impl Nest {
    /// Makes the loops over `size` items.
    pub fn new(context: Context, function: Function, size: [Value; 3]) -> Nest {
        Nest::stepping(context, function, size, [1; 3])
    }

    /// Makes loops over every so-manieth item along each dimension.
    pub fn stepping(
        context: Context,
        function: Function,
        size: [Value; 3],
        steps: [u64; 3],
    ) -> Nest {
        let block = |name: &str| function.append_block(context, name);
        let before = block("items");
        let heads = ["item.z", "item.y", "item.x"].map(block);
        let body = block("item");
        let latches = ["item.z.next", "item.y.next", "item.x.next"].map(block);
        let after = block("items.done");

        Builder::at_end(context, before).branch(heads[0]);
        let mut local_id = [size[0]; 3];
        let mut back = [None; 3];
        let mut row_end = None;
        for level in 0..3 {
            let dimension = 2 - level;
            let inside = if level == 2 { body } else { heads[level + 1] };
            let out = if level == 0 { after } else { latches[level - 1] };
            let builder = Builder::at_end(context, heads[level]);
            // A loop that runs once would leave its metadata to a loop inside it when LLVM removes it.
            if size[dimension].unsigned().is_some_and(|items| items <= steps[dimension]) {
                builder.branch(inside);
                Builder::at_end(context, latches[level]).branch(out);
                local_id[dimension] = builder.word(0);
                continue;
            }
            let at = builder.phi(context.integer(64));
            at.set_name(["z", "y", "x"][level]);
            let outside = if level == 0 { before } else { heads[level - 1] };
            at.add_incoming(builder.word(0), outside);
            builder.branch(inside);

            builder.move_to_end(latches[level]);
            let following = builder.add_exact(at, builder.word(steps[dimension]));
            at.add_incoming(following, latches[level]);
            let more = builder.compare(IntPredicate::LLVMIntULT, following, size[dimension]);
            back[level] = Some(builder.branch_if(more, heads[level], out));
            local_id[dimension] = at;
            row_end = (level == 2).then_some(out);
        }
        Nest { before, body, latch: latches[2], row_end, after, local_id, size, within: None, back }
    }

    /// The same for a part of a group.
    pub fn within(self, within: Option<Within>) -> Nest {
        Nest { within, ..self }
    }

    /// What the number of items of a row is surely a multiple of.
    pub fn row_factor(&self) -> u64 {
        factor(self.size[0])
    }

    /// The item's number among those of the nest, x fastest.
    pub fn linear_id(&self, builder: &Builder) -> Value {
        linear(builder, self.local_id, self.size)
    }

    /// The same if rows, whose length is known, have room for a multiple of `unit` items each.
    pub fn id_with_room(&self, builder: &Builder, unit: u64) -> Value {
        let [row, rows, planes] = self.size;
        let row = row.unsigned().map_or(row, |row| builder.word(room([row, 1, 1], unit)));
        linear(builder, self.local_id, [row, rows, planes])
    }

    /// The item's number among all for which something is kept.
    pub fn id_in_group(&self, builder: &Builder) -> Value {
        match &self.within {
            Some(within) => within.linear_id(builder, self.local_id),
            None => self.linear_id(builder),
        }
    }

    /// How many items there are.
    pub fn items(&self, builder: &Builder) -> Value {
        builder.mul_exact(builder.mul_exact(self.size[2], self.size[1]), self.size[0])
    }

    /// Tells LLVM about the loops: that accesses of `group` do not depend on each other from item to item, and how
    /// the innermost is to be vectorized.
    pub fn describe(&self, context: Context, group: Metadata, hints: &Hints) {
        let text = |text: &str| context.metadata_text(text);
        let parallel = context.metadata_node(&[text("llvm.loop.parallel_accesses"), group]);
        for (level, branch) in self.back.into_iter().enumerate() {
            let Some(branch) = branch else { continue };
            // Unrolled completely before they are vectorized, loops of known size would not be vectorized at all.
            let rows = self.size[1].unsigned().is_some_and(|rows| rows <= FEW_ROWS);
            let unrolled = level == 1 && hints.small && rows;
            let how = match level {
                1 if unrolled => Some("llvm.loop.unroll.full"),
                2 if hints.lanes && hints.small && hints.straight => Some("llvm.loop.unroll.full"),
                2 if hints.ordered && !hints.locks => None,
                _ => Some("llvm.loop.unroll.disable"),
            };
            let mut properties = vec![parallel];
            properties.extend(how.map(|how| context.metadata_node(&[text(how)])));
            if level == 2 {
                properties.extend(hints.place);
                if hints.small && hints.straight && !hints.lanes {
                    let unrolled = context.metadata_node(&[text("llvm.loop.unroll.full")]);
                    let then = text("llvm.loop.vectorize.followup_vectorized");
                    properties.push(context.metadata_node(&[then, unrolled]));
                }
                if hints.short {
                    let one = context.metadata_value(context.integer(32).constant(1));
                    let count = text("llvm.loop.interleave.count");
                    properties.push(context.metadata_node(&[count, one]));
                }
                if hints.masked {
                    let yes = context.metadata_value(context.integer(1).constant(1));
                    let predicate = text("llvm.loop.vectorize.predicate.enable");
                    properties.push(context.metadata_node(&[predicate, yes]));
                }
            }
            branch.set_metadata(context, "llvm.loop", context.metadata_loop(&properties));
        }
    }
}

/// So many rows of items are unrolled, as many as there are vectors to keep things in on most processors.
const FEW_ROWS: u64 = 16;

/// How the loops are to be vectorized and unrolled.
#[derive(Clone, Copy, Default)]
pub struct Hints {
    /// Where it is, for remarks.
    pub place: Option<Metadata>,
    /// It has as many items as a group along x: a vector or a few, not many.
    pub short: bool,
    /// The region is so small that all rows of a group may be code of their own: what loops around them carry from
    /// one iteration to the next then stays in registers.
    pub small: bool,
    /// The group is a known and small number of vectors.
    pub straight: bool,
    /// Something inside has to be done for one item after the other: there are no vectors, and LLVM may unroll as it likes.
    pub ordered: bool,
    /// Each item locks memory and does little else: what unrolling spares is nothing beside that.
    pub locks: bool,
    /// The last items are fewer than a vector: masks are better than a loop of single items.
    pub masked: bool,
    /// It goes by vectors already.
    pub lanes: bool,
}

/// A new access group: a node that is equal to no other and has no operands.
pub fn access_group(context: Context) -> Metadata {
    const TEXT: &str = "!group = !{!0}\n!0 = distinct !{}\n";
    let module =
        crate::llvm::Module::from_text(context, TEXT).expect("this text is LLVM's assembly");
    module.named_metadata("group")[0]
}
