//! The functions under test: how a kernel calls each, and its bounds in units in the last place.
//!
//! Sources: OpenCL C 3.0, section 7.4, tables 40 and 41. What rounds to whole numbers, takes numbers apart or only compares is exact.

use crate::numbers::Number;

/// What the second argument is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Second {
    Nothing,
    Real,
    Integer,
}

/// A function, and its bounds for float and double. Zero means exact, infinity that there is no bound, NaN that there is no
/// such function.
pub struct Row {
    pub name: &'static str,
    pub second: Second,
    /// What a kernel computes of `x`, `y` and `n`; may write to `part` and `whole`.
    pub expression: &'static str,
    pub float: f64,
    pub double: f64,
}

const fn row(name: &'static str, second: Second, float: f64, double: f64) -> Row {
    Row { name, second, expression: "", float, double }
}

/// A function that is no plain call.
const fn special(name: &'static str, expression: &'static str, float: f64, double: f64) -> Row {
    Row { name, second: Second::Nothing, expression, float, double }
}

/// A function of float alone, of which 8192 units are asked.
const fn half(name: &'static str) -> Row {
    row(name, Second::Nothing, 8192.0, f64::NAN)
}

impl Row {
    pub fn bound<T: Number>(&self) -> f64 {
        if T::DOUBLE { self.double } else { self.float }
    }

    pub fn expression(&self) -> String {
        match (self.expression, self.second) {
            ("", Second::Nothing) => format!("{}(x)", self.name),
            ("", Second::Real) => format!("{}(x, y)", self.name),
            ("", Second::Integer) => format!("{}(x, n)", self.name),
            (expression, _) => expression.to_string(),
        }
    }
}

use Second::{Integer, Nothing, Real};

pub const ROWS: &[Row] = &[
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
    row("degrees", Nothing, 2.0, 2.0),
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
    // Rounded, but one to the number below it.
    special("fract", "fract(x, &part)", 1.0, 1.0),
    special("frexp", "frexp(x, &whole)", 0.0, 0.0),
    half("half_cos"),
    half("half_exp"),
    half("half_exp10"),
    half("half_exp2"),
    half("half_log"),
    half("half_log10"),
    half("half_log2"),
    half("half_recip"),
    half("half_rsqrt"),
    half("half_sin"),
    half("half_sqrt"),
    half("half_tan"),
    row("hypot", Real, 4.0, 4.0),
    special("ilogb", "TO_REAL(clamp(ilogb(x), -9999, 9999))", 0.0, 0.0),
    row("lgamma", Nothing, f64::INFINITY, f64::INFINITY),
    special("lgamma_r", "lgamma_r(x, &whole)", f64::INFINITY, f64::INFINITY),
    row("log", Nothing, 3.0, 3.0),
    row("log10", Nothing, 3.0, 3.0),
    row("log1p", Nothing, 2.0, 2.0),
    row("log2", Nothing, 3.0, 3.0),
    row("logb", Nothing, 0.0, 0.0),
    special("modf", "modf(x, &part)", 0.0, 0.0),
    row("pow", Real, 16.0, 16.0),
    row("pown", Integer, 16.0, 16.0),
    row("powr", Real, 16.0, 16.0),
    row("radians", Nothing, 2.0, 2.0),
    row("remainder", Real, 0.0, 0.0),
    row("rint", Nothing, 0.0, 0.0),
    row("rootn", Integer, 16.0, 16.0),
    row("round", Nothing, 0.0, 0.0),
    row("rsqrt", Nothing, 2.0, 2.0),
    row("sign", Nothing, 0.0, 0.0),
    row("sin", Nothing, 4.0, 4.0),
    special("sincos", "sincos(x, &part)", 4.0, 4.0),
    special("sincos_cosine", "(sincos(x, &part), part)", 4.0, 4.0),
    row("sinh", Nothing, 4.0, 4.0),
    row("sinpi", Nothing, 4.0, 4.0),
    row("sqrt", Nothing, 3.0, 0.5),
    row("tan", Nothing, 5.0, 5.0),
    row("tanh", Nothing, 5.0, 5.0),
    row("tanpi", Nothing, 6.0, 6.0),
    row("tgamma", Nothing, 16.0, 16.0),
    row("trunc", Nothing, 0.0, 0.0),
];
