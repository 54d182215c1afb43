//! Kernels whose work-items wait for each other, translated and run.

use vicinity_translator::report;
use vicinity_translator::report::describe::Barriers;

use crate::program::{
    Argument, Loaded, Range, bytes, run_command, text, translate, translate_with,
};

/// Runs `kernel k(global int *x)` over `x`, 0, 1, 2 and so on at first.
fn run(source: &str, range: Range) -> Vec<i32> {
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let items: u64 = range.global.iter().product();
    let mut x: Vec<i32> = (0..items as i32).collect();
    program.run("k", range, &mut [Argument::Buffer(bytes(&mut x))]);
    x
}

#[test]
fn a_barrier_in_straight_code() {
    let source = "kernel void k(global int *x) {
        local int t[64];
        int i = get_local_id(0), n = get_local_size(0);
        t[i] = x[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[get_global_id(0)] = t[n - 1 - i];
    }";
    let x = run(source, Range::line(100, 16));
    let group = |i: i32| (i / 16 * 16, (i / 16 * 16 + 16).min(100));
    let expected: Vec<i32> = (0..100).map(|i| group(i).0 + group(i).1 - 1 - i).collect();
    assert_eq!(x, expected);
}

#[test]
fn barriers_in_a_loop() {
    let source = "kernel void k(global int *x) {
        local int t[64];
        size_t i = get_local_id(0), n = get_local_size(0);
        t[i] = x[get_global_id(0)];
        for (size_t step = n / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < step) t[i] += t[i + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        x[get_global_id(0)] = t[0];
    }";
    let x = run(source, Range::line(128, 32));
    let sum = |group: i32| (0..32).map(|i| group * 32 + i).sum::<i32>();
    assert!(x.iter().enumerate().all(|(i, &x)| x == sum(i as i32 / 32)), "{x:?}");
}

/// All of the first 32 items run the inner loop, and of the next 32 only some: chunks that are asked whether all of them do
/// must not go different ways to the barrier.
#[test]
fn chunks_of_which_only_some_are_whole_meet_at_the_barrier() {
    let source = "kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void k(global float *out, global const float *in, int rounds) {
        local float t[64], sums[64];
        int i = get_local_id(0);
        for (int r = 0; r < rounds; r++) {
            float mine = 0.0f;
            if (i < 40) {
                if (r == 0) mine = i;
                else for (int q = 0; q < 40; q++) mine += t[q] * in[q * 40 + i];
            }
            sums[i] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            t[i] = sums[63 - i] + sums[i];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[get_global_id(0)] = t[i];
    }";
    let program = translate(source, "").expect("it compiles");
    let mut weights: Vec<f32> =
        (0..1600).map(|at| if at % 7 % 3 == 0 { 1.0 } else { 0.0 }).collect();
    let mut t = [0.0f32; 64];
    for round in 0..3 {
        let all = |i: usize| (0..40).map(|q| t[q] * weights[q * 40 + i]).sum();
        let mine = |i: usize| if round == 0 { i as f32 } else { all(i) };
        let sums: Vec<f32> = (0..64).map(|i| if i < 40 { mine(i) } else { 0.0 }).collect();
        t = std::array::from_fn(|i| sums[63 - i] + sums[i]);
    }
    let mut out = vec![0.0f32; 64];
    let rounds = 3_i32.to_ne_bytes();
    program.run(
        "k",
        Range::line(64, 64),
        &mut [
            Argument::Buffer(bytes(&mut out)),
            Argument::Buffer(bytes(&mut weights)),
            Argument::Value(&rounds),
        ],
    );
    assert_eq!(out, t);
}

#[test]
fn values_that_live_across_barriers() {
    let source = "kernel void k(global int *x) {
        local int t[64];
        int i = get_local_id(0), mine = x[get_global_id(0)] * 3, sum = 0;
        int many[5];
        for (int r = 0; r < 5; r++) many[(r + i) % 5] = mine + r;
        for (int r = 0; r < 4; r++) {
            t[i] = mine + r + many[r];
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += t[i ^ 1] - mine;
            many[r] = sum;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        x[get_global_id(0)] = sum + many[i % 4];
    }";
    let x = run(source, Range::line(32, 8));
    let mut expected = Vec::new();
    let start = |item: i32| {
        let mut many = [0; 5];
        (0..5).for_each(|r| many[((r + item % 8) % 5) as usize] = item * 3 + r);
        many
    };
    for item in 0..32 {
        let (mut many, mut other) = (start(item), start(item ^ 1));
        let (mut sum, mut other_sum) = (0, 0);
        for r in 0..4 {
            let said = item * 3 + r + many[r as usize];
            let heard = (item ^ 1) * 3 + r + other[r as usize];
            sum += heard - item * 3;
            other_sum += said - (item ^ 1) * 3;
            many[r as usize] = sum;
            other[r as usize] = other_sum;
        }
        expected.push(sum + many[(item % 8 % 4) as usize]);
    }
    assert_eq!(x, expected);
}

#[test]
fn barriers_in_uniform_branches_and_early_returns() {
    let source = "kernel void k(global int *x) {
        local int t[64];
        int i = get_local_id(0);
        size_t g = get_group_id(0);
        if (g == 3) return;
        t[i] = x[get_global_id(0)];
        if (g & 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            t[i] += 1000;
        } else if (g == 2) {
            x[get_global_id(0)] = -1;
            return;
        }
        for (int r = 0;; r++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (t[0] + r > 5) break;
            if (r == 100) return;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i == 0) t[0]++;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        x[get_global_id(0)] = t[(i + 1) % 8];
    }";
    let x = run(source, Range::line(48, 8));
    let expected: Vec<i32> = (0..48)
        .map(|item: i32| match item / 8 {
            2 => -1,
            3 => item,
            0 if item == 7 => 3,
            group => {
                let other = group * 8 + (item + 1) % 8;
                other + if group % 2 == 1 { 1000 } else { 0 }
            }
        })
        .collect();
    assert_eq!(x, expected);
}

#[test]
fn all_dimensions() {
    let source = "kernel void k(global int *x) {
        local int t[4][4][2];
        size_t a = get_local_id(0), b = get_local_id(1), c = get_local_id(2);
        size_t at = get_global_linear_id();
        t[a][b][c] = x[at];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[at] = t[b][a][1 - c];
    }";
    let range = Range { offset: [0; 3], global: [8, 4, 2], local: [4, 4, 2] };
    let x = run(source, range);
    for (at, &value) in x.iter().enumerate() {
        let (gx, y, z) = (at % 8, at / 8 % 4, at / 32);
        let (group, lx) = (gx / 4 * 4, gx % 4);
        assert_eq!(value as usize, ((1 - z) * 4 + lx) * 8 + group + y);
    }
}

/// What the log of a translation says.
fn log(source: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, output) = (folder.path().join("test.cl"), folder.path().join("out"));
    std::fs::write(&file, source).expect("the source can be written");
    run_command(&["build", "--output-dir", &text(&output), &text(&file)]).expect("it compiles");
    std::fs::read_to_string(output.join("log")).expect("there is always a log")
}

#[test]
fn barriers_that_maybe_not_all_items_reach_are_named() {
    let source = "kernel void k(global int *x, local int *t) {
        int l = get_local_id(0), v = x[l];
        t[l] = v;
        if (v > 3) {
            barrier(CLK_LOCAL_MEM_FENCE);
            v += t[l ^ 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        x[l] = v;
    }";
    let said = log(source);
    assert!(said.contains("test.cl:4: kernel 'k'") && said.starts_with("note: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    // A return is no doubt, nor is what all items have.
    let way = "barrier(CLK_LOCAL_MEM_FENCE);\n            v += t[l ^ 1];";
    let returned = source.replace(way, "return;");
    assert_ne!(returned, source);
    assert_eq!(log(&returned), "");
    assert_eq!(log(&source.replace("v > 3", "x[0] > 3")), "");
}

/// `VICINITY_LOCAL=kept`.
#[test]
fn what_could_go_stays_where_that_is_asked_for() {
    let source = "__attribute__((reqd_work_group_size(16, 1, 1))) kernel void k(global int *restrict x, global const int *restrict from) {
        local int t[16];
        int l = get_local_id(0), g = get_global_id(0);
        t[l] = from[g];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[g] = t[l] + t[0];
    }";
    let options = "-cl-std=CL3.0 -cl-uniform-work-group-size";
    let removed = translate(source, options).expect("it compiles");
    let kept = translate_with(source, options, |options| options.keeps_local = true);
    let kept = kept.expect("it compiles");
    let counts = |barriers: &Barriers| (barriers.kept, barriers.removed);
    let said = |program: &Loaded| report::report(&program.description, source);
    for (program, barriers, array) in [
        (&removed, (0, 1), "local array t removed: items load what it was copied from"),
        (&kept, (1, 0), "local array t stays: that is asked for"),
    ] {
        let mut from: Vec<i32> = (0..32).map(|i| i * i).collect();
        let mut x = vec![0; 32];
        let mut arguments = [Argument::Buffer(bytes(&mut x)), Argument::Buffer(bytes(&mut from))];
        program.run("k", Range::line(32, 16), &mut arguments);
        let expected: Vec<i32> = (0..32).map(|i| i * i + i / 16 * 256).collect();
        assert_eq!(x, expected, "{array}");
        assert_eq!(counts(&program.description.kernels[0].barriers), barriers, "{array}");
        assert!(said(program).contains(array), "{}", said(program));
    }
}

/// Whoever does not return in front of the first loop departs behind the second one, so that nobody returns from the first.
#[test]
fn items_that_all_depart_in_the_end_leave_loops_one_by_one() {
    let source = "kernel void k(global int *x, global const int *in, int n, int m) {
        local int t[64];
        int l = get_local_id(0), size = get_local_size(0);
        if (n > m) return;
        t[l] = -1;
        for (uint i = l; i < n; i += size) t[i] = in[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        int at = l;
        while (true) {
            x[get_global_id(0)] += t[l];
            at += size;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (at / size * size >= m) break;
        }
        x[get_global_id(0)] += at;
    }";
    for order in ["auto", "dfo", "bfo"] {
        let attribute =
            format!("kernel __attribute__((annotate(\"vicinity_order={order}\"))) void");
        let source = source.replacen("kernel void", &attribute, 1);
        let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
        let mut input: Vec<i32> = (10..74).collect();
        let mut x = vec![0; 128];
        let (n, m) = (5_i32.to_ne_bytes(), 190_i32.to_ne_bytes());
        let mut arguments = [
            Argument::Buffer(bytes(&mut x)),
            Argument::Buffer(bytes(&mut input)),
            Argument::Value(&n),
            Argument::Value(&m),
        ];
        program.run("k", Range::line(128, 64), &mut arguments);
        // Three rounds: the last begins at 192.
        let item = |l: i32| 3 * if l < 5 { l + 10 } else { -1 } + l + 192;
        assert_eq!(x, (0..128).map(|i| item(i % 64)).collect::<Vec<i32>>(), "{order}");
    }
}
