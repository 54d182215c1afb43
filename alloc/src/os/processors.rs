//! How many processors this process can really use.
//!
//! That is the smaller of the affinity mask (which a cpuset also narrows) and the processor quota of
//! the control groups. Asked once at start-up; costs a few file reads, no topology discovery.

use super::{affinity, cgroup};

/// The number of processors worth a thread each; at least 1.
pub fn available_processors() -> u32 {
    let masked = match affinity::affinity_mask().len() {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        count => count,
    };
    smaller(masked, cgroup::quota_of_this_process())
}

fn smaller(masked: u32, quota: Option<u32>) -> u32 {
    quota.map_or(masked, |quota| quota.min(masked)).max(1)
}

/// Threads of the whole system that are running or want to run at this moment, the caller included.
///
/// Source: `proc_loadavg(5)`, fourth field. Takes some microseconds.
pub fn runnable_threads() -> Option<u32> {
    runnable_in(&std::fs::read_to_string("/proc/loadavg").ok()?)
}

fn runnable_in(loadavg: &str) -> Option<u32> {
    loadavg.split_whitespace().nth(3)?.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_the_caller_is_runnable() {
        assert_eq!(runnable_in("0.20 0.18 0.12 3/80 11206\n"), Some(3));
        assert_eq!(runnable_in("0.20 0.18"), None);
        assert!(runnable_threads().is_some_and(|threads| threads >= 1));
    }

    #[test]
    fn the_smaller_limit_counts_and_one_is_the_least() {
        assert_eq!(smaller(8, None), 8);
        assert_eq!(smaller(8, Some(3)), 3);
        assert_eq!(smaller(2, Some(30)), 2);
        assert_eq!(smaller(0, None), 1);
    }

    #[test]
    fn this_machine_has_processors() {
        let processors = available_processors();
        assert!(processors >= 1 && processors <= affinity::affinity_mask().len());
    }
}
