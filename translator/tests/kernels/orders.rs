//! Kernels whose loops run in either order, which must not show in what they compute.

use crate::program::{Argument, Loaded, Range, bytes, translate};

/// The kernel `k` of `source` under every order.
struct Orders {
    programs: Vec<(&'static str, Loaded)>,
}

impl Orders {
    fn new(source: &str) -> Orders {
        let program = |order| {
            let attribute =
                format!("__attribute__((annotate(\"vicinity_order={order}\"))) kernel void");
            let source = source.replace("kernel void", &attribute);
            let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
            for this in &program.description.kernels[0].loops {
                assert!(
                    ["auto", "paper", this.order.as_str()].contains(&order),
                    "{order}: {}",
                    this.why
                );
            }
            (order, program)
        };
        Orders { programs: ["auto", "dfo", "bfo", "paper"].map(program).into() }
    }

    /// What it leaves in `out` under each, given `input` and `n`.
    fn agree(&self, input: &[f32], outputs: usize, n: i32, range: Range) -> Vec<f32> {
        let run = |program: &Loaded| {
            let (mut input, mut out) = (input.to_vec(), vec![-1.0_f32; outputs]);
            let mut arguments = [
                Argument::Buffer(bytes(&mut input)),
                Argument::Buffer(bytes(&mut out)),
                Argument::Value(&n.to_ne_bytes()),
            ];
            program.run("k", range, &mut arguments);
            out
        };
        let first = run(&self.programs[0].1);
        for (order, program) in &self.programs[1..] {
            assert_eq!(run(program), first, "{order}, {:?} by {:?}", range.global, range.local);
        }
        first
    }
}

fn in_every_order(source: &str, input: &[f32], outputs: usize, n: i32, range: Range) -> Vec<f32> {
    Orders::new(source).agree(input, outputs, n, range)
}

fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i % 31) as f32 - 7.0).collect()
}

#[test]
fn walks_over_rows_and_columns() {
    for (index, at) in [("i * n + k", (40, 1)), ("k * n + i", (1, 40))] {
        let source = format!(
            "kernel void k(global const float *a, global float *out, int n) {{
                int i = get_global_id(0);
                float sum = 0;
                for (int k = 0; k < n; k++) sum += a[{index}];
                out[i] = sum;
            }}"
        );
        let a = ramp(1600);
        let out = in_every_order(&source, &a, 40, 40, Range::line(40, 16));
        for (i, &sum) in out.iter().enumerate() {
            let expected: f32 = (0..40).map(|k| a[i * at.0 + k * at.1]).sum();
            assert_eq!(sum, expected, "{index} {i}");
        }
    }
}

#[test]
fn nests_with_several_values_alive() {
    let source = "kernel void k(global const float *a, global float *out, int n) {
        int x = get_global_id(0), y = get_global_id(1);
        float least = 1e9f, sum = 1;
        int best = x;
        for (int c = 0; c < n; c++) {
            float apart = sum * 0.5f;
            for (int d = 1; d < 4; d++) apart += a[d * n + x] * a[c * n + d] - y;
            if (apart < least) { least = apart; best = c; }
            sum += apart;
        }
        do { sum -= a[best + n] * x; n--; } while (n > 3);
        out[y * get_global_size(0) + x] = sum + best;
    }";
    let range = Range { offset: [0; 3], global: [12, 9, 1], local: [5, 4, 1] };
    in_every_order(source, &ramp(1000), 108, 20, range);
}

#[test]
fn loops_that_items_leave_apart_or_skip() {
    let source = "kernel void k(global const float *a, global float *out, int n) {
        int i = get_global_id(0);
        float sum = 0;
        if (i < n) {
            for (int k = 0; k < n; k++) {
                sum += a[k * n + i];
                if (sum > 40) { sum = -sum; break; }
                if (k % 7 == i % 5) continue;
                sum += 0.25f;
            }
        } else
            sum = i;
        for (int k = 0; k < i; k++) sum += a[k * n + i % 3] * 0.5f;
        out[i] = sum;
    }";
    in_every_order(source, &ramp(1600), 48, 30, Range::line(48, 16));
}

#[test]
fn indices_and_addresses_that_each_item_advances() {
    let source = "kernel void k(global const float *a, global float *out, int n) {
        int i = get_global_id(0), at = i, back = 1500 + i, own = 0;
        global const float *row = a + i;
        float sum = 0;
        for (int j = 0; j < n; j++, at += n, row += 2) {
            global const float *walk = row;
            for (int k = 0; k < 5; k++, walk += n) sum += *walk * a[at] - a[own];
            sum += a[back];
            back -= 7;
            own += i & 3;
        }
        out[i] = sum + at + back + own;
    }";
    in_every_order(source, &ramp(1700), 40, 30, Range::line(40, 16));
    // As far as numbers go: what was gained wraps around where the index does not.
    let far = "kernel void k(global const float *a, global float *out, int n) {
        int i = get_global_id(0), at = i - 2000000000;
        float sum = 0;
        for (int j = 0; j < n; j++, at += 400000000) sum += at / 1000000;
        out[i] = sum + at;
    }";
    let expected = |i: i32| {
        let at = |j: i64| i64::from(i) - 2_000_000_000 + j * 400_000_000;
        let sum: i64 = (0..10).map(|j| at(j) / 1_000_000).sum();
        sum as f32 + at(10) as f32
    };
    let out = in_every_order(far, &ramp(4), 40, 10, Range::line(40, 8));
    assert_eq!(out, (0..40).map(expected).collect::<Vec<f32>>());
}

#[test]
fn sums_of_vectors_that_differ() {
    let source = "kernel void k(global const float *a, global float *out, int n) {
        uint i = get_global_id(0);
        float4 here = vload4(i, a), sum = 0;
        for (int k = 0; k < n; k++) {
            float4 apart = vload4(k, a) - here;
            sum += apart * (float4)(apart.x + apart.y);
        }
        out[i] = sum.x + 2 * sum.y + 3 * sum.z + 4 * sum.w;
    }";
    in_every_order(source, &ramp(160), 40, 40, Range::line(40, 16));
}

#[test]
fn guarded_loops_in_groups_that_are_whole_and_that_are_not() {
    let source = "kernel void k(global const float *a, global float *out, int n) {
        int x = get_global_id(0), y = get_global_id(1);
        int width = get_global_size(0);
        float sum = a[x];
        if (x < n && y > 0) {
            float factor = a[y] * 2 + 1;
            if (y < 7) {
                int last = n - (n & 1);
                for (int c = 0; c < 4; c++) {
                    float part = factor;
                    for (int k = 0; k < last; k++) part += a[k * width + x] * factor;
                    sum += part - c;
                    factor += 1;
                }
                sum -= last;
            } else
                sum = factor;
            sum += factor;
        }
        out[y * width + x] = sum;
    }";
    let range = Range { offset: [0; 3], global: [24, 9, 1], local: [8, 2, 1] };
    let first = in_every_order(source, &ramp(1000), 216, 14, range);
    assert!(first.iter().all(|sum| sum.is_finite()));
}

#[test]
fn chunks_that_are_whole_and_what_they_leave() {
    let source = "kernel void k(global const float *a, global float *out, int n) {
        int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
        float sum = y, last[4] = {1, 2, 3, 4};
        double exact = 0;
        for (int k = 0; k < n; k++) {
            sum += a[k * width + x] * a[y];
            exact += sum;
            last[(k + x) % 4] = sum + LOCAL;
        }
        if (x < n * 20)
            for (int k = 0; k < n; k++) sum -= a[k * width + x] * 0.5f;
        out[y * width + x] = sum + (float)exact + last[x % 4] * last[(x + y) % 4];
    }";
    // Items of joined groups and of groups by themselves; rows of chunks, and what is left on both sides.
    for local in ["0", "get_local_id(0)"] {
        let source = source.replace("LOCAL", local);
        let no_array = source.replace("last[4]", "last[1]").replace("% 4", "% 1");
        let no_array = no_array.replace("{1, 2, 3, 4}", "{1}");
        for source in [&source, &no_array] {
            let orders = Orders::new(source);
            for (global, local) in [
                ([600, 1, 1], [300, 1, 1]),
                ([300, 10, 1], [75, 10, 1]),
                ([140, 11, 2], [140, 6, 2]),
                ([48, 5, 1], [16, 5, 1]),
            ] {
                let range = Range { offset: [0; 3], global, local };
                let items = (global[0] * global[1]) as usize;
                orders.agree(&ramp(8000), items, 13, range);
            }
        }
    }
}

/// Rows of an item's own, whose iterations are vectors where they do not depend on each other: one that writes what the next reads
/// does, and only the launch says so.
#[test]
fn rows_that_each_item_has_for_itself() {
    for shift in 0..3 {
        let source = format!(
            "kernel void k(global const float *in, global float *out, int n) {{
                int first = get_global_id(0) * (n + 3), shift = in[0] < 9 ? {shift} : 0;
                for (int i = first; i < first + n; i++) out[i + shift] = out[i] + in[i];
            }}"
        );
        let (n, items) = (37_usize, 21);
        let input = ramp(items * (n + 3));
        let range = Range::line(items as u64, 7);
        let out = in_every_order(&source, &input, input.len(), n as i32, range);
        let mut expected = vec![-1.0_f32; input.len()];
        for item in 0..items {
            for i in item * (n + 3)..item * (n + 3) + n {
                expected[i + shift] = expected[i] + input[i];
            }
        }
        assert_eq!(out, expected, "{shift}");
    }
}

/// Rows of items end where a guard lets no more pass, each row for itself: some at once, some late, some never.
#[test]
fn rows_that_end_early() {
    let source = "kernel void k(global const float *in, global float *out, int n) {
        int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
        if (x >= n - 30 * y || y > 4) return;
        int at = y * width + x;
        out[at] = in[at] + y;
        if (x == 0) out[at + width - 1] = -2;
    }";
    let (width, rows) = (201_usize, 8_usize);
    let input = ramp(width * rows);
    for local in [[201, 1, 1], [67, 2, 1], [201, 8, 1], [3, 4, 1]] {
        let global = [width as u64, rows as u64, 1];
        let range = Range { offset: [0; 3], global, local };
        let out = in_every_order(source, &input, input.len(), 150, range);
        for (at, &found) in out.iter().enumerate() {
            let (x, y) = (at % width, at / width);
            let passes = |x: usize| y <= 4 && (x as i32) < 150 - 30 * y as i32;
            let expected = match x {
                200 if passes(0) => -2.0,
                _ if passes(x) => input[at] + y as f32,
                _ => -1.0,
            };
            assert_eq!(found, expected, "{x} {y}, {local:?}");
        }
    }
}

/// The last vector of a row has items that are not there, which keep numbers, too, and divide by them.
#[test]
fn rows_that_are_no_whole_vectors() {
    let kernel = |[x, y]: [u64; 2]| {
        format!(
            "__attribute__((reqd_work_group_size({x}, {y}, 1)))
            kernel void k(global const float *a, global float *out, int n) {{
                int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
                int part = x % 5 + 1, count = 0;
                float sum = 0;
                for (int k = 0; k < n; k++) {{
                    sum += a[y * n + k] * a[k * width + x];
                    count += (k * 7 + y) / part;
                    part = part > 20 ? 1 : part + k % 3;
                }}
                out[y * width + x] = sum + count;
            }}"
        )
    };
    for size @ [x, y] in [[10, 10], [12, 8], [20, 5], [6, 6], [24, 2], [50, 2], [33, 3], [130, 2]] {
        let range = Range { offset: [0; 3], global: [2 * x, 3 * y, 1], local: [x, y, 1] };
        let (width, height, n) = ((2 * x) as usize, (3 * y) as usize, 9);
        let a = ramp((height * n).max(n * width));
        let out = in_every_order(&kernel(size), &a, width * height, n as i32, range);
        for (at, &got) in out.iter().enumerate() {
            let (x, y) = (at % width, at / width);
            let sum: f32 = (0..n).map(|k| a[y * n + k] * a[k * width + x]).sum();
            let (mut part, mut count) = (x as i32 % 5 + 1, 0);
            for k in 0..n as i32 {
                count += (k * 7 + y as i32) / part;
                part = if part > 20 { 1 } else { part + k % 3 };
            }
            assert_eq!(got, sum + count as f32, "{size:?} {x} {y}");
        }
    }
}
