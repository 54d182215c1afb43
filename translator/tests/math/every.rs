//! Every float there is, for each function of one.
//!
//! A core takes some 12 to 20 seconds for each function and form, some 40 where the C library computes one number after the
//! other. `VICINITY_MATH=sin,cos` names functions, `VICINITY_FORMS=items,alone` forms; `VICINITY_STEP=17` tries every 17th float.

use std::time::Instant;

use crate::forms::{FORMS, Form, Program};
use crate::numbers::{Aligned, Arguments};
use crate::oracle::Oracle;
use crate::rows::{ROWS, Row, Second};

/// Bit patterns at a time.
const COUNT: usize = 1 << 14;

/// So many times are tried first that are spread over all of them, by this distance: once about the worst is known, few others
/// seem as bad.
const SAMPLES: u32 = 64;
const ODD: u32 = 0x9e37_79b1;

/// Where a function has no value that is finite, each such call takes the C library long to complain: one time in so many
/// is enough.
const WITHOUT_VALUE: u32 = 16;

#[test]
#[ignore = "takes a minute for each function"]
fn functions_of_every_float_keep_their_bounds() {
    let [functions, forms] = ["VICINITY_MATH", "VICINITY_FORMS"].map(wanted);
    let step = std::env::var("VICINITY_STEP").map_or(1, |step| step.parse().expect("a number"));
    check(functions, |form| form.name != "twos" && forms(form.name), step);
}

#[test]
fn functions_of_float_keep_their_bounds_under_relaxed_mathematics() {
    check(|_| true, |form| form.relaxed, 1 << 16);
}

/// Tries some functions in some forms, on all floats or on one in `step`.
fn check(functions: impl Fn(&str) -> bool, forms: impl Fn(&Form) -> bool, step: u32) {
    let rows = || ROWS.iter().filter(|row| row.second == Second::Nothing && functions(row.name));
    let forms = || FORMS.iter().filter(|form| forms(form));
    let programs: Vec<_> = forms().map(|form| Program::new::<f32>(form, rows())).collect();
    let oracle = Oracle::new();
    let mut complaints = Vec::new();
    for row in rows() {
        let start = Instant::now();
        for (form, (error, at)) in forms().zip(worst_of_all(&programs, &oracle, row, step)) {
            let line =
                format!("{}, {}: {error:.3} of {} at {at:?}", row.name, form.name, row.float);
            println!("{line}");
            complaints.extend((error > row.float).then_some(line));
        }
        println!("{} took {:.0} s", row.name, start.elapsed().as_secs_f64());
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Whether a name is in the list of an environment variable; without a list, all are.
fn wanted(variable: &str) -> impl Fn(&str) -> bool {
    let list = std::env::var(variable).unwrap_or_default();
    move |name| list.is_empty() || list.split(',').any(|listed| listed == name)
}

/// The largest error of each form over all floats, and where. The forms share what is right.
fn worst_of_all(programs: &[Program], oracle: &Oracle, row: &Row, step: u32) -> Vec<(f64, f32)> {
    let mut arguments =
        Arguments { x: Aligned::zeros(COUNT), y: Aligned::zeros(0), n: Aligned::zeros(0) };
    let (mut want, mut got) = (vec![0.0; COUNT], Aligned::zeros(COUNT));
    let mut worst = vec![(0.0, 0.0); programs.len()];
    let parts = (1_u64 << 32).div_ceil(COUNT as u64 * u64::from(step)) as u32;
    let sample = (0..SAMPLES).map(|part| (part, ODD));
    for (part, stride) in sample.chain((0..parts).map(|part| (part, step))) {
        if stride == step && part > 0 && part.is_multiple_of((parts / 4).max(1)) {
            println!("{}: {part} of {parts} parts", row.name);
        }
        for (index, x) in (part * COUNT as u32..).zip(&mut *arguments.x) {
            *x = f32::from_bits(index.wrapping_mul(stride));
        }
        if !part.is_multiple_of(WITHOUT_VALUE) && is_without_value(oracle, row, &arguments.x) {
            continue;
        }
        oracle.expect_floats(row, &arguments.x, &mut want);
        for (program, worst) in programs.iter().zip(&mut worst) {
            program.run(row, &mut arguments, &mut got);
            let Form { relaxed, .. } = *program.form;
            let worse = oracle.worse(row, relaxed, [&arguments.x, &got], &want, worst.0);
            *worst = worse.unwrap_or(*worst);
        }
    }
    worst
}

/// Whether a function has no finite value at both ends of `x`, and so in between.
fn is_without_value(oracle: &Oracle, row: &Row, x: &[f32]) -> bool {
    let mut want = [0.0; 64];
    [&x[..64], &x[x.len() - 64..]].into_iter().all(|end| {
        oracle.expect_floats(row, end, &mut want);
        want.iter().all(|want| want.is_nan() || want.abs() >= 2_f64.powi(128))
    })
}
