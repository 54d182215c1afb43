//! The loop over the work-groups that an entry point runs.
//!
//! Groups are numbered x fastest; the loop counts along each dimension, so that nothing is divided but the first
//! number.
//!
//! Terms: groups are *joined* when several that follow each other along x run as one, with as many items as they have
//! together. A kernel whose items know nothing of their group (no barrier, no `__local` memory, no local or group id)
//! does not notice; and loops over items are long however small the groups are. Where groups extend along y or z too,
//! only as many are joined as make rows of [`ROW_ITEMS`], and none where neighbours along x touch memory that is far
//! apart: whoever chose square groups may have done so for the caches.

use crate::group::ids::{Id, Place};
use crate::group::launch::{Entry, Sizes};
use crate::llvm::{Block, Builder, Context, Function, IntPredicate, Value};

/// Items along x up to which rows of groups with more than one row are joined: four vectors of 16 floats.
const ROW_ITEMS: u64 = 64;

/// The loop, with the place for one group's work.
pub struct Groups {
    /// Ids of the group; the local ids are not known yet, and are zero here.
    pub place: Place,
    /// Begins a group; its end is open.
    pub begin: Block,
    /// Where the group's work must lead to.
    pub next: Block,
}

/// Which groups may be joined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// Those that extend along x alone.
    Flat,
    /// Others, too, to short rows.
    Rows,
}

/// Whether a kernel of one region without `__local` memory lets its groups be joined.
pub fn can_join(kernel: Function) -> bool {
    let mut instructions = kernel.instructions();
    !instructions.any(|instruction| Id::of_call(instruction).is_some_and(Id::depends_on_group))
}

/// Makes the loop; closes the head.
pub fn make(context: Context, entry: &Entry, join: Option<Join>) -> Groups {
    let (first, last) = entry.range.expect("an entry point");
    let head = Builder::at_end(context, entry.head);
    let launched = entry.launched(&head);
    let count = launched.group_count;
    let together = join.map(|join| joined_at_once(&head, join, launched.enqueued_local_size));
    let order = entry.sizes.order();
    let [x, y, _] = order;
    let row = head.udiv(first, count[x]);
    let start = [head.urem(first, count[x]), head.urem(row, count[y]), head.udiv(row, count[y])];
    let start = order.map(|d| start[d]);

    let begin = entry.function.append_block(context, "group");
    let next = entry.function.append_block(context, "group.next");
    let done = entry.function.append_block(context, "done");
    let any = head.compare(IntPredicate::LLVMIntULT, first, last);
    head.branch_if(any, begin, done);
    Builder::at_end(context, done).return_void();

    let builder = Builder::at_end(context, begin);
    let counter = |from: Value| {
        let at = builder.phi(context.integer(64));
        at.add_incoming(from, entry.head);
        at
    };
    let number = counter(first);
    let group_id = start.map(counter);
    let run = together.map(|together| {
        let in_row = builder.sub(count[0], group_id[0]);
        let left = builder.sub(last, number);
        builder.minimum(builder.minimum(in_row, left), together)
    });
    let place = group_place(&builder, entry.sizes, &launched, group_id, run);

    let advance = Builder::at_end(context, next);
    let step = run.unwrap_or(advance.word(1));
    let following = advance.add_exact(number, step);
    let next_id = step_along(&advance, order.map(|d| group_id[d]), step, order.map(|d| count[d]));
    let next_id = order.map(|d| next_id[d]);
    for (at, value) in
        [number].into_iter().chain(group_id).zip([following].into_iter().chain(next_id))
    {
        at.add_incoming(value, next);
    }
    let more = advance.compare(IntPredicate::LLVMIntULT, following, last);
    advance.branch_if(more, begin, done);
    Groups { place, begin, next }
}

/// How many groups are joined at most.
fn joined_at_once(builder: &Builder, join: Join, size: [Value; 3]) -> Value {
    let one = builder.word(1);
    let in_rows = match join {
        Join::Flat => one,
        Join::Rows => builder.maximum(builder.udiv(builder.word(ROW_ITEMS), size[0]), one),
    };
    let rows = builder.mul_exact(size[1], size[2]);
    let is_flat = builder.compare(IntPredicate::LLVMIntEQ, rows, one);
    builder.select(is_flat, builder.word(u64::MAX), in_rows)
}

/// What the items of the group, or of `run` joined groups, are told.
fn group_place(
    builder: &Builder,
    sizes: Sizes,
    launched: &Place,
    group_id: [Value; 3],
    run: Option<Value>,
) -> Place {
    let size = launched.enqueued_local_size;
    let before = [0, 1, 2].map(|d| builder.mul_exact(group_id[d], size[d]));
    let whole = match run {
        Some(run) => [builder.mul_exact(run, size[0]), size[1], size[2]],
        None => size,
    };
    let local_size = [0, 1, 2].map(|d| match sizes.uniform {
        true => whole[d],
        false => builder.minimum(whole[d], builder.sub(launched.global_size[d], before[d])),
    });
    let first_id = [0, 1, 2].map(|d| builder.add_exact(launched.global_offset[d], before[d]));
    Place { group_id, local_size, first_id, ..*launched }
}

/// The ids of the next group: `step` further along x, which does not lead beyond the end of the row.
fn step_along(builder: &Builder, id: [Value; 3], step: Value, count: [Value; 3]) -> [Value; 3] {
    let zero = builder.word(0);
    let x = builder.add_exact(id[0], step);
    let row_ends = builder.compare(IntPredicate::LLVMIntEQ, x, count[0]);
    let y = builder.add_exact(id[1], builder.select(row_ends, builder.word(1), zero));
    let plane_ends = builder.compare(IntPredicate::LLVMIntEQ, y, count[1]);
    let z = builder.add_exact(id[2], builder.select(plane_ends, builder.word(1), zero));
    [builder.select(row_ends, zero, x), builder.select(plane_ends, zero, y), z]
}
