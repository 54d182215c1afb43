//! From ticks to nanoseconds.
//!
//! Ticks are those of `thread::clock`. How long one is, is measured against the system's clock between the start of
//! the trace and its first use, and stays so for the whole trace, so that times keep their order.

use super::os;
use crate::thread::clock::ticks;
use vicinity_alloc::os::process;

/// A moment on both clocks.
#[derive(Clone, Copy)]
pub struct Start {
    pub ticks: u64,
    /// Of the machine: the same for all its processes.
    pub ns: u64,
    /// Since 1970.
    pub utc_ns: u64,
    /// For which threads of the process had waited for a processor; none where the kernel does not count that.
    pub run_delay_ns: Option<u64>,
}

impl Start {
    pub fn now() -> Start {
        let (ns, utc_ns) = os::clocks_ns();
        Start { ticks: ticks(), ns, utc_ns, run_delay_ns: process::run_delay_ns() }
    }
}

/// The shortest measurement: an error of 100 ns in reading the clocks is then 50 parts in a million.
const LEAST_NS: u64 = 2_000_000;

/// Nanoseconds in a tick, as a fraction of 2^32.
#[derive(Clone, Copy)]
pub struct Scale {
    start: u64,
    ns_in_tick: u64,
}

impl Scale {
    /// Measures from `start` to now; waits where that is too short.
    pub fn measure(start: Start) -> Scale {
        loop {
            let (now, at) = (os::clocks_ns().0, ticks());
            if now - start.ns >= LEAST_NS {
                return Scale::new(start.ticks, at - start.ticks, now - start.ns);
            }
            std::hint::spin_loop();
        }
    }

    fn new(start: u64, ticks: u64, ns: u64) -> Scale {
        let ns_in_tick = (u128::from(ns) << 32) / u128::from(ticks.max(1));
        Scale { start, ns_in_tick: ns_in_tick as u64 }
    }

    /// Nanoseconds from the start; 0 before it.
    pub fn ns(&self, ticks: u64) -> u64 {
        let ticks = ticks.saturating_sub(self.start);
        ((u128::from(ticks) * u128::from(self.ns_in_tick)) >> 32) as u64
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_scaled_from_the_start() {
        let scale = Scale::new(1000, 2_600_000, 1_000_000);
        assert_eq!((scale.ns(0), scale.ns(1000)), (0, 0));
        assert!(scale.ns(1000 + 2600).abs_diff(1000) <= 1);
        let day = 86_400_000_000_000u64;
        assert!(scale.ns(1000 + day / 10 * 26).abs_diff(day) < 100_000);
    }

    #[test]
    fn a_measured_scale_follows_the_clock() {
        let start = Start::now();
        let scale = Scale::measure(start);
        let (before, from) = (os::clocks_ns().0, ticks());
        std::thread::sleep(std::time::Duration::from_millis(5));
        let (passed, after) = (scale.ns(ticks()) - scale.ns(from), os::clocks_ns().0);
        assert!(passed.abs_diff(after - before) < 200_000, "{passed} ns of {}", after - before);
    }
}
