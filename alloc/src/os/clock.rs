//! The time since some moment in the past, in seconds; it never goes back.
//!
//! Source: `clock_gettime(2)`, `CLOCK_MONOTONIC`.
#![allow(unsafe_code)]

/// Seconds since a moment that stays the same while the system runs.
pub fn now_s() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid place for the answer; this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    seconds(now)
}

/// The same in milliseconds, some milliseconds late, and several times as cheap.
pub fn now_coarse_ms() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: as in `now_s`.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &mut now) };
    now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000
}

/// Seconds between two ticks.
pub fn resolution_s() -> f64 {
    let mut tick = libc::timespec { tv_sec: 0, tv_nsec: 1 };
    // SAFETY: as in `now_s`.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &mut tick) };
    seconds(tick)
}

fn seconds(time: libc::timespec) -> f64 {
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    #[test]
    fn time_goes_on() {
        let start = super::now_s();
        let tick = super::resolution_s();
        assert!(start > 0.0 && tick > 0.0 && tick < 1.0);
        assert!(super::now_s() >= start);
        let coarse_s = super::now_coarse_ms() as f64 / 1000.0;
        assert!((coarse_s - super::now_s()).abs() < 10.0);
    }
}
