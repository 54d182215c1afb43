//! Which threads of a team start, or wake, which others: so nobody does it for all.
//!
//! Terms: a *part* is a range of members; its first starts the others. Members with neighbouring numbers are mostly near each
//! other, so a part is mostly at one location.

use std::ops::Range;

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

#[cfg(test)]
mod tests {
    use super::*;

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
