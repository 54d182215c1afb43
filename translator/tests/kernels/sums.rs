//! Indices of 32 bits that are sums, near zero and near the greatest number: each is extended as a whole, whatever it is made of.

use crate::program::{Argument, Range, bytes, translate, translate_reference};

const ITEMS: usize = 96;
/// Elements, and where place 0 is.
const ELEMENTS: usize = 512;
const ZERO: i64 = 256;

/// What items find at `index`, a number of type `ty`, which is `less` than the place.
fn check(ty: &str, index: &str, less: &str, numbers: &[[i32; 2]]) {
    let source = format!(
        "__attribute__((reqd_work_group_size(32, 1, 1)))
        kernel void k(global int *out, global const int *in, int m, int n) {{
            int g = get_global_id(0), l = get_local_id(0);
            global const int *from = in + {ZERO};
            {ty} at = {index};
            int a = from[(long)at - ({less})];
            if (g > 5 && l < 27)
                for (int i = 0; i < 3; i++)
                    a += from[(long)({ty})(at - i) - ({less})] * (g & 3 ? 3 : 5);
            if (in[g] & 1)
                a -= from[(long)({ty})(at + 1) - ({less})];
            out[g] = a;
        }}"
    );
    let made = translate(&source, "-cl-std=CL3.0").expect("it compiles");
    let reference = translate_reference(&source, "-cl-std=CL3.0").expect("it compiles");
    let mut input: Vec<i32> = (0..ELEMENTS as i32).map(|at| at * 37 % 1001).collect();
    for [m, n] in numbers {
        let [expected, got] = [&reference, &made].map(|program| {
            let mut out = vec![0; ITEMS];
            let (first, second) = (m.to_ne_bytes(), n.to_ne_bytes());
            let mut arguments = [
                Argument::Buffer(bytes(&mut out)),
                Argument::Buffer(bytes(&mut input)),
                Argument::Value(&first),
                Argument::Value(&second),
            ];
            program.run("k", Range::line(ITEMS as u64, 32), &mut arguments);
            out
        });
        assert_eq!(expected, got, "{ty} {index} less {less}, m {m}, n {n}");
    }
}

#[test]
fn indices_of_sums_lead_where_they_led() {
    let small = [[0, 0], [7, 3], [-9, 2], [100, -50], [-100, 40]];
    let large = [[i32::MAX - 120, 3], [i32::MIN + 120, 2], [i32::MAX - 98, 1]];
    for ty in ["int", "uint"] {
        check(ty, "g + 40", "40", &small);
        check(ty, "(g + m + 200) - n", "200", &small);
        check(ty, "m + l + 150", "150", &small);
    }
    check("int", "n * 5 + g - m", "(long)n * 5 - m", &small);
    check("int", "2 * g + m + n", "(long)m + n", &small);
    check("int", "m - g - n", "(long)m - n", &small);
    check("int", "g + m", "m", &large);
    check("int", "m + l - n", "(long)m - n", &large);
    // Without a sign, beyond the greatest number with one.
    check("uint", "(uint)g + (uint)m", "(long)(uint)m", &large);
}

/// A tile that is kept in memory for a loop of one iteration: its loop and the one behind it begin and end at the same blocks.
#[test]
fn sums_of_tiles_in_loops_of_one_iteration() {
    let source = "kernel void k(global float *out, global const float *in, uint n, uint step) {
        float sums[4] = {0}, tile[1][4];
        size_t x = get_global_id(0);
        bool inside[4];
        for (size_t s = 0; s < 4; s++) inside[s] = x + s * 8 < n;
        for (size_t j = 0; j < n; j += 8) {
            for (size_t i = 0; i < 8; i++) {
                #pragma unroll 1
                for (size_t r = 0; r < 1; r++)
                    #pragma unroll
                    for (size_t s = 0; s < 4; s++) tile[r][s] = inside[s] ? in[r * n + s * 8 * step] : 0;
                #pragma unroll 1
                for (size_t r = 0; r < 1; r++) {
                    sums[1] = fma(tile[r][1], 3.0f, sums[1]);
                    sums[3] = fma(tile[r][3], 5.0f, sums[3]);
                }
            }
        }
        for (int s = 0; s < 4; s++) out[x * 4 + s] = sums[s];
    }";
    let program = translate(source, "").expect("it compiles");
    let (mut input, mut out) = ((0..64).map(|at| at as f32).collect::<Vec<f32>>(), vec![0_f32; 96]);
    let [n, step] = [20_u32, 2].map(u32::to_ne_bytes);
    let buffers = [&mut out, &mut input].map(|it| Argument::Buffer(bytes(it)));
    let [out_in, input_in] = buffers;
    let mut arguments = [out_in, input_in, Argument::Value(&n), Argument::Value(&step)];
    program.run("k", Range::line(24, 8), &mut arguments);
    let sum = |x: usize, s: usize, factor: f32| match x + s * 8 < 20 {
        true => 24.0 * factor * (s * 16) as f32,
        false => 0.0,
    };
    let expected = (0..24).flat_map(|x| [0.0, sum(x, 1, 3.0), 0.0, sum(x, 3, 5.0)]);
    assert_eq!(out, expected.collect::<Vec<f32>>());
}
