//! Loop nests that are collapsed at run time: the bounds of an inner loop may be a line in the variable
//! of one loop around it, so how often the inner loop runs is known only there.
//!
//! Terms: a [`Level`] is one loop of the nest, the outermost first. A *point* is a value for each
//! variable. The iterations of the nest are counted in the order in which the program would run them
//! one after another. Values are exact, in 128 bits; [`Kind::keep`] makes of them what C's type holds.
//! Counts saturate at 2^127: such a nest does not end.
//!
//! A block's first and last point are found without looking at the iterations: loops of which no inner
//! one reads the variable are multiplied. Where just one inner loop reads it, and the length of that
//! one changes by the same number from each iteration to the next (a triangle), its lengths are an
//! arithmetic series. For other nests, the iterations of the loops that are read are gone through.
//! Source: OpenMP 5.2, section 4.4.1 (canonical loop nest form).

/// A type of C's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub bits: u32,
    pub signed: bool,
}

impl Kind {
    /// What a variable of this type holds when `value` is assigned to it.
    pub const fn keep(self, value: i128) -> i128 {
        let above = 128 - self.bits;
        if self.signed {
            value << above >> above
        } else {
            (value.cast_unsigned() << above >> above).cast_signed()
        }
    }

    /// The signed type of the same width.
    pub const fn signed(self) -> Kind {
        Kind { signed: true, ..self }
    }
}

/// A bound: `base + slope * variable` of the level that the loop reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub base: i128,
    pub slope: i128,
}

impl Line {
    const fn at(self, variable: i128) -> i128 {
        self.base.wrapping_add(self.slope.wrapping_mul(variable))
    }
}

/// One loop of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The type in which bounds are computed and compared.
    pub kind: Kind,
    /// The type of the variable.
    pub variable: Kind,
    /// The level whose variable the bounds read; it counts only where a slope is not 0.
    pub outer: usize,
    pub lower: Line,
    pub upper: Line,
    /// Whether the loop stops before its upper bound (`<`), and not behind it (`<=`).
    pub open: bool,
    /// Whether the variable grows.
    pub up: bool,
    /// How far one iteration goes, at least 1.
    pub stride: i128,
}

impl Level {
    /// How many iterations there are from one bound to the other; below 1 means none.
    const fn span(&self, lower: i128, upper: i128) -> i128 {
        let distance = if self.up { upper - lower } else { lower - upper };
        (distance - self.open as i128).div_euclid(self.stride) + 1
    }

    const fn reads(&self, level: usize) -> bool {
        (self.lower.slope != 0 || self.upper.slope != 0) && self.outer == level
    }

    /// The value of the variable's iteration `trip`.
    const fn value(&self, lower: i128, trip: i128) -> i128 {
        let way = self.stride.wrapping_mul(trip);
        self.variable.keep(if self.up { lower.wrapping_add(way) } else { lower.wrapping_sub(way) })
    }

    /// How often the loop runs if it is not in a nest, or reads nothing.
    pub fn trips(&self) -> u64 {
        let (lower, upper) = (self.kind.keep(self.lower.base), self.kind.keep(self.upper.base));
        u64::try_from(self.span(lower, upper).max(0)).unwrap_or(u64::MAX)
    }

    /// The variable's value in iteration `trip` of a loop that reads nothing.
    pub fn nth(&self, trip: u64) -> i128 {
        self.value(self.kind.keep(self.lower.base), trip.into())
    }
}

/// Lengths that change by the same number: `max(0, first + by * t)` for t from 0.
#[derive(Clone, Copy)]
struct Series {
    first: i128,
    by: i128,
}

impl Series {
    /// The sum of the lengths before `trip`.
    fn sum(self, trip: i128) -> i128 {
        let from = match self.by {
            by if by > 0 && self.first <= 0 => (-self.first).div_euclid(by) + 1,
            _ => 0,
        };
        let to = match self.by {
            by if by < 0 => trip.min((self.first.max(0) - by - 1).div_euclid(-by)),
            _ => trip,
        };
        if to <= from || (self.by == 0 && self.first <= 0) {
            return 0;
        }
        let ends = (self.first + self.by * from) + (self.first + self.by * (to - 1));
        // One of the two factors is even.
        (to - from).saturating_mul(ends) / 2
    }
}

/// How the iterations inside of one level depend on its own.
enum Inside {
    /// Each of its iterations has so many.
    Same(i128),
    /// They are so many times a series.
    Series(i128, Series),
    /// They have to be counted for each of its iterations.
    Counted,
}

/// A nest, and the point that is looked at.
pub struct Nest<'a> {
    levels: &'a [Level],
    point: Vec<i128>,
}

impl<'a> Nest<'a> {
    pub fn new(levels: &'a [Level]) -> Nest<'a> {
        Nest { levels, point: vec![0; levels.len()] }
    }

    /// How many iterations the nest has.
    pub fn iterations(&mut self) -> u64 {
        u64::try_from(self.size(0)).unwrap_or(u64::MAX)
    }

    /// The point of iteration `index`, which the nest must have.
    pub fn locate(&mut self, index: u64) -> &[i128] {
        let mut left = i128::from(index);
        for level in 0..self.levels.len() {
            let (lower, trips) = self.range(level);
            let (trip, before) = self.split(level, trips, left);
            left -= before;
            self.point[level] = self.levels[level].value(lower, trip);
        }
        &self.point
    }

    /// The bounds of a level at the point.
    fn bounds(&self, level: usize) -> (i128, i128) {
        let here = &self.levels[level];
        let read = if here.outer < level { here.kind.keep(self.point[here.outer]) } else { 0 };
        (here.kind.keep(here.lower.at(read)), here.kind.keep(here.upper.at(read)))
    }

    /// Where a level begins at the point, and how often it runs there.
    fn range(&self, level: usize) -> (i128, i128) {
        let (lower, upper) = self.bounds(level);
        (lower, self.levels[level].span(lower, upper).max(0))
    }

    /// The iterations of the levels from `level` on, at the point that the levels before it have.
    fn size(&mut self, level: usize) -> i128 {
        if level == self.levels.len() {
            return 1;
        }
        let (_, trips) = self.range(level);
        if trips == 0 {
            return 0;
        }
        match self.inside(level, trips) {
            Inside::Same(each) => trips.saturating_mul(each),
            Inside::Series(times, series) => times.saturating_mul(series.sum(trips)),
            Inside::Counted => self.count(level, trips, i128::MAX).1,
        }
    }

    /// Which iteration of `level` has the iteration `index` of the levels from it on, and how many of
    /// those lie before that one.
    fn split(&mut self, level: usize, trips: i128, index: i128) -> (i128, i128) {
        match self.inside(level, trips) {
            Inside::Same(each) => (index / each.max(1), index - index % each.max(1)),
            Inside::Series(times, series) => {
                let before = |trip| times.saturating_mul(series.sum(trip));
                let (mut low, mut high) = (0, trips);
                while high - low > 1 {
                    let middle = low + (high - low) / 2;
                    if before(middle) <= index { low = middle } else { high = middle }
                }
                (low, before(low))
            }
            Inside::Counted => self.count(level, trips, index),
        }
    }

    /// Goes through the iterations of `level` up to the one that has the iteration `index`: which that
    /// is, or `trips`, and how many iterations lie before it.
    fn count(&mut self, level: usize, trips: i128, index: i128) -> (i128, i128) {
        let (lower, _) = self.bounds(level);
        let mut before = 0i128;
        for trip in 0..trips {
            self.point[level] = self.levels[level].value(lower, trip);
            let behind = before.saturating_add(self.size(level + 1));
            if behind > index {
                return (trip, before);
            }
            before = behind;
        }
        (trips, before)
    }

    /// What is inside of `level`, which runs `trips` times at the point, at least once.
    fn inside(&mut self, level: usize, trips: i128) -> Inside {
        let within = level + 1..self.levels.len();
        let mut readers = within.clone().filter(|&inner| self.levels[inner].reads(level));
        let Some(reader) = readers.next() else {
            return Inside::Same(self.size(level + 1));
        };
        let alone = readers.next().is_none()
            && within.clone().all(|inner| !within.clone().any(|at| self.levels[at].reads(inner)));
        match self.series(level, reader, trips) {
            Some(series) if alone => {
                let others = within.filter(|&inner| inner != reader);
                let times =
                    others.fold(1i128, |all, inner| all.saturating_mul(self.range(inner).1));
                Inside::Series(times, series)
            }
            _ => Inside::Counted,
        }
    }

    /// The lengths of `reader` in the iterations of `level`, if they change by the same number and no
    /// bound leaves its type.
    fn series(&self, level: usize, reader: usize, trips: i128) -> Option<Series> {
        let (around, inner) = (&self.levels[level], &self.levels[reader]);
        let (first, _) = self.bounds(level);
        let last = around.value(first, trips - 1);
        let ends = [first, last].map(|at| (inner.lower.at(at), inner.upper.at(at)));
        let kept =
            |(lower, upper)| inner.kind.keep(lower) == lower && inner.kind.keep(upper) == upper;
        let step = if around.up { around.stride } else { -around.stride };
        let tilt = inner.upper.slope - inner.lower.slope;
        let apart = tilt.checked_mul(if inner.up { step } else { -step })?;
        (ends.into_iter().all(kept) && apart % inner.stride == 0)
            .then(|| Series { first: inner.span(ends[0].0, ends[0].1), by: apart / inner.stride })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Kind = Kind { bits: 32, signed: true };
    const UNSIGNED: Kind = Kind { bits: 32, signed: false };

    fn flat(base: i128) -> Line {
        Line { base, slope: 0 }
    }

    fn level(kind: Kind, lower: Line, upper: Line) -> Level {
        Level { kind, variable: kind, outer: 0, lower, upper, open: false, up: true, stride: 1 }
    }

    /// The points of a nest, loop by loop as a program runs them.
    fn serial(levels: &[Level], point: &mut Vec<i128>, all: &mut Vec<Vec<i128>>) {
        let Some(here) = levels.get(point.len()) else {
            return all.push(point.clone());
        };
        let read = point.get(here.outer).map_or(0, |&read| here.kind.keep(read));
        let mut at = here.kind.keep(here.lower.base + here.lower.slope * read);
        let upper = here.kind.keep(here.upper.base + here.upper.slope * read);
        let goes_on = |at: i128| match (here.up, here.open) {
            (true, true) => at < upper,
            (true, false) => at <= upper,
            (false, true) => at > upper,
            (false, false) => at >= upper,
        };
        while goes_on(at) {
            point.push(at);
            serial(levels, point, all);
            point.pop();
            at += if here.up { here.stride } else { -here.stride };
        }
    }

    fn check(levels: &[Level]) {
        let mut all = Vec::new();
        serial(levels, &mut Vec::new(), &mut all);
        let mut nest = Nest::new(levels);
        assert_eq!(nest.iterations(), all.len() as u64, "{levels:?}");
        for (index, point) in all.iter().enumerate() {
            assert_eq!(nest.locate(index as u64), point, "{index} of {levels:?}");
        }
    }

    #[test]
    fn triangles_are_counted_without_going_through_them() {
        let far = 1_000_000_000;
        let lower =
            [level(INT, flat(0), flat(far)), level(INT, flat(0), Line { base: 0, slope: 1 })];
        let mut nest = Nest::new(&lower);
        let total = u64::try_from((far + 1) * (far + 2) / 2).unwrap();
        assert_eq!(nest.iterations(), total);
        assert_eq!(nest.locate(total - 1), [far, far]);
        assert_eq!(nest.locate(total - 2), [far, far - 1]);
        assert_eq!(nest.locate(4), [2, 1]);
        let upper = [
            level(INT, flat(0), flat(far)),
            level(INT, Line { base: 0, slope: 1 }, flat(far)),
            level(INT, flat(5), flat(6)),
        ];
        let mut nest = Nest::new(&upper);
        assert_eq!(nest.iterations(), 2 * total);
        assert_eq!(nest.locate(2 * total - 1), [far, far, 6]);
    }

    #[test]
    fn an_unsigned_loop_that_stops_before_zero_is_empty() {
        let open = |level| Level { open: true, ..level };
        let levels = [
            open(level(UNSIGNED, flat(0), flat(5))),
            open(level(UNSIGNED, flat(0), Line { base: 0, slope: 1 })),
        ];
        assert_eq!(Nest::new(&levels).iterations(), 10);
        check(&levels);
        assert_eq!(open(level(UNSIGNED, flat(0), flat(0))).trips(), 0);
    }

    #[test]
    fn bounds_that_wrap_are_counted_one_by_one() {
        // 2^32 - 3 + i: behind the largest value it begins again at 0.
        let levels = [
            level(UNSIGNED, flat(0), flat(6)),
            level(UNSIGNED, Line { base: (1 << 32) - 3, slope: 1 }, flat(4)),
        ];
        check(&levels);
    }

    #[test]
    fn a_nest_without_end_saturates() {
        let kind = Kind { bits: 64, signed: false };
        let all = level(kind, flat(0), flat(u64::MAX.into()));
        assert_eq!(Nest::new(&[all; 3]).iterations(), u64::MAX);
        assert_eq!(all.trips(), u64::MAX);
    }

    #[test]
    fn random_nests_are_as_their_loops() {
        let mut state = 1u64;
        let mut below = |n: i128| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33) % n
        };
        let kinds =
            [INT, Kind { bits: 64, signed: true }, UNSIGNED, Kind { bits: 64, signed: false }];
        for _ in 0..4000 {
            let kind = kinds[usize::try_from(below(4)).unwrap()];
            // Unsigned nests stay away from 0, where their bounds would wrap into endless loops.
            let base = if kind.signed { 0 } else { 500 };
            let depth = 1 + below(4);
            let levels: Vec<_> = (0..depth)
                .map(|at| {
                    let up = below(2) == 0;
                    let mut slope = || if at > 0 && below(2) == 0 { below(5) - 2 } else { 0 };
                    let slopes = (slope(), slope());
                    // Lines pass near `base` where the variable that they read does.
                    let mut line = |slope| Line { base: base - slope * base + below(9) - 4, slope };
                    let (lower, upper) = (line(slopes.0), line(slopes.1));
                    Level {
                        kind,
                        variable: kind,
                        outer: usize::try_from(below(at.max(1))).unwrap(),
                        lower,
                        upper,
                        open: below(2) == 0,
                        up,
                        stride: 1 + below(4),
                    }
                })
                .collect();
            check(&levels);
        }
    }
}
