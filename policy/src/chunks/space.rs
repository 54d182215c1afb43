//! The values an induction variable takes, for loops of every integer type OpenMP allows.
//!
//! Terms: a [`Space`] is a loop's start, step and number of trips in two's complement 64-bit words, so
//! that one type serves signed and unsigned induction variables of 32 and 64 bits: a narrower variable
//! is widened on the way in and truncated on the way out. A *half-open* loop stops before its end
//! (`i < end`, the form libgomp is given); a *closed* one includes its last value (`i <= last`, the form
//! libomp is given). Arithmetic wraps, but only where the program's own loop would overflow.
//!
//! A loop of 2^64 trips (all values of a 64-bit variable) counts as 2^64 - 1: its last iteration is
//! centuries away.
//! Source: OpenMP 5.2, section 4.4.1 (canonical loop nest form).

use super::Range;

/// The values of one loop's induction variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Space {
    pub start: u64,
    /// What the program gave as the end, for a half-open loop; the value after the last otherwise.
    pub end: u64,
    pub step: u64,
    pub trips: u64,
}

impl Space {
    /// A loop over 0 to `trips - 1`.
    #[inline]
    pub const fn counted(trips: u64) -> Space {
        Space { start: 0, end: trips, step: 1, trips }
    }

    /// `for (i = start; i < end; i += step)`, or `i > end` when `step` is negative.
    #[inline]
    pub const fn half_open_signed(start: i64, end: i64, step: i64) -> Space {
        let distance = if step > 0 && start < end {
            end.wrapping_sub(start).cast_unsigned()
        } else if step < 0 && start > end {
            start.wrapping_sub(end).cast_unsigned()
        } else {
            0
        };
        Space::half_open(
            start.cast_unsigned(),
            end.cast_unsigned(),
            step.cast_unsigned(),
            distance,
            step.unsigned_abs(),
        )
    }

    /// The unsigned form. When the loop runs down (`up` is false), `step` is the two's complement of how
    /// far it goes at a time.
    pub const fn half_open_unsigned(up: bool, start: u64, end: u64, step: u64) -> Space {
        let (distance, stride) = if up && start < end {
            (end - start, step)
        } else if !up && start > end {
            (start - end, step.wrapping_neg())
        } else {
            (0, 1)
        };
        Space::half_open(start, end, step, distance, stride)
    }

    const fn half_open(start: u64, end: u64, step: u64, distance: u64, stride: u64) -> Space {
        let trips = if distance == 0 || stride == 0 { 0 } else { (distance - 1) / stride + 1 };
        Space { start, end, step, trips }
    }

    /// `for (i = first; i <= last; i += step)`, or `i >= last` when `step` is negative.
    #[inline]
    pub const fn closed_signed(first: i64, last: i64, step: i64) -> Space {
        let distance = if step > 0 && first <= last {
            Some(last.wrapping_sub(first).cast_unsigned())
        } else if step < 0 && first >= last {
            Some(first.wrapping_sub(last).cast_unsigned())
        } else {
            None
        };
        Space::closed(first.cast_unsigned(), step, distance)
    }

    /// The unsigned form; the step is signed all the same.
    pub const fn closed_unsigned(first: u64, last: u64, step: i64) -> Space {
        let distance = if step > 0 && first <= last {
            Some(last - first)
        } else if step < 0 && first >= last {
            Some(first - last)
        } else {
            None
        };
        Space::closed(first, step, distance)
    }

    const fn closed(first: u64, step: i64, distance: Option<u64>) -> Space {
        let trips = match distance {
            Some(distance) => (distance / step.unsigned_abs()).saturating_add(1),
            None => 0,
        };
        let step = step.cast_unsigned();
        Space { start: first, end: first.wrapping_add(trips.wrapping_mul(step)), step, trips }
    }

    /// The induction variable's value in a logical iteration.
    #[inline]
    pub const fn value(&self, iteration: u64) -> u64 {
        self.start.wrapping_add(iteration.wrapping_mul(self.step))
    }

    /// Where a half-open chunk that ends before `iteration` stops. The program's own end is given back
    /// for the last chunk: `start + trips * step` may lie past what the variable's type can hold.
    #[inline]
    pub const fn bound(&self, iteration: u64) -> u64 {
        if iteration == self.trips { self.end } else { self.value(iteration) }
    }

    /// First and last value of a run that is not empty.
    #[inline]
    pub const fn closed_bounds(&self, range: Range) -> (u64, u64) {
        (self.value(range.first), self.value(range.end() - 1))
    }

    /// First value and bound of a run, half-open.
    #[inline]
    pub const fn half_open_bounds(&self, range: Range) -> (u64, u64) {
        (self.value(range.first), self.bound(range.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loop as the language runs it, in arithmetic wide enough never to overflow.
    fn run(start: i128, end: i128, step: i128, closed: bool) -> Vec<i128> {
        let mut values = Vec::new();
        let mut at = start;
        let inside = |at: i128| match (step > 0, closed) {
            (true, false) => at < end,
            (true, true) => at <= end,
            (false, false) => at > end,
            (false, true) => at >= end,
        };
        while inside(at) {
            values.push(at);
            at += step;
        }
        values
    }

    fn assert_signed(space: Space, expected: &[i128]) {
        assert_eq!(space.trips, expected.len() as u64);
        for (iteration, &value) in expected.iter().enumerate() {
            assert_eq!(i128::from(space.value(iteration as u64).cast_signed()), value);
        }
    }

    fn assert_unsigned(space: Space, expected: &[i128]) {
        assert_eq!(space.trips, expected.len() as u64);
        for (iteration, &value) in expected.iter().enumerate() {
            assert_eq!(i128::from(space.value(iteration as u64)), value);
        }
    }

    /// Bases at which ranges of 64-bit words start to wrap.
    const SIGNED_BASES: [i64; 3] = [i64::MIN + 20, 0, i64::MAX - 20];
    const UNSIGNED_BASES: [u64; 3] = [20, 1 << 63, u64::MAX - 20];

    #[test]
    fn signed_spaces_match_the_loop() {
        for base in SIGNED_BASES {
            for from in -20..=20 {
                for to in -20..=20 {
                    for step in [-7, -3, -2, -1, 1, 2, 3, 7] {
                        let (start, end) = (base + from, base + to);
                        let wide = |closed| run(start.into(), end.into(), step.into(), closed);
                        assert_signed(Space::half_open_signed(start, end, step), &wide(false));
                        assert_signed(Space::closed_signed(start, end, step), &wide(true));
                    }
                }
            }
        }
    }

    #[test]
    fn unsigned_spaces_match_the_loop() {
        for base in UNSIGNED_BASES {
            for from in -20i64..=20 {
                for to in -20i64..=20 {
                    for step in [-7i64, -3, -1, 1, 3, 7] {
                        let start = base.wrapping_add(from.cast_unsigned());
                        let end = base.wrapping_add(to.cast_unsigned());
                        let wide = |closed| run(start.into(), end.into(), step.into(), closed);
                        let bits = step.cast_unsigned();
                        let open = Space::half_open_unsigned(step > 0, start, end, bits);
                        assert_unsigned(open, &wide(false));
                        assert_unsigned(Space::closed_unsigned(start, end, step), &wide(true));
                    }
                }
            }
        }
    }

    #[test]
    fn the_last_bound_is_the_programs_own() {
        let space = Space::half_open_signed(i64::MAX - 10, i64::MAX, 7);
        assert_eq!(space.trips, 2);
        let (first, bound) = space.half_open_bounds(Range { first: 1, len: 1 });
        assert_eq!((first.cast_signed(), bound.cast_signed()), (i64::MAX - 3, i64::MAX));
        let (_, inner) = space.half_open_bounds(Range { first: 0, len: 1 });
        assert_eq!(inner.cast_signed(), i64::MAX - 3);
        let down = Space::half_open_unsigned(false, 10, 0, 7u64.wrapping_neg());
        assert_eq!(down.half_open_bounds(Range { first: 1, len: 1 }), (3, 0));
    }

    #[test]
    fn whole_types_fit() {
        assert_eq!(Space::half_open_signed(i64::MIN, i64::MAX, 1).trips, u64::MAX);
        assert_eq!(Space::closed_signed(i64::MIN, i64::MAX, 1).trips, u64::MAX);
        assert_eq!(Space::closed_unsigned(0, u64::MAX, 2).trips, 1 << 63);
        assert_eq!(Space::closed_unsigned(u64::MAX, 0, i64::MIN).trips, 2);
        assert_eq!(Space::closed_unsigned(0, u32::MAX.into(), 1).trips, 1 << 32);
        let down = Space::closed_signed(i64::MAX, i64::MIN, i64::MIN);
        assert_eq!((down.trips, down.value(1).cast_signed()), (2, -1));
    }

    #[test]
    fn a_step_of_zero_makes_no_loop() {
        assert_eq!(Space::half_open_signed(0, 10, 0).trips, 0);
        assert_eq!(Space::closed_signed(0, 10, 0).trips, 0);
        assert_eq!(Space::half_open_unsigned(true, 0, 10, 0).trips, 0);
    }
}
