//! Programs over memory that their master touched first, for `auto` to repair: those of static loops here, those of tasks in `tasks`.
//!
//! Where loops go over parts, a thread has the same part each time. Sizes and computation are ours; what is near what, and who
//! uses what, are the programs' own.
//!
//! Units: bytes, cycles.

mod tasks;

pub use tasks::{cholesky, fft, health, jacobi_tasks, sort, sparse_lu, strassen};

use super::{Loops, Share, threads};
use crate::machine::Machine;
use crate::program::{Access, Builder, Use};
use vicinity_policy::topology::LocationId;

/// Bytes of a double.
const ELEMENT_BYTES: u64 = 8;

/// A part of each of `regions`, thread by thread.
fn split(
    machine: &Machine,
    regions: &[(u32, Access)],
    bytes: u64,
    cycles_per_element: u64,
) -> Vec<Share> {
    let count = threads(machine).len() as u64;
    let part = |thread: u64| {
        let cut = |at: u64| bytes / ELEMENT_BYTES * at / count * ELEMENT_BYTES;
        let (start, end) = (cut(thread), cut(thread + 1));
        let uses =
            regions.iter().map(|&(region, access)| Use::of(region, start, end - start, access));
        let cycles = (end - start) / ELEMENT_BYTES * cycles_per_element;
        Share {
            uses: uses.collect(),
            compute_ps: cycles * 1_000_000 / u64::from(machine.clock_mhz),
        }
    };
    (0..count).map(part).collect()
}

/// STREAM's four kernels over three arrays of so many bytes.
pub fn stream(machine: &Machine, bytes: u64) -> Loops {
    let mut builder = Builder::default();
    let [a, b, c] = [0; 3].map(|_| builder.region(bytes, true));
    let (r, w) = (Access::Read, Access::Write);
    let kernels: [&[(u32, Access)]; 4] = [
        &[(a, r), (c, w)],
        &[(c, r), (b, w)],
        &[(a, r), (b, r), (c, w)],
        &[(b, r), (c, r), (a, w)],
    ];
    let loops = kernels.iter().map(|kernel| split(machine, kernel, bytes, 1)).collect();
    let title = format!("stream: three arrays of {} MiB", bytes >> 20);
    Loops { title, program: builder.finish("stream".into(), &[], &[]), loops }
}

/// Conjugate gradients: a sparse matrix by rows (values and columns), whose rows reach anywhere in the vector they are multiplied
/// with, and loops over vectors.
pub fn cg(machine: &Machine, rows: u64) -> Loops {
    const PER_ROW: u64 = 12;
    let mut builder = Builder::default();
    let (matrix_bytes, vector_bytes) = (rows * PER_ROW * 12, rows * ELEMENT_BYTES);
    let matrix = builder.region(matrix_bytes, true);
    let [p, q, x, r] = [0; 4].map(|_| builder.region(vector_bytes, true));
    let mut product = split(machine, &[(matrix, Access::Read)], matrix_bytes, 1);
    for (share, own) in
        product.iter_mut().zip(split(machine, &[(q, Access::Write)], vector_bytes, 1))
    {
        share.uses.extend(own.uses);
        share.uses.push(Use::of(p, 0, vector_bytes, Access::Read));
    }
    let (read, write) = (Access::Read, Access::ReadWrite);
    let updates = split(machine, &[(p, read), (q, read), (x, write), (r, write)], vector_bytes, 4);
    let direction = split(machine, &[(r, read), (p, write)], vector_bytes, 2);
    let title = format!("cg: {rows} rows of {PER_ROW}");
    let program = builder.finish("cg".into(), &[], &[]);
    Loops { title, program, loops: vec![product, updates, direction] }
}

/// Jacobi's method on a square of doubles, rows split among the threads, from one array into another and back.
pub fn jacobi(machine: &Machine, side: u64) -> Loops {
    let bytes = side * side * ELEMENT_BYTES;
    let mut builder = Builder::default();
    let [from, to] = [0; 2].map(|_| builder.region(bytes, true));
    let sweep = |a, b| split(machine, &[(a, Access::Read), (b, Access::Write)], bytes, 3);
    let loops = vec![sweep(from, to), sweep(to, from)];
    let title = format!("jacobi: {side} x {side}");
    Loops { title, program: builder.finish("jacobi".into(), &[], &[]), loops }
}

/// A loop whose data fits the caches: nothing is to be gained.
pub fn compute(machine: &Machine, bytes: u64) -> Loops {
    let mut builder = Builder::default();
    let array = builder.region(bytes, true);
    let loops = vec![split(machine, &[(array, Access::ReadWrite)], bytes, 200)];
    let title = format!("compute: 200 cycles for each element of {} MiB", bytes >> 20);
    Loops { title, program: builder.finish("compute".into(), &[], &[]), loops }
}

/// The same where each thread touches its part first: all is well from the start.
pub fn stream_touched_in_parallel(machine: &Machine, bytes: u64) -> Loops {
    let mut loops = stream(machine, bytes);
    loops.program.regions.iter_mut().for_each(|region| region.initialised = false);
    loops.title += ", touched in parallel";
    loops
}

/// The weights of a model, read once for each word: layer after layer, each thread its rows of each. They are one mapping of a file,
/// or an array a layer.
pub fn weights(machine: &Machine, layers: u64, layer_bytes: u64, are_one_file: bool) -> Loops {
    let mut builder = Builder::default();
    let (regions, bytes) =
        if are_one_file { (1, layers * layer_bytes) } else { (layers, layer_bytes) };
    let first: Vec<u32> = (0..regions).map(|_| builder.region(bytes, true)).collect();
    let layer = |number: u64| {
        let (region, start) = match are_one_file {
            true => (first[0], number * layer_bytes),
            false => (first[number as usize], 0),
        };
        let mut shares = split(machine, &[(region, Access::Read)], layer_bytes, 1);
        shares.iter_mut().flat_map(|share| &mut share.uses).for_each(|it| it.start += start);
        shares
    };
    let loops = (0..layers).map(layer).collect();
    let how = if are_one_file { "one file" } else { "an array a layer" };
    let title = format!("weights: {layers} layers of {} MiB, {how}", layer_bytes >> 20);
    Loops { title, program: builder.finish("weights".into(), &[], &[]), loops }
}

/// Sequences are compared with each other: a table that all read, and much computation.
pub fn alignment(machine: &Machine, bytes: u64) -> Loops {
    let mut builder = Builder::default();
    let table = builder.region(bytes, true);
    let own = || Share {
        uses: vec![Use::of(table, 0, bytes, Access::Read)],
        compute_ps: bytes / ELEMENT_BYTES * 400 * 1_000_000 / u64::from(machine.clock_mhz),
    };
    let loops = vec![threads(machine).iter().map(|_| own()).collect()];
    let title = format!("alignment: all read {} MiB", bytes >> 20);
    Loops { title, program: builder.finish("alignment".into(), &[], &[]), loops }
}

/// Look-ups in a table that all threads read, everywhere; with `copies`, each location has its own, which its threads touch first.
pub fn table(machine: &Machine, bytes: u64, copies: bool) -> Loops {
    let mut builder = Builder::default();
    let count = if copies { machine.topology.len() } else { 1 };
    let regions: Vec<u32> = (0..count).map(|_| builder.region(bytes, !copies)).collect();
    let of = |at: &LocationId| Share {
        uses: vec![Use::of(regions[at.index() % count], 0, bytes, Access::Read)],
        compute_ps: bytes / ELEMENT_BYTES * 8 * 1_000_000 / u64::from(machine.clock_mhz),
    };
    let loops = vec![threads(machine).iter().map(of).collect()];
    let title = format!("table of {} MiB", bytes >> 20);
    Loops { title, program: builder.finish("table".into(), &[], &[]), loops }
}

/// The product of two square matrices of doubles: each thread computes a square of the result, from rows of the one and columns of the
/// other, which lie together and are read once for every 256 of its rows. Of all three each has mapped a part before.
pub fn product(machine: &Machine, side: u64) -> Loops {
    const ROWS: u64 = 256;
    let bytes = side * side * ELEMENT_BYTES;
    let mut builder = Builder::default();
    let [a, b, c] = [0; 3].map(|_| builder.region(bytes, true));
    let mapped = split(machine, &[(a, Access::Read), (b, Access::Read)], bytes, 0);
    // Eight multiplications and additions a cycle.
    let mut shares = split(machine, &[(c, Access::Write)], bytes, side.div_ceil(8));
    let squares = (shares.len() as u64).isqrt();
    let strip = bytes / squares / ELEMENT_BYTES * ELEMENT_BYTES;
    for (thread, share) in (0..).zip(&mut shares) {
        let of = |region, at: u64| Use {
            passes: (side / squares).div_ceil(ROWS) as u32,
            ..Use::of(region, at.min(squares - 1) * strip, strip, Access::Read)
        };
        share.uses.extend([of(a, thread / squares), of(b, thread % squares)]);
    }
    let loops = vec![mapped, shares];
    let title = format!("product: {side} x {side}");
    Loops { title, program: builder.finish("product".into(), &[], &[]), loops }
}

/// Bodies that all attract each other, split among the threads: 32 bytes each, of which all are read, and each has
/// mapped a part before.
pub fn bodies(machine: &Machine, count: u64) -> Loops {
    const BODY_BYTES: u64 = 32;
    let mut builder = Builder::default();
    let [positions, forces] = [0; 2].map(|_| builder.region(count * BODY_BYTES, true));
    let cycles_per_element = count * 2 / (BODY_BYTES / ELEMENT_BYTES);
    let mut shares =
        split(machine, &[(forces, Access::Write)], count * BODY_BYTES, cycles_per_element);
    let all = Use::of(positions, 0, count * BODY_BYTES, Access::Read);
    shares.iter_mut().for_each(|share| share.uses.push(all.clone()));
    let mapped = split(machine, &[(positions, Access::Read)], count * BODY_BYTES, 0);
    let title = format!("bodies: {count}");
    let program = builder.finish("bodies".into(), &[], &[]);
    Loops { title, program, loops: vec![mapped, shares] }
}
