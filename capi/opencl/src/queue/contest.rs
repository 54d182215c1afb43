//! Which of a few codes of a kernel is the fastest, told from work-groups of the program that run any of them.
//!
//! Terms: the first code is the one that the translator took for the best. Those that may still be the fastest are *in*. While there is
//! more than one of them, chance decides by which a block goes: so none has the heavier groups, the colder caches or the first launches
//! in the mean. A code is out once its mean is above that of the best by far more than the standard error. A contest that takes long is
//! decided as it stands, for the first code if that is not clearly behind. What was found holds until the kernel has run for many times
//! as long as it took to find: the program's data may be others by then.
//!
//! A pure value. Units: nanoseconds for a work-item.

/// Codes of one kernel for one local size, at most.
pub const MOST_CODES: usize = 6;

/// Blocks of each code before anything is decided.
const LEAST_BLOCKS: u32 = 6;
/// So many standard errors are no chance, though one looks after each block.
const CERTAIN: f64 = 4.0;
/// A code all of whose blocks took so many times as long as any of the best is out after fewer: it is not to keep the program waiting.
const FAR: f64 = 3.0;
const FEW_BLOCKS: u32 = 3;
/// A contest that took so long is decided as it stands, if each code had so many blocks.
const LONG_NS: f64 = 30_000_000.0;
const ENOUGH_BLOCKS: u32 = 24;
/// The first code stays then, unless the best has less than this share of its time.
const CLEARLY: f64 = 0.97;
/// A block counts for no more than so many times the mean of its code: it was interrupted.
const MOST_TIMES: f64 = 8.0;
/// The finding holds for so many times as long as it took.
const HOLDS_TIMES: f64 = 64.0;

#[derive(Clone, Debug)]
pub struct Contest {
    codes: Vec<Mean>,
    is_in: Vec<bool>,
    spent_ns: f64,
    /// How much time is left of what the finding holds for.
    left_ns: f64,
}

/// Of the blocks of one code, each counted once: Welford's method.
#[derive(Clone, Debug, Default)]
struct Mean {
    blocks: u32,
    mean: f64,
    squares: f64,
    least: f64,
    most: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        let is_known = self.blocks >= LEAST_BLOCKS;
        let value = if is_known { value.min(self.mean * MOST_TIMES) } else { value };
        self.least = if self.blocks == 0 { value } else { self.least.min(value) };
        self.most = self.most.max(value);
        self.blocks += 1;
        let before = value - self.mean;
        self.mean += before / f64::from(self.blocks);
        self.squares += before * (value - self.mean);
    }

    /// Of the mean, squared.
    fn error(&self) -> f64 {
        let blocks = f64::from(self.blocks);
        self.squares / (blocks - 1.0) / blocks
    }

    /// Whether another code is certainly slower.
    fn outruns(&self, other: &Mean) -> bool {
        let gap = other.mean - self.mean;
        match self.blocks.min(other.blocks) {
            LEAST_BLOCKS.. => gap > CERTAIN * (self.error() + other.error()).sqrt(),
            FEW_BLOCKS.. => other.least > FAR * self.most,
            _ => false,
        }
    }
}

impl Default for Contest {
    /// One code is alone.
    fn default() -> Contest {
        Contest { codes: vec![Mean::default()], is_in: vec![true], spent_ns: 0.0, left_ns: 0.0 }
    }
}

impl Contest {
    /// One more code is there: it is compared with those that are in.
    pub fn join(&mut self) {
        self.is_in.push(true);
        self.codes = vec![Mean::default(); self.is_in.len()];
        self.spent_ns = 0.0;
    }

    /// A bit for each code that is in.
    pub fn those_in(&self) -> u8 {
        let bits = self.is_in.iter().enumerate().map(|(at, &is_in)| u8::from(is_in) << at);
        bits.sum()
    }

    /// A block of `items` by a code took `ns`. Whether it is found now which code is the fastest.
    pub fn note(&mut self, code: usize, items: usize, ns: u64) -> bool {
        let ns = ns as f64;
        if self.is_over() {
            self.left_ns -= ns;
            if self.left_ns < 0.0 {
                self.open();
            }
            return false;
        }
        self.spent_ns += ns;
        self.codes[code].add(ns / items.max(1) as f64);
        self.decide();
        let is_found = self.is_over();
        if is_found {
            self.left_ns = self.spent_ns * HOLDS_TIMES;
        }
        is_found
    }

    /// What each code took for an item, as far as that was measured.
    pub fn means_ns(&self) -> impl Iterator<Item = f64> {
        self.codes.iter().map(|code| code.mean)
    }

    fn is_over(&self) -> bool {
        self.is_in.iter().filter(|&&is_in| is_in).count() == 1
    }

    fn open(&mut self) {
        self.codes.fill(Mean::default());
        self.is_in.fill(true);
        self.spent_ns = 0.0;
    }

    fn decide(&mut self) {
        let all = 0..self.codes.len();
        let those_in: Vec<usize> = all.filter(|&at| self.is_in[at]).collect();
        for &at in &those_in {
            let mut others = those_in.iter().map(|&other| &self.codes[other]);
            self.is_in[at] = !others.any(|other| other.outruns(&self.codes[at]));
        }
        let those_in = || those_in.iter().filter(|&&at| self.is_in[at]);
        let is_known = those_in().all(|&at| self.codes[at].blocks >= ENOUGH_BLOCKS);
        if self.spent_ns >= LONG_NS && is_known {
            let mean = |at: usize| self.codes[at].mean;
            let best = those_in().copied().min_by(|&a, &b| mean(a).total_cmp(&mean(b)));
            let best = best.filter(|&best| !self.is_in[0] || mean(best) < CLEARLY * mean(0));
            let best = best.unwrap_or(0);
            self.is_in.fill(false);
            self.is_in[best] = true;
        }
    }
}

/// Whose block the one with this number is, of the codes whose bits are set: chance, but the same in each run (SplitMix64).
pub fn drawn(number: u64, those_in: u8) -> usize {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let place = (mixed ^ (mixed >> 31)) % u64::from(those_in.count_ones().max(1));
    let mut codes = (0..MOST_CODES).filter(|at| those_in >> at & 1 == 1);
    codes.nth(place as usize).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(codes: usize) -> Contest {
        let mut contest = Contest::default();
        (1..codes).for_each(|_| contest.join());
        contest
    }

    /// Which code is found if blocks of a thousand items cost so much by each, and after how many.
    fn found(codes: usize, cost: impl Fn(usize, u64) -> f64) -> (usize, u64) {
        let mut contest = of(codes);
        for number in 0..1_000_000 {
            let code = drawn(number, contest.those_in());
            contest.note(code, 1000, cost(code, number) as u64);
            if contest.is_over() {
                return (contest.those_in().trailing_zeros() as usize, number);
            }
        }
        panic!("it is never over");
    }

    /// Between -1 and 1.
    fn noise(number: u64) -> f64 {
        (number.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40) as f64 / (1 << 23) as f64 - 1.0
    }

    #[test]
    fn what_is_twice_as_fast_is_found_after_a_few_blocks() {
        for scale in [3e4, 3e6] {
            let of = |costs: [f64; 3]| {
                found(3, |code, number| costs[code] * scale * (1.0 + 0.2 * noise(number)))
            };
            for (costs, best) in [([1.0, 0.5, 1.1], 1), ([0.5, 1.0, 1.0], 0), ([1.0, 1.0, 0.5], 2)]
            {
                let (code, after) = of(costs);
                assert!(code == best && after < 60, "{costs:?}: {code} after {after}");
            }
        }
    }

    #[test]
    fn what_is_far_behind_gets_three_blocks() {
        let mut contest = of(2);
        let mut blocks = 0;
        for number in 0..100 {
            let code = drawn(number, contest.those_in());
            blocks += code;
            contest.note(code, 1000, if code == 1 { 1_000_000_000 } else { 10_000 });
        }
        assert_eq!((contest.those_in(), blocks), (1, 3));
    }

    #[test]
    fn what_is_not_clearly_ahead_is_not_taken() {
        let (code, after) =
            found(2, |code, number| [1.0, 0.99][code] * 3e4 * (1.0 + 0.3 * noise(number)));
        assert_eq!(code, 0);
        assert!((100..2000).contains(&after), "{after}");
    }

    #[test]
    fn groups_that_cost_more_than_others_do_not_decide() {
        // Every eighth block costs twenty times as much, by either code.
        let heavy = |number: u64| if number.is_multiple_of(8) { 20.0 } else { 1.0 };
        let of = |costs: [f64; 2]| found(2, |code, number| costs[code] * 3e4 * heavy(number)).0;
        assert_eq!([of([1.0, 0.8]), of([0.8, 1.0])], [1, 0]);
    }

    #[test]
    fn interruptions_do_not_decide() {
        let cost = |code: usize, number| {
            let interrupted = if number % 17 == 5 { 1e7 } else { 0.0 };
            [1.0, 0.6][code] * 3e4 * (1.0 + 0.2 * noise(number)) + interrupted
        };
        assert_eq!(found(2, cost).0, 1);
    }

    #[test]
    fn who_joins_is_compared_with_the_best() {
        let mut contest = of(2);
        let mut go_on = |costs: [f64; 3], blocks: u64, joins: bool| {
            if joins {
                contest.join();
            }
            let before = contest.those_in();
            for number in 0..blocks {
                let code = drawn(number, contest.those_in());
                contest.note(code, 1000, (costs[code] * 3e4) as u64);
            }
            (before, contest.those_in())
        };
        let costs = [1.0, 0.7, 0.5];
        assert_eq!(go_on(costs, 100, false), (0b11, 0b10));
        assert_eq!(go_on(costs, 100, true), (0b110, 0b100));
    }

    #[test]
    fn what_was_found_is_asked_again_when_it_is_old() {
        let mut contest = of(2);
        let mut open = [0; 2];
        for number in 0..20_000 {
            let is_early = number < 10_000;
            open[usize::from(!is_early)] += u64::from(!contest.is_over());
            let costs = if is_early { [3e4, 2e4] } else { [2e4, 3e4] };
            let code = drawn(number, contest.those_in());
            contest.note(code, 1000, costs[code] as u64);
        }
        assert_eq!(contest.those_in(), 0b01);
        assert!(open.iter().all(|&blocks| (12..1000).contains(&blocks)), "{open:?}");
    }

    #[test]
    fn chance_is_fair() {
        let drawn_of = |those_in, code, step| {
            (0..12_000).step_by(step).filter(|&number| drawn(number, those_in) == code).count()
        };
        for code in [0, 2, 3] {
            assert!((3_800..4_200).contains(&drawn_of(0b1101, code, 1)));
            assert!((1_850..2_150).contains(&drawn_of(0b1101, code, 2)));
        }
        assert_eq!([drawn_of(0b1101, 1, 1), drawn_of(0b10, 1, 1)], [0, 12_000]);
    }
}
