//! Reductions: numbers in memory to which a kernel only adds, say. Each block of work-groups has a copy of them for itself, and takes it
//! into the memory afterwards: nobody can tell, and no two threads want the same line of memory for each number that is added.
//!
//! That is worth it where a block takes longer than to set its copy to what changes nothing, and to take it over. Both read and
//! write memory in order, so a number costs a few nanoseconds; the launch is cut into blocks accordingly.
//!
//! Source: docs/kernel-abi.md, `reductions`.
#![allow(unsafe_code)]

use crate::core::kernel::Block;
use crate::core::memory::{Address, Memory};
use crate::core::program::description::{KernelDescription, Operation, Reduction};
use crate::core::program::executable::aligned;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Copies are for the cache that a thread has for itself.
const MOST_BYTES: usize = 256 << 10;
/// What a number of a copy costs.
const NUMBER_NS: f64 = 4.0;
/// A block takes at least so many times as long as its copies.
const TIMES: f64 = 4.0;
/// What a work-item takes, where nothing is known of it.
const UNKNOWN_ITEM_NS: f32 = 1.0;

/// The copies of a block.
#[derive(Clone)]
pub struct Copies {
    all: SmallVec<[Copy; 2]>,
    bytes: usize,
}

#[derive(Clone)]
struct Copy {
    reduction: Reduction,
    /// The argument's place in the block of arguments.
    word: usize,
    shared: Address,
    numbers: usize,
    /// Where it is among the copies, in bytes.
    offset: usize,
}

impl Copies {
    /// Those for a kernel with these arguments, of which no two pointers lead to the same memory. None if it reduces nothing, too much,
    /// or in memory where the program may look while the kernel runs.
    pub fn of(kernel: &KernelDescription, arguments: &Block) -> Option<Copies> {
        let mut copies = Copies { all: SmallVec::new(), bytes: 0 };
        for reduction in &kernel.reductions {
            let argument = kernel.arguments.get(reduction.argument)?;
            let (shared, bytes) = arguments.unseen(reduction.argument, argument)?;
            let range = shared.number()..shared.number() + bytes;
            // Images are no pointers.
            let mut objects = arguments.memory.iter();
            let is_seen =
                objects.any(|(index, it)| *index != reduction.argument && overlap(it, &range));
            let is_aligned = shared.number().is_multiple_of(reduction.bytes);
            if is_seen || !is_aligned || reduction.operation == Operation::Other {
                return None;
            }
            copies.all.push(Copy {
                reduction: *reduction,
                word: argument.offset / size_of::<u64>(),
                shared,
                numbers: bytes / reduction.bytes,
                offset: copies.bytes,
            });
            copies.bytes = copies.bytes.checked_add(aligned(bytes)?)?;
        }
        (!copies.all.is_empty() && copies.bytes <= MOST_BYTES).then_some(copies)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn numbers(&self) -> usize {
        self.all.iter().map(|copy| copy.numbers).sum()
    }

    /// Whether they are worth it in a launch of so many items.
    pub fn pay(&self, items: usize, item_ns: Option<f32>, workers: usize) -> bool {
        least_items(self.numbers(), item_ns) * workers.max(1) as f64 <= items as f64
    }

    /// How many work-groups of so many items each a block has at least.
    pub fn least_groups(&self, items: usize, item_ns: Option<f32>) -> usize {
        (least_items(self.numbers(), item_ns) / items.max(1) as f64).ceil() as usize
    }

    /// Sets the copies to what changes nothing, and lets arguments lead to them.
    ///
    /// # Safety
    /// `memory` is this thread's, aligned to 8 bytes, and has as many bytes as these need; `words` are the arguments of such a launch.
    pub unsafe fn begin(&self, memory: *mut u8, words: *mut u64) {
        for Copy { reduction, word, numbers, offset, .. } in &self.all {
            // SAFETY: the caller's promise; there is room for so many numbers behind the offset.
            unsafe {
                let own = memory.add(*offset);
                let first = reduction.operation.neutral(reduction.bytes);
                match reduction.bytes {
                    4 => (0..*numbers).for_each(|at| own.cast::<u32>().add(at).write(first as u32)),
                    _ => (0..*numbers).for_each(|at| own.cast::<u64>().add(at).write(first)),
                }
                words.add(*word).write(own as u64);
            }
        }
    }

    /// Takes the copies into the memory.
    ///
    /// # Safety
    /// `memory` is that of `begin`; the memory objects are there.
    pub unsafe fn merge(&self, memory: *const u8) {
        for Copy { reduction, shared, numbers, offset, .. } in &self.all {
            for at in (0..*numbers).map(|number| number * reduction.bytes) {
                // SAFETY: the caller's promise; `of` has counted the numbers.
                unsafe { take(*reduction, shared.pointer().add(at), memory.add(offset + at)) };
            }
        }
    }
}

/// Makes one number of a shared one and one's own. Relaxed: other blocks do so with the same, and that the command is finished
/// publishes them.
///
/// # Safety
/// Both are numbers of the reduction, aligned, and nobody else has the second.
unsafe fn take(reduction: Reduction, shared: *mut u8, own: *const u8) {
    let Reduction { operation, bytes, .. } = reduction;
    let sum = |old, own| operation.of(old, own, bytes);
    let changes = |own| own != operation.neutral(bytes);
    // SAFETY: the caller's promise.
    unsafe {
        if bytes == 4 {
            let own = u64::from(own.cast::<u32>().read());
            let sum = |old| Some(sum(u64::from(old), own) as u32);
            if changes(own) {
                _ = AtomicU32::from_ptr(shared.cast()).fetch_update(Relaxed, Relaxed, sum);
            }
        } else {
            let own = own.cast::<u64>().read();
            if changes(own) {
                let sum = |old| Some(sum(old, own));
                _ = AtomicU64::from_ptr(shared.cast()).fetch_update(Relaxed, Relaxed, sum);
            }
        }
    }
}

fn overlap(memory: &Memory, range: &Range<usize>) -> bool {
    let begin = memory.address().number();
    begin < range.end && range.start < begin + memory.size_bytes()
}

/// How many items a block has at least.
fn least_items(numbers: usize, item_ns: Option<f32>) -> f64 {
    numbers as f64 * NUMBER_NS * TIMES / f64::from(item_ns.unwrap_or(UNKNOWN_ITEM_NS))
}

impl Operation {
    /// The number that changes nothing, in its lowest bytes.
    fn neutral(self, bytes: usize) -> u64 {
        let all = u64::MAX >> (64 - 8 * bytes);
        match self {
            Operation::And | Operation::UnsignedMin => all,
            Operation::Min => all >> 1,
            Operation::Max => all ^ all >> 1,
            _ => 0,
        }
    }

    /// What becomes of two numbers, in its lowest bytes.
    fn of(self, a: u64, b: u64, bytes: usize) -> u64 {
        let unused = 64 - 8 * bytes;
        let signed = |number: u64| (number << unused) as i64;
        match self {
            Operation::Add => a.wrapping_add(b),
            Operation::And => a & b,
            Operation::Or => a | b,
            Operation::Xor => a ^ b,
            Operation::Min if signed(b) < signed(a) => b,
            Operation::Max if signed(b) > signed(a) => b,
            Operation::UnsignedMin => a.min(b),
            Operation::UnsignedMax => a.max(b),
            Operation::Min | Operation::Max | Operation::Other => a,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operation::*;

    #[test]
    fn what_is_neutral_changes_nothing() {
        for bytes in [4, 8] {
            let all = u64::MAX >> (64 - 8 * bytes);
            for operation in [Add, And, Or, Xor, Min, Max, UnsignedMin, UnsignedMax] {
                for number in [0, 1, all, all >> 1, (all >> 1) + 1, 77] {
                    let sum = operation.of(number, operation.neutral(bytes), bytes) & all;
                    assert_eq!(sum, number, "{operation:?}, {bytes} bytes");
                }
            }
        }
    }

    #[test]
    fn the_least_is_by_sign_where_numbers_have_one() {
        let minus = |number: u32| u64::from(number.wrapping_neg());
        assert_eq!(Min.of(3, minus(5), 4), minus(5));
        assert_eq!(Max.of(minus(7), minus(5), 4), minus(5));
        assert_eq!(UnsignedMin.of(3, minus(5), 4), 3);
        assert_eq!(Max.of(3, 5_u64.wrapping_neg(), 8), 3);
    }

    fn copies(numbers: usize, operation: Operation, bytes: usize, shared: *mut u8) -> Copies {
        let reduction = Reduction { argument: 0, operation, bytes };
        let shared = Address::new(shared.cast());
        let copy = Copy { reduction, word: 1, shared, numbers, offset: 0 };
        Copies { all: SmallVec::from_iter([copy]), bytes: numbers * bytes }
    }

    #[test]
    fn copies_are_taken_into_the_memory() {
        let (mut shared, mut own) = ([5_u32, 6, 7], [1_u64; 2]);
        let mut words = [0_u64; 2];
        let copies = copies(3, Add, 4, shared.as_mut_ptr().cast());
        // SAFETY: there is room for three numbers of four bytes.
        unsafe {
            copies.begin(own.as_mut_ptr().cast(), words.as_mut_ptr());
            assert_eq!(words, [0, own.as_ptr() as u64]);
            let numbers = words[1] as *mut u32;
            numbers.add(1).write(numbers.add(1).read().wrapping_sub(10));
            copies.merge(own.as_ptr().cast());
        }
        assert_eq!(shared, [5, 6_u32.wrapping_sub(10), 7]);
    }

    #[test]
    fn blocks_take_longer_than_their_copies() {
        let copies = copies(256, Add, 4, std::ptr::null_mut());
        // 256 numbers of 4 ns, 4 times: 4096 ns.
        assert_eq!(copies.least_groups(64, Some(2.0)), 32);
        assert!(copies.pay(4096, Some(2.0), 2) && !copies.pay(4095, Some(2.0), 2));
        assert!(copies.pay(8192, None, 2) && !copies.pay(8191, None, 2));
    }
}
