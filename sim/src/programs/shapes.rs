//! Programs that are all shape: recursion without data, a chain, and a random graph.

use super::Pace;
use crate::program::{Access, Builder, Program, Step, TaskId, Use};
use crate::random::Random;

/// The recursive Fibonacci number, a task for every call: what a scheduler costs.
pub fn fib(n: u32, pace: Pace) -> Program {
    fn call(n: u32, builder: &mut Builder, half: Step) -> TaskId {
        if n < 2 {
            return builder.task("fib", &[], &[], &[half]);
        }
        let (left, right) = (call(n - 1, builder, half), call(n - 2, builder, half));
        let steps = [half, Step::Create(left), Step::Create(right), Step::Wait, half];
        builder.task("fib", &[], &[], &steps)
    }
    let mut builder = Builder::default();
    let first = call(n, &mut builder, Step::Compute { compute_ps: pace.cycles_ps(5) });
    builder.finish(format!("fib: {n}"), &[], &[Step::Create(first), Step::Wait])
}

/// Empty tasks, each after the one before it.
pub fn chain(tasks: u32, pace: Pace) -> Program {
    let mut builder = Builder::default();
    let body = [Step::Compute { compute_ps: pace.cycles_ps(5) }];
    let mut link = |number: u32| {
        let before = number.checked_sub(1);
        builder.task("link", &[], before.as_slice(), &body)
    };
    let steps: Vec<Step> = (0..tasks).map(|number| Step::Create(link(number))).collect();
    builder.finish(format!("chain: {tasks} empty tasks"), &[], &steps)
}

/// Tasks of 1 to 100 microseconds, each on one or two of 1,024 blocks of 64 KiB and after up to three of the
/// 64 before it.
pub fn dag(tasks: u32, seed: u64, pace: Pace) -> Program {
    const BLOCKS: u32 = 1024;
    const BLOCK_BYTES: u64 = 64 << 10;
    let mut random = Random::new(seed, 0);
    let mut builder = Builder::default();
    let blocks: Vec<u32> = (0..BLOCKS).map(|_| builder.region(BLOCK_BYTES, true)).collect();
    let mut steps = Vec::new();
    for number in 0..tasks {
        let mut after: Vec<TaskId> = (0..random.below(4).min(number))
            .map(|_| number - 1 - random.below(number.min(64)))
            .collect();
        after.sort_unstable();
        after.dedup();
        let mut uses = Vec::new();
        for access in [Access::ReadWrite, Access::Read].into_iter().take(1 + number as usize % 2) {
            let block = blocks[random.below(BLOCKS) as usize];
            uses.push(Use::of(block, 0, BLOCK_BYTES, access));
        }
        let compute_ps = pace.cycles_ps(u64::from(2_100 + random.below(210_000)));
        let task = builder.task("node", &uses, &after, &[Step::Work { compute_ps }]);
        steps.push(Step::Create(task));
    }
    builder.finish(format!("dag: {tasks} tasks, seed {seed}"), &[], &steps)
}
