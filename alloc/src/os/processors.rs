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

#[cfg(test)]
mod tests {
    use super::*;

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
