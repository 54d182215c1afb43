//! What the driver and the program tell of launches and numbers, which code may make use of.

use crate::plain::compiled;
use crate::program::{Argument, Loaded, Range, bytes, load_from, run_command, text, translate};

/// Arguments of all kinds that are strides, in code for launches where they are 1 and for others.
#[test]
fn kernels_are_specialized_for_strides_of_1() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = "typedef struct { int sizes[2]; int steps[2]; long unused[3]; } Shape;
    kernel void k(global int *o, int n, int step, uint4 of, global const int *x, Shape shape) {
        int i = get_global_id(0);
        if (i >= n) return;
        int sum = x[i * of.y];
        sum += x[i * shape.steps[1] + shape.sizes[1]];
        o[i * step + of.x] = sum;
    }";
    let bitcode = compiled(folder.path(), source);
    let specialized = |units: &[&str]| {
        // A library of its own for each: they are loaded at the same time.
        let special = folder.path().join(units.join("") + "-special");
        let words = ["specialize", "--output-dir", &text(&special), "--local-size", "32,1,1"];
        run_command(&[&words[..], units, &["--kernel", "k", &bitcode]].concat()).map(|_| {
            let program = load_from(&special);
            let kernel = &program.description.kernels[0];
            let places = kernel.strides.iter().map(|it| format!("{}:{}", it.offset, it.size));
            let side_by_side = kernel.accesses.iter().filter(|access| access.class == "W1");
            (places.collect::<Vec<String>>(), side_by_side.count(), program)
        })
    };
    let run = |program: &Loaded, step: i32, in_x: u32, in_shape: i32| {
        let mut x: Vec<i32> = (0..256).map(|at| at * at).collect();
        let mut o = vec![-1; 256];
        let shape: Vec<u8> =
            [7, 3, 9, in_shape, 0, 0, 0, 0, 0, 0].into_iter().flat_map(i32::to_ne_bytes).collect();
        let of: Vec<u8> = [5, in_x, 8, 8].into_iter().flat_map(u32::to_ne_bytes).collect();
        let [n, step] = [60_i32, step].map(i32::to_ne_bytes);
        let [n, step] = [&n, &step].map(|number| Argument::Value(number));
        let [of, shape] = [&of, &shape].map(|all| Argument::Value(all));
        let [out, input] = [&mut o, &mut x].map(|it| Argument::Buffer(bytes(it)));
        program.run("k", Range::line(64, 32), &mut [out, n, step, of, input, shape]);
        o
    };
    let (places, none, general) = specialized(&[]).expect("it is specialized");
    assert_eq!((places.join(",").as_str(), none), ("12:4,20:4,52:4", 0));
    for (at, units) in places.iter().enumerate() {
        let (others, one, program) = specialized(&["--units", units]).expect("it is specialized");
        assert_eq!((others.len(), one), (2, 1), "{units}");
        let step = |of: usize| if at == of { 1 } else { 3 };
        let [out, in_x, in_shape] = [step(0), step(1), step(2)];
        assert_eq!(
            run(&program, out, in_x as u32, in_shape),
            run(&general, out, in_x as u32, in_shape)
        );
    }
    let (others, all, program) =
        specialized(&["--units", &places.join(",")]).expect("it is specialized");
    assert_eq!((others.len(), all), (0, 3));
    assert_eq!(run(&program, 1, 1, 1), run(&general, 1, 1, 1));
    for wrong in ["12", "12:", "a:4", ""] {
        assert!(specialized(&["--units", wrong]).is_err(), "{wrong}");
    }
}

/// Numbers that are denormal, as operands and as results, in float and in double.
#[test]
fn denormal_numbers_are_zero_where_the_program_allows_it() {
    let source = "kernel void k(global float *x, global double *y) {
        int i = get_global_id(0);
        x[i] = i < 16 ? x[i] * 0.25f : x[i] * 0x1p60f;
        y[i] = i < 16 ? y[i] * 0.25 : y[i] * 0x1p60;
    }";
    let run = |options: &str| {
        let program = translate(source, options).expect("it compiles");
        let least = |at: usize| f32::MIN_POSITIVE / if at < 16 { 1.0 } else { 16.0 };
        let mut x: Vec<f32> = (0..32).map(least).collect();
        let mut y: Vec<f64> = x.iter().map(|&x| f64::from(x) * 2_f64.powi(-896)).collect();
        let mut buffers = [Argument::Buffer(bytes(&mut x)), Argument::Buffer(bytes(&mut y))];
        program.run("k", Range::line(32, 32), &mut buffers);
        let zeros =
            x.iter().filter(|&&x| x == 0.0).count() + y.iter().filter(|&&y| y == 0.0).count();
        // The thread computes with them again.
        assert!(std::hint::black_box(f32::MIN_POSITIVE) * 0.25 > 0.0, "{options}");
        zeros
    };
    assert_eq!([run(""), run("-cl-denorms-are-zero")], [0, 64]);
}

/// A product of matrices by tiles of 4 x 4 numbers, as generators write it.
#[test]
fn loops_in_parts_are_whole_loops() {
    let source = |hint: &str| {
        let text =
            "kernel void k(global float *c, global const float *a, global const float *b, int n) {
            int x = get_global_id(0);
            float sums[4][4] = {{0}}, across[4], down[4];
            HINT
            for (int k = 0; k < n; k++) {
                HINT
                for (int i = 0; i < 4; i++) across[i] = a[(k * 4 + i) * 32 + x];
                HINT
                for (int i = 0; i < 4; i++) down[i] = b[k * 4 + i];
                HINT
                for (int i = 0; i < 4; i++) {
                    HINT
                    for (int j = 0; j < 4; j++) sums[i][j] = fma(across[i], down[j], sums[i][j]);
                }
            }
            for (int i = 0; i < 16; i++) c[i * 32 + x] = sums[i / 4][i % 4];
        }";
        text.replace("HINT", hint)
    };
    let run = |hint: &str| {
        let program = translate(&source(hint), "").expect("it compiles");
        let (mut a, mut b) = (vec![0.5_f32; 32 * 4 * 7], vec![0.25_f32; 4 * 7]);
        a.iter_mut().chain(&mut b).enumerate().for_each(|(at, it)| *it += (at % 13) as f32);
        let (mut c, n) = (vec![0_f32; 512], 7_i32.to_ne_bytes());
        let [c_in, a_in, b_in] = [&mut c, &mut a, &mut b].map(|it| Argument::Buffer(bytes(it)));
        program.run("k", Range::line(32, 32), &mut [c_in, a_in, b_in, Argument::Value(&n)]);
        (c, program.description.kernels[0].loops.len())
    };
    let plain = run("");
    assert_eq!(plain.1, 1);
    for hint in ["#pragma unroll 4", "__attribute__((opencl_unroll_hint(8)))"] {
        assert_eq!(run(hint), plain, "{hint}");
    }
    // Of more iterations than that a loop stays.
    assert_eq!(run("#pragma unroll 2").0, plain.0);
}
