//! Divisions of vectors of 64-bit integers, by way of floating point.
//!
//! Numbers are divided without their signs. Terms: the *estimate* is the quotient in double precision, of the dividend times an
//! inverse of the divisor that is too small by 2^-50 of itself. Five roundings, of 2^-53 each at most, do not make up for that, so that the
//! estimate is never above the quotient; and it is below by less than 2^-49 of it, which is less than 2^15. So what the estimate leaves of the
//! dividend is no negative number, and less than the divisor and 2^15. Of divisors below 2^15 it is divided once more; then once the
//! divisor is left of it at most.

use super::quotients::Kind;
use crate::llvm::{Builder, IntPredicate, Machine, Opcode, Value};

/// What an inverse is of, in place of 1.
const NEARLY_ONE: f64 = 1.0 - 1.0 / (1u64 << 50) as f64;

/// Divisors from here on leave less than twice of themselves.
const LARGE: u64 = 1 << 15;

/// Whether a machine has what this takes: vectors of 64-bit integers become numbers in floating point, and back.
pub fn suits(machine: &Machine) -> bool {
    machine.has("avx512dq")
}

/// A division of vectors, `a` by `b`; none by constants for which shifts do. `shared`: the divisor, if all items have the same.
pub fn divided(
    builder: &Builder,
    kind: Kind,
    [a, b]: [Value; 2],
    shared: Option<Value>,
) -> Option<Value> {
    let constant = shared.and_then(|divisor| match kind.signed {
        true => divisor.signed().map(i64::unsigned_abs),
        false => divisor.unsigned(),
    });
    if constant.is_some_and(u64::is_power_of_two) {
        return None;
    }
    let (above, sign) = absolute(builder, kind, a);
    let (below, other_sign) = absolute(builder, kind, shared.unwrap_or(b));
    let inverse = inverse(builder, below);
    let of_all = |value| builder.splat(value, a.ty().count());
    let (below, inverse, other_sign) = match shared {
        Some(_) => (of_all(below), of_all(inverse), other_sign.map(of_all)),
        None => (below, inverse, other_sign),
    };
    let is_large = constant.is_some_and(|divisor| divisor >= LARGE);
    let all = Division { builder, below, inverse };
    let (mut quotient, mut left) = all.estimated(above);
    if !is_large {
        let (more, rest) = all.estimated(left);
        (quotient, left) = (builder.add(quotient, more), rest);
    }
    let again = builder.compare(IntPredicate::LLVMIntUGE, left, below);
    let once_more = |yes: Value, no: Value| builder.select(again, yes, no);
    Some(match kind.remainder {
        true => with_sign(builder, once_more(builder.sub(left, below), left), sign),
        false => {
            let one = a.ty().splat(1);
            let quotient = once_more(builder.add(quotient, one), quotient);
            let sign = sign.zip(other_sign).map(|(a, b)| builder.binary(Opcode::LLVMXor, a, b));
            with_sign(builder, quotient, sign)
        }
    })
}

struct Division<'a> {
    builder: &'a Builder,
    below: Value,
    inverse: Value,
}

impl Division<'_> {
    /// A quotient that may be too small, and what it leaves.
    fn estimated(&self, above: Value) -> (Value, Value) {
        let builder = self.builder;
        let number = builder.cast(Opcode::LLVMUIToFP, above, self.inverse.ty());
        let quotient = builder.binary(Opcode::LLVMFMul, number, self.inverse);
        let quotient = builder.cast(Opcode::LLVMFPToUI, quotient, above.ty());
        (quotient, builder.sub(above, builder.mul(quotient, self.below)))
    }
}

/// Of a divisor without sign, or a vector of them.
fn inverse(builder: &Builder, divisor: Value) -> Value {
    let one = builder.context().double();
    let (number, above) = match divisor.ty().is_vector() {
        true => {
            let count = divisor.ty().count();
            (one.vector(count), builder.splat(one.real(NEARLY_ONE), count))
        }
        false => (one, one.real(NEARLY_ONE)),
    };
    builder.divide(above, builder.cast(Opcode::LLVMUIToFP, divisor, number))
}

/// A number without its sign, and the sign: all bits, where it is negative.
fn absolute(builder: &Builder, kind: Kind, number: Value) -> (Value, Option<Value>) {
    if !kind.signed {
        return (number, None);
    }
    let sign = builder.compare(IntPredicate::LLVMIntSLT, number, number.ty().zero());
    let sign = builder.cast(Opcode::LLVMSExt, sign, number.ty());
    (with_sign(builder, number, Some(sign)), Some(sign))
}

fn with_sign(builder: &Builder, number: Value, sign: Option<Value>) -> Value {
    let turned = |sign| builder.sub(builder.binary(Opcode::LLVMXor, number, sign), sign);
    sign.map_or(number, turned)
}
