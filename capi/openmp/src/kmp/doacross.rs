//! libomp's doacross loops: the nest is announced before the loop that deals its iterations, and left
//! after it. Iterations are named by the values of the induction variables; those outside the nest are
//! never waited for.
//!
//! Sources: libomp's `kmp.h` (struct kmp_dim); OpenMP 5.2, section 15.9.5.
#![allow(unsafe_code)]

use libc::c_void;
use vicinity_runtime::thread;
use vicinity_runtime::worksharing::{Dimension, Seat};

/// One loop of the nest, closed.
#[repr(C)]
pub struct Bounds {
    lower: i64,
    upper: i64,
    step: i64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_init(
    _location: *const c_void,
    _thread: i32,
    count: i32,
    bounds: *const Bounds,
) {
    // SAFETY: the compiler's array of that many bounds.
    let bounds = unsafe { std::slice::from_raw_parts(bounds, usize::try_from(count).unwrap_or(0)) };
    let dimensions: Vec<_> = bounds
        .iter()
        .map(|loop_| Dimension::closed(loop_.lower, loop_.upper, loop_.step))
        .collect();
    // Which loops are collapsed is not told, so a row may run on several threads.
    thread::seat().begin_doacross(&dimensions, false);
}

/// The vector that names an iteration: as long as the open nest has dimensions.
///
/// # Safety
/// `vector` has that many elements, for as long as the slice is used.
unsafe fn vector<'a>(seat: Seat<'static>, vector: *const i64) -> &'a [i64] {
    match seat.doacross_dimensions() {
        0 => &[],
        // SAFETY: the caller's promise.
        count => unsafe { std::slice::from_raw_parts(vector, count) },
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_post(
    _location: *const c_void,
    _thread: i32,
    iteration: *const i64,
) {
    let seat = thread::seat();
    // SAFETY: the compiler's vector for this nest.
    seat.post(unsafe { vector(seat, iteration) }.iter().copied());
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_wait(
    _location: *const c_void,
    _thread: i32,
    iteration: *const i64,
) {
    let seat = thread::seat();
    // SAFETY: the compiler's vector for this nest.
    seat.wait_for(unsafe { vector(seat, iteration) }.iter().copied());
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_doacross_fini(_location: *const c_void, _thread: i32) {
    thread::seat().end_doacross();
}
