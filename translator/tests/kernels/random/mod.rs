//! Random kernels in every order of loops, compared bit for bit with what their work-items compute without any transformation.
//!
//! A kernel is made of a seed: loops, branches, switches and barriers where all items meet alike, barriers that nobody meets,
//! branches and loops that items take differently, early ends, private arrays, structures, vectors whole and in parts, floats,
//! memory read as other types, indices kept within bounds, numbers that wrap around, functions that stay functions, `__local` memory, collectives, atomic operations, one to three dimensions.
//! `VICINITY_SEEDS=FIRST..LAST` runs others; a failure names its seed. `make stress` goes on for as long as one likes.

mod memory;
mod numbers;
mod phases;
mod strides;
mod values;
mod writer;

use crate::program::{Argument, Loaded, Range, bytes, translate, translate_reference};
use writer::Writer;

/// What a kernel is compiled as: what is asked for, and whether it is for one local size alone.
const FORMS: &[(&str, Option<[u64; 3]>)] = &[
    ("order=auto", None),
    ("order=dfo", None),
    ("order=bfo", None),
    ("order=paper", None),
    ("order=auto", Some([8, 1, 1])),
    ("order=bfo", Some([4, 3, 2])),
    ("order=auto", Some([20, 3, 1])),
    ("order=bfo", Some([10, 4, 1])),
    ("order=auto", Some([2, 16, 1])),
];

/// And one of these, by turns. No group has more items than `t` has room for.
const OTHER_FORMS: [(&str, Option<[u64; 3]>); 6] = [
    ("vectors=always", None),
    ("vectors=never", Some([8, 1, 1])),
    ("vectors=half", Some([20, 3, 1])),
    ("vectors=never", None),
    ("vectors=double", None),
    ("vectors=double", Some([40, 2, 1])),
];

/// Where it runs: sizes that divide and that do not, along each dimension, and offsets.
const RANGES: [Range; 5] = [
    Range { offset: [0; 3], global: [24, 1, 1], local: [8, 1, 1] },
    Range { offset: [7, 0, 0], global: [20, 1, 1], local: [16, 1, 1] },
    Range { offset: [0, 2, 1], global: [6, 6, 2], local: [4, 3, 2] },
    Range { offset: [0; 3], global: [5, 1, 1], local: [1, 1, 1] },
    Range { offset: [0; 3], global: [3, 37, 1], local: [2, 16, 1] },
];

const OPTIONS: &str = "-cl-std=CL3.0";

fn check(seed: u64) {
    let source = Writer::kernel(seed);
    let reference = translate_reference(&source, OPTIONS).unwrap_or_else(|log| {
        panic!("seed {seed}: it does not compile\n{log}\n{source}");
    });
    let other = OTHER_FORMS[(seed / 4) as usize % OTHER_FORMS.len()];
    for &(way, size) in FORMS.iter().chain([&other]) {
        let mut attributes = format!("__attribute__((annotate(\"vicinity_{way}\"))) ");
        if let Some([x, y, z]) = size {
            attributes += &format!("__attribute__((reqd_work_group_size({x},{y},{z}))) ");
        }
        let source = source.replacen("kernel void", &format!("{attributes}kernel void"), 1);
        let mut program = translate(&source, OPTIONS).unwrap_or_else(|log| {
            panic!("seed {seed}, {way}, {size:?}: the same does not compile\n{log}\n{source}");
        });
        program.may_overlap = seed % 4 == 3;
        for range in ranges(size) {
            let (expected, got) = (run(&reference, range), run(&program, range));
            assert!(
                expected == got,
                "seed {seed}, {way}, {:?} by {:?}\n{source}\n{expected:?}\n{got:?}",
                range.global,
                range.local,
            );
        }
    }
}

/// Whole groups and groups that are cut off.
fn ranges(size: Option<[u64; 3]>) -> Vec<Range> {
    let Some(local) = size else { return RANGES.to_vec() };
    let whole = local.map(|length| if length > 1 { length * 2 } else { 1 });
    let offset = [0, 0, 3];
    vec![
        Range { offset, global: whole, local },
        Range { offset, global: [13, 5, 1], local },
        Range { offset, global: [5, 21, 1], local },
    ]
}

/// What the kernel leaves in the four buffers that it writes.
fn run(program: &Loaded, range: Range) -> [Vec<i32>; 4] {
    let items = range.global.iter().product::<u64>() as i32;
    let mut x: Vec<i32> = (0..items).map(|i| i * 7 - 20).collect();
    let mut y: Vec<i32> = x.iter().map(|x| x ^ 5).collect();
    let mut m: Vec<i32> = (0..items * 16).map(|i| i * 37 % 1001 - 500).collect();
    let mut z = vec![0; 20];
    let mut table: Vec<i32> = (0..64).map(|i| i * 29 % 64 - 32).collect();
    let n = 7_i32.to_ne_bytes();
    let mut arguments = [
        Argument::Buffer(bytes(&mut x)),
        Argument::Buffer(bytes(&mut y)),
        Argument::Buffer(bytes(&mut m)),
        Argument::Buffer(bytes(&mut z)),
        Argument::Buffer(bytes(&mut table)),
        Argument::Value(&n),
    ];
    program.run("k", range, &mut arguments);
    [x, y, m, z]
}

#[test]
fn random_kernels_compute_what_their_items_compute() {
    let (first, last) = seeds();
    (first..last).for_each(check);
}

/// The first seed, and the one behind the last.
fn seeds() -> (u64, u64) {
    let text = std::env::var("VICINITY_SEEDS").unwrap_or_default();
    text.split_once("..")
        .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)))
        .unwrap_or((0, 16))
}
