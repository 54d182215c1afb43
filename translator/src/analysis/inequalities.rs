//! Whether linear inequalities have a solution in whole numbers.
//!
//! Method: Fourier and Motzkin's elimination of variables, with each inequality divided by the greatest common divisor of its factors
//! and its constant rounded to what whole numbers allow. Where a variable's factors are 1 on one side, nothing is lost by
//! eliminating it; such variables go first.
//! What is said is certain in one direction: a system that is told to be *impossible* has no solution. Of others none may exist
//! either: where a solution is no whole number, where the system grows beyond [`MOST`], or numbers beyond 128 bits.
//! Sources: Schrijver, Theory of Linear and Integer Programming (1986), section 12.2; Pugh, "The Omega test" (1992), section 2, for
//! the rounding and for when elimination is exact. Why no library: docs/decisions/040-same-place-different-items.md.

use std::collections::BTreeMap;

/// Inequalities that a system may grow to.
const MOST: usize = 400;

/// Factors by the number of their variable, none of them 0.
type Terms = BTreeMap<u32, i128>;

/// The sum of factors times variables, and of a constant, is at most 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inequality {
    pub terms: Terms,
    pub constant: i128,
}

/// Inequalities that hold at once.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// By their terms: the highest constant.
    known: BTreeMap<Terms, i128>,
    impossible: bool,
}

/// Of a variable, the inequalities that bound it from below or from above, and its largest factor there.
#[derive(Clone, Copy, Default)]
struct Side {
    count: usize,
    most: u128,
}

/// The system has become too large, or a number has.
struct TooLarge;

impl System {
    pub fn add(&mut self, inequality: &Inequality) {
        let divisor = inequality.terms.values().fold(0, |so_far, &factor| divisor(so_far, factor));
        if divisor == 0 {
            self.impossible |= inequality.constant > 0;
            return;
        }
        let terms = inequality.terms.iter().map(|(&at, &factor)| (at, factor / divisor)).collect();
        let constant = inequality.constant.div_euclid(divisor)
            + i128::from(inequality.constant.rem_euclid(divisor) != 0);
        let opposite: Terms = inequality.terms.iter().map(|(&at, &f)| (at, -f / divisor)).collect();
        if let Some(&other) = self.known.get(&opposite) {
            self.impossible |= constant.checked_add(other).is_some_and(|sum| sum > 0);
        }
        let known = self.known.entry(terms).or_insert(constant);
        *known = constant.max(*known);
    }

    /// Whether there is certainly no solution.
    pub fn is_impossible(mut self) -> bool {
        self.fix();
        while !self.impossible {
            let Some(variable) = self.next() else { return false };
            match self.without(variable) {
                Ok(less) => self = less,
                Err(TooLarge) => return false,
            }
        }
        true
    }

    /// Puts numbers in the place of variables that can be but one.
    fn fix(&mut self) {
        let mut ranges = Ranges::new();
        for _ in 0..ROUNDS {
            for (terms, &constant) in &self.known {
                narrow(&mut ranges, terms, constant);
            }
        }
        let crossed =
            |range: &[Option<i128>; 2]| range[0].zip(range[1]).is_some_and(|(a, b)| a > b);
        self.impossible |= ranges.values().any(crossed);
        let fixed = |variable: &u32| {
            let [low, high] = *ranges.get(variable)?;
            low.filter(|_| low == high)
        };
        for (terms, constant) in std::mem::take(&mut self.known) {
            let number = |(variable, factor): (&u32, &i128)| fixed(variable)?.checked_mul(*factor);
            let numbers = terms.iter().filter(|(variable, _)| fixed(variable).is_some());
            let sum =
                numbers.map(number).try_fold(constant, |sum, number| sum.checked_add(number?));
            // One that is too large is left out: others may hold then, which is the safe side.
            let Some(constant) = sum else { continue };
            let terms = terms.into_iter().filter(|(variable, _)| fixed(variable).is_none());
            self.add(&Inequality { terms: terms.collect(), constant });
        }
    }

    /// The variable to eliminate next: one that costs no precision if there is such, else one of small factors; of these one that
    /// leaves few inequalities.
    fn next(&self) -> Option<u32> {
        let mut sides: BTreeMap<u32, [Side; 2]> = BTreeMap::new();
        for (&variable, &factor) in self.known.keys().flatten() {
            let side = &mut sides.entry(variable).or_default()[usize::from(factor > 0)];
            side.count += 1;
            side.most = side.most.max(factor.unsigned_abs());
        }
        let cost = |[lower, upper]: [Side; 2]| {
            let is_exact = lower.most <= 1 || upper.most <= 1;
            let more = (lower.count * upper.count) as i64 - (lower.count + upper.count) as i64;
            (!is_exact, if is_exact { 0 } else { lower.most.max(upper.most) }, more)
        };
        sides.into_iter().min_by_key(|&(_, sides)| cost(sides)).map(|(variable, _)| variable)
    }

    /// What the others must hold so that there is a value of `variable`.
    fn without(self, variable: u32) -> Result<System, TooLarge> {
        let mut less = System::default();
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for (terms, constant) in self.known {
            let inequality = Inequality { terms, constant };
            match inequality.terms.get(&variable) {
                None => less.add(&inequality),
                Some(factor) if *factor < 0 => lower.push(inequality),
                Some(_) => upper.push(inequality),
            }
        }
        for low in &lower {
            for high in &upper {
                less.add(&eliminated(low, high, variable).ok_or(TooLarge)?);
                if less.known.len() > MOST {
                    return Err(TooLarge);
                }
            }
        }
        Ok(less)
    }
}

/// By variable: the least and the most that it can be, where that is known.
type Ranges = BTreeMap<u32, [Option<i128>; 2]>;

/// How often bounds are made of bounds.
const ROUNDS: usize = 4;

/// Narrows the ranges of the variables in an inequality by those of the others.
fn narrow(ranges: &mut Ranges, terms: &Terms, constant: i128) {
    for (variable, &factor) in terms {
        // The least that the others add up to.
        let others = terms.iter().filter(|(other, _)| *other != variable);
        let mut others = others.map(|(other, &factor)| {
            ranges.get(other)?[usize::from(factor < 0)]?.checked_mul(factor)
        });
        let rest = others.try_fold(constant, |rest, least| rest.checked_add(least?));
        let most = rest.and_then(i128::checked_neg);
        let Some(most) = most.map(|most| most.div_euclid(factor.saturating_abs())) else {
            continue;
        };
        let [low, high] = ranges.entry(*variable).or_default();
        if factor > 0 {
            *high = Some(high.map_or(most, |high| high.min(most)));
        } else {
            *low = Some(low.map_or(-most, |low| low.max(-most)));
        }
    }
}

/// The sum of both, each as many times as makes `variable` vanish.
fn eliminated(low: &Inequality, high: &Inequality, variable: u32) -> Option<Inequality> {
    let (a, b) = (-low.terms[&variable], high.terms[&variable]);
    let common = divisor(a, b);
    let (times_low, times_high) = (b / common, a / common);
    let mut terms = Terms::new();
    for (&at, &factor) in &low.terms {
        terms.insert(at, factor.checked_mul(times_low)?);
    }
    for (&at, &factor) in &high.terms {
        let sum = terms.get(&at).copied().unwrap_or(0);
        terms.insert(at, factor.checked_mul(times_high)?.checked_add(sum)?);
    }
    terms.retain(|_, factor| *factor != 0);
    let constant = low.constant.checked_mul(times_low)?;
    let constant = high.constant.checked_mul(times_high)?.checked_add(constant)?;
    Some(Inequality { terms, constant })
}

/// The greatest common divisor, not negative.
const fn divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(factors of x, y, z; constant)`, each at most 0.
    fn impossible(rows: &[([i128; 3], i128)]) -> bool {
        let mut system = System::default();
        for (factors, constant) in rows {
            let terms = (0..3).zip(*factors).filter(|&(_, factor)| factor != 0).collect();
            system.add(&Inequality { terms, constant: *constant });
        }
        system.is_impossible()
    }

    /// Whether one exists among small numbers.
    fn has_small_solution(rows: &[([i128; 3], i128)]) -> bool {
        let all = || -12..=12;
        all().any(|x| {
            all().any(|y| {
                all().any(|z| {
                    let holds =
                        |(f, k): &([i128; 3], i128)| f[0] * x + f[1] * y + f[2] * z + k <= 0;
                    rows.iter().all(holds)
                })
            })
        })
    }

    #[test]
    fn bounds_that_cross_are_impossible() {
        assert!(impossible(&[([1, 0, 0], 1), ([-1, 0, 0], 0)]));
        assert!(!impossible(&[([1, 0, 0], 0), ([-1, 0, 0], 0)]));
        assert!(!impossible(&[]));
        assert!(impossible(&[([0; 3], 1)]));
        assert!(!impossible(&[([0; 3], 0)]));
    }

    #[test]
    fn whole_numbers_do_not_lie_between() {
        // 1 <= 2x <= 1, and 2x - 4y = 3.
        assert!(impossible(&[([2, 0, 0], -1), ([-2, 0, 0], 1)]));
        assert!(impossible(&[([2, -4, 0], -3), ([-2, 4, 0], 3)]));
        assert!(!impossible(&[([2, -4, 0], -2), ([-2, 4, 0], 2)]));
    }

    #[test]
    fn rows_of_sixteen_meet_in_one_item_alone() {
        // x + 16 y = 0, 1 <= x <= limit.
        let rows = |limit: i128| {
            [([1, 16, 0], 0), ([-1, -16, 0], 0), ([-1, 0, 0], 1), ([1, 0, 0], -limit)].to_vec()
        };
        assert!(impossible(&rows(15)));
        assert!(!impossible(&rows(16)));
    }

    #[test]
    fn far_bounds_are_bounds() {
        let far = 1 << 100;
        assert!(!impossible(&[([-1, 0, 0], far)]));
        assert!(!impossible(&[([-1, 0, 0], far), ([1, 0, 0], -far)]));
        assert!(impossible(&[([-1, 0, 0], far), ([1, 0, 0], 1 - far)]));
        // 17 x + 2^62 y is within 15 of 0, x is 1 to 15: y would have to be no whole number.
        let rows = [([17, 1 << 62, 0], -15), ([-17, -(1 << 62), 0], -15)];
        let bounded = |least| [&rows[..], &[([-1, 0, 0], least), ([1, 0, 0], -15)]].concat();
        assert!(impossible(&bounded(1)) && !impossible(&bounded(0)));
    }

    #[test]
    fn numbers_that_grow_too_large_say_nothing() {
        let huge = i128::MAX / 2;
        let rows = [([huge, -(huge - 2), 0], 0), ([-(huge - 4), huge - 6, 0], 1), ([-1, 0, 0], 1)];
        assert!(!impossible(&rows));
    }

    /// Systems made of a seed (xorshift64*): what is called impossible has no solution, and most of what has none is.
    #[test]
    fn what_is_impossible_has_no_solution() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |limit: u64| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
        };
        let (mut found, mut none) = (0, 0);
        for _ in 0..600 {
            let mut rows: Vec<([i128; 3], i128)> = Vec::new();
            for at in 0..3 {
                // So that the search sees all there are.
                for sign in [1, -1] {
                    let mut factors = [0; 3];
                    factors[at] = sign;
                    rows.push((factors, -12));
                }
            }
            for _ in 0..3 + below(3) {
                let factors = [0; 3].map(|_: i128| i128::from(below(9)) - 4);
                rows.push((factors, i128::from(below(21)) - 6));
            }
            let solvable = has_small_solution(&rows);
            let said = impossible(&rows);
            assert!(!(said && solvable), "{rows:?}");
            none += u32::from(!solvable);
            found += u32::from(said);
        }
        assert!(none > 50 && found * 10 > none * 8, "{found} of {none}");
    }
}
