//! Copies of numbers that a kernel reduces, as a launch gives them to a part of its groups.

use vicinity_translator::kernel::reductions::Operation::*;
use vicinity_translator::kernel::reductions::Reduction;
use vicinity_translator::report::describe::Kernel;

use super::Argument;

/// What a launch gives a part of its groups in place of the arguments that they reduce.
pub struct Copies(Vec<(Reduction, Vec<u64>)>);

impl Copies {
    pub fn of(described: &Kernel, arguments: &[Argument]) -> Copies {
        let copy = |reduction: &Reduction| {
            let Argument::Buffer(shared) = &arguments[reduction.argument as usize] else {
                panic!("a buffer is reduced")
            };
            let one = begins_with(*reduction);
            let whole = if reduction.bytes == 4 { one << 32 | one } else { one };
            (*reduction, vec![whole; shared.len().div_ceil(8)])
        };
        Copies(described.reductions.iter().map(copy).collect())
    }

    /// Their arguments and addresses.
    pub fn places(&mut self) -> impl Iterator<Item = (usize, u64)> {
        self.0.iter_mut().map(|(it, copy)| (it.argument as usize, copy.as_mut_ptr() as u64))
    }

    /// Takes them into what the arguments lead to.
    pub fn merge(&self, arguments: &mut [Argument]) {
        for (reduction, copy) in &self.0 {
            let Argument::Buffer(shared) = &mut arguments[reduction.argument as usize] else {
                panic!("a buffer is reduced")
            };
            let size = reduction.bytes as usize;
            let own: Vec<u8> = copy.iter().flat_map(|word| word.to_le_bytes()).collect();
            for (shared, own) in shared.chunks_exact_mut(size).zip(own.chunks_exact(size)) {
                let sum = combine(*reduction, number(shared), number(own));
                shared.copy_from_slice(&sum.to_le_bytes()[..size]);
            }
        }
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Sign-extends a number of so many bytes.
fn signed(number: u64, bytes: u32) -> i64 {
    let unused = 64 - 8 * bytes;
    (number << unused) as i64 >> unused
}

fn begins_with(Reduction { operation, bytes, .. }: Reduction) -> u64 {
    let all = u64::MAX >> (64 - 8 * bytes);
    match operation {
        Add | Or | Xor | UnsignedMax => 0,
        And | UnsignedMin => all,
        Min => all >> 1,
        Max => all ^ all >> 1,
    }
}

fn combine(Reduction { operation, bytes, .. }: Reduction, a: u64, b: u64) -> u64 {
    let by_sign = |chooses: fn(i64, i64) -> i64| chooses(signed(a, bytes), signed(b, bytes)) as u64;
    match operation {
        Add => a.wrapping_add(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Min => by_sign(i64::min),
        Max => by_sign(i64::max),
        UnsignedMin => a.min(b),
        UnsignedMax => a.max(b),
    }
}
