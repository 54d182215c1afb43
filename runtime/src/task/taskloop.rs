//! How the iterations of a taskloop are shared out among its tasks.
//!
//! Terms: iterations are counted from 0; a *share* is the run of iterations that one task gets.
//! Source: OpenMP 5.2 section 12.6 (taskloop), 12.6.1 (grainsize), 12.6.2 (num_tasks).

use std::ops::Range;

/// What the clauses ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Neither clause.
    Free,
    /// So many iterations a task: at least, and less than twice as many; exactly if strict.
    Size { iterations: u64, strict: bool },
    /// So many tasks, or one an iteration if there are fewer.
    Tasks(u64),
}

/// Tasks for each thread where the program leaves it open: enough to even out what they take.
const TASKS_A_THREAD: u64 = 8;

/// Shares of a taskloop: the first `longer` have one iteration more than `size`, the last ends
/// with the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    pub tasks: u64,
    size: u64,
    longer: u64,
    trips: u64,
}

impl Shares {
    pub fn new(trips: u64, grain: Grain, threads: u32) -> Shares {
        match grain {
            Grain::Free if threads == 1 => Shares::even(trips, 1),
            Grain::Free => Shares::even(trips, u64::from(threads) * TASKS_A_THREAD),
            Grain::Tasks(tasks) => Shares::even(trips, tasks),
            Grain::Size { iterations, strict: false } => {
                Shares::even(trips, trips / iterations.max(1))
            }
            Grain::Size { iterations, strict: true } => {
                let size = iterations.max(1);
                Shares { tasks: trips.div_ceil(size), size, longer: 0, trips }
            }
        }
    }

    fn even(trips: u64, tasks: u64) -> Shares {
        let tasks = tasks.clamp(1, trips.max(1));
        Shares { tasks, size: trips / tasks, longer: trips % tasks, trips }
    }

    /// The first iteration of a share; behind the last one, the number of iterations.
    pub fn first(&self, share: u64) -> u64 {
        let plain = share.saturating_mul(self.size);
        plain.saturating_add(share.min(self.longer)).min(self.trips)
    }

    /// How many iterations each share of a run of them has, in order.
    #[inline(always)]
    pub fn sizes(self, shares: Range<u64>) -> impl Iterator<Item = u64> {
        let mut left = self.trips - self.first(shares.start);
        shares.map(move |share| {
            let size = (self.size + u64::from(share < self.longer)).min(left);
            left -= size;
            size
        })
    }

    pub fn is_last(&self, share: u64) -> bool {
        share + 1 == self.tasks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(trips: u64, grain: Grain, threads: u32) -> Vec<u64> {
        let shares = Shares::new(trips, grain, threads);
        let all: Vec<u64> = shares.sizes(0..shares.tasks).collect();
        let half = shares.tasks / 2;
        let halves = shares.sizes(0..half).chain(shares.sizes(half..shares.tasks));
        assert_eq!(halves.collect::<Vec<_>>(), all);
        all
    }

    #[test]
    fn num_tasks_are_even_and_never_empty() {
        assert_eq!(sizes(10, Grain::Tasks(4), 1), [3, 3, 2, 2]);
        assert_eq!(sizes(3, Grain::Tasks(8), 1), [1, 1, 1]);
    }

    #[test]
    fn a_grainsize_is_a_lower_bound_unless_it_is_strict() {
        for trips in 1..60 {
            for iterations in 1..20 {
                let loose = sizes(trips, Grain::Size { iterations, strict: false }, 4);
                assert_eq!(loose.iter().sum::<u64>(), trips);
                let enough = |&size: &u64| size >= iterations && size < 2 * iterations;
                assert!(trips < iterations || loose.iter().all(enough));
                let strict = sizes(trips, Grain::Size { iterations, strict: true }, 4);
                assert_eq!(strict.iter().sum::<u64>(), trips);
                assert!(strict.iter().rev().skip(1).all(|&size| size == iterations));
            }
        }
    }

    #[test]
    fn without_clauses_one_thread_gets_it_all() {
        assert_eq!(sizes(100, Grain::Free, 1), [100]);
        assert_eq!(sizes(100, Grain::Free, 2).len(), 16);
    }
}
