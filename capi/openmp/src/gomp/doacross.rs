//! libgomp's doacross loops.
//!
//! `counts` holds the trips of the loops of the nest, collapsed ones as one; the first dimension is the
//! loop whose iterations are dealt out. Iterations are named by logical indices, all from 0, and the
//! compiler itself skips those outside the nest.
//! Sources: libgomp's `libgomp_g.h`; OpenMP 5.2, section 15.9.5.
#![allow(unsafe_code)]

use super::loops_meet::{self as meet, Extras, numbered, runtime, schedule};
use super::loops_ull::size;
use libc::{c_long, c_uint, c_ulonglong, c_void};
use vicinity_runtime::thread;
use vicinity_runtime::worksharing::plan::{Kind, Order, Plan, Schedule, Space};
use vicinity_runtime::worksharing::{Dimension, Seat};

/// Enters a doacross nest.
unsafe fn open(counts: &[Dimension], schedule: Schedule, extras: Extras) {
    let seat = thread::seat();
    seat.begin_doacross(counts, true);
    let trips = counts.first().map_or(0, |dimension| dimension.trips);
    // Ordered makes chunks come front to back; nothing else follows from it without ordered regions.
    let plan = Plan::scheduled(Space::counted(trips), schedule, true);
    // SAFETY: the extras are the compiler's.
    unsafe { meet::open(seat, &Plan { ordered: false, ..plan }, extras) };
}

/// The compiler's array of trip counts.
unsafe fn dimensions<T: Copy + TryInto<u64>>(count: c_uint, counts: *const T) -> Vec<Dimension> {
    // SAFETY: the caller passes on an array of `count` counts.
    let counts = unsafe { std::slice::from_raw_parts(counts, count as usize) };
    counts.iter().map(|&trips| Dimension::counted(trips.try_into().unwrap_or(0))).collect()
}

/// Entry points of nests whose schedule is in the name, over `long` and over `unsigned long long`.
macro_rules! starts {
    ($($name:ident $name_ull:ident: $kind:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            count: c_uint,
            counts: *const c_long,
            chunk: c_long,
            first: *mut c_long,
            bound: *mut c_long,
        ) -> bool {
            let schedule = schedule(Kind::$kind, chunk, Order::Monotonic);
            // SAFETY: the arguments are the compiler's.
            unsafe {
                open(&dimensions(count, counts), schedule, Extras::NONE);
                meet::next(first, bound)
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name_ull(
            count: c_uint,
            counts: *const c_ulonglong,
            chunk: c_ulonglong,
            first: *mut c_ulonglong,
            bound: *mut c_ulonglong,
        ) -> bool {
            let schedule = schedule(Kind::$kind, size(chunk), Order::Monotonic);
            // SAFETY: the arguments are the compiler's.
            unsafe {
                open(&dimensions(count, counts), schedule, Extras::NONE);
                meet::next_ull(first, bound)
            }
        }
    )*};
}

starts! {
    GOMP_loop_doacross_static_start GOMP_loop_ull_doacross_static_start: Static;
    GOMP_loop_doacross_dynamic_start GOMP_loop_ull_doacross_dynamic_start: Dynamic;
    GOMP_loop_doacross_guided_start GOMP_loop_ull_doacross_guided_start: Guided;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_loop_doacross_runtime_start(
    count: c_uint,
    counts: *const c_long,
    first: *mut c_long,
    bound: *mut c_long,
) -> bool {
    // SAFETY: the arguments are the compiler's.
    unsafe {
        open(&dimensions(count, counts), runtime(Order::Monotonic), Extras::NONE);
        meet::next(first, bound)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_loop_ull_doacross_runtime_start(
    count: c_uint,
    counts: *const c_ulonglong,
    first: *mut c_ulonglong,
    bound: *mut c_ulonglong,
) -> bool {
    // SAFETY: the arguments are the compiler's.
    unsafe {
        open(&dimensions(count, counts), runtime(Order::Monotonic), Extras::NONE);
        meet::next_ull(first, bound)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_loop_doacross_start(
    count: c_uint,
    counts: *const c_long,
    sched: c_long,
    chunk: c_long,
    first: *mut c_long,
    bound: *mut c_long,
    reductions: *mut usize,
    mem: *mut *mut c_void,
) -> bool {
    let (schedule, extras) = (numbered(sched, chunk), Extras { reductions, mem });
    // SAFETY: the arguments are the compiler's.
    unsafe {
        open(&dimensions(count, counts), schedule, extras);
        meet::next(first, bound)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_loop_ull_doacross_start(
    count: c_uint,
    counts: *const c_ulonglong,
    sched: c_long,
    chunk: c_ulonglong,
    first: *mut c_ulonglong,
    bound: *mut c_ulonglong,
    reductions: *mut usize,
    mem: *mut *mut c_void,
) -> bool {
    let (schedule, extras) = (numbered(sched, size(chunk)), Extras { reductions, mem });
    // SAFETY: the arguments are the compiler's.
    unsafe {
        open(&dimensions(count, counts), schedule, extras);
        meet::next_ull(first, bound)
    }
}

/// The vector that names an iteration: as long as the open nest has dimensions.
///
/// # Safety
/// `vector` has that many elements, for as long as the slice is used.
unsafe fn vector<'a, T>(seat: Seat<'static>, vector: *const T) -> &'a [T] {
    match seat.doacross_dimensions() {
        0 => &[],
        // SAFETY: the caller's promise.
        count => unsafe { std::slice::from_raw_parts(vector, count) },
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_doacross_post(counts: *const c_long) {
    let seat = thread::seat();
    // SAFETY: the compiler's vector for this nest.
    seat.post(unsafe { vector(seat, counts) }.iter().copied());
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_doacross_ull_post(counts: *const c_ulonglong) {
    let seat = thread::seat();
    // SAFETY: the compiler's vector for this nest.
    seat.post(unsafe { vector(seat, counts) }.iter().map(|index| index.cast_signed()));
}

/// How many values `GOMP_doacross_wait` takes from its argument list; for the C shim.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_doacross_dims() -> c_uint {
    thread::seat().doacross_dimensions() as c_uint
}

/// `GOMP_doacross_wait`, its arguments gathered in an array by the C shim.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_doacross_wait(iteration: *const c_long) {
    let seat = thread::seat();
    // SAFETY: the shim's array has as many elements as the nest has dimensions.
    seat.wait_for(unsafe { vector(seat, iteration) }.iter().copied());
}

/// `GOMP_doacross_ull_wait`, likewise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_doacross_ull_wait(iteration: *const c_ulonglong) {
    let seat = thread::seat();
    // SAFETY: as above.
    seat.wait_for(unsafe { vector(seat, iteration) }.iter().map(|index| index.cast_signed()));
}
