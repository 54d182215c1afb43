//! Errors of the mathematical functions against the bounds of OpenCL C 3.0, section 7.4, in units in the last place.
//!
//! One-argument functions of float are tried on numbers at equal distances over all bit patterns (all of them in the test that
//! is ignored unless asked for), everything else on random bit patterns and on the numbers where functions change. Each
//! runs twice: as translated, where loops are vectorized, and one item at a time.
#![allow(unsafe_code)]

#[allow(dead_code)] // It is shared with the tests of kernels.
#[path = "../kernels/program.rs"]
mod program;

use std::ffi::{CString, c_char, c_double, c_float, c_int, c_void};
use std::process::Command;

use program::{Argument, Loaded, Range, bytes, translate, translate_reference};

/// A function, and its bounds for float and double. Zero means exact.
struct Row {
    name: &'static str,
    second: Second,
    float: f64,
    double: f64,
}

/// What the second argument is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Second {
    Nothing,
    Real,
    Integer,
}

const fn row(name: &'static str, second: Second, float: f64, double: f64) -> Row {
    Row { name, second, float, double }
}

use Second::{Integer, Nothing, Real};

/// Tables 40 and 41 of the specification. What rounds to whole numbers, or only compares, is exact.
const BOUNDS: &[Row] = &[
    row("acos", Nothing, 4.0, 4.0),
    row("acosh", Nothing, 4.0, 4.0),
    row("acospi", Nothing, 5.0, 5.0),
    row("asin", Nothing, 4.0, 4.0),
    row("asinh", Nothing, 4.0, 4.0),
    row("asinpi", Nothing, 5.0, 5.0),
    row("atan", Nothing, 5.0, 5.0),
    row("atan2", Real, 6.0, 6.0),
    row("atan2pi", Real, 6.0, 6.0),
    row("atanh", Nothing, 5.0, 5.0),
    row("atanpi", Nothing, 5.0, 5.0),
    row("cbrt", Nothing, 2.0, 2.0),
    row("ceil", Nothing, 0.0, 0.0),
    row("copysign", Real, 0.0, 0.0),
    row("cos", Nothing, 4.0, 4.0),
    row("cosh", Nothing, 4.0, 4.0),
    row("cospi", Nothing, 4.0, 4.0),
    row("erf", Nothing, 16.0, 16.0),
    row("erfc", Nothing, 16.0, 16.0),
    row("exp", Nothing, 3.0, 3.0),
    row("exp10", Nothing, 3.0, 3.0),
    row("exp2", Nothing, 3.0, 3.0),
    row("expm1", Nothing, 3.0, 3.0),
    row("fabs", Nothing, 0.0, 0.0),
    row("fdim", Real, 0.5, 0.5),
    row("floor", Nothing, 0.0, 0.0),
    row("fmax", Real, 0.0, 0.0),
    row("fmin", Real, 0.0, 0.0),
    row("fmod", Real, 0.0, 0.0),
    row("hypot", Real, 4.0, 4.0),
    row("log", Nothing, 3.0, 3.0),
    row("log10", Nothing, 3.0, 3.0),
    row("log1p", Nothing, 2.0, 2.0),
    row("log2", Nothing, 3.0, 3.0),
    row("logb", Nothing, 0.0, 0.0),
    row("pow", Real, 16.0, 16.0),
    row("pown", Integer, 16.0, 16.0),
    row("powr", Real, 16.0, 16.0),
    row("remainder", Real, 0.0, 0.0),
    row("rint", Nothing, 0.0, 0.0),
    row("rootn", Integer, 16.0, 16.0),
    row("round", Nothing, 0.0, 0.0),
    row("rsqrt", Nothing, 2.0, 2.0),
    row("sin", Nothing, 4.0, 4.0),
    row("sinh", Nothing, 4.0, 4.0),
    row("sinpi", Nothing, 4.0, 4.0),
    row("sqrt", Nothing, 3.0, 0.5),
    row("tan", Nothing, 5.0, 5.0),
    row("tanh", Nothing, 5.0, 5.0),
    row("tanpi", Nothing, 6.0, 6.0),
    row("tgamma", Nothing, 16.0, 16.0),
    row("trunc", Nothing, 0.0, 0.0),
];

/// Numbers at which functions change, exact in both precisions.
const NUMBERS: &[f64] = &[
    0.0,
    1.0,
    0.5,
    2.0,
    1.5,
    3.0,
    0.25,
    0.75,
    10.0,
    2.5,
    127.0,
    128.0,
    1023.0,
    1e-3,
    8_388_608.0,
    8_388_607.5,
    16_777_216.0,
    f64::INFINITY,
    f64::NAN,
    1.175_494_350_822_287_5e-38,
    1.401_298_464_324_817e-45,
    3.402_823_466_385_288_6e38,
    88.7,
    709.5,
    1e20,
];

/// The functions of `reference.c`.
struct Reference {
    library: libloading::Library,
    _folder: tempfile::TempDir,
}

type Worst = unsafe extern "C" fn(
    *const c_char,
    c_int,
    c_int,
    usize,
    *const c_void,
    *const c_void,
    *const c_void,
    *mut c_double,
    *mut usize,
) -> c_int;

type WorstOfFloats = unsafe extern "C" fn(
    *const c_char,
    usize,
    *const c_float,
    *const c_float,
    *mut c_double,
    *mut usize,
) -> c_int;

impl Reference {
    fn new() -> Reference {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let object = folder.path().join("reference.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/math/reference.c");
        let compiled = Command::new("cc")
            .args(["-O2", "-fno-builtin", "-march=native", "-shared", "-fPIC", "-o"])
            .args([object.as_os_str(), source.as_ref(), "-lmvec".as_ref(), "-lm".as_ref()])
            .status();
        assert!(compiled.expect("a C compiler").success());
        // SAFETY: a library of ours, without constructors.
        let library = unsafe { libloading::Library::new(&object) }.expect("it loads");
        Reference { library, _folder: folder }
    }

    /// The largest error of `got`, and where.
    fn worst<T: Number>(&self, row: &Row, x: &[T], y: &[T], n: &[i32], got: &[T]) -> (f64, usize) {
        assert!(got.len() == x.len() && y.len() == x.len() && n.len() == x.len());
        let name = CString::new(row.name).expect("a name without nul");
        let integers = row.second == Integer;
        let second: *const c_void = if integers { n.as_ptr().cast() } else { y.as_ptr().cast() };
        let (mut error, mut at) = (0.0, 0);
        // SAFETY: the symbol has this signature, and all arrays have the length of `x`.
        let known = unsafe {
            let worst = self.library.get::<Worst>(b"worst").expect("the symbol");
            worst(
                name.as_ptr(),
                c_int::from(T::DOUBLE),
                c_int::from(integers),
                x.len(),
                x.as_ptr().cast(),
                second,
                got.as_ptr().cast(),
                &mut error,
                &mut at,
            )
        };
        assert!(known == 1, "{} has a reference", row.name);
        (error, at)
    }

    /// As `worst`, of very many floats and only if the error is larger than `known`.
    fn worse(&self, row: &Row, x: &[f32], got: &[f32], known: f64) -> Option<(f64, f32)> {
        assert_eq!(got.len(), x.len());
        let name = CString::new(row.name).expect("a name without nul");
        let (mut error, mut at) = (known, 0);
        // SAFETY: the symbol has this signature, and both arrays have the length of `x`.
        let is_known = unsafe {
            let worst = self.library.get::<WorstOfFloats>(b"worst_of_floats").expect("the symbol");
            worst(name.as_ptr(), x.len(), x.as_ptr(), got.as_ptr(), &mut error, &mut at)
        };
        assert!(is_known == 1, "{} has a reference", row.name);
        (error > known).then(|| (error, x[at]))
    }
}

trait Number: Copy + Default + std::fmt::Debug {
    const DOUBLE: bool;
    const NAME: &'static str;
    fn from_bits(bits: u64) -> Self;
    fn from_number(number: f64) -> Self;
}

impl Number for f32 {
    const DOUBLE: bool = false;
    const NAME: &'static str = "float";
    fn from_bits(bits: u64) -> f32 {
        f32::from_bits((bits >> 32) as u32)
    }
    fn from_number(number: f64) -> f32 {
        number as f32
    }
}

impl Number for f64 {
    const DOUBLE: bool = true;
    const NAME: &'static str = "double";
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn from_number(number: f64) -> f64 {
        number
    }
}

/// Numbers from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Arguments for one function.
struct Arguments<T> {
    x: Vec<T>,
    y: Vec<T>,
    n: Vec<i32>,
}

impl<T: Number> Arguments<T> {
    /// Every pair of the numbers above with both signs, then random ones: any bits, and sizes that are common.
    fn of_two(count: usize) -> Arguments<T> {
        let mut random = Random(1);
        let mut all = Arguments { x: Vec::new(), y: Vec::new(), n: Vec::new() };
        let numbers: Vec<f64> = NUMBERS.iter().flat_map(|&number| [number, -number]).collect();
        for &x in &numbers {
            for &y in &numbers {
                all.push(T::from_number(x), T::from_number(y), y as i32);
            }
        }
        while all.x.len() < count {
            let (x, y) = (T::from_bits(random.next()), T::from_bits(random.next()));
            all.push(x, y, (random.next() >> (random.next() & 31)) as i32);
            let common = |bits: u64| (bits as i64 as f64) / 2_f64.powi(40 + (bits & 31) as i32);
            let (x, y) = (common(random.next()), common(random.next()));
            all.push(T::from_number(x), T::from_number(y), y as i32 % 50);
        }
        all
    }

    /// `count` bit patterns at equal distances, the common sizes denser, and the numbers above.
    fn of_one(count: usize) -> Arguments<T> {
        let step = u64::MAX / count as u64;
        let mut all = Arguments { x: Vec::new(), y: Vec::new(), n: Vec::new() };
        for number in NUMBERS {
            all.push(T::from_number(*number), T::default(), 0);
            all.push(T::from_number(-*number), T::default(), 0);
        }
        for index in 0..count as u64 {
            all.push(T::from_bits(index * step + index % step), T::default(), 0);
            let common = (index as f64 / count as f64 - 0.5) * 2_f64.powi((index % 16) as i32);
            all.push(T::from_number(common), T::default(), 0);
        }
        all
    }

    fn push(&mut self, x: T, y: T, n: i32) {
        self.x.push(x);
        self.y.push(y);
        self.n.push(n);
    }
}

/// A kernel for every function: `sin_float(x, y, n, result)`.
fn source<T: Number>() -> String {
    let mut text = String::new();
    for row in BOUNDS {
        let second = match row.second {
            Nothing => "",
            Real => ", y[i]",
            Integer => ", n[i]",
        };
        text += &format!(
            "kernel void {name}_{ty}(global const {ty} *x, global const {ty} *y, global const int *n, \
             global {ty} *r) {{ size_t i = get_global_id(0); r[i] = {name}(x[i]{second}); }}\n",
            name = row.name,
            ty = T::NAME,
        );
    }
    text
}

/// What is wrong with one function on these arguments.
fn check<T: Number>(
    programs: &[Loaded; 2],
    reference: &Reference,
    row: &Row,
    arguments: &mut Arguments<T>,
) -> Option<String> {
    let bound = if T::DOUBLE { row.double } else { row.float };
    let mut complaint = None;
    for (program, how) in programs.iter().zip(["vectorized", "alone"]) {
        let count = arguments.x.len();
        let mut got = vec![T::default(); count];
        program.run(
            &format!("{}_{}", row.name, T::NAME),
            Range::line(count as u64, 256),
            &mut [
                Argument::Buffer(bytes(&mut arguments.x)),
                Argument::Buffer(bytes(&mut arguments.y)),
                Argument::Buffer(bytes(&mut arguments.n)),
                Argument::Buffer(bytes(&mut got)),
            ],
        );
        let (error, at) = reference.worst(row, &arguments.x, &arguments.y, &arguments.n, &got);
        let line = format!(
            "{} of {}, {}: {error:.3} of {bound} at {:?} {:?} {}: {:?}",
            row.name,
            T::NAME,
            how,
            arguments.x[at],
            arguments.y[at],
            arguments.n[at],
            got[at]
        );
        println!("{line}");
        if error > bound {
            complaint = Some(line);
        }
    }
    complaint
}

/// All kernels, with loops over items that are vectorized, and without.
fn programs<T: Number>() -> [Loaded; 2] {
    let source = source::<T>();
    [translate(&source, "-cl-std=CL3.0"), translate_reference(&source, "-cl-std=CL3.0")]
        .map(|program| program.expect("it compiles"))
}

fn check_all<T: Number>(count: usize) {
    let programs = programs::<T>();
    let reference = Reference::new();
    let (mut one, mut two) = (Arguments::<T>::of_one(count), Arguments::<T>::of_two(count));
    let complaints: Vec<String> = BOUNDS
        .iter()
        .filter_map(|row| {
            let arguments = if row.second == Nothing { &mut one } else { &mut two };
            check(&programs, &reference, row, arguments)
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

/// Every float there is, in parts of 2^16 bit patterns, as translated first and then one item at a time. Takes minutes for each
/// function; `VICINITY_MATH=sin,cos` names functions.
#[test]
#[ignore = "takes minutes for each function"]
fn functions_of_every_float_keep_their_bounds() {
    let wanted = std::env::var("VICINITY_MATH").unwrap_or_default();
    let is_wanted =
        |row: &&Row| wanted.is_empty() || wanted.split(',').any(|name| name == row.name);
    let rows = || BOUNDS.iter().filter(|row| row.second == Nothing).filter(is_wanted);
    let programs = programs::<f32>();
    let reference = Reference::new();
    let mut complaints = Vec::new();
    for (program, how) in programs.iter().zip(["vectorized", "alone"]) {
        for row in rows() {
            let (error, at) = worst_of_all(program, &reference, row);
            let bound = row.float;
            let line =
                format!("{} of every float, {how}: {error:.3} of {bound} at {at:?}", row.name);
            println!("{line}");
            complaints.extend((error > bound).then_some(line));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The largest error over all floats, and where.
fn worst_of_all(program: &Loaded, reference: &Reference, row: &Row) -> (f64, f32) {
    const COUNT: u32 = 1 << 16;
    let mut x = vec![0_f32; COUNT as usize];
    let mut got = x.clone();
    let mut worst = (0.0, 0.0);
    for part in 0..=u32::MAX / COUNT {
        for (bits, x) in (part * COUNT..).zip(&mut x) {
            *x = f32::from_bits(bits);
        }
        program.run(
            &format!("{}_float", row.name),
            Range::line(COUNT.into(), 256),
            &mut [
                Argument::Buffer(bytes(&mut x)),
                Argument::Buffer(&mut []),
                Argument::Buffer(&mut []),
                Argument::Buffer(bytes(&mut got)),
            ],
        );
        worst = reference.worse(row, &x, &got, worst.0).unwrap_or(worst);
    }
    worst
}
