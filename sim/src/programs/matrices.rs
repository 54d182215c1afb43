//! Matmul, Jacobi and SparseLU, blocked.

use super::Pace;
use crate::program::{Access, Builder, Program, Step, TaskId, Use};

const ELEMENT_BYTES: u64 = 4;
/// Sweeps of Jacobi's solver; the paper does not say how many.
const SWEEPS: u32 = 10;

/// C = A x B. Blocks are allocations: A, B and C of one place after each other, row by row. A task makes a
/// block of C from a row of A and a column of B, block by block with a tuned BLAS.
pub fn matmul(blocks: u32, pace: Pace) -> Program {
    let side: u64 = pace.pick(128, 36);
    let bytes = side * side * ELEMENT_BYTES;
    let mut builder = Builder::default();
    let places: Vec<[u32; 3]> =
        (0..blocks * blocks).map(|_| [(); 3].map(|()| builder.region(bytes, true))).collect();
    let at = |row: u32, column: u32| places[(row * blocks + column) as usize];
    let compute_ps = u64::from(blocks) * pace.blas_ps(2 * side * side * side);
    let mut steps = Vec::new();
    for row in 0..blocks {
        for column in 0..blocks {
            let whole = |region, access| Use::of(region, 0, bytes, access);
            let factors = (0..blocks).flat_map(|k| [at(row, k)[0], at(k, column)[1]]);
            let mut uses: Vec<Use> = factors.map(|region| whole(region, Access::Read)).collect();
            uses.push(whole(at(row, column)[2], Access::ReadWrite));
            let work = [Step::Work { compute_ps }];
            steps.push(Step::Create(builder.task("matmul", &uses, &[], &work)));
        }
    }
    let n = u64::from(blocks) * side;
    builder.finish(format!("matmul: {n} x {n} in blocks of {side}"), &[], &steps)
}

/// The heat equation on two plates, each one allocation, row by row: each sweep reads one and writes the
/// other, then all wait.
pub fn jacobi(blocks: u32, pace: Pace) -> Program {
    let side: u64 = pace.pick(512, 36);
    let n = u64::from(blocks) * side;
    let row_bytes = n * ELEMENT_BYTES;
    let mut builder = Builder::default();
    let plates = [(); 2].map(|()| builder.region(n * row_bytes, true));
    // Three additions and a multiplication.
    let compute_ps = pace.loop_ps(4 * side * side);
    let mut steps = Vec::new();
    for sweep in 0..SWEEPS {
        let (from, to) = (plates[sweep as usize % 2], plates[(sweep as usize + 1) % 2]);
        for row in 0..u64::from(blocks) {
            for column in 0..u64::from(blocks) {
                let block =
                    |region, first_row: u64, first_column: u64, rows: u64, columns: u64| Use {
                        start: first_row * row_bytes + first_column * ELEMENT_BYTES,
                        bytes: columns * ELEMENT_BYTES,
                        stride: row_bytes,
                        rows: rows as u32,
                        ..Use::of(region, 0, 0, Access::Read)
                    };
                let (top, left) = (row * side, column * side);
                let mut uses = vec![
                    block(from, top, left, side, side),
                    Use { access: Access::Write, ..block(to, top, left, side, side) },
                ];
                if top > 0 {
                    uses.push(block(from, top - 1, left, 1, side));
                }
                if top + side < n {
                    uses.push(block(from, top + side, left, 1, side));
                }
                if left > 0 {
                    uses.push(block(from, top, left - 1, side, 1));
                }
                if left + side < n {
                    uses.push(block(from, top, left + side, side, 1));
                }
                let work = [Step::Work { compute_ps }];
                steps.push(Step::Create(builder.task("jacobi", &uses, &[], &work)));
            }
        }
        steps.push(Step::Wait);
    }
    let title = format!("jacobi: {n} x {n} in blocks of {side}, {SWEEPS} sweeps");
    builder.finish(title, &[], &steps)
}

/// The blocks of the Barcelona OpenMP Tasks Suite's sparse matrix that are there from the start.
fn filled(row: u32, column: u32) -> bool {
    if row.abs_diff(column) <= 1 {
        return true;
    }
    let sparse =
        (row < column && !row.is_multiple_of(3)) || (row > column && !column.is_multiple_of(3));
    !sparse && row.is_multiple_of(2) && column.is_multiple_of(2)
}

/// LU factorisation of a sparse matrix of blocks, each an allocation; new ones appear as it goes on. The
/// root factors the diagonal; it waits after the panel tasks and after the updates.
pub fn sparselu(blocks: u32, pace: Pace) -> Program {
    let side: u64 = pace.pick(256, 36);
    let bytes = side * side * ELEMENT_BYTES;
    let mut builder = Builder::default();
    let count = (blocks * blocks) as usize;
    let mut regions: Vec<Option<u32>> = vec![None; count];
    let place = |row: u32, column: u32| (row * blocks + column) as usize;
    for row in 0..blocks {
        for column in 0..blocks {
            if filled(row, column) {
                regions[place(row, column)] = Some(builder.region(bytes, true));
            }
        }
    }
    let cube = side * side * side;
    let scalar = |operations: u64| pace.loop_ps(operations);
    let whole = |region: u32, access| Use::of(region, 0, bytes, access);
    let mut steps = Vec::new();
    for k in 0..blocks {
        let diagonal = regions[place(k, k)].expect("the diagonal is filled");
        let factor = [Step::Compute { compute_ps: scalar(2 * cube / 3) }];
        steps.extend(factor);
        let panel = |name: &str, region: u32, builder: &mut Builder| -> TaskId {
            let uses = [whole(diagonal, Access::Read), whole(region, Access::ReadWrite)];
            builder.task(name, &uses, &[], &[Step::Work { compute_ps: scalar(cube) }])
        };
        for at in k + 1..blocks {
            if let Some(region) = regions[place(k, at)] {
                steps.push(Step::Create(panel("fwd", region, &mut builder)));
            }
        }
        for at in k + 1..blocks {
            if let Some(region) = regions[place(at, k)] {
                steps.push(Step::Create(panel("bdiv", region, &mut builder)));
            }
        }
        steps.push(Step::Wait);
        for row in k + 1..blocks {
            for column in k + 1..blocks {
                let pair = (regions[place(row, k)], regions[place(k, column)]);
                let (Some(left), Some(above)) = pair else { continue };
                let slot = &mut regions[place(row, column)];
                let inner = *slot.get_or_insert_with(|| builder.region(bytes, true));
                // Its innermost loop goes over the inner block once a column of the left one: its
                // stores are what the paper marks as access-intensive.
                let inner =
                    Use { passes: side as u32, intensive: true, ..whole(inner, Access::ReadWrite) };
                let uses = [whole(left, Access::Read), whole(above, Access::Read), inner];
                let work = [Step::Work { compute_ps: scalar(2 * cube) }];
                steps.push(Step::Create(builder.task("bmod", &uses, &[], &work)));
            }
        }
        steps.push(Step::Wait);
    }
    let n = u64::from(blocks) * side;
    builder.finish(format!("sparselu: {n} x {n} in blocks of {side}"), &[], &steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { clock_mhz: 1000, many_core: false };

    #[test]
    fn jacobi_stays_on_its_plates() {
        // `Builder::task` checks that no use leaves its region.
        let program = jacobi(3, PACE);
        assert_eq!(program.tasks.len(), 9 * SWEEPS as usize + 1);
        let middle: u64 = program.uses_of(4).iter().map(Use::total_bytes).sum();
        assert_eq!(middle, 4 * (2 * 512 * 512 + 4 * 512));
    }

    #[test]
    fn sparselu_fills_in() {
        let program = sparselu(6, PACE);
        let start = (0..36).filter(|at| filled(at / 6, at % 6)).count();
        assert!(program.regions.len() > start);
        assert_eq!(program.names, ["fwd", "bdiv", "bmod", "root"]);
    }

    #[test]
    fn a_column_of_b_is_at_one_location() {
        // What makes coarse distribution pay in matmul: 3 allocations a place, 96 a row, over 8 nodes.
        let program = matmul(32, PACE);
        let nodes = |task: u32, which: usize| -> Vec<u32> {
            let uses = program.uses_of(task)[..64].iter().skip(which).step_by(2);
            uses.map(|one| one.region % 8).collect()
        };
        assert!(nodes(5, 1).iter().all(|&node| node == nodes(5, 1)[0]));
        assert_eq!(nodes(5, 0)[..8], [0, 3, 6, 1, 4, 7, 2, 5]);
    }
}
