//! Which place a thread of a new team is bound to: the rules of `proc_bind`, as pure arithmetic.
//!
//! Terms: *places* are numbered from 0 in the order of the place list. A *partition* is a run of
//! consecutive places, the ones an implicit task may use for its own nested teams. With `T` threads
//! and `P` places in the parent's partition:
//! - primary: every thread gets the parent's place.
//! - close: threads take consecutive places, starting with the parent's and wrapping around in the
//!   partition. With `T > P`, each place gets `T / P` consecutive threads, and the threads that
//!   remain take one place each, in the same order.
//! - spread: the partition is split into `min(T, P)` runs of nearly equal length; threads take the
//!   runs in order, starting with the one that holds the parent's place, and their partition
//!   becomes that run. Thread 0 stays on the parent's place, the others get the first of the run.
//!
//! Source: OpenMP 5.2, section 10.1.3 (controlling OpenMP thread affinity).

use super::kinds::ProcBind;

/// A run of consecutive places: the place-partition-var of an implicit task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    pub first: u32,
    /// At least 1.
    pub len: u32,
}

impl Partition {
    /// The partition of the initial task: all places.
    pub fn whole(places: u32) -> Partition {
        Partition { first: 0, len: places }
    }

    pub fn contains(self, place: u32) -> bool {
        place >= self.first && place - self.first < self.len
    }

    /// Part `index` of `parts`, which must not exceed `len`; the first parts are the longer ones.
    fn part(self, index: u32, parts: u32) -> Partition {
        let (short, longer) = (self.len / parts, self.len % parts);
        let first = self.first + index * short + index.min(longer);
        Partition { first, len: short + u32::from(index < longer) }
    }

    /// In which of `parts` parts the place at this offset from `first` is.
    fn part_holding(self, offset: u32, parts: u32) -> u32 {
        let (short, longer) = (self.len / parts, self.len % parts);
        // At most `len`, so no overflow.
        let in_longer = longer * (short + 1);
        if offset < in_longer {
            offset / (short + 1)
        } else {
            longer + (offset - in_longer) / short
        }
    }
}

/// The place and the partition of thread `thread_num` in a team of `num_threads`, formed by a thread
/// on place `primary_place` whose partition is `partition`.
///
/// A primary place outside of the partition (a thread that is not bound) counts as its first place.
/// `ProcBind::False` yields the primary's place too: the caller binds nothing then.
pub fn place_of(
    policy: ProcBind,
    thread_num: u32,
    num_threads: u32,
    partition: Partition,
    primary_place: u32,
) -> (u32, Partition) {
    debug_assert!(thread_num < num_threads && partition.len > 0);
    let origin = if partition.contains(primary_place) { primary_place } else { partition.first };
    let offset = origin - partition.first;
    let places = partition.len;
    // The threads that share a place count as one: `slot` of `slots`.
    let slots = num_threads.min(places);
    let per_slot = num_threads / slots;
    let slot = match thread_num / per_slot {
        slot if slot < slots => slot,
        _ => thread_num - slots * per_slot,
    };
    match policy {
        ProcBind::False | ProcBind::Primary => (origin, partition),
        ProcBind::True | ProcBind::Close => {
            (partition.first + wrapping_step(offset, slot, places), partition)
        }
        ProcBind::Spread => {
            let index = wrapping_step(partition.part_holding(offset, slots), slot, slots);
            let part = partition.part(index, slots);
            (if slot == 0 { origin } else { part.first }, part)
        }
    }
}

/// `(from + by) % modulus`, without overflow.
fn wrapping_step(from: u32, by: u32, modulus: u32) -> u32 {
    ((u64::from(from) + u64::from(by)) % u64::from(modulus)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProcBind::*;

    fn places(policy: ProcBind, threads: u32, partition: (u32, u32), primary: u32) -> Vec<u32> {
        let partition = Partition { first: partition.0, len: partition.1 };
        (0..threads).map(|thread| place_of(policy, thread, threads, partition, primary).0).collect()
    }

    fn parts(threads: u32, partition: (u32, u32), primary: u32) -> Vec<(u32, u32)> {
        let partition = Partition { first: partition.0, len: partition.1 };
        (0..threads)
            .map(|thread| place_of(Spread, thread, threads, partition, primary).1)
            .map(|part| (part.first, part.len))
            .collect()
    }

    #[test]
    fn primary_and_close() {
        assert_eq!(places(Primary, 3, (0, 8), 5), [5, 5, 5]);
        assert_eq!(places(Close, 4, (0, 8), 6), [6, 7, 0, 1]);
        assert_eq!(places(True, 3, (4, 4), 7), [7, 4, 5]);
        assert_eq!(places(Close, 8, (0, 4), 1), [1, 1, 2, 2, 3, 3, 0, 0]);
        assert_eq!(places(Close, 5, (0, 3), 0), [0, 1, 2, 0, 1]);
        assert_eq!(places(Close, 5, (0, 2), 0), [0, 0, 1, 1, 0]);
    }

    #[test]
    fn spread_with_fewer_threads_than_places() {
        assert_eq!(places(Spread, 4, (0, 8), 0), [0, 2, 4, 6]);
        assert_eq!(parts(4, (0, 8), 0), [(0, 2), (2, 2), (4, 2), (6, 2)]);
        // The parent stays where it is, inside the second of three runs.
        assert_eq!(places(Spread, 3, (0, 8), 4), [4, 6, 0]);
        assert_eq!(parts(3, (0, 8), 4), [(3, 3), (6, 2), (0, 3)]);
        assert_eq!(places(Spread, 1, (2, 5), 4), [4]);
        assert_eq!(parts(1, (2, 5), 4), [(2, 5)]);
    }

    #[test]
    fn spread_with_more_threads_than_places() {
        assert_eq!(places(Spread, 6, (0, 4), 2), [2, 3, 0, 1, 2, 3]);
        assert!(parts(6, (0, 4), 2).iter().all(|part| part.1 == 1));
    }

    #[test]
    fn a_primary_that_is_not_bound_counts_as_the_first_place() {
        assert_eq!(places(Close, 2, (3, 4), 99), [3, 4]);
        assert_eq!(places(Spread, 2, (3, 4), u32::MAX), [3, 5]);
    }

    #[test]
    fn every_case_keeps_the_rules() {
        for policy in [False, True, Primary, Close, Spread] {
            for len in 1..9 {
                for threads in 1..20 {
                    for primary in 5..5 + len {
                        check(policy, threads, Partition { first: 5, len }, primary);
                    }
                }
            }
        }
    }

    /// Thread 0 stays, all places are inside, loads differ by one at most, spread's parts cover.
    fn check(policy: ProcBind, threads: u32, partition: Partition, primary: u32) {
        let placed: Vec<_> = (0..threads)
            .map(|thread| place_of(policy, thread, threads, partition, primary))
            .collect();
        assert_eq!(placed[0].0, primary);
        let mut load = vec![0u32; partition.len as usize];
        for (place, part) in &placed {
            assert!(partition.contains(*place) && part.contains(*place));
            load[(place - partition.first) as usize] += 1;
        }
        if !matches!(policy, False | Primary) {
            let (least, most) = (threads / partition.len, threads.div_ceil(partition.len));
            assert!(load.iter().all(|&load| load >= least && load <= most));
        }
        if policy == Spread && threads <= partition.len {
            let covered: u32 = placed.iter().map(|placed| placed.1.len).sum();
            assert_eq!(covered, partition.len);
        }
    }

    #[test]
    fn large_numbers_do_not_overflow() {
        let whole = Partition::whole(u32::MAX);
        assert_eq!(place_of(Close, 5, 10, whole, u32::MAX - 1).0, 4);
        assert!(place_of(Spread, u32::MAX - 2, u32::MAX - 1, whole, 7).0 < u32::MAX);
        assert_eq!(place_of(Close, u32::MAX - 1, u32::MAX, Partition::whole(2), 1).0, 1);
    }
}
