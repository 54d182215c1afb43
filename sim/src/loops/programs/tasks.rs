//! Programs of tasks, as the Barcelona OpenMP Tasks Suite and KASTORS have them: any thread gets any task.
//!
//! A *phase* is tasks between two waits. Threads get its tasks by chance, equally many each, as work stealing deals them. What is
//! done again and again is dealt anew each time, `DEALS` times, and then again.

use super::ELEMENT_BYTES;
use crate::loops::{Loops, Share, threads};
use crate::machine::Machine;
use crate::program::{Access, Builder, Use};
use crate::random::Random;

const DEALS: u64 = 32;

/// One task: what it uses, and cycles of computation.
type Task = (Vec<Use>, u64);

/// Deals the tasks of a phase to the threads.
fn dealt(machine: &Machine, random: &mut Random, mut tasks: Vec<Task>) -> Vec<Share> {
    for last in (1..tasks.len()).rev() {
        tasks.swap(last, random.below(last as u32 + 1) as usize);
    }
    let count = threads(machine).len();
    let mut shares: Vec<Share> = vec![Share { uses: Vec::new(), compute_ps: 0 }; count];
    for (number, (uses, cycles)) in tasks.into_iter().enumerate() {
        let share = &mut shares[number % count];
        share.uses.extend(uses);
        share.compute_ps += cycles * 1_000_000 / u64::from(machine.clock_mhz);
    }
    shares
}

/// Phases that are dealt anew each time.
fn again(machine: &Machine, phases: impl Fn(u64) -> Vec<Vec<Task>>) -> Vec<Vec<Share>> {
    let mut random = Random::new(1, 0);
    let round = (0..DEALS).flat_map(phases);
    round.map(|tasks| dealt(machine, &mut random, tasks)).collect()
}

/// Tasks that each go over one of `pieces` equal pieces of each region.
fn pieces(
    regions: &[(u32, Access)],
    bytes: u64,
    pieces: u64,
    cycles_per_element: u64,
) -> Vec<Task> {
    let piece = bytes / pieces;
    let task = |number: u64| {
        let use_of =
            |&(region, access): &(u32, Access)| Use::of(region, number * piece, piece, access);
        let uses = regions.iter().map(use_of).collect();
        (uses, piece / ELEMENT_BYTES * cycles_per_element)
    };
    (0..pieces).map(task).collect()
}

fn named(title: String, builder: Builder, loops: Vec<Vec<Share>>) -> Loops {
    Loops { program: builder.finish(title.clone(), &[], &[]), title, loops }
}

/// Merge sort: pieces are sorted, and merged from one array into the other and back, level by level.
pub fn sort(machine: &Machine, bytes: u64) -> Loops {
    let mut builder = Builder::default();
    let [data, other] = [0; 2].map(|_| builder.region(bytes, true));
    let merge = |from, to| pieces(&[(from, Access::Read), (to, Access::Write)], bytes, 512, 6);
    let loops = again(machine, |_| {
        let leaves = pieces(&[(data, Access::ReadWrite)], bytes, 512, 60);
        vec![leaves, merge(data, other), merge(other, data), merge(data, other), merge(other, data)]
    });
    named(format!("sort: {} MiB", bytes >> 20), builder, loops)
}

/// A Fourier transform: each level reads pieces from everywhere and writes a contiguous one.
pub fn fft(machine: &Machine, bytes: u64) -> Loops {
    const TASKS: u64 = 512;
    const ROWS: u64 = 32;
    let mut builder = Builder::default();
    let [data, other] = [0; 2].map(|_| builder.region(bytes, true));
    let piece = bytes / TASKS;
    let level = |from, to| -> Vec<Task> {
        let task = |number| {
            let row = piece / ROWS;
            let gathered = Use {
                start: number * row,
                bytes: row,
                stride: bytes / ROWS,
                rows: ROWS as u32,
                ..Use::of(from, 0, 0, Access::Read)
            };
            let uses = vec![gathered, Use::of(to, number * piece, piece, Access::Write)];
            (uses, piece / ELEMENT_BYTES * 10)
        };
        (0..TASKS).map(task).collect()
    };
    let loops = again(machine, |_| vec![level(data, other), level(other, data)]);
    named(format!("fft: {} MiB", bytes >> 20), builder, loops)
}

/// Villages with their lists of patients, which any thread goes through, step by step.
pub fn health(machine: &Machine, bytes: u64) -> Loops {
    let mut builder = Builder::default();
    let lists = builder.region(bytes, true);
    let loops = again(machine, |_| vec![pieces(&[(lists, Access::ReadWrite)], bytes, 1024, 10)]);
    named(format!("health: {} MiB of lists", bytes >> 20), builder, loops)
}

/// Strassen's product: tasks read quarters of two matrices and write memory that they allocate themselves.
pub fn strassen(machine: &Machine, bytes: u64) -> Loops {
    let mut builder = Builder::default();
    let factors = [0; 2].map(|_| builder.region(bytes, true));
    let own = builder.region(bytes, false);
    let regions = [(factors[0], Access::Read), (factors[1], Access::Read), (own, Access::Write)];
    let loops = again(machine, |_| vec![pieces(&regions, bytes, 343, 600)]);
    named(format!("strassen: two matrices of {} MiB", bytes >> 20), builder, loops)
}

/// Jacobi's method by tasks of blocks of rows.
pub fn jacobi_tasks(machine: &Machine, side: u64) -> Loops {
    let bytes = side * side * ELEMENT_BYTES;
    let mut builder = Builder::default();
    let [from, to] = [0; 2].map(|_| builder.region(bytes, true));
    let sweep = |a, b| pieces(&[(a, Access::Read), (b, Access::Write)], bytes, 512, 3);
    let loops = again(machine, |_| vec![sweep(from, to), sweep(to, from)]);
    named(format!("jacobi by tasks: {side} x {side}"), builder, loops)
}

/// A matrix of blocks in one region, row by row.
fn block(region: u32, blocks: u64, block_bytes: u64, at: (u64, u64), access: Access) -> Use {
    Use::of(region, (at.0 * blocks + at.1) * block_bytes, block_bytes, access)
}

/// Factorises a matrix of blocks: in each step, the blocks behind the diagonal that are there are updated by those of its row and
/// column. `is_there` says which; a block's update takes `cycles`.
fn factorise(
    machine: &Machine,
    blocks: u64,
    block_bytes: u64,
    cycles: u64,
    is_there: impl Fn(u64, u64) -> bool,
) -> (Builder, Vec<Vec<Share>>) {
    let mut builder = Builder::default();
    let matrix = builder.region(blocks * blocks * block_bytes, true);
    let mut random = Random::new(1, 0);
    let mut step = |k: u64| {
        let behind =
            (k + 1..blocks).flat_map(|row| (k + 1..blocks).map(move |column| (row, column)));
        let update = |at: (u64, u64)| {
            let of = |at, access| block(matrix, blocks, block_bytes, at, access);
            let uses = [
                of((at.0, k), Access::Read),
                of((k, at.1), Access::Read),
                of(at, Access::ReadWrite),
            ];
            (uses.to_vec(), cycles)
        };
        let tasks = behind.filter(|&(row, column)| is_there(row, column)).map(update).collect();
        dealt(machine, &mut random, tasks)
    };
    let loops = (0..blocks - 1).map(&mut step).collect();
    (builder, loops)
}

/// LU factorisation of a sparse matrix of blocks of floats, as in the suite: simple loops, so computation prevails.
pub fn sparse_lu(machine: &Machine, blocks: u64, side: u64) -> Loops {
    let cycles = 2 * side * side * side;
    let is_there = |row: u64, column: u64| (row + column).is_multiple_of(2);
    let (builder, loops) = factorise(machine, blocks, side * side * 4, cycles, is_there);
    named(format!("sparse LU: {blocks} x {blocks} blocks of {side} x {side}"), builder, loops)
}

/// Cholesky factorisation with a BLAS of 16 operations a cycle.
pub fn cholesky(machine: &Machine, blocks: u64, side: u64) -> Loops {
    let cycles = side * side * side / 8;
    let bytes = side * side * ELEMENT_BYTES;
    let (builder, loops) = factorise(machine, blocks, bytes, cycles, |row, column| column <= row);
    named(format!("cholesky: {blocks} x {blocks} blocks of {side} x {side}"), builder, loops)
}
