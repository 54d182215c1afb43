//! Integer functions of every type, as scalars and vectors, against the same in 128 bits.

use crate::program::{Argument, Range, bytes, translate};

/// An integer type of OpenCL C.
#[derive(Clone, Copy)]
struct Integer {
    name: &'static str,
    bits: u32,
    signed: bool,
}

const fn integer(name: &'static str, bits: u32, signed: bool) -> Integer {
    Integer { name, bits, signed }
}

const TYPES: &[Integer] = &[
    integer("char", 8, true),
    integer("uchar", 8, false),
    integer("short", 16, true),
    integer("ushort", 16, false),
    integer("int", 32, true),
    integer("uint", 32, false),
    integer("long", 64, true),
    integer("ulong", 64, false),
];

impl Integer {
    fn least(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    fn most(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }

    fn clamp(self, value: i128) -> i128 {
        value.clamp(self.least(), self.most())
    }

    /// What is left of a number in this many bits, as unsigned.
    fn mask(self, value: i128) -> u64 {
        (value & ((1 << self.bits) - 1)) as u64
    }

    /// The number that bits mean.
    fn value(self, bits: u64) -> i128 {
        let bits = i128::from(bits);
        if bits > self.most() { bits - (1 << self.bits) } else { bits }
    }

    fn bytes(self) -> usize {
        self.bits as usize / 8
    }

    /// Edges of the type and numbers from a seed, each beside each in one of the orders that `round` counts.
    fn samples(self, round: usize) -> Vec<i128> {
        let mut samples: Vec<i128> = vec![self.least(), self.most(), 0, 1, 2, 3, 7, 8, 31, 100];
        samples.extend([self.least() + 1, self.most() - 1, self.most() / 2, self.least() / 2]);
        samples.extend([-1, -2, -8, -100].map(|value| self.value(self.mask(value))));
        let mut state = 1_u64;
        while samples.len() < 48 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            samples.push(self.value(self.mask(i128::from(state >> (64 - self.bits)))));
        }
        // 48 first arguments stay while the others go round.
        samples.rotate_left(round % 48);
        samples
    }
}

/// Functions with up to three arguments whose result has as many bits. What has no quotient is divided by 1 (`src/division.rs`).
const FUNCTIONS: &[&str] = &[
    "abs(x)",
    "abs_diff(x, y)",
    "add_sat(x, y)",
    "sub_sat(x, y)",
    "hadd(x, y)",
    "rhadd(x, y)",
    "max(x, y)",
    "min(x, y)",
    "clamp(x, min(y, z), max(y, z))",
    "mul_hi(x, y)",
    "mad_hi(x, y, z)",
    "mad_sat(x, y, z)",
    "rotate(x, y)",
    "clz(x)",
    "ctz(x)",
    "popcount(x)",
    "(V)(x / y)",
    "(V)(x % y)",
    "(V)(y == (V)0 ? z : x / y)",
];

/// The bits that function `number` of the list gives.
fn expected(number: usize, ty: Integer, x: i128, y: i128, z: i128) -> u64 {
    let bits = u64::from(ty.bits);
    let divisor = if y == 0 { 1 } else { y };
    let (plain, turn) = (ty.mask(x), ty.mask(y) % bits);
    ty.mask(match number {
        0 => x.abs(),
        1 => (x - y).abs(),
        2 => ty.clamp(x + y),
        3 => ty.clamp(x - y),
        4 => (x + y) >> 1,
        5 => (x + y + 1) >> 1,
        6 => x.max(y),
        7 => x.min(y),
        8 => x.max(y.min(z)).min(y.max(z)),
        9 => high(ty, x, y),
        10 => high(ty, x, y) + z,
        11 => {
            // The product of two 64-bit numbers fits, the sum may not.
            let product = if ty.signed { x * y } else { saturating_product(x, y) };
            ty.clamp(product.saturating_add(z))
        }
        12 => {
            let wide = u128::from(plain);
            (wide << turn | wide >> (bits - turn)) as i128
        }
        13 => i128::from(plain.leading_zeros() + ty.bits - 64),
        14 => i128::from(plain.trailing_zeros().min(ty.bits)),
        15 => i128::from(plain.count_ones()),
        16 => x / divisor,
        17 => x % divisor,
        _ => {
            if y == 0 {
                z
            } else {
                x / divisor
            }
        }
    })
}

fn saturating_product(x: i128, y: i128) -> i128 {
    x.checked_mul(y).unwrap_or(i128::MAX)
}

fn high(ty: Integer, x: i128, y: i128) -> i128 {
    if ty.signed { (x * y) >> ty.bits } else { ((x as u128 * y as u128) >> ty.bits) as i128 }
}

#[test]
fn functions_of_all_integers_agree_with_arithmetic() {
    for &ty in TYPES {
        for width in [1, 2, 3, 4, 8, 16] {
            check(ty, width);
        }
    }
}

fn check(ty: Integer, width: usize) {
    let name = ty.name;
    let (vector, load, store) = match width {
        1 => (name.to_string(), "p[i]".to_string(), "(to)[i] = v".to_string()),
        _ => (
            format!("{name}{width}"),
            format!("vload{width}(i, p)"),
            format!("vstore{width}(v, i, to)"),
        ),
    };
    let mut source = format!(
        "#define V {vector}\n#define LOAD(p) {load}\n#define STORE(v, to) {store}\n\
         kernel void k(global const {name} *a, global const {name} *b, global const {name} *c, global {name} *o) {{
         size_t i = get_global_id(0);
         {vector} x = LOAD(a), y = LOAD(b), z = LOAD(c);\n"
    );
    for (number, function) in FUNCTIONS.iter().enumerate() {
        source += &format!("STORE(as_{vector}({function}), o + {number} * 48);\n");
    }
    source += "}";
    let program = translate(&source, "-cl-std=CL2.0").expect("it compiles");
    for round in [0, 1, 5, 11, 17] {
        let inputs = [0, round, round * 3 + 1].map(|round| ty.samples(round));
        let mut buffers = inputs.clone().map(|input| pack(ty, &input));
        let mut output = vec![0_u8; FUNCTIONS.len() * 48 * ty.bytes()];
        let [a, b, c] = &mut buffers;
        let mut arguments = [
            Argument::Buffer(a),
            Argument::Buffer(b),
            Argument::Buffer(c),
            Argument::Buffer(&mut output),
        ];
        program.run("k", Range::line(48 / width as u64, 3), &mut arguments);
        for (number, function) in FUNCTIONS.iter().enumerate() {
            let [xs, ys, zs] = &inputs;
            for (at, ((&x, &y), &z)) in xs.iter().zip(ys).zip(zs).enumerate() {
                let got = unpack(ty, &output, number * 48 + at);
                let want = expected(number, ty, x, y, z);
                assert_eq!(got, want, "{function} of {vector}, x = {x}, y = {y}, z = {z}");
            }
        }
    }
}

fn pack(ty: Integer, values: &[i128]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()[..ty.bytes()].to_vec()).collect()
}

fn unpack(ty: Integer, bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number[..ty.bytes()].copy_from_slice(&bytes[at * ty.bytes()..][..ty.bytes()]);
    u64::from_le_bytes(number)
}

#[test]
fn functions_between_integer_types_agree_with_arithmetic() {
    let source = "kernel void k(global const int *a, global const int *b, global long *o) {
        size_t i = get_global_id(0);
        int x = a[i], y = b[i];
        long4 r = (long4)(0);
        o[8 * i] = upsample(x, (uint)y);
        o[8 * i + 1] = upsample((uint)x, (uint)y);
        o[8 * i + 2] = upsample((short)x, (ushort)y);
        o[8 * i + 3] = upsample((uchar)x, (uchar)y);
        o[8 * i + 4] = mul24(x >> 8, y >> 8);
        o[8 * i + 5] = mad24(x >> 8, y >> 8, x);
        int4 u = upsample((short4)(0, 1, (short)x, 3), (ushort4)((ushort)y));
        o[8 * i + 6] = u.z;
        o[8 * i + 7] = mul24((uint)x >> 8, (uint)y >> 8);
    }";
    let program = translate(source, "").expect("it compiles");
    let ty = integer("int", 32, true);
    let (x, y) = (ty.samples(0), ty.samples(7));
    let [mut a, mut b] = [&x, &y].map(|samples| pack(ty, samples));
    let mut o = vec![0_i64; 8 * 48];
    let mut arguments =
        [Argument::Buffer(&mut a), Argument::Buffer(&mut b), Argument::Buffer(bytes(&mut o))];
    program.run("k", Range::line(48, 16), &mut arguments);
    for at in 0..48 {
        let (x, y) = (x[at] as i32, y[at] as i32);
        let short = i64::from((x as i16 as i32) << 16 | i32::from(y as u16));
        let product = (x >> 8).wrapping_mul(y >> 8);
        let expected = [
            i64::from(x) << 32 | i64::from(y as u32),
            i64::from(x) << 32 | i64::from(y as u32),
            short,
            i64::from((x as u8 as u16) << 8 | u16::from(y as u8)),
            i64::from(product),
            i64::from(product.wrapping_add(x)),
            short,
            i64::from((x as u32 >> 8).wrapping_mul(y as u32 >> 8)),
        ];
        assert_eq!(o[8 * at..][..8], expected, "{x} {y}");
    }
}

/// Types whose divisions go by way of floating point.
const DIVIDED: &[Integer] = &[
    integer("int", 32, true),
    integer("uint", 32, false),
    integer("long", 64, true),
    integer("ulong", 64, false),
];

impl Integer {
    fn divisors(self) -> impl Iterator<Item = i128> {
        let shifted = (3..self.bits - 1).map(move |shift| self.most() >> shift);
        let near_limits = [14, 15, 16].map(|bits| 1 << bits).into_iter();
        let away = near_limits.flat_map(|number| [number - 1, number, number + 1, -number]);
        let all = self.samples(0).into_iter().chain(shifted).chain(away);
        all.map(move |by| self.clamp(by)).filter(|&by| by != 0)
    }

    /// Multiples of a divisor and their neighbours, at both ends of the type and in between.
    fn dividends(self, by: i128) -> Vec<i128> {
        let multiples = [0, 1, 2, 3, 5, self.most() / by, self.least() / by, self.most() / by / 2];
        let near = |multiple: i128| (-3..=3).map(move |away| multiple * by + away);
        multiples.into_iter().flat_map(near).map(|it| self.clamp(it)).collect()
    }

    /// Whether this is what a kernel should have found of each dividend and divisor.
    fn check_divided(self, found: &[u8], pairs: &[(i128, i128)]) {
        for (at, &(dividend, by)) in pairs.iter().enumerate() {
            let has_quotient = dividend != self.least() || by != -1;
            let quotient = if has_quotient { dividend / by } else { dividend };
            let found = [0, 1].map(|part| unpack(self, found, 2 * at + part));
            let expected = [quotient, dividend % by].map(|it| self.mask(it));
            assert_eq!(found, expected, "{dividend} divided by {by}, {}", self.name);
        }
    }
}

/// One divisor for all items, known when they are launched.
#[test]
fn division_by_what_all_items_share_agrees_with_arithmetic() {
    for &ty in DIVIDED {
        let name = ty.name;
        let source = format!(
            "kernel void k({name} by, global const {name} *a, global {name} *o) {{
                size_t i = get_global_id(0);
                o[2 * i] = a[i] / by;
                o[2 * i + 1] = a[i] % by;
            }}"
        );
        let program = translate(&source, "").expect("it compiles");
        for by in ty.divisors() {
            let dividends = ty.dividends(by);
            let mut a = pack(ty, &dividends);
            let mut o = vec![0_u8; 2 * a.len()];
            let divisor = pack(ty, &[by]);
            let mut arguments =
                [Argument::Value(&divisor), Argument::Buffer(&mut a), Argument::Buffer(&mut o)];
            program.run("k", Range::line(dividends.len() as u64, 28), &mut arguments);
            let pairs: Vec<_> = dividends.into_iter().map(|dividend| (dividend, by)).collect();
            ty.check_divided(&o, &pairs);
        }
    }
}

/// Each item has a divisor of its own; some do not divide.
#[test]
fn division_by_what_each_item_has_agrees_with_arithmetic() {
    for &ty in DIVIDED {
        let name = ty.name;
        let source = format!(
            "kernel void k(global const {name} *b, global const {name} *a, global {name} *o) {{
                size_t i = get_global_id(0);
                if (b[i] != 0) {{
                    o[2 * i] = a[i] / b[i];
                    o[2 * i + 1] = a[i] % b[i];
                }}
            }}"
        );
        let program = translate(&source, "").expect("it compiles");
        let of = |by: i128| ty.dividends(by).into_iter().map(move |dividend| (dividend, by));
        let pairs: Vec<(i128, i128)> = ty.divisors().flat_map(of).collect();
        // No divisor for every eighth item.
        let all: Vec<(i128, i128)> =
            pairs.chunks(7).flat_map(|some| [some, &[(1, 0)]].concat()).collect();
        let (dividends, divisors): (Vec<_>, Vec<_>) = all.iter().copied().unzip();
        let (mut a, mut b) = (pack(ty, &dividends), pack(ty, &divisors));
        let mut o = vec![0_u8; 2 * a.len()];
        let mut arguments =
            [Argument::Buffer(&mut b), Argument::Buffer(&mut a), Argument::Buffer(&mut o)];
        program.run("k", Range::line(all.len() as u64, 32), &mut arguments);
        let size = 2 * ty.bits as usize / 8;
        let divided = all.iter().zip(o.chunks(size)).filter(|((_, by), _)| *by != 0);
        let found: Vec<u8> = divided.flat_map(|(_, found)| found.to_vec()).collect();
        ty.check_divided(&found, &pairs);
    }
}

/// The divisor is known when the code is made.
#[test]
fn division_by_constants_agrees_with_arithmetic() {
    for &ty in DIVIDED {
        let name = ty.name;
        let divisors: Vec<i128> = ty.divisors().step_by(3).collect();
        let kernel = |(at, by): (usize, &i128)| {
            let bits = ty.mask(*by);
            format!(
                "kernel void k{at}(global const {name} *a, global {name} *o) {{
                    size_t i = get_global_id(0);
                    o[2 * i] = a[i] / ({name}){bits}UL;
                    o[2 * i + 1] = a[i] % ({name}){bits}UL;
                }}\n"
            )
        };
        let source: String = divisors.iter().enumerate().map(kernel).collect();
        let program = translate(&source, "").expect("it compiles");
        for (at, &by) in divisors.iter().enumerate() {
            let dividends = ty.dividends(by);
            let mut a = pack(ty, &dividends);
            let mut o = vec![0_u8; 2 * a.len()];
            let mut arguments = [Argument::Buffer(&mut a), Argument::Buffer(&mut o)];
            let range = Range::line(dividends.len() as u64, 28);
            program.run(&format!("k{at}"), range, &mut arguments);
            let pairs: Vec<_> = dividends.into_iter().map(|dividend| (dividend, by)).collect();
            ty.check_divided(&o, &pairs);
        }
    }
}
