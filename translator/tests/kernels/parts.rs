//! Functions that take numbers apart, compare, select and move them, at the values where they are special.

use crate::program::{Argument, Range, bytes, translate};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// Runs a kernel `k(global const float *x, global const float *y, global float *r, global int *n)`: item i has x[i] and
/// y[i], and leaves `width` results of each.
fn run(body: &str, x: &[f32], y: &[f32], width: usize) -> (Vec<f32>, Vec<i32>) {
    let source = format!(
        "kernel void k(global const float *x, global const float *y, global float *r, global int *n) {{
            size_t i = get_global_id(0);
            float a = x[i], b = y[i];
            r += i * {width}; n += i * {width};
            {body}
        }}"
    );
    let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
    let (mut x, mut y) = (x.to_vec(), y.to_vec());
    let mut r = vec![0.0_f32; x.len() * width];
    let mut n = vec![0_i32; x.len() * width];
    let count = x.len() as u64;
    program.run(
        "k",
        Range::line(count, count),
        &mut [
            Argument::Buffer(bytes(&mut x)),
            Argument::Buffer(bytes(&mut y)),
            Argument::Buffer(bytes(&mut r)),
            Argument::Buffer(bytes(&mut n)),
        ],
    );
    (r, n)
}

fn same(got: f32, want: f32) -> bool {
    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan()
}

#[track_caller]
fn check(got: &[f32], want: &[f32], what: &str) {
    let differ = got.iter().zip(want).any(|(got, want)| !same(*got, *want));
    assert!(!differ && got.len() == want.len(), "{what}: {got:?} is not {want:?}");
}

#[test]
fn numbers_are_taken_apart() {
    let least = f32::from_bits(1);
    let x = [1.0, -8.0, 0.75, -0.0, INF, NAN, least, -2.5, 1e-40, f32::MAX];
    let body = "int e; float w, f = 0, s;
        r[0] = frexp(a, &e); n[0] = e;
        n[1] = ilogb(a); r[1] = logb(a);
        r[2] = modf(a, &w); r[3] = w;
        r[4] = fract(a, &f); r[5] = f;
        n[2] = signbit(a); n[3] = isnormal(a); n[4] = isfinite(a) + 2 * isinf(a) + 4 * isnan(a);
        r[6] = sign(a);
        float4 v; r[7] = modf((float4)(1.5f, a, 2, 3), &v).y + v.x;";
    let (r, n) = run(body, &x, &x, 8);
    let rows: [(&[f32], [i32; 5]); 10] = [
        (&[0.5, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0], [1, 0, 0, 1, 1]),
        (&[-0.5, 3.0, -0.0, -8.0, 0.0, -8.0, -1.0], [4, 3, 1, 1, 1]),
        (&[0.75, -1.0, 0.75, 0.0, 0.75, 0.0, 1.0], [0, -1, 0, 1, 1]),
        (&[-0.0, -INF, -0.0, -0.0, 0.0, -0.0, -0.0], [0, i32::MIN, 1, 0, 1]),
        (&[INF, INF, 0.0, INF, 0.0, INF, 1.0], [0, i32::MAX, 0, 0, 2]),
        (&[NAN, NAN, NAN, NAN, NAN, NAN, 0.0], [0, i32::MAX, 0, 0, 4]),
        (&[0.5, -149.0, least, 0.0, least, 0.0, 1.0], [-148, -149, 0, 0, 1]),
        (&[-0.625, 1.0, -0.5, -2.0, 0.5, -3.0, -1.0], [2, 1, 1, 1, 1]),
        (&[0.544_448_85, -133.0, 1e-40, 0.0, 1e-40, 0.0, 1.0], [-132, -133, 0, 0, 1]),
        (&[0.999_999_94, 127.0, 0.0, f32::MAX, 0.0, f32::MAX, 1.0], [128, 127, 0, 1, 1]),
    ];
    for (at, (real, whole)) in rows.iter().enumerate() {
        let what = format!("{}", x[at]);
        check(&r[8 * at..][..7], real, &what);
        let nan_logb = x[at].is_nan();
        assert_eq!(n[8 * at], whole[0], "{what}");
        // What ilogb gives for NaN is the implementation's: FP_ILOGBNAN.
        assert!(nan_logb || n[8 * at + 1] == whole[1], "{what}: {}", n[8 * at + 1]);
        assert!(nan_logb || n[8 * at + 2] == whole[2], "{what}");
        assert_eq!(n[8 * at + 3..][..2], whole[3..], "{what}");
        let fraction = real[2];
        check(&r[8 * at + 7..][..1], &[fraction + 1.0], &what);
    }
}

#[test]
fn exponents_are_added_and_neighbours_found() {
    let cases = [
        (1.0_f32, 10, 1024.0_f32),
        (1.5, -149, f32::from_bits(2)),
        (1.0, -150, 0.0),
        (1.1, -150, f32::from_bits(1)),
        (f32::from_bits(1), 276, 1.701_411_8e38),
        (f32::MAX, -276, f32::from_bits(2)),
        (f32::MAX, 1, INF),
        (-1.0, 4000, -INF),
        (-1.0, -4000, -0.0),
        (1.0, i32::MIN, 0.0),
        (NAN, 3, NAN),
        (INF, -1000, INF),
        // Halves go to the even neighbour, once.
        (f32::from_bits(0x0100_0003), -2, f32::from_bits(0x0040_0002)),
        (f32::from_bits(0x0100_0005), -2, f32::from_bits(0x0040_0002)),
    ];
    let x: Vec<f32> = cases.iter().map(|case| case.0).collect();
    let exponents: Vec<f32> = cases.iter().map(|case| f32::from_bits(case.1 as u32)).collect();
    let (r, _) = run(
        "r[0] = ldexp(a, as_int(b)); r[1] = ldexp((float3)(a), as_int(b)).z;",
        &x,
        &exponents,
        2,
    );
    let want: Vec<f32> = cases.iter().flat_map(|case| [case.2, case.2]).collect();
    check(&r, &want, "ldexp");

    let least = f32::from_bits(1);
    let from = [0.0, -0.0, 1.0, 1.0, -1.0, least, -least, f32::MAX, INF, 0.0, NAN];
    let to = [1.0, -1.0, 2.0, 0.0, -2.0, -1.0, 1.0, INF, 0.0, -0.0, 1.0];
    let want = [
        least,
        -least,
        1.0 + f32::EPSILON,
        1.0 - f32::EPSILON / 2.0,
        -1.0 - f32::EPSILON,
        0.0,
        -0.0,
        INF,
        f32::MAX,
        -0.0,
        NAN,
    ];
    let (r, _) = run("r[0] = nextafter(a, b);", &from, &to, 1);
    check(&r, &want, "nextafter");
}

#[test]
fn quotients_have_seven_bits() {
    let x = [5.0_f32, -5.0, 5.0, 7.0, 1e30, 130.0, 129.5, 3e38, INF, 1.0, 1.0, 0.0, 1e-40];
    let y = [3.0_f32, 3.0, -3.0, 2.0, 3.0, 1.0, 1.0, 1e38, 1.0, 0.0, INF, 2.0, 3e-41];
    let (r, n) = run("int q; r[0] = remquo(a, b, &q); n[0] = q;", &x, &y, 1);
    for at in 0..x.len() {
        let (a, b) = (f64::from(x[at]), f64::from(y[at]));
        let valid = a.is_finite() && b != 0.0;
        // Exact, with the quotient as far as a double holds it.
        let (mut rest, mut quotient) = (a.abs() % (b.abs() * 128.0), 0_i32);
        while b.is_finite() && rest >= b.abs() {
            rest -= b.abs();
            quotient += 1;
        }
        if b.is_finite() && (2.0 * rest > b.abs() || 2.0 * rest == b.abs() && quotient % 2 == 1) {
            rest -= b.abs();
            quotient += 1;
        }
        let want = if !valid {
            NAN
        } else if b.is_infinite() {
            x[at]
        } else {
            (rest * a.signum()) as f32
        };
        assert!(r[at] == want || r[at].is_nan() && want.is_nan(), "{a} {b}: {} {want}", r[at]);
        if valid && b.is_finite() {
            let sign = if (a < 0.0) == (b < 0.0) { 1 } else { -1 };
            assert_eq!(n[at], sign * (quotient & 127), "{a} {b}");
        }
    }
}

#[test]
fn comparisons_and_choices() {
    let x = [1.0, 2.0, NAN, -0.0, INF];
    let y = [2.0, 1.0, 1.0, 0.0, INF];
    let body = "n[0] = isequal(a, b); n[1] = isnotequal(a, b); n[2] = isgreater(a, b); n[3] = isless(a, b);
        n[4] = islessgreater(a, b); n[5] = isunordered(a, b); n[6] = isordered(a, b); n[7] = islessequal(a, b);
        int4 v = isgreaterequal((float4)(a, a, b, b), (float4)(b));
        n[8] = v.x; n[9] = v.z; n[10] = any(v); n[11] = all(v);
        r[0] = select(a, b, a < b); r[1] = select((float2)(a), (float2)(b), (int2)(-1, 1)).x;
        r[2] = select((float2)(a), (float2)(b), (int2)(-1, 1)).y;
        r[3] = bitselect(a, b, as_float(0x80000000));
        n[12] = any((char2)(0, -128)); n[13] = all((long3)(-1, -1, 1)); n[14] = isequal((double)a, (double)b);";
    let (r, n) = run(body, &x, &y, 15);
    for at in 0..x.len() {
        let (a, b) = (x[at], y[at]);
        let unordered = a.is_nan() || b.is_nan();
        let tests =
            [a == b, a != b, a > b, a < b, !unordered && a != b, unordered, !unordered, a <= b];
        let mut want: Vec<i32> = tests.map(i32::from).to_vec();
        let greater = -i32::from(a >= b);
        want.extend([greater, -1, 1, -greater, 1, 0, i32::from(a == b)]);
        assert_eq!(n[15 * at..][..15], want, "{a} {b}");
        let chosen = [if a < b { b } else { a }, b, a, a.copysign(b)];
        check(&r[15 * at..][..4], &chosen, "choices");
    }
}

#[test]
fn vectors_have_lengths_and_directions() {
    let x = [3.0, 3e30, 3e-30, 0.0, INF, NAN, 1e-44];
    let y = [4.0, 4e30, 4e-30, 0.0, 1.0, 1.0, 0.0];
    let body = "float2 v = (float2)(a, b), u = normalize(v);
        double2 w = normalize(convert_double2(v) * 1e-200);
        r[0] = length(v); r[1] = u.x; r[2] = u.y; r[3] = distance((float3)(a, b, 7), (float3)(0, 0, 7));
        r[4] = (float)w.x; r[5] = (float)(length(convert_double2(v) * 1e-200) * 1e200); r[6] = dot(v, v);
        r[7] = cross((float4)(1, 0, 0, 9), (float4)(0, 1, 0, 9)).z;
        r[8] = fast_length((float2)(3, 4)); r[9] = smoothstep(0.0f, 2.0f, 1.0f); r[10] = mix(1.0f, 3.0f, 0.25f);
        r[11] = degrees(1.0f); r[12] = step(1.0f, (float2)(0.5f, 1)).x; r[13] = clamp(5.0f, 0.0f, 2.0f);";
    let (r, _) = run(body, &x, &y, 14);
    let want = [
        (5.0_f32, 0.6_f32, 0.8_f32),
        (5e30, 0.6, 0.8),
        (5e-30, 0.6, 0.8),
        (0.0, 0.0, 0.0),
        (INF, 1.0, 0.0),
        (NAN, NAN, NAN),
        (1e-44, 1.0, 0.0),
    ];
    let near = |got: f32, want: f32| {
        got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= 1e-6 * want.abs()
    };
    for (at, &(length, ux, uy)) in want.iter().enumerate() {
        let got = &r[14 * at..][..14];
        assert!(near(got[0], length) && near(got[1], ux) && near(got[2], uy), "{at}: {got:?}");
        assert!(near(got[3], length) && near(got[4], ux) && near(got[5], length), "{at}: {got:?}");
        let fixed = [1.0, 5.0, 0.5, 1.5, 57.295_78, 0.0, 2.0];
        assert!(got[7..].iter().zip(fixed).all(|(&got, want)| near(got, want)), "{got:?}");
    }
    assert_eq!(r[6], 25.0);
}

#[test]
fn elements_are_moved() {
    let source = "kernel void k(global const short *x, global short *o, constant char *c) {
        short8 a = vload8(0, x), b = vload8(1, x);
        vstore4(shuffle(a, (ushort4)(7, 0, 15, 8)), 0, o);
        vstore16(shuffle2(a, b, (ushort16)(15, 0, 14, 1, 13, 2, 12, 3, 11, 4, 10, 5, 9, 6, 8, 23)), 0, o + 4);
        vstore3(vload3(1, x), 7, o);
        vstore2(shuffle(vload2(3, x), (ushort2)(1, 0)), 12, o);
        o[26] = vload4(1, c).w;
        private short p[6];
        vstore3((short3)(1, 2, 3), 1, p);
        o[27] = vload2(2, p).s0;
    }";
    for standard in ["-cl-std=CL1.2", "-cl-std=CL3.0"] {
        let program = translate(source, standard).expect("it compiles");
        let mut x: Vec<i16> = (0..16).map(|i| 100 + i).collect();
        let (mut o, mut c) = ([0_i16; 28], [0_i8, 1, 2, 3, 4, 5, 6, -7]);
        let mut arguments = [
            Argument::Buffer(bytes(&mut x)),
            Argument::Buffer(bytes(&mut o)),
            Argument::Buffer(bytes(&mut c)),
        ];
        program.run("k", Range::line(1, 1), &mut arguments);
        let want =
            [7, 0, 7, 0, 15, 0, 14, 1, 13, 2, 12, 3, 11, 4, 10, 5, 9, 6, 8, 7, 0, 3, 4, 5, 7, 6];
        let moved: Vec<i16> = o.iter().map(|&o| if o >= 100 { o - 100 } else { o }).collect();
        assert_eq!(moved[..26], want, "{standard}");
        assert_eq!(o[26..], [-7, 2], "{standard}");
    }
}
