//! Kernels whose items reduce numbers in memory: into copies, as a launch gives them, and by atomic operations.

use vicinity_translator::kernel::reductions::Operation::{self, *};

use crate::program::{Argument, Loaded, Range, bytes, translate, translate_reference};

const NUMBERS: usize = 40;
const ITEMS: usize = 203;

/// `out` of a kernel of one buffer of numbers, after a launch with whole and cut-off groups.
fn run(program: &Loaded, wide: bool) -> Vec<u64> {
    let mut out = vec![0x4000_0001_2000_0003_u64; NUMBERS];
    let mut input: Vec<i32> = (0..ITEMS as i32).map(|at| at * 7919 % 1001 - 500).collect();
    let count = if wide { NUMBERS } else { NUMBERS * 2 } as i32;
    let mut arguments = [
        Argument::Buffer(bytes(&mut out)),
        Argument::Buffer(bytes(&mut input)),
        Argument::Value(&count.to_ne_bytes()),
    ];
    program.run("k", Range::line(ITEMS as u64, 32), &mut arguments);
    out
}

/// What is found in a kernel with this body, which must give what it gives without any transformation: with copies and without.
fn check(ty: &str, body: &str) -> Vec<(Operation, u32)> {
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
        kernel void k(global {ty} *out, global const int *in, int count) {{
            int i = get_global_id(0), x = in[i];
            {body}
        }}"
    );
    let translated = || translate(&source, "-cl-std=CL3.0").expect("it compiles");
    let reference = translate_reference(&source, "-cl-std=CL3.0").expect("it compiles");
    let (reducing, mut atomic) = (translated(), translated());
    atomic.may_overlap = true;
    let wide = ty.ends_with("long");
    let expected = run(&reference, wide);
    assert_eq!(run(&reducing, wide), expected, "with copies: {body}");
    assert_eq!(run(&atomic, wide), expected, "without: {body}");
    let found = &reducing.description.kernels[0].reductions;
    found.iter().map(|it| (it.operation, it.bytes)).collect()
}

#[test]
fn each_operation_is_reduced_at_each_width() {
    for (ty, size, old, add) in [
        ("int", 4, "atomic_", "atomic_inc(&out[i % 7])"),
        ("uint", 4, "atomic_", "atomic_dec(&out[i % 7])"),
        ("long", 8, "atom_", "atom_inc(&out[i % 7])"),
        ("ulong", 8, "atom_", "atom_dec(&out[i % 7])"),
    ] {
        let [min, max] = match ty.starts_with('u') {
            true => [UnsignedMin, UnsignedMax],
            false => [Min, Max],
        };
        assert_eq!(check(ty, &format!("{add};")), [(Add, size)]);
        let all = [
            ("add", Add),
            ("sub", Add),
            ("and", And),
            ("or", Or),
            ("xor", Xor),
            ("min", min),
            ("max", max),
        ];
        for (name, operation) in all {
            let body = format!("{old}{name}(&out[x & 31], x * 65537);");
            assert_eq!(check(ty, &body), [(operation, size)], "{ty} {body}");
        }
    }
}

#[test]
fn neighbours_in_memory_and_one_place_for_all_are_reduced() {
    for place in ["i % count", "i & 63", "3"] {
        for (name, operation) in [("add", Add), ("max", Max)] {
            let body = format!("atomic_{name}(&out[{place}], x * 65537);");
            assert_eq!(check("int", &body), [(operation, 4)], "{body}");
        }
    }
}

#[test]
fn branches_loops_steps_and_generic_addresses_are_followed() {
    let add = [(Add, 4)];
    assert_eq!(check("int", "if (x > 0) atomic_add(&out[x & 15], x);"), add);
    assert_eq!(check("int", "for (int k = 0; k < (x & 7); ++k) atomic_add(out + k, x);"), add);
    assert_eq!(
        check("int", "global int *at = out + 2; atomic_inc(at + (i & 3)); atomic_dec(at);"),
        add
    );
    assert_eq!(check("int", "if (out) atomic_inc(out);"), add);
    let seen = "atomic_fetch_add((global atomic_int *)out + (x & 3), 5);";
    assert_eq!(check("int", seen), add);
    let barrier = "local int own[32];
        own[get_local_id(0)] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&out[i & 7], own[0]);";
    assert_eq!(check("int", barrier), add);
}

#[test]
fn what_somebody_reads_or_writes_stays() {
    for body in [
        "if (atomic_inc(&out[3]) > 1000) atomic_add(&out[3], 2);",
        "if (out[5] > x) atomic_inc(&out[3]);",
        "if (i == 0) out[70] = 3; atomic_inc(&out[3]);",
        "atomic_add(&out[3], x); atomic_or(&out[4], x);",
        "atomic_xchg(&out[x & 1], 7);",
        "atomic_cmpxchg(&out[3], 9, 8);",
        "atomic_min(&out[3], x); atomic_max(&out[4], x);",
        "global int *at = x > 0 ? out : out + 1; atomic_inc(at); out[9] = 2;",
    ] {
        assert_eq!(check("int", body), [], "{body}");
    }
}
