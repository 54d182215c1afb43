//! Conversions between all types with every rounding and saturation, and numbers of 16 bits in memory.

use crate::program::{Argument, Range, bytes, translate};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Signed(u32),
    Unsigned(u32),
    Float,
    Double,
}

use Kind::{Double, Float, Signed, Unsigned};

const TYPES: &[(&str, Kind)] = &[
    ("char", Signed(8)),
    ("uchar", Unsigned(8)),
    ("short", Signed(16)),
    ("ushort", Unsigned(16)),
    ("int", Signed(32)),
    ("uint", Unsigned(32)),
    ("long", Signed(64)),
    ("ulong", Unsigned(64)),
    ("float", Float),
    ("double", Double),
];

/// A number of any of the types, exactly.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Number {
    Whole(i128),
    Real(f64),
}

use Number::{Real, Whole};

const ROUNDINGS: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];
/// As many as a multiple of all widths.
const COUNT: usize = 96;

impl Kind {
    fn bytes(self) -> usize {
        match self {
            Signed(bits) | Unsigned(bits) => bits as usize / 8,
            Float => 4,
            Double => 8,
        }
    }

    fn is_real(self) -> bool {
        matches!(self, Float | Double)
    }

    fn limits(self) -> (i128, i128) {
        match self {
            Signed(bits) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Unsigned(bits) => (0, (1 << bits) - 1),
            Float | Double => unreachable!("limits of whole numbers"),
        }
    }

    fn store(self, number: Number) -> Vec<u8> {
        match (self, number) {
            (Float, Real(x)) => (x as f32).to_le_bytes().to_vec(),
            (Double, Real(x)) => x.to_le_bytes().to_vec(),
            (_, Whole(x)) => x.to_le_bytes()[..self.bytes()].to_vec(),
            _ => unreachable!("a number of this type"),
        }
    }

    fn load(self, bytes: &[u8]) -> Number {
        match self {
            Float => Real(f32::from_le_bytes(bytes.try_into().expect("four bytes")).into()),
            Double => Real(f64::from_le_bytes(bytes.try_into().expect("eight bytes"))),
            Signed(bits) | Unsigned(bits) => {
                let mut all = [0; 16];
                all[..bytes.len()].copy_from_slice(bytes);
                let value = i128::from_le_bytes(all);
                Whole(if value > self.limits().1 { value - (1 << bits) } else { value })
            }
        }
    }

    /// Edges of this type and of the others, as far as they are numbers of this one, and some in between.
    fn samples(self) -> Vec<Number> {
        let mut samples = Vec::new();
        for bits in [7, 8, 15, 16, 23, 24, 25, 31, 32, 52, 53, 54, 62, 63, 64] {
            for near in [-3_i128, -1, 0, 1, 2] {
                samples.extend([(1 << bits) + near, near - (1 << bits)]);
            }
        }
        let mut state = 5_u64;
        for round in 0..40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(9);
            samples.push(i128::from(state >> round) * if round & 1 == 0 { 1 } else { -1 });
        }
        samples.extend([0, 1, -1, 2, 3, 100, -100]);
        match self {
            Signed(_) | Unsigned(_) => {
                let (least, most) = self.limits();
                let fits: Vec<i128> =
                    samples.into_iter().filter(|x| (least..=most).contains(x)).collect();
                fits.into_iter().cycle().map(Whole).take(COUNT * 2).collect()
            }
            Float | Double => {
                let plain = [
                    0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 126.5, 127.5, -128.5, -129.0,
                    254.5, 255.5,
                ];
                let odd = [
                    1e-40,
                    -1e-40,
                    1e-300,
                    3.5e38,
                    3.402_823_5e38,
                    1e300,
                    f64::INFINITY,
                    f64::NAN,
                    -0.0,
                    0.1,
                ];
                let all = plain
                    .into_iter()
                    .chain(odd)
                    .chain(odd.map(|x| -x))
                    .chain(samples.into_iter().map(|x| x as f64));
                let real = all.map(|x| Real(if self == Float { (x as f32).into() } else { x }));
                real.take(COUNT * 2).collect()
            }
        }
    }
}

fn whole(x: f64, rounding: &str) -> f64 {
    match rounding {
        "_rte" => x.round_ties_even(),
        "_rtp" => x.ceil(),
        "_rtn" => x.floor(),
        _ => x.trunc(),
    }
}

/// The one of two neighbours that a rounding means, where `near` is the nearest and the true value is on this side of it.
fn toward(rounding: &str, near: f64, side: std::cmp::Ordering, up: f64, down: f64) -> f64 {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match (rounding, side) {
        ("" | "_rte", _) | (_, Equal) | ("_rtp", Less) | ("_rtn", Greater) => near,
        ("_rtp", Greater) => up,
        ("_rtn", Less) => down,
        // To zero: away from the farther one.
        (_, Less) => {
            if near > 0.0 {
                down
            } else {
                near
            }
        }
        (_, Greater) => {
            if near < 0.0 {
                up
            } else {
                near
            }
        }
    }
}

/// What a conversion gives; nothing where the specification does not say.
fn expected(from: Number, to: Kind, rounding: &str, saturated: bool) -> Option<Number> {
    match (from, to) {
        (Whole(x), Signed(_) | Unsigned(_)) => {
            let (least, most) = to.limits();
            let wrapped = to.load(&x.to_le_bytes()[..to.bytes()]);
            Some(if saturated { Whole(x.clamp(least, most)) } else { wrapped })
        }
        (Real(x), Signed(_) | Unsigned(_)) => {
            let (least, most) = to.limits();
            let x = whole(x, rounding);
            let fits = x >= least as f64 && (x as i128) <= most && x.is_finite();
            (saturated || fits).then(|| Whole((x as i128).clamp(least, most)))
        }
        (Whole(x), Float) => {
            let near = x as f32;
            let side = x.cmp(&(near as i128));
            Some(Real(toward(
                rounding,
                near.into(),
                side,
                near.next_up().into(),
                near.next_down().into(),
            )))
        }
        (Whole(x), Double) => {
            let near = x as f64;
            Some(Real(toward(
                rounding,
                near,
                x.cmp(&(near as i128)),
                near.next_up(),
                near.next_down(),
            )))
        }
        (Real(x), Double) => Some(Real(x)),
        (Real(x), Float) => {
            let near = x as f32;
            let Some(side) = x.partial_cmp(&near.into()) else { return Some(Real(f64::NAN)) };
            Some(Real(toward(
                rounding,
                near.into(),
                side,
                near.next_up().into(),
                near.next_down().into(),
            )))
        }
    }
}

#[test]
fn conversions_agree_with_exact_arithmetic() {
    for (number, &(to_name, to)) in TYPES.iter().enumerate() {
        let mut source = String::new();
        for (other, &(from_name, _)) in TYPES.iter().enumerate() {
            for width in [1, [2, 3, 4, 8, 16][(number + other) % 5]] {
                source += &kernel(to_name, to, from_name, width);
            }
        }
        let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
        for (other, &(from_name, from)) in TYPES.iter().enumerate() {
            let samples = from.samples();
            for width in [1, [2, 3, 4, 8, 16][(number + other) % 5]] {
                let mut input: Vec<u8> = samples.iter().flat_map(|x| from.store(*x)).collect();
                let mut output = vec![0_u8; 10 * samples.len() * to.bytes()];
                let mut arguments = [Argument::Buffer(&mut input), Argument::Buffer(&mut output)];
                let items = (samples.len() / width) as u64;
                program.run(
                    &format!("from_{from_name}_{width}"),
                    Range::line(items, 32),
                    &mut arguments,
                );
                let output: Vec<Number> =
                    output.chunks(to.bytes()).map(|bytes| to.load(bytes)).collect();
                compare(&samples, &output, to, &format!("{from_name} to {to_name}, {width}"));
            }
        }
    }
}

fn compare(samples: &[Number], output: &[Number], to: Kind, what: &str) {
    for (place, part) in output.chunks(samples.len()).enumerate() {
        let (rounding, saturated) = (ROUNDINGS[place % 5], place >= 5);
        if saturated && to.is_real() {
            continue;
        }
        for (&from, &got) in samples.iter().zip(part) {
            let Some(want) = expected(from, to, rounding, saturated) else { continue };
            let same = match (got, want) {
                (Real(a), Real(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
                _ => got == want,
            };
            assert!(
                same,
                "{what} elements, {rounding} {saturated}: {from:?} gives {got:?}, not {want:?}"
            );
        }
    }
}

/// A kernel that stores all conversions of each number, by rounding and then by saturation.
fn kernel(to: &str, kind: Kind, from: &str, width: usize) -> String {
    let lanes = if width == 1 { String::new() } else { width.to_string() };
    let mut text = format!(
        "kernel void from_{from}_{width}(global const {from} *x, global {to} *o) {{
         size_t i = get_global_id(0), n = get_global_size(0) * {width};\n"
    );
    let value = if width == 1 { "x[i]".to_string() } else { format!("vload{width}(i, x)") };
    let saturations: &[&str] = if kind.is_real() { &[""] } else { &["", "_sat"] };
    for (block, saturation) in saturations.iter().enumerate() {
        for (at, rounding) in ROUNDINGS.iter().enumerate() {
            let place = block * 5 + at;
            let converted = format!("convert_{to}{lanes}{saturation}{rounding}({value})");
            text += &match width {
                1 => format!("o[{place} * n + i] = {converted};\n"),
                _ => format!("vstore{width}({converted}, i, o + {place} * n);\n"),
            };
        }
    }
    text + "}\n"
}

#[test]
fn halves_round_as_asked() {
    let mut source = String::new();
    for ty in ["float", "double"] {
        source += &format!(
            "kernel void from_{ty}(global const {ty} *x, global half *o) {{ size_t i = get_global_id(0), n = get_global_size(0);\n"
        );
        for (place, rounding) in ROUNDINGS.iter().enumerate() {
            source += &format!("vstore_half{rounding}(x[i], {place} * n + i, o);\n");
        }
        source += "}\n";
    }
    source += "kernel void widen(global const half *x, global float *o) {
        size_t i = get_global_id(0);
        vstore4(vload_half4(i, x), i, o);
    }";
    let program = translate(&source, "-cl-std=CL3.0").expect("it compiles");
    let mut halves: Vec<u16> = (0..=u16::MAX).collect();
    let mut widened = vec![0.0_f32; 1 << 16];
    let mut arguments =
        [Argument::Buffer(bytes(&mut halves)), Argument::Buffer(bytes(&mut widened))];
    program.run("widen", Range::line(1 << 14, 64), &mut arguments);
    for (half, &got) in widened.iter().enumerate() {
        let want = half_value(half as u16);
        assert!(f64::from(got) == want || got.is_nan() && want.is_nan(), "{half:x}: {got} {want}");
    }
    // Halves, what is exactly between two of them, and what is just beside that.
    let mut reals: Vec<f64> = Vec::new();
    for bits in (0..0x7c00_u16).step_by(7) {
        let (this, next) = (half_value(bits), half_value(bits + 1).min(65536.0));
        let middle = (this + next) / 2.0;
        reals.extend([
            this,
            middle,
            middle * (1.0 + 1e-7),
            middle * (1.0 - 1e-7),
            middle * (1.0 + 1e-15),
        ]);
    }
    reals.extend([65519.9, 65520.0, 65535.0, 1e10, 1e300, f64::INFINITY, 1e-8, 1e-30, 1e-300]);
    let negative: Vec<f64> = reals.iter().map(|x| -x).collect();
    reals.extend(negative);
    let mut singles: Vec<f32> = reals.iter().map(|&x| x as f32).collect();
    let from_single: Vec<f64> = singles.iter().map(|&x| x.into()).collect();
    let count = reals.len();
    let mut stored = [vec![0_u16; 5 * count], vec![0_u16; 5 * count]];
    let mut doubles = reals.clone();
    let [first, second] = &mut stored;
    let range = Range::line(count as u64, 64);
    program.run(
        "from_float",
        range,
        &mut [Argument::Buffer(bytes(&mut singles)), Argument::Buffer(bytes(first))],
    );
    program.run(
        "from_double",
        range,
        &mut [Argument::Buffer(bytes(&mut doubles)), Argument::Buffer(bytes(second))],
    );
    for (stored, reals) in stored.iter().zip([&from_single, &reals]) {
        for (place, rounding) in ROUNDINGS.iter().enumerate() {
            for (&got, &x) in stored[place * count..].iter().zip(reals) {
                let want = half_of(x, rounding);
                assert_eq!(got, want, "{x:e}{rounding}: {got:x} {want:x}");
            }
        }
    }
}

/// The number that 16 bits mean.
fn half_value(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The 16 bits that a rounding of a number gives, found by trying.
fn half_of(x: f64, rounding: &str) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = x.abs();
    // The largest half that is not above, by halving the range.
    let (mut below, mut above) = (0_u16, 0x7c00_u16);
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if half_value(middle) <= magnitude { below = middle } else { above = middle }
    }
    if magnitude == f64::INFINITY {
        return sign | 0x7c00;
    }
    let (low, high) = (half_value(below), half_value(below + 1).min(65536.0));
    let up = match rounding {
        "_rtz" => false,
        "_rtp" => x > 0.0 && low < magnitude,
        "_rtn" => x < 0.0 && low < magnitude,
        _ => {
            let (under, over) = (magnitude - low, high - magnitude);
            under > over || under == over && below & 1 == 1
        }
    };
    sign | (below + u16::from(up))
}
