//! Which iterations a chunk holds, for every loop schedule, as plain arithmetic.
//!
//! Terms: a loop of `trips` iterations has the *logical* iterations 0 to `trips - 1`; a [`Range`] is a
//! run of them. What value of the induction variable a logical iteration stands for is the business of
//! [`space::Space`]. A *block* is the one run a thread gets under `schedule(static)` without a chunk
//! size: blocks differ by at most one iteration and the larger ones come first.
//! All counts are iterations, unless a name says chunks.
//! Source: OpenMP 5.2, section 11.5.3 (schedule clause) and 11.6.1 (dist_schedule clause).

pub mod collapsed;
pub mod raid;
pub mod space;

/// A run of logical iterations: `first` to `first + len - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub first: u64,
    pub len: u64,
}

impl Range {
    /// The first logical iteration behind this run.
    #[inline]
    pub const fn end(self) -> u64 {
        self.first + self.len
    }
}

/// The block of `member` when `trips` iterations are cut into `members` blocks; may be empty.
#[inline]
pub const fn block(trips: u64, members: u32, member: u32) -> Range {
    let (members, member) = (members as u64, member as u64);
    let (small, larger) = (trips / members, trips % members);
    if member < larger {
        Range { first: member * (small + 1), len: small + 1 }
    } else {
        Range { first: member * small + larger, len: small }
    }
}

/// How many chunks of `chunk` iterations `trips` iterations make; the last one may be shorter.
#[inline]
pub const fn count(trips: u64, chunk: u64) -> u64 {
    trips.div_ceil(chunk)
}

/// The chunk with number `index`, or `None` behind the last one.
#[inline]
pub const fn nth(trips: u64, chunk: u64, index: u64) -> Option<Range> {
    nth_of(trips, chunk, count(trips, chunk), index)
}

/// The same where [`count`] is known: without a division.
#[inline]
pub const fn nth_of(trips: u64, chunk: u64, count: u64, index: u64) -> Option<Range> {
    if index >= count {
        return None;
    }
    let first = index * chunk;
    let left = trips - first;
    Some(Range { first, len: if left < chunk { left } else { chunk } })
}

/// The chunk that `member` of `members` gets in its round number `round` of `schedule(static, chunk)`.
#[inline]
pub const fn dealt(trips: u64, chunk: u64, members: u32, member: u32, round: u64) -> Option<Range> {
    match round.checked_mul(members as u64) {
        Some(before) => match before.checked_add(member as u64) {
            Some(index) => nth(trips, chunk, index),
            None => None,
        },
        None => None,
    }
}

/// How many iterations the next chunk of a guided loop takes when `remaining` are not yet handed out:
/// half an even share, so that a team that arrives late still finds work, but at least `smallest`.
#[inline]
pub const fn guided(remaining: u64, members: u32, smallest: u64) -> u64 {
    let share = remaining.div_ceil(2 * members as u64);
    let wanted = if share < smallest { smallest } else { share };
    if wanted < remaining { wanted } else { remaining }
}

/// As [`guided`], for loops whose chunks must be whole multiples of `granule`, but for the last.
pub const fn guided_aligned(remaining: u64, members: u32, granule: u64) -> u64 {
    let share = remaining.div_ceil(2 * members as u64);
    let granules = if share <= granule { 1 } else { share.div_ceil(granule) };
    let wanted = granules.saturating_mul(granule);
    if wanted < remaining { wanted } else { remaining }
}

/// The chunk size of `simd`-aligned blocks: an even share rounded up to a multiple of `lanes`, and at
/// least that many. `lanes` is at least 1.
pub const fn aligned_share(trips: u64, members: u32, lanes: u64) -> u64 {
    let share = trips.div_ceil(members as u64);
    if share <= lanes { lanes } else { share.div_ceil(lanes).saturating_mul(lanes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows one member's blocks or chunks and marks what it was given.
    fn mark(seen: &mut [u32], range: Range) {
        for iteration in range.first..range.end() {
            seen[usize::try_from(iteration).unwrap()] += 1;
        }
    }

    #[test]
    fn blocks_partition_and_differ_by_at_most_one() {
        for trips in 0..70 {
            for members in 1..12 {
                let mut next = 0;
                for member in 0..members {
                    let range = block(trips, members, member);
                    assert_eq!(range.first, next, "{trips} {members} {member}");
                    assert!(range.len.abs_diff(trips / u64::from(members)) <= 1);
                    next = range.end();
                }
                assert_eq!(next, trips);
            }
        }
    }

    #[test]
    fn dealt_chunks_partition_in_rounds() {
        for trips in 0..40u64 {
            for chunk in 1..9 {
                for members in 1..6 {
                    let mut seen = vec![0; usize::try_from(trips).unwrap()];
                    for member in 0..members {
                        let mut round = 0;
                        while let Some(range) = dealt(trips, chunk, members, member, round) {
                            assert_eq!(
                                range.first / chunk % u64::from(members),
                                u64::from(member),
                                "chunk dealt to the wrong member"
                            );
                            mark(&mut seen, range);
                            round += 1;
                        }
                        assert_eq!(dealt(trips, chunk, members, member, round + 1), None);
                    }
                    assert!(seen.iter().all(|&times| times == 1));
                }
            }
        }
    }

    #[test]
    fn numbered_chunks_partition() {
        for trips in 0..60u64 {
            for chunk in 1..70 {
                let mut next = 0;
                for index in 0..count(trips, chunk) {
                    let range = nth(trips, chunk, index).unwrap();
                    assert_eq!(range.first, next);
                    assert!(range.len == chunk || range.end() == trips);
                    next = range.end();
                }
                assert_eq!(next, trips);
                assert_eq!(nth(trips, chunk, count(trips, chunk)), None);
            }
        }
    }

    #[test]
    fn guided_chunks_shrink_to_the_smallest() {
        for trips in 0..200u64 {
            for members in 1..9 {
                for smallest in 1..12 {
                    let (mut left, mut before) = (trips, u64::MAX);
                    while left > 0 {
                        let len = guided(left, members, smallest);
                        assert!(len >= 1 && len <= left && len <= before);
                        assert!(len >= smallest || len == left);
                        before = len;
                        left -= len;
                    }
                }
            }
        }
    }

    #[test]
    fn aligned_guided_chunks_are_multiples_but_for_a_short_last_one() {
        for trips in 0..200u64 {
            for members in 1..9 {
                for granule in 1..12 {
                    let mut left = trips;
                    while left > 0 {
                        let len = guided_aligned(left, members, granule);
                        assert!(len >= 1 && len <= left);
                        assert!(len.is_multiple_of(granule) || len == left);
                        if members > 1 && len == left {
                            assert!(len <= granule, "the last chunk is no longer than a granule");
                        }
                        left -= len;
                    }
                }
            }
        }
    }

    #[test]
    fn aligned_shares_cover_everything() {
        for trips in 1..100 {
            for members in 1..9 {
                for lanes in [1, 2, 4, 8, 16] {
                    let share = aligned_share(trips, members, lanes);
                    assert_eq!(share % lanes, 0);
                    assert!(share * u64::from(members) >= trips);
                    assert!(share < trips.div_ceil(u64::from(members)) + lanes);
                }
            }
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let trips = u64::MAX;
        let last = block(trips, 3, 2);
        assert_eq!(last.end(), trips);
        assert_eq!(block(trips, u32::MAX, u32::MAX - 1).end(), trips);
        assert_eq!(count(trips, 1), trips);
        assert_eq!(nth(trips, trips, 0), Some(Range { first: 0, len: trips }));
        assert_eq!(nth(trips, trips, 1), None);
        assert_eq!(nth(trips, trips - 1, 1), Some(Range { first: trips - 1, len: 1 }));
        assert_eq!(dealt(trips, 1, u32::MAX, 7, u64::MAX), None);
        assert_eq!(guided(trips, u32::MAX, 1), trips.div_ceil(2 * u64::from(u32::MAX)));
        assert_eq!(guided(trips, 1, trips), trips);
        assert_eq!(aligned_share(trips, 1, 1 << 32), u64::MAX);
        assert_eq!(aligned_share(0, 3, 4), 4);
    }
}
