//! Loops that all items of a group run equally often, where the size of groups is known.
//!
//! Groups share what is to be done by `for (at = get_local_id(0); at < 1024; at += 256)`: to fill a tile of local memory, say. With 256
//! items each of them goes round four times, but the test asks where each one is. So such a loop counts its iterations by a number of
//! its own, which is the same for all items. LLVM writes it out if it is short, and `at / 64` becomes what it is for a row of items.
//!
//! Method: the numbers with which a loop begins have bounds ([`super::bounds`]). A loop runs equally often for all numbers
//! between two with which it begins if it does for these two, since its test parts small numbers from large ones.

use super::bounds::{bounds, largest};
use super::written_out::{Loop, Test, find};
use crate::llvm::{Builder, Context, Function, IntPredicate};

/// More iterations are not looked for.
const MOST_ITERATIONS: i64 = 4096;

/// Lets such loops of a kernel count for themselves; `size`: of its groups.
pub fn apply(context: Context, kernel: Function, size: [u64; 3]) {
    for each in find(kernel).iter().filter(|each| each.count.is_none()) {
        if let Some(count) = iterations(each, size) {
            count_alone(context, each, count);
        }
    }
}

/// How often all items run a loop.
fn iterations(each: &Loop, size: [u64; 3]) -> Option<i64> {
    let Loop { counter, test, .. } = each;
    let header = counter.parent()?;
    let [goes_on, leaves] = header.terminator()?.successors()[..] else { return None };
    if !each.blocks.contains(&goes_on) || each.blocks.contains(&leaves) || !parts(*test) {
        return None;
    }
    let (least, most) = bounds(each.begin, size, 0)?;
    let count = test.iterations(least, MOST_ITERATIONS)?;
    let last = test.step.checked_mul(count)?;
    let fits = |begin: i64| {
        begin.checked_add(last).is_some_and(|end| end.abs() < largest(counter.ty().integer_bits()))
    };
    let same = test.iterations(most, MOST_ITERATIONS) == Some(count);
    (same && fits(least) && fits(most)).then_some(count)
}

/// Whether a test holds for small numbers and not for large ones, or the other way round, and the counter goes to where it does not.
fn parts(test: Test) -> bool {
    use IntPredicate::*;
    match test.predicate {
        LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE => test.step > 0,
        LLVMIntSGT | LLVMIntSGE | LLVMIntUGT | LLVMIntUGE => test.step < 0,
        LLVMIntEQ | LLVMIntNE => false,
    }
}

/// Lets a loop run so often by a counter of its own.
fn count_alone(context: Context, each: &Loop, count: i64) {
    let ty = context.integer(32);
    let header = each.counter.parent().expect("a phi has a block");
    let number = Builder::before(context, each.counter).phi(ty);
    let end = header.terminator().expect("a whole block");
    let more = Builder::before(context, end).compare(
        IntPredicate::LLVMIntULT,
        number,
        ty.constant(count as u64),
    );
    end.set_condition(more);
    let back = each.latch.terminator().expect("a whole block");
    let next = Builder::before(context, back).add_exact(number, ty.constant(1));
    for (_, from) in each.counter.incoming() {
        number.add_incoming(if from == each.latch { next } else { ty.constant(0) }, from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::Module;

    /// How often items of groups of 8 x 4 run a loop from `begin` on, if that is the same for all: `test` is its predicate and bound.
    fn rounds(begin: &str, test: &str, step: i32) -> Option<u64> {
        let text = format!(
            "define void @kernel() {{
            entry:
              %wide = call i64 @_Z12get_local_idj(i32 0)
              %x = trunc i64 %wide to i32
              %high = call i64 @_Z12get_local_idj(i32 1)
              %y = trunc i64 %high to i32
              %row = mul i32 %y, 8
              %item = add i32 %row, %x
              %begin = {begin}
              br label %head
            head:
              %at = phi i32 [ %begin, %entry ], [ %next, %body ]
              %more = icmp {test}
              br i1 %more, label %body, label %done
            body:
              %next = add i32 %at, {step}
              br label %head
            done:
              ret void
            }}
            declare i64 @_Z12get_local_idj(i32)"
        );
        let module = Module::from_text(Context::new(), &text).expect("LLVM's assembly");
        let kernel = module.function("kernel").expect("it is there");
        apply(module.context(), kernel, [8, 4, 1]);
        let head = kernel.blocks()[1];
        let test = head.terminator().and_then(|branch| branch.condition()).expect("a test");
        let alone = head.phis().len() == 2;
        alone.then(|| test.operand(1).unsigned()).flatten()
    }

    #[test]
    fn loops_are_even_that_share_a_multiple_of_the_group() {
        let item = "add i32 %item, 0";
        assert_eq!(rounds(item, "slt i32 %at, 128", 32), Some(4));
        assert_eq!(rounds(item, "ult i32 %at, 32", 32), Some(1));
        assert_eq!(rounds(item, "slt i32 %at, 127", 32), None, "the last item has one round less");
        assert_eq!(rounds(item, "slt i32 %at, 128", 24), None);
        assert_eq!(rounds("lshr i32 %item, 3", "slt i32 %at, 64", 4), Some(16));
        assert_eq!(rounds("and i32 %item, 7", "slt i32 %at, 64", 8), Some(8));
        assert_eq!(rounds("shl i32 %x, 2", "sle i32 %at, 63", 32), Some(2));
        assert_eq!(rounds(item, "sgt i32 %at, -1", -32), Some(1));
        assert_eq!(rounds(item, "slt i32 %at, 2147483647", 1_000_000_000), None, "it wraps around");
        assert_eq!(rounds("sub i32 64, %item", "slt i32 %at, 128", 32), None, "not followed");
    }
}
