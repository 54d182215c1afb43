//! Which threads of a team start, or wake, which others, whom they tell that they arrived, and whose values they combine:
//! so nobody does it for all.
//!
//! Terms: a *part* is a range of members; its first starts the others. Members with neighbouring numbers are mostly near each
//! other, so a part is mostly at one location. A *counter* is where up to `ARRIVALS` threads arrive; the last of them arrives
//! for all at the next level, where counters are the threads, and so on up to the *root* (a combining tree; Mellor-Crummey and
//! Scott 1991 describe the family).

use std::ops::Range;

/// Threads that arrive at one counter. As many, or fewer, in all arrive at the root at once.
pub const ARRIVALS: u32 = 8;
/// Threads whose values one thread combines with its own: more make the tree lower, and a thread's own work longer.
const VALUES: u32 = 4;

/// Parts that a large part is cut into.
const FANOUT: u32 = 4;
/// Members that the first of a part starts by itself: it has done so before another could have begun to.
const FLAT: u32 = 8;

/// Whether the first member of a team of `size` starts all others.
pub fn is_flat(size: u32) -> bool {
    size <= FLAT + 1
}

/// The parts whose first members the first member of this part starts.
pub fn parts(part: Range<u32>) -> impl Iterator<Item = Range<u32>> + Clone {
    let others = part.end.saturating_sub(part.start + 1);
    let length = if others <= FLAT { 1 } else { others.div_ceil(FANOUT) };
    let starts = (part.start + 1..part.end).step_by(length as usize);
    starts.map(move |start| start..part.end.min(start + length))
}

/// The part of a team of `size` that begins with member `num`, which it has.
pub fn part_of(num: u32, size: u32) -> Range<u32> {
    let mut part = 0..size;
    while part.start < num {
        // The parts of a part are all of it but its first member.
        part = parts(part).find(|part| part.contains(&num)).unwrap_or(num..num);
    }
    part
}

/// Where a thread arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Among those of its level.
    pub number: u32,
    /// How many threads arrive there.
    pub expected: u32,
    /// How many counters the level has: the threads of the next one.
    pub level: u32,
}

/// Where the thread numbered `num` among `size` on some level arrives.
pub fn counter(num: u32, size: u32) -> Counter {
    let number = num / ARRIVALS;
    let expected = ARRIVALS.min(size - number * ARRIVALS);
    Counter { number, expected, level: size.div_ceil(ARRIVALS) }
}

/// The members whose values the member numbered `num` combines with its own, in a team of `size`.
pub fn values(num: u32, size: u32) -> Range<u32> {
    let first = num * VALUES + 1;
    first.min(size)..(first + VALUES).min(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_arrives_at_a_counter_that_expects_as_many() {
        for size in [1u32, 7, 8, 9, 64, 65, 100, 4096] {
            let mut arrived = vec![0; size.div_ceil(ARRIVALS) as usize];
            (0..size).for_each(|num| arrived[counter(num, size).number as usize] += 1);
            let expected = |num| counter(num, size).expected;
            assert!((0..size).all(|num| arrived[(num / ARRIVALS) as usize] == expected(num)));
            assert_eq!(counter(size - 1, size).level, arrived.len() as u32);
        }
    }

    #[test]
    fn each_value_is_combined_once() {
        for size in [1, 2, 5, 6, 9, 22, 256] {
            let all: Vec<u32> = (0..size).flat_map(|num| values(num, size)).collect();
            assert_eq!(all, (1..size).collect::<Vec<_>>());
        }
    }

    /// How many steps after the first member each is started.
    fn steps(size: u32) -> Vec<Option<u32>> {
        let mut steps = vec![None; size as usize];
        steps[0] = Some(0);
        for num in 0..size {
            let mine = steps[num as usize].expect("started by one with a lower number");
            let started = parts(part_of(num, size)).map(|part| part.start as usize);
            for (nth, other) in started.enumerate() {
                assert_eq!(steps[other].replace(mine + nth as u32 + 1), None, "started once");
            }
        }
        steps
    }

    #[test]
    fn each_is_started_once_and_soon() {
        for size in [1, 2, 3, 8, 9, 10, 11, 16, 17, 64, 100, 128, 255, 256, 4096] {
            let steps = steps(size);
            let last = steps.iter().map(|it| it.expect("started")).max().expect("one");
            let most = FLAT + FANOUT * size.ilog(FANOUT);
            assert!(last <= most, "{size}: {last}");
            let most_by_one = (0..size).map(|num| parts(part_of(num, size)).count()).max();
            assert!(most_by_one <= Some(FLAT as usize));
        }
        assert!(is_flat(9) && !is_flat(10));
        assert_eq!(steps(9).last(), Some(&Some(8)));
        assert!(parts(0..10).count() < 9);
    }
}
