//! What gcc 17 asks where a loop is divided statically: how many threads or teams there are, and which one asks, in one
//! call. The compiler computes the iterations itself.
//!
//! With `-fopenmp-ompt` gcc calls the forms that end in `_start` and `_end` for tools, and `_dispatch` for each share.
//! Source: libgomp's manual and `libgomp.map` (GOMP_6.0.2, July 2026).
#![allow(unsafe_code)]

use libc::{c_int, c_ulonglong};
use vicinity_runtime::tool::abi::work;
use vicinity_runtime::{thread, tool};

/// A `_Complex int`, as it is returned: the count in the low half (its real part), the number in the high one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Share(u64);

impl Share {
    fn new(count: u32, number: u32) -> Share {
        Share(u64::from(number) << 32 | u64::from(count))
    }
}

fn of_team() -> Share {
    let member = thread::current().member();
    Share::new(member.team().size(), member.num)
}

fn of_league() -> Share {
    let nest = thread::current().member().team().nest();
    Share::new(nest.num_teams, nest.team_num)
}

fn begins(kind: c_int, iterations: c_ulonglong) {
    if tool::is_on() {
        tool::sync::work_begins(kind, iterations);
    }
}

fn ends() {
    if tool::is_on() {
        tool::sync::leaves();
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_loop_static_worksharing(_iterations: c_ulonglong) -> Share {
    of_team()
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_loop_static_worksharing_start(iterations: c_ulonglong) -> Share {
    begins(work::LOOP_STATIC, iterations);
    of_team()
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_loop_static_worksharing_dispatch(first: c_ulonglong, count: c_ulonglong) {
    if tool::is_on() {
        tool::sync::chunk(first, count);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_loop_static_worksharing_end() {
    ends();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_distribute_static_worksharing(_iterations: c_ulonglong) -> Share {
    of_league()
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_distribute_static_worksharing_start(iterations: c_ulonglong) -> Share {
    begins(work::DISTRIBUTE, iterations);
    of_league()
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_distribute_static_worksharing_dispatch(
    first: c_ulonglong,
    count: c_ulonglong,
) {
    if tool::is_on() {
        tool::sync::chunk(first, count);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_distribute_static_worksharing_end() {
    ends();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_the_real_part() {
        assert_eq!(Share::new(8, 3), Share(0x3_0000_0008));
        assert_eq!(GOMP_loop_static_worksharing(10), Share::new(1, 0));
    }
}
