//! Loop nests that the compiler leaves to the runtime to collapse, as Intel's compilers do.
//!
//! The compiler fills one [`Bounds`] for each loop. A rectangular nest becomes one loop over numbers,
//! which is dealt as any other; each number gives a value to every variable. Of a nest whose inner
//! bounds read an outer variable, a thread is told its first and its last point, and the compiler's
//! code goes from the one to the other. Unlike libomp's, the threads' parts differ by at most one
//! iteration, also where the nest is no triangle.
//! Sources: libomp's `kmp_collapse.h` for what arguments mean; OpenMP 5.2, section 4.4.1.
#![allow(unsafe_code)]

use libc::c_void;
use vicinity_runtime::tool::abi::work;
use vicinity_runtime::worksharing::plan::chunks;
use vicinity_runtime::worksharing::plan::chunks::collapsed::{Kind, Level, Line, Nest};
use vicinity_runtime::{thread, tool};

/// How a loop compares its variable with the upper bound; 4 is greater.
mod comparison {
    pub const LESS_OR_EQUAL: i32 = 0;
    pub const GREATER_OR_EQUAL: i32 = 1;
    pub const NOT_EQUAL: i32 = 2;
    pub const LESS: i32 = 3;
}

/// One loop: each bound is `b0 + b1 * variable` of the loop with number `outer`. Of fields of 64 bits,
/// a loop of 32 bits uses the low half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Bounds {
    kind: i32,
    variable: i32,
    comparison: i32,
    outer: i32,
    lower0: u64,
    lower1: u64,
    upper0: u64,
    upper1: u64,
    step: i64,
    trips: u64,
}

/// The type with libomp's number: 8 to 64 bits, even numbers unsigned.
fn kind(number: i32) -> Kind {
    let bits = match number {
        0 | 1 => 8,
        2 | 3 => 16,
        4 | 5 => 32,
        _ => 64,
    };
    Kind { bits, signed: number % 2 != 0 }
}

/// What a value is in a field of 64 bits.
const fn word(value: i128) -> u64 {
    value as u64
}

impl Bounds {
    fn level(&self) -> Level {
        let kind = kind(self.kind);
        let signed = |word: u64| kind.signed().keep(word.into());
        let line = |base: u64, slope| Line { base: kind.keep(base.into()), slope: signed(slope) };
        let step = signed(self.step.cast_unsigned());
        let up = match self.comparison {
            comparison::NOT_EQUAL => step > 0,
            other => matches!(other, comparison::LESS | comparison::LESS_OR_EQUAL),
        };
        Level {
            kind,
            variable: self::kind(self.variable),
            outer: usize::try_from(self.outer).unwrap_or(0),
            lower: line(self.lower0, self.lower1),
            upper: line(self.upper0, self.upper1),
            open: self.comparison >= comparison::NOT_EQUAL,
            up,
            stride: step.abs().max(1),
        }
    }

    /// Has the compiler's code compare with `<=` or `>=`.
    fn close(&mut self, level: &Level) {
        let last = level.upper.base - if level.up { 1 } else { -1 };
        if level.open {
            self.upper0 = word(level.kind.keep(last));
        }
        self.comparison =
            if level.up { comparison::LESS_OR_EQUAL } else { comparison::GREATER_OR_EQUAL };
    }
}

/// Closes the loops; how they were before.
fn close(nest: &mut [Bounds]) -> Vec<Level> {
    let close = |bounds: &mut Bounds| {
        let level = bounds.level();
        bounds.close(&level);
        level
    };
    nest.iter_mut().map(close).collect()
}

/// The nest that a compiler passes.
///
/// # Safety
/// `nest` has `count` elements for as long as the slice is used, and nobody else uses them.
unsafe fn slice<'a>(nest: *mut Bounds, count: i32) -> &'a mut [Bounds] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(nest, usize::try_from(count).unwrap_or(0)) }
}

/// Counts the iterations of a rectangular nest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_process_loop_nest_rectang(
    _location: *const c_void,
    _thread: i32,
    nest: *mut Bounds,
    count: i32,
) -> u64 {
    // SAFETY: the thread's own array of that many loops.
    let nest = unsafe { slice(nest, count) };
    let levels = close(nest);
    for (bounds, level) in nest.iter_mut().zip(&levels) {
        bounds.trips = level.trips();
    }
    nest.iter().fold(1, |all, bounds| all.saturating_mul(bounds.trips))
}

/// The values of the variables in iteration `iteration` of a rectangular nest that was counted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_calc_original_ivs_rectang(
    _location: *const c_void,
    iteration: u64,
    nest: *const Bounds,
    values: *mut u64,
    count: i32,
) {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the compiler's arrays of that many elements.
    let (nest, values) = unsafe {
        (std::slice::from_raw_parts(nest, count), std::slice::from_raw_parts_mut(values, count))
    };
    let mut left = iteration;
    for (bounds, value) in nest.iter().zip(values).rev() {
        let trips = bounds.trips.max(1);
        *value = word(bounds.level().nth(left % trips));
        left /= trips;
    }
}

/// The part of one of `members` of a nest: its first and its last point, and whether it has the last
/// iteration of all.
fn part(levels: &[Level], members: u32, member: u32) -> Option<(Vec<i128>, Vec<i128>, bool)> {
    let mut nest = Nest::new(levels);
    let total = nest.iterations();
    let block = chunks::block(total, members, member);
    if tool::is_on() {
        tool::sync::work_begins(work::LOOP_STATIC, total);
    }
    if block.len == 0 {
        return None;
    }
    if tool::is_on() {
        tool::sync::chunk(block.first, block.len);
    }
    let first = nest.locate(block.first).to_vec();
    Some((first, nest.locate(block.end() - 1).to_vec(), block.end() == total))
}

/// Tells a thread its part of a nest under a static schedule; whether it has one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_for_collapsed_init(
    _location: *const c_void,
    _thread: i32,
    nest: *mut Bounds,
    own: *mut Bounds,
    count: i32,
    last: *mut i32,
) -> i32 {
    let seat = thread::seat();
    // SAFETY: the thread's own arrays of that many loops.
    let (nest, own) = unsafe { (slice(nest, count), slice(own, count)) };
    let part = part(&close(nest), seat.num_threads, seat.thread_num);
    if !last.is_null() {
        // SAFETY: the compiler's variable.
        unsafe { *last = part.as_ref().is_some_and(|part| part.2).into() };
    }
    let Some((first, last, _)) = part else { return 0 };
    let points = first.into_iter().zip(last);
    for ((own, bounds), (lower, upper)) in own.iter_mut().zip(nest).zip(points) {
        let (lower0, upper0) = (word(lower), word(upper));
        *own = Bounds { lower0, upper0, lower1: 0, upper1: 0, ..*bounds };
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    const I8: i32 = 1;
    const U32: i32 = 4;
    const I32: i32 = 5;
    const GREATER: i32 = 4;

    fn bounds(
        kind: i32,
        comparison: i32,
        lower: (i32, i32),
        upper: (i32, i32),
        step: i64,
    ) -> Bounds {
        // The unused halves hold what was there before.
        let half = |value: i32| u64::from(value.cast_unsigned()) | 0xabcd << 32;
        Bounds {
            kind,
            variable: kind,
            comparison,
            outer: 0,
            lower0: half(lower.0),
            lower1: half(lower.1),
            upper0: half(upper.0),
            upper1: half(upper.1),
            step,
            trips: 7,
        }
    }

    #[test]
    fn a_rectangular_nest_is_one_loop() {
        let mut nest = [
            bounds(I32, comparison::LESS, (-3, 0), (3, 0), 2),
            Bounds { variable: I8, ..bounds(I32, GREATER, (1, 0), (-4, 0), -2) },
            bounds(U32, comparison::NOT_EQUAL, (0, 0), (4, 0), 1),
        ];
        let pointer = nest.as_mut_ptr();
        // SAFETY: three loops.
        let total = unsafe { __kmpc_process_loop_nest_rectang(std::ptr::null(), 0, pointer, 3) };
        assert_eq!(total, 3 * 3 * 4);
        assert_eq!(nest.map(|one| one.comparison), [0, 1, 0]);
        assert_eq!(nest.map(|one| one.upper0), [2, 3u64.wrapping_neg(), 3]);
        let mut wanted = Vec::new();
        for i in [-3i64, -1, 1] {
            for j in [1i64, -1, -3] {
                wanted.extend((0..4).map(|k| [i.cast_unsigned(), j.cast_unsigned(), k]));
            }
        }
        for (iteration, wanted) in (0..).zip(wanted) {
            let mut values = [99; 3];
            let out = values.as_mut_ptr();
            // SAFETY: three loops and values.
            unsafe {
                __kmpc_calc_original_ivs_rectang(std::ptr::null(), iteration, pointer, out, 3);
            }
            assert_eq!(values, wanted);
        }
    }

    #[test]
    fn parts_of_a_triangle_differ_by_one_iteration_and_follow_each_other() {
        // for (i = 0; i < 10; i++) for (j = 0; j < i; j++): 45 iterations.
        let mut nest = [
            bounds(U32, comparison::LESS, (0, 0), (10, 0), 1),
            bounds(U32, comparison::LESS, (0, 0), (0, 1), 1),
        ];
        let levels = close(&mut nest);
        let all: Vec<_> = (0..10).flat_map(|i| (0..i).map(move |j| vec![i, j])).collect();
        let mut next = 0;
        for member in 0..4 {
            let (first, last, has_last) = part(&levels, 4, member).expect("a part");
            let (from, to) = (next, next + if member == 0 { 12 } else { 11 });
            assert_eq!((&first, &last), (&all[from], &all[to - 1]));
            assert_eq!(has_last, member == 3);
            next = to;
        }
        assert!(part(&levels, 46, 45).is_none());
    }

    #[test]
    fn nonsense_does_no_harm() {
        let mut nest = [bounds(99, 77, (0, 0), (5, 3), 0); 2];
        nest[1].outer = -4;
        let levels = close(&mut nest);
        assert!(part(&levels, 1, 0).is_none());
        nest[0].trips = 0;
        let mut value = 0;
        // SAFETY: one loop and value.
        unsafe {
            let value = &raw mut value;
            __kmpc_calc_original_ivs_rectang(std::ptr::null(), 5, nest.as_ptr(), value, 1);
        }
    }
}
