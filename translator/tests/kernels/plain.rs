//! Whole kernels, translated and run.

use std::path::Path;

use crate::program::{Argument, Range, bytes, load_from, run_command, text, translate};

#[test]
fn items_add_vectors() {
    let source = "kernel void add(global const float *a, global const float *b, global float *c) {
        int i = get_global_id(0);
        c[i] = a[i] + b[i];
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    for (global, local) in [(1, 1), (64, 64), (1000, 64), (77, 100), (640, 16)] {
        let mut a: Vec<f32> = (0..global).map(|i| i as f32).collect();
        let mut b: Vec<f32> = a.iter().map(|a| a * 0.5).collect();
        let mut c = vec![-1.0_f32; global as usize];
        let mut arguments = [&mut a, &mut b, &mut c].map(|v| Argument::Buffer(bytes(v)));
        program.run("add", Range::line(global, local), &mut arguments);
        assert!(c.iter().enumerate().all(|(i, &c)| c == i as f32 * 1.5), "{global} by {local}");
    }
    assert_eq!(program.description.kernels[0].arguments[2].kind, "global");
}

/// How programs copy a tile with more items than elements: the loop is a test.
#[test]
fn a_loop_of_one_iteration_is_none() {
    let source = "kernel __attribute__((reqd_work_group_size(128, 1, 1)))
    void reversed(global const int *in, global int *out) {
        local int tile[100];
        int base = get_group_id(0) * 100;
        for (int i = get_local_id(0); i < 100; i += 128) tile[i] = in[base + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = get_local_id(0); i < 100; i += 128) out[base + i] = tile[99 - i];
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let described = &program.description.kernels[0];
    assert!(described.loops.is_empty() && described.vectorized.len() > 1, "{:?}", described.loops);
    let mut given: Vec<i32> = (0..300).collect();
    let mut out = vec![-1; 300];
    let mut arguments = [&mut given, &mut out].map(|v| Argument::Buffer(bytes(v)));
    program.run("reversed", Range::line(384, 128), &mut arguments);
    let expected = |at: i32| at / 100 * 100 + 99 - at % 100;
    assert!(out.iter().zip(0..).all(|(&out, at)| out == expected(at)), "{out:?}");
}

/// Loops that end by `break` in the midst of variables of their own, one behind the other.
#[test]
fn items_that_break_are_vectors() {
    let source = "kernel void search(global int *rows, global int *found, int count, int step) {
        int i = get_global_id(0), total = 0;
        uchar k = 0;
        for (; k < count; ++k) {
            int value = rows[k * step + i];
            if (value % 7 == 3) {
                total += 100;
                k++;
                break;
            }
            rows[k * step + i] = value + 1;
            total += value;
        }
        for (; k < count; ++k) {
            int value = rows[k * step + i];
            if (value % 5 == 2) break;
            rows[k * step + i] = -value;
            total -= k;
        }
        found[i] = total * 16 + k;
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let described = &program.description.kernels[0];
    assert!(!described.vectorized.is_empty(), "{:?}", described.not_vectorized);
    let (items, count) = (200_usize, 9_usize);
    let mut rows: Vec<i32> = (0..items * count).map(|at| (at * 37 % 101) as i32).collect();
    let mut found = vec![0; items];
    let (mut expected, mut totals) = (rows.clone(), vec![0; items]);
    for (i, all) in totals.iter_mut().enumerate() {
        let at = |k: usize| k * items + i;
        let first = (0..count).find(|&k| rows[at(k)] % 7 == 3);
        let mut total = (0..first.unwrap_or(count)).map(|k| rows[at(k)]).sum::<i32>();
        (0..first.unwrap_or(count)).for_each(|k| expected[at(k)] += 1);
        total += first.map_or(0, |_| 100);
        let from = first.map_or(count, |k| k + 1);
        let end = (from..count).find(|&k| rows[at(k)] % 5 == 2).unwrap_or(count);
        (from..end).for_each(|k| expected[at(k)] = -rows[at(k)]);
        *all = (total - (from..end).sum::<usize>() as i32) * 16 + end as i32;
    }
    let (rows_count, step) = ((count as i32).to_ne_bytes(), (items as i32).to_ne_bytes());
    let mut arguments = [Argument::Buffer(bytes(&mut rows)), Argument::Buffer(bytes(&mut found))]
        .into_iter()
        .chain([Argument::Value(&rows_count), Argument::Value(&step)])
        .collect::<Vec<_>>();
    program.run("search", Range::line(items as u64, 64), &mut arguments);
    assert_eq!(rows, expected);
    assert_eq!(found, totals);
}

/// A group of one item along x, as the driver chooses for kernels whose neighbours along y touch neighbouring elements.
#[test]
fn columns_of_items_are_vectors() {
    let source = "kernel void scale(global float *a, int width, float by) {
        a[get_global_id(0) * width + get_global_id(1)] *= by;
    }";
    let required = "__attribute__((reqd_work_group_size(1, 64, 1))) kernel";
    let program = translate(&source.replace("kernel", required), "-cl-std=CL3.0");
    let program = program.expect("it compiles");
    let described = &program.description.kernels[0];
    assert!(described.along == 1 && !described.vectorized.is_empty(), "{:?}", described.vectorized);
    let mut a: Vec<f32> = (0..1280).map(|i| i as f32).collect();
    let (width, by) = (256_i32.to_ne_bytes(), 2f32.to_ne_bytes());
    let mut arguments =
        [Argument::Buffer(bytes(&mut a)), Argument::Value(&width), Argument::Value(&by)];
    let range = Range { offset: [0; 3], global: [5, 256, 1], local: [1, 64, 1] };
    program.run("scale", range, &mut arguments);
    assert!(a.iter().enumerate().all(|(i, &a)| a == i as f32 * 2.0));
}

/// What `malloc` gives, and numpy: that may be no multiple of what vectors and structures want.
#[test]
fn buffers_may_begin_at_any_multiple_of_sixteen() {
    let source = "struct __attribute__((aligned(64))) block { float16 v; };
    kernel void f(global float16 *a, global double8 *b, global struct block *c, global const float8 *d,
                  constant float16 *e) {
        int i = get_global_id(0);
        a[i] = a[i] * 2 + e[i];
        b[i] = b[i] + convert_double8(d[i]);
        c[i + 8] = c[i];
        c[i].v.s3 = 0;
    }";
    for (options, local) in [("-cl-std=CL3.0", 8), ("-cl-std=CL1.2", 1), ("-cl-opt-disable", 4)] {
        let program = translate(source, options).expect("it compiles");
        for offset in [0, 16, 32, 48] {
            let mut rooms = [(); 5].map(|()| vec![[0_u8; 64]; 40]);
            let mut arguments = rooms.each_mut().map(|room| {
                let start = room.as_ptr().cast::<u8>().align_offset(64) + offset;
                let all = room.as_flattened_mut();
                all[start..start + 64 * 16]
                    .chunks_exact_mut(4)
                    .for_each(|it| it.copy_from_slice(&1f32.to_ne_bytes()));
                Argument::Buffer(&mut all[start..])
            });
            program.run("f", Range::line(8, local), &mut arguments);
            let [Argument::Buffer(a), .., Argument::Buffer(_)] = &arguments else { unreachable!() };
            assert_eq!(a[..4], 3f32.to_ne_bytes(), "{options}");
            let Argument::Buffer(c) = &arguments[2] else { unreachable!() };
            assert_eq!(
                (&c[12..16], &c[64 * 8 + 12..][..4]),
                (&[0; 4][..], &1f32.to_ne_bytes()[..])
            );
        }
    }
}

#[test]
fn items_know_their_place() {
    let source = "kernel void place(global ulong *out, uint dimension) {
        size_t at = get_global_linear_id();
        global ulong *o = out + at * 16;
        for (uint d = 0; d < 3; d++) o[d] = get_global_id(d);
        o[3] = get_local_id(0); o[4] = get_local_id(1); o[5] = get_group_id(0);
        o[6] = get_local_size(0); o[7] = get_enqueued_local_size(0); o[8] = get_num_groups(0);
        o[9] = get_global_size(1); o[10] = get_global_offset(0); o[11] = get_work_dim();
        o[12] = get_local_linear_id(); o[13] = get_global_size(dimension);
        o[14] = get_local_size(7); o[15] = get_group_id(7);
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let range = Range { offset: [10, 20, 30], global: [5, 3, 2], local: [2, 3, 1] };
    let mut out = vec![0_u64; 30 * 16];
    let mut arguments = [Argument::Buffer(bytes(&mut out)), Argument::Value(&2_u32.to_ne_bytes())];
    program.run("place", range, &mut arguments);
    for z in 0..2 {
        for y in 0..3 {
            for x in 0..5 {
                let at = (((z * 3 + y) * 5 + x) * 16) as usize;
                let size = if x == 4 { 1 } else { 2 };
                let linear = y * size + x % 2;
                let expected = [
                    x + 10,
                    y + 20,
                    z + 30,
                    x % 2,
                    y,
                    x / 2,
                    size,
                    2,
                    3,
                    3,
                    10,
                    3,
                    linear,
                    2,
                    1,
                    0,
                ];
                assert_eq!(out[at..at + 16], expected, "at {x} {y} {z}");
            }
        }
    }
}

#[test]
fn arguments_of_every_kind_arrive() {
    let source = "typedef struct { char a; float4 b; } S;
    kernel void all(S s, float3 v, char c, local int *l, global int *o, constant int *k) {
        local int t[8];
        s.a += get_global_id(0);
        int mine = get_local_id(0);
        l[mine] = s.a; t[3] = c;
        o[get_global_id(0)] = l[mine] + t[3] + (int)(s.b.y + v.z) + k[1];
    }";
    let program = translate(source, "").expect("it compiles");
    let mut s = [0_u8; 32];
    s[0] = 5;
    s[20..24].copy_from_slice(&100.0_f32.to_ne_bytes());
    let mut v = [0.0_f32, 0.0, 1000.0, 0.0];
    let (mut out, mut k) = ([0_i32; 4], [0, 10_000]);
    let mut arguments = [
        Argument::Value(&s),
        Argument::Value(bytes(&mut v)),
        Argument::Value(&[7]),
        Argument::Local(8),
        Argument::Buffer(bytes(&mut out)),
        Argument::Buffer(bytes(&mut k)),
    ];
    program.run("all", Range::line(4, 2), &mut arguments);
    assert_eq!(out, [11_112, 11_113, 11_114, 11_115]);
    assert_eq!(program.description.kernels[0].local_bytes, 32);
}

/// The smallest but `k` of an array, by halves, and a product of numbers in descending order.
#[test]
fn a_function_whose_last_act_is_to_call_itself_is_a_loop() {
    let source = "
        int part(int *a, int l, int r) {
            int i = l;
            for (int j = l; j <= r; j++) {
                int v = a[j];
                if (v <= a[r]) { a[j] = a[i]; a[i++] = v; }
            }
            return i - 1;
        }
        int smallest_but(int *a, int l, int r, int k) {
            int at = part(a, l, r);
            if (at == k) return a[at];
            if (at > k) return smallest_but(a, l, at - 1, k);
            return smallest_but(a, at + 1, r, k);
        }
        int product(int n) { return n < 2 ? 1 : n * product(n - 1); }
        kernel void k(global const int *in, global int *out) {
            int a[9], g = get_global_id(0);
            for (int i = 0; i < 9; i++) a[i] = in[g * 9 + i];
            out[g] = smallest_but(a, 0, 8, 4) + 1000 * product(g % 7);
        }";
    let program = translate(source, "").expect("it compiles");
    const ITEMS: usize = 64;
    let mut numbers: Vec<i32> = (0..9 * ITEMS as i32).map(|i| i * 7919 % 811).collect();
    let expected: Vec<i32> = numbers
        .chunks(9)
        .zip(0..)
        .map(|(row, g)| {
            let mut row = row.to_vec();
            row.sort_unstable();
            row[4] + 1000 * (1..=g % 7).product::<i32>()
        })
        .collect();
    let mut out = vec![0_i32; ITEMS];
    let mut arguments = [Argument::Buffer(bytes(&mut numbers)), Argument::Buffer(bytes(&mut out))];
    program.run("k", Range::line(ITEMS as u64, 16), &mut arguments);
    assert_eq!(out, expected);
}

#[test]
fn wrong_programs_say_why() {
    for (source, options, said) in [
        ("kernel void k(global int *o) { o[0] = x; }", "", "test.cl:1:39: error"),
        ("int f(int i); kernel void k(global int *o) { o[0] = f(1); }", "", "'f' is not defined"),
        (
            "int f(int i) { return i > 1 ? f(i - 1) * f(i - 2) - 1 : i; } kernel void k(global int *o) { o[0] = f(o[1]); }",
            "",
            "calls itself",
        ),
        ("#include \"absent.h\"\nkernel void k() {}", "", "'absent.h' file not found"),
        ("kernel void k() {}", "-cl-std=CL7", "CL3.0"),
    ] {
        let log = translate(source, options).err().expect("it is wrong");
        assert!(log.contains(said), "{log}");
    }
}

/// The bitcode of `source`, in a folder of its own.
pub fn compiled(output: &Path, source: &str) -> String {
    std::fs::create_dir_all(output).expect("a folder");
    std::fs::write(output.join("a.cl"), source).expect("a source");
    let words = ["compile", "--output-dir", &text(output), &text(&output.join("a.cl"))];
    run_command(&words).expect("it compiles");
    text(&output.join("program.bc"))
}

#[test]
fn parts_are_linked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let compiled = |name: &str, source: &str| compiled(&folder.path().join(name), source);
    let first = compiled("1", "int f(int i) { return i * 2; }");
    let second = compiled(
        "2",
        "int f(int); kernel void k(global int *o) { o[get_global_id(0)] = f(get_global_id(0)); }",
    );
    let output = text(&folder.path().join("out"));
    run_command(&["link", "--output-dir", &output, &first, &second]).expect("they fit together");
    let program = load_from(&folder.path().join("out"));
    let mut out = [0_i32; 4];
    program.run("k", Range::line(4, 4), &mut [Argument::Buffer(bytes(&mut out))]);
    assert_eq!(out, [0, 2, 4, 6]);

    run_command(&["link", "--output-dir", &output, "--create-library", &first]).expect("a library");
    let log = run_command(&["link", "--output-dir", &output, &first, &first]);
    assert!(log.expect_err("f is there twice").contains("f"));
    let log = run_command(&["link", "--output-dir", &output, &second]);
    assert!(log.expect_err("f is not there").contains("'f' is not defined"));
}

#[test]
fn kernels_are_specialized() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = "int twice(int i) { return i * 2; }
    kernel void other() {}
    kernel void k(global int *o) {
        o[get_global_id(0)] = twice(get_local_id(0)) + get_local_size(0);
    }";
    let bitcode = compiled(folder.path(), source);
    let special = text(&folder.path().join("special"));
    let words = ["specialize", "--output-dir", &special, "--local-size", "8,1,1", "--kernel"];
    run_command(&[&words[..], &["k", &bitcode]].concat()).expect("there is such a kernel");
    let program = load_from(&folder.path().join("special"));
    assert_eq!(program.description.kernels.len(), 1);
    assert_eq!(program.description.kernels[0].specialized_size, Some([8, 1, 1]));
    let mut out = [0_i32; 16];
    program.run("k", Range::line(16, 8), &mut [Argument::Buffer(bytes(&mut out))]);
    assert!(out.iter().enumerate().all(|(i, &o)| o == i as i32 % 8 * 2 + 8), "{out:?}");
    assert!(run_command(&[&words[..], &["absent", &bitcode]].concat()).is_err());
}

/// Vectors would do nothing but each item's operation, one after another.
#[test]
fn kernels_that_only_lock_memory_go_item_by_item() {
    let source = "kernel void swaps(global int *places) {
        atomic_xchg(&places[get_global_id(0) & 3], 1);
        atomic_xchg(&places[4], 2);
    }
    kernel void counts(global const int *in, global int *out) {
        int i = get_global_id(0);
        int sum = 0;
        for (int k = 0; k < 4; k++) sum += in[i + 64 * k] * in[i + 64 * k];
        atomic_xchg(&out[sum & 3], i);
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let is_vector = |number: usize| !program.description.kernels[number].vectorized.is_empty();
    assert_eq!([is_vector(0), is_vector(1)], [false, true]);
}

/// A kernel in each of the ways that may be asked for, one of which it says may be better.
#[test]
fn kernels_are_specialized_in_other_ways() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = "kernel void k(global const ushort *n, global uint *x) {
        uint i = get_global_id(0), sum = i;
        for (uint y = 0; y < n[i]; y++)
            for (uint z = 0; z < n[(i * 7 + y) % 64]; z++) sum = sum * 31 + n[(sum >> 8) % 64];
        x[i] = sum;
    }";
    let bitcode = compiled(folder.path(), source);
    let run = |way: &[&str]| {
        let special = folder.path().join("special");
        let words = ["specialize", "--output-dir", &text(&special), "--kernel", "k"];
        let words = [&words[..], &["--local-size", "32,1,1"], way, &[&bitcode]].concat();
        run_command(&words).map(|_| {
            let program = load_from(&special);
            let mut lengths: Vec<u16> = (0..64).map(|at| at * 5 % 11).collect();
            let mut sums = vec![0_u32; 64];
            let mut arguments =
                [Argument::Buffer(bytes(&mut lengths)), Argument::Buffer(bytes(&mut sums))];
            program.run("k", Range::line(64, 32), &mut arguments);
            let kernel = &program.description.kernels[0];
            (sums, kernel.other_ways.len(), !kernel.vectorized.is_empty())
        })
    };
    let (sums, others, _) = run(&[]).expect("it is specialized");
    assert!(others > 0);
    for (way, is_vector) in [("vectors", Some(true)), ("items", Some(false)), ("dfo", None)] {
        let (got, others, vectors) = run(&["--way", way]).expect("it is specialized");
        assert_eq!((&got, others), (&sums, 0), "{way}");
        assert!(is_vector.is_none_or(|it| it == vectors), "{way}");
    }
    assert!(run(&["--way", "sideways"]).is_err());
}
