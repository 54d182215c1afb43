//! Map, Reduction and Vecmul.

use super::Pace;
use crate::program::{Access, Builder, Program, Step, Use};

const ELEMENT_BYTES: u64 = 4;
/// MIR's map and reduction go ten times over their data.
const PASSES: u32 = 10;

/// Scales vectors, each an allocation of its own, in place; a task each. The tasks touch them first.
pub fn map(vectors: u32, pace: Pace) -> Program {
    let bytes = pace.pick(1 << 20, 32 << 10);
    let mut builder = Builder::default();
    let compute_ps = pace.loop_ps(u64::from(PASSES) * bytes / ELEMENT_BYTES);
    let mut steps = Vec::new();
    for _ in 0..vectors {
        let region = builder.region(bytes, false);
        let one = Use { passes: PASSES, ..Use::of(region, 0, bytes, Access::ReadWrite) };
        steps.push(Step::Create(builder.task("map", &[one], &[], &[Step::Work { compute_ps }])));
    }
    let title = format!("map: {vectors} vectors of {} KiB, scaled in place", bytes >> 10);
    builder.finish(title, &[], &steps)
}

/// The merge phase of a sort: one array of 2^depth chunks; level by level pairs are combined into the first
/// of the two, and all wait.
pub fn reduction(depth: u32, pace: Pace) -> Program {
    let all: u64 = pace.pick(256 << 20, 700_000);
    let chunk = all >> depth & !(ELEMENT_BYTES - 1);
    let bytes = chunk << depth;
    let mut builder = Builder::default();
    let array = builder.region(all, true);
    let mut steps = Vec::new();
    for level in 0..depth {
        let size = chunk << level;
        let compute_ps = pace.loop_ps(2 * u64::from(PASSES) * size / ELEMENT_BYTES);
        for pair in 0..(bytes / size / 2) {
            let first = pair * 2 * size;
            let uses = [(first, Access::ReadWrite), (first + size, Access::Read)];
            let uses = uses.map(|(start, access)| Use {
                passes: PASSES,
                ..Use::of(array, start, size, access)
            });
            let work = [Step::Work { compute_ps }];
            steps.push(Step::Create(builder.task("merge", &uses, &[], &work)));
        }
        steps.push(Step::Wait);
    }
    let title = format!("reduction: an array of {all} bytes in {depth} levels");
    builder.finish(title, &[], &steps)
}

/// Every vector with every other, element by element: our reading of "vector cross product".
pub fn vecmul(vectors: u32, pace: Pace) -> Program {
    let bytes = pace.pick(1 << 20, 28 << 10);
    let mut builder = Builder::default();
    let regions: Vec<u32> = (0..vectors).map(|_| builder.region(bytes, true)).collect();
    let compute_ps = pace.loop_ps(2 * bytes / ELEMENT_BYTES);
    let mut steps = Vec::new();
    for (number, &left) in regions.iter().enumerate() {
        for &right in &regions[number + 1..] {
            let uses = [left, right].map(|region| Use::of(region, 0, bytes, Access::Read));
            let work = [Step::Work { compute_ps }];
            steps.push(Step::Create(builder.task("product", &uses, &[], &work)));
        }
    }
    let title = format!("vecmul: products of {vectors} vectors of {} KiB", bytes >> 10);
    builder.finish(title, &[], &steps)
}
