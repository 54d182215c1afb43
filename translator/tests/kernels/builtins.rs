//! Builtin functions, as kernels call them.

use crate::program::{Argument, Range, bytes, translate};

#[test]
fn builtins_of_all_kinds_are_linked_with_what_they_call() {
    let source = "kernel void all(global float *x, global int *n, global half *h) {
        int i = get_global_id(0);
        float4 v = sin(vload4(0, x));
        x[4 + i] = v.y + pown(x[1], 3) + dot(v, v) + fract(x[2], x + 12);
        n[i] = convert_int_sat_rte(x[3] * 1e9f) - popcount(n[i]) + any(isgreater(v, (float4)(2)));
        atomic_add(n + 8, i);
        vstore_half_rtz(x[1], i, h);
    }";
    let program = translate(source, "-cl-std=CL3.0").expect("it compiles");
    let mut x = [0.25_f32, 0.5, 1.75, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let mut n = [7_i32, 0, 1, 3, 0, 0, 0, 0, 100];
    let mut h = [0_u16; 4];
    let sines = [0, 1, 2, 3].map(|i| x[i].sin());
    program.run(
        "all",
        Range::line(4, 4),
        &mut [
            Argument::Buffer(bytes(&mut x)),
            Argument::Buffer(bytes(&mut n)),
            Argument::Buffer(bytes(&mut h)),
        ],
    );
    let expected = sines[1] + 0.125 + sines.iter().map(|s| s * s).sum::<f32>() + 0.75;
    assert!((x[4] - expected).abs() < 1e-6 && x[7] == x[4] && x[12] == 1.0, "{x:?} {expected}");
    assert_eq!(n, [i32::MAX - 3, i32::MAX, i32::MAX - 1, i32::MAX - 2, 0, 0, 0, 0, 106]);
    assert_eq!(h, [0x3800; 4]);
}

#[test]
fn functions_of_the_program_may_be_called_as_those_of_the_c_library() {
    let source = "float expf(float x) { return exp(x) + 1; }
    void memset(global float *x, float v) { x[get_global_id(0)] += v; }
    kernel void k(global float *x) { memset(x, expf(0)); }";
    let program = translate(source, "").expect("it compiles");
    let mut x = [0.0_f32; 8];
    program.run("k", Range::line(8, 8), &mut [Argument::Buffer(bytes(&mut x))]);
    assert_eq!(x, [2.0; 8]);
}

#[test]
fn relaxed_mathematics_stay_near() {
    let source = "kernel void k(global float *x, global float4 *y, global double *z) {
        int i = get_global_id(0);
        x[i] = rsqrt(x[i]) + native_rsqrt(1.0f);
        y[i] = rsqrt(y[i]);
        z[i] = rsqrt(z[i]);
    }";
    for options in ["", "-cl-fast-relaxed-math"] {
        let program = translate(source, options).expect("it compiles");
        let (mut x, mut y, mut z) = ([4.0_f32; 32], [0.25_f32; 128], [16.0_f64; 32]);
        let mut arguments = [
            Argument::Buffer(bytes(&mut x)),
            Argument::Buffer(bytes(&mut y)),
            Argument::Buffer(bytes(&mut z)),
        ];
        program.run("k", Range::line(32, 32), &mut arguments);
        assert!(x.iter().all(|x| (x - 1.5).abs() < 1e-5), "{options}: {x:?}");
        assert!(y.iter().all(|y| (y - 2.0).abs() < 1e-5), "{options}: {y:?}");
        assert_eq!(z, [0.25; 32], "{options}");
    }
}

/// Around multiples of the divisor, of which there are up to 2^22, and of any bits. Rust's remainder is `fmod`, exact.
#[test]
fn remainders_are_exact() {
    const COUNT: usize = 1 << 14;
    let source = "kernel void k(global float *x, global const float *y) {
        int i = get_global_id(0);
        x[i] = fmod(x[i], y[i]);
    }";
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    let pairs = (0..COUNT).map(|at| {
        let y = f32::from_bits(next());
        let near = (y * (next() >> (10 + at % 22)) as f32).to_bits().wrapping_add(next() % 7);
        (f32::from_bits(if at % 4 == 0 { next() } else { near.wrapping_sub(3) }), y)
    });
    let (x, mut y): (Vec<f32>, Vec<f32>) = pairs.unzip();
    for options in ["", "-cl-fast-relaxed-math"] {
        let program = translate(source, options).expect("it compiles");
        let mut got = x.clone();
        let mut arguments = [Argument::Buffer(bytes(&mut got)), Argument::Buffer(bytes(&mut y))];
        program.run("k", Range::line(COUNT as u64, 64), &mut arguments);
        for ((x, y), got) in x.iter().zip(&y).zip(&got) {
            let want = x % y;
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{options}: fmod({x:e}, {y:e}) is {want:e}, not {got:e}");
        }
    }
}

/// A program pays for what it uses: of thousands of functions in the library those that something calls are linked.
#[test]
fn only_builtins_that_are_used_are_linked() {
    use vicinity_translator::front::library;
    use vicinity_translator::llvm::{Context, Machine, Module};
    use vicinity_translator::pipeline;
    use vicinity_translator::program::patience::Effort;

    let source = "kernel void k(global float4 *x) {
        size_t i = get_global_id(0);
        x[i] = normalize(sin(x[i])) + convert_float4(convert_uchar4_sat_rte(x[i])) + pown(x[i], (int4)(3));
    }";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("k.cl");
    std::fs::write(&file, source).expect("the source can be written");
    let (bitcode, _) = pipeline::compile(&file, None, &[], &Default::default(), folder.path())
        .expect("it compiles");
    let mut module = Module::from_bitcode(Context::new(), &bitcode).expect("it is bitcode");
    let machine = Machine::host(Effort::Full).expect("this machine");
    library::link_builtins(&mut module, &machine, &["k".to_string()]).expect("they are there");
    let functions = module.functions();
    let linked =
        || functions.iter().filter(|function| function.has_body() && function.name() != "k");
    let unused: Vec<String> = linked()
        .filter(|function| function.0.users().is_empty())
        .map(|unused| unused.name())
        .collect();
    assert_eq!(unused, [""; 0]);
    assert!((1..=20).contains(&linked().count()), "{}", linked().count());
}
