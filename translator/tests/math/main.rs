//! Errors of the mathematical functions against the bounds of OpenCL C 3.0, section 7.4, in units in the last place.
//!
//! One-argument functions of float are tried on numbers at equal distances over all bit patterns (all of them in `every.rs`),
//! everything else on random bit patterns and on the numbers where functions change; each in all its forms (`forms.rs`).
#![allow(unsafe_code)]

mod every;
mod forms;
mod numbers;
mod oracle;
#[allow(dead_code)] // It is shared with the tests of kernels.
#[path = "../kernels/program.rs"]
mod program;
mod rows;

use forms::{FORMS, Program};
use numbers::{Aligned, Arguments, NUMBERS, Number, Random};
use oracle::Oracle;
use program::{Argument, Range, bytes, translate};
use rows::{ROWS, Row, Second};

/// What is wrong with one function on these arguments.
fn check<T: Number>(
    programs: &[Program],
    oracle: &Oracle,
    row: &Row,
    arguments: &mut Arguments<T>,
) -> Vec<String> {
    let bound = row.bound::<T>();
    let want = oracle.expect(row, &arguments.x, &arguments.y, &arguments.n);
    let mut complaints = Vec::new();
    for program in programs {
        let mut got = Aligned::<T>::zeros(arguments.x.len());
        program.run(row, arguments, &mut got);
        let (error, at) = oracle.worst(&want, &got);
        let line = format!(
            "{} of {}, {}: {error:.3} of {bound} at {:?} {:?} {}: {:?}",
            row.name,
            T::NAME,
            program.form.name,
            arguments.x[at],
            arguments.y[at],
            arguments.n[at],
            got[at]
        );
        println!("{line}");
        complaints.extend((error > bound).then_some(line));
    }
    complaints
}

fn check_all<T: Number>(count: usize) {
    let rows = || ROWS.iter().filter(|row| !row.bound::<T>().is_nan());
    let forms = FORMS.iter().filter(|form| !form.relaxed);
    let programs: Vec<_> = forms.map(|form| Program::new::<T>(form, rows())).collect();
    let oracle = Oracle::new();
    let (mut one, mut two) = (Arguments::<T>::of_one(count), Arguments::<T>::of_two(count));
    let complaints: Vec<String> = rows()
        .flat_map(|row| {
            let arguments = if row.second == Second::Nothing { &mut one } else { &mut two };
            check(&programs, &oracle, row, arguments)
        })
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn functions_of_float_keep_their_bounds() {
    check_all::<f32>(50_000);
}

#[test]
fn functions_of_double_keep_their_bounds() {
    check_all::<f64>(50_000);
}

#[test]
#[ignore = "takes some minutes"]
fn functions_of_double_keep_their_bounds_at_four_million_numbers() {
    check_all::<f64>(2_000_000);
}

/// What may be thousands of units off must still be right where a function has no number, an infinite one, or zero.
#[test]
fn half_functions_are_right_at_the_edges() {
    let mut source = String::from(
        "kernel void edges(global const float *x, global const float *y, global float2 *r) {\n",
    );
    const NAMES: &[&str] =
        &["rsqrt(x[i])", "sqrt(x[i])", "powr(x[i], y[i])", "exp(x[i])", "log(x[i])"];
    source += "size_t i = get_global_id(0), n = get_global_size(0);\n";
    for (at, name) in NAMES.iter().enumerate() {
        source += &format!("r[{at} * n + i] = (float2)(half_{name}, {name});\n");
    }
    let at = NAMES.len();
    source += &format!("r[{at} * n + i] = (float2)(half_recip(x[i]), 1 / x[i]);\n");
    source +=
        &format!("r[{} * n + i] = (float2)(half_divide(x[i], y[i]), x[i] / y[i]); }}", at + 1);
    let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
    let Arguments { mut x, mut y, .. } = Arguments::<f32>::of_two(4 * NUMBERS.len().pow(2));
    let mut got = vec![[0_f32; 2]; (at + 2) * x.len()];
    program.run(
        "edges",
        Range::line(x.len() as u64, 50),
        &mut [
            Argument::Buffer(bytes(&mut x)),
            Argument::Buffer(bytes(&mut y)),
            Argument::Buffer(bytes(&mut got)),
        ],
    );
    for (index, [half, whole]) in got.iter().enumerate() {
        let close =
            half == whole || half.is_nan() && whole.is_nan() || (half / whole - 1.0).abs() < 1e-3;
        let (which, at) = (index / x.len(), index % x.len());
        assert!(close, "function {which} of {} and {}: {half} and {whole}", x[at], y[at]);
    }
}

/// Section 7.5.1: whole and half numbers of half turns have exact sines and cosines; also in vectors of any length, and alone.
#[test]
fn cosines_of_nothing_are_one() {
    let source = "kernel void exact(global const float *x, global float *r) {
        size_t i = get_global_id(0); float t = x[i], z = t * 0;
        r[8 * i] = cos(z); r[8 * i + 1] = native_cos(z); r[8 * i + 2] = half_cos(-z); r[8 * i + 3] = cospi(z);
        r[8 * i + 4] = cospi(2 * t); r[8 * i + 5] = sinpi(2 * t + 0.5f); r[8 * i + 6] = -cospi(2 * t + 1);
        r[8 * i + 7] = cos((float4)(z)).w; }";
    for options in ["-cl-std=CL3.0", "-cl-std=CL3.0 -cl-fast-relaxed-math"] {
        let program = translate(source, options).expect("it compiles");
        for items in [1, 4, 40] {
            let mut x: Vec<f32> = (0..items).map(|at| at as f32).collect();
            let mut got = vec![0_f32; 8 * x.len()];
            let mut arguments =
                [Argument::Buffer(bytes(&mut x)), Argument::Buffer(bytes(&mut got))];
            program.run("exact", Range::line(items, items), &mut arguments);
            assert!(got.iter().all(|&one| one == 1.0), "{options}, {items} items: {got:?}");
        }
    }
}

/// Table 43 of the specification: 2.5 units where sizes are common. Of vectors of eight the processor's estimates are roughest, so
/// there are eight items at a time.
#[test]
fn divisions_keep_their_bound_under_relaxed_mathematics() {
    const ITEMS: usize = 8;
    let source =
        "kernel void divide(global const float *x, global const float *y, global float *q) {
        size_t i = get_global_id(0); q[i] = x[i] / y[i]; }";
    let program = translate(source, "-cl-std=CL3.0 -cl-fast-relaxed-math").expect("it compiles");
    let mut random = Random(3);
    let mut common = || {
        let bits = random.next();
        let exponent = 127 - 62 + (bits >> 32) % 124;
        f32::from_bits(bits as u32 & 0x807f_ffff | (exponent as u32) << 23)
    };
    for _ in 0..1 << 14 {
        let (mut x, mut y) = ([0; ITEMS].map(|_| common()), [0; ITEMS].map(|_| common()));
        // 3 units off after one step of Newton's method.
        (x[0], y[0]) = (f32::from_bits(0xcb80_ddf6), f32::from_bits(0x3801_cee9));
        let mut quotients = [0_f32; ITEMS];
        program.run(
            "divide",
            Range::line(ITEMS as u64, ITEMS as u64),
            &mut [
                Argument::Buffer(bytes(&mut x)),
                Argument::Buffer(bytes(&mut y)),
                Argument::Buffer(bytes(&mut quotients)),
            ],
        );
        for ((&x, &y), &got) in x.iter().zip(&y).zip(&quotients) {
            let want = f64::from(x) / f64::from(y);
            let unit = (want.abs().log2().floor() - 23.0).exp2();
            let error = (f64::from(got) - want).abs() / unit;
            assert!(error <= 2.5, "{x} / {y} is {got}: {error}");
        }
    }
}

/// As where a ray meets the planes of a box that it is parallel to.
#[test]
fn quotients_by_nothing_are_infinite_under_relaxed_mathematics() {
    let source =
        "kernel void divide(global const float *x, global const float *y, global float *q) {
        size_t i = get_global_id(0); q[i] = x[i] / y[i]; }";
    let program = translate(source, "-cl-std=CL3.0 -cl-fast-relaxed-math").expect("it compiles");
    for items in [1, 4, 8, 16, 40_u64] {
        let mut x: Vec<f32> = (0..items).map(|at| if at % 2 == 0 { 1.5 } else { -3.0 }).collect();
        let y = (0..items).map(|at| [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY][at as usize % 4]);
        let (mut y, mut quotients) = (y.collect::<Vec<f32>>(), vec![1_f32; x.len()]);
        let buffers = [&mut x, &mut y, &mut quotients].map(|it| Argument::Buffer(bytes(it)));
        program.run("divide", Range::line(items, items), &mut { buffers });
        let want = x.iter().zip(&y).map(|(x, y)| x / y).collect::<Vec<f32>>();
        assert_eq!(quotients, want, "{items} items");
    }
}
