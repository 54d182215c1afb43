//! What programs call their kernels, functions and variables: names that others have too.

use crate::program::{Argument, Range, bytes, translate};

/// Runs `kernel` with two arguments on so many numbers.
fn run(source: &str, kernel: &str, input: &[f32]) -> Vec<f32> {
    let program = translate(source, "-cl-std=CL3.0").unwrap_or_else(|log| panic!("{log}"));
    assert!(program.description.kernels.iter().any(|made| made.name == kernel));
    let mut output = vec![0.0_f32; input.len()];
    let mut given = input.to_vec();
    let mut arguments = [&mut given, &mut output].map(|v| Argument::Buffer(bytes(v)));
    program.run(kernel, Range::line(input.len() as u64, 8), &mut arguments);
    output
}

fn numbers() -> Vec<f32> {
    (0..64).map(|i| 0.1 + 0.05 * i as f32).collect()
}

fn near(a: &[f32], b: impl Iterator<Item = f32>) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

#[test]
fn kernels_have_names_of_the_c_library() {
    let input = numbers();
    for (name, call, exact) in [
        ("sinf", "sin(in[i])", f32::sin as fn(f32) -> f32),
        ("powf", "pow(in[i], 2.5f)", |x| x.powf(2.5)),
        ("fmodf", "fmod(in[i], 0.7f)", |x| x % 0.7),
        ("memcpy", "in[i]", |x| x),
        ("sin", "in[i]", |x| x),
        ("vicinity_kernel_sin", "in[i]", |x| x),
        ("program", "in[i]", |x| x),
    ] {
        let source = format!(
            "kernel void {name}(global const float *in, global float *out) {{
                size_t i = get_global_id(0);
                out[i] = {call};
            }}
            kernel void other(global const float *in, global float *out) {{
                {name}(in, out);
                out[get_global_id(0)] += 1.0f;
            }}"
        );
        assert!(near(&run(&source, name, &input), input.iter().map(|&x| exact(x))), "{name}");
        let more = input.iter().map(|&x| exact(x) + 1.0);
        assert!(near(&run(&source, "other", &input), more), "{name}, called");
    }
}

/// Functions, those that are too large to inline too, and variables.
#[test]
fn functions_and_variables_have_names_of_the_c_library() {
    let source = "
        constant float cosf = 3.0f;
        constant int memset[4] = {1, 2, 3, 4};
        global float tanf;
        float sinf(float x) { return x + 1.0f; }
        float expf(float x) { return sinf(x) * 2.0f; }
        int vicinity_local_begin(int x) { return x * 3; }
        int vicinity_vote(int x) { return x + 5; }
        void memcpy(private float *to, float from) { *to = from; }
        kernel void k(global const float *in, global float *out) {
            size_t i = get_global_id(0);
            float mine[16];
            for (int j = 0; j < 16; j++) mine[j] = in[(i + j) % 64];
            memcpy(&mine[i % 16], 5.0f);
            tanf = 0.5f;
            out[i] = sin(in[i]) + exp(in[i]) + cos(in[i]) + tan(tanf) + sinf(in[i]) + expf(1.0f) + cosf + memset[i % 4]
                + vicinity_local_begin(2) + vicinity_vote(1) + mine[i % 16];
        }";
    let input = numbers();
    let expected = input.iter().enumerate().map(|(i, &x)| {
        let table = (i % 4 + 1) as f32;
        x.sin() + x.exp() + x.cos() + 0.5_f32.tan() + x + 1.0 + 4.0 + 3.0 + table + 6.0 + 6.0 + 5.0
    });
    let got = run(source, "k", &input);
    assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{got:?}");
}

#[test]
fn what_is_only_declared_is_told_by_its_name() {
    for (declared, call, name) in [
        ("int sinf(int x);", "sinf(3)", "sinf"),
        ("int memcpy(int x);", "memcpy(3)", "memcpy"),
        ("int other(int x);", "other(3)", "other"),
        ("extern global int variable;", "variable", "variable"),
    ] {
        let source = format!("{declared} kernel void k(global int *o) {{ o[0] = {call}; }}");
        let log = translate(&source, "-cl-std=CL3.0").err().expect("it is not defined");
        assert!(log.contains(&format!("'{name}' is not defined")), "{log}");
    }
}
