//! `omp_set_schedule` and `omp_get_schedule`: run-sched-var as a kind and a chunk size.
//!
//! A kind is 1 static, 2 dynamic, 3 guided, 4 auto; the highest bit says monotonic.
//! Source: OpenMP 5.2, sections 18.2.11 and 18.2.12; numbers of `omp_sched_t`: `omp.h`.
#![allow(unsafe_code)]

use super::narrow;
use std::ffi::c_int;
use vicinity_policy::schedule::{Kind, Order, Schedule};
use vicinity_runtime::icv;

const MONOTONIC: c_int = c_int::MIN;

/// None for a kind that does not exist: nothing is changed then. A chunk below 1 means none.
fn decode(kind: c_int, chunk: c_int) -> Option<Schedule> {
    let order = if kind & MONOTONIC != 0 { Order::Monotonic } else { Order::Unspecified };
    let kind = match kind & !MONOTONIC {
        1 => Kind::Static,
        2 => Kind::Dynamic,
        3 => Kind::Guided,
        4 => Kind::Auto,
        _ => return None,
    };
    let chunk = u64::try_from(chunk).unwrap_or(0);
    let chunk = match kind {
        Kind::Static => chunk,
        Kind::Dynamic | Kind::Guided => chunk.max(1),
        Kind::Auto => 1,
    };
    Some(Schedule { kind, chunk, order })
}

fn encode(schedule: Schedule) -> (c_int, c_int) {
    let kind = match schedule.kind {
        Kind::Static => 1,
        Kind::Dynamic => 2,
        Kind::Guided => 3,
        Kind::Auto => 4,
    };
    let order = if schedule.order == Order::Monotonic { MONOTONIC } else { 0 };
    (kind | order, c_int::try_from(schedule.chunk).unwrap_or(c_int::MAX))
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_set_schedule(kind: c_int, chunk: c_int) {
    if let Some(schedule) = decode(kind, chunk) {
        icv::update(|icvs| icvs.schedule = schedule);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn ompc_set_schedule(kind: c_int, chunk: c_int) {
    omp_set_schedule(kind, chunk);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_set_schedule_(kind: *const i32, chunk: *const i32) {
    // SAFETY: Fortran passes valid references.
    unsafe { omp_set_schedule(*kind, *chunk) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_set_schedule_8_(kind: *const i32, chunk: *const i64) {
    // SAFETY: Fortran passes valid references.
    unsafe { omp_set_schedule(*kind, narrow(*chunk)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_schedule(kind: *mut c_int, chunk: *mut c_int) {
    // SAFETY: the program passes places for two integers.
    unsafe { (*kind, *chunk) = encode(icv::run_schedule()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_schedule_(kind: *mut i32, chunk: *mut i32) {
    // SAFETY: Fortran passes valid references.
    unsafe { omp_get_schedule(kind, chunk) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_schedule_8_(kind: *mut i32, chunk: *mut i64) {
    let (found, size) = encode(icv::run_schedule());
    // SAFETY: Fortran passes valid references.
    unsafe { (*kind, *chunk) = (found, size.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_what_one_gets() {
        for (set, got) in [
            ((1, 0), (1, 0)),
            ((1, -5), (1, 0)),
            ((2, 0), (2, 1)),
            ((3 | MONOTONIC, 7), (3 | MONOTONIC, 7)),
            ((4, 9), (4, 1)),
        ] {
            assert_eq!(decode(set.0, set.1).map(encode), Some(got));
        }
        assert_eq!(decode(0, 1), None);
        assert_eq!(decode(5, 1), None);
    }
}
