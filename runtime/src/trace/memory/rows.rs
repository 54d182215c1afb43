//! Rows: heap blocks below a mebibyte that one line of a program allocates in numbers, and that together are large.
//!
//! Terms: a *row* is a small block that was told of. It *stands for* the bytes that the program allocated from the row before it on,
//! its own among them: where much is allocated, only some blocks are told of. A *site* is an origin. Rows of a site that lie side
//! by side are a *batch*: for the trace it is a block, from its first row to the end of its last, as `auto` sees it.
//!
//! A row becomes one of a batch when its site has enough new ones. What is allocated where a batch of the same site was is that
//! batch's at once, so programs that allocate rows anew for each step have few batches.
//!
//! Units: bytes, nanoseconds.

use super::{Block, FIRST_LOOK, Kind, LARGE_BYTES};
use crate::thread::clock::ticks;
use std::collections::{BTreeMap, HashMap};

/// New rows of a site become a batch when they are so large a part of all of its batches.
const GROWTH: usize = 8;
/// A batch is at least in so large a part its own site's.
const OWN_PART: usize = 8;
/// More rows are not kept.
const MOST_ROWS: usize = 1 << 17;

/// A heap block that was told of.
#[derive(Debug)]
struct Row {
    bytes: usize,
    stands_for: usize,
    in_region: bool,
    site: usize,
    membership: Membership,
    /// Given back; samples of it may come yet.
    is_gone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Membership {
    /// Of no batch so far.
    New,
    /// Too few lie side by side.
    Alone,
    /// A position in `Rows::batches`.
    Batch(usize),
}

#[derive(Debug)]
struct Site {
    origin: Vec<usize>,
    /// Of rows that are new.
    new_bytes: usize,
    /// Of all that were ever in batches, or alone.
    old_bytes: usize,
    batches: Vec<usize>,
}

/// Rows side by side.
#[derive(Debug)]
pub struct Batch {
    pub block: Block,
    pub rows: usize,
    /// What the rows take of the block.
    pub taken_bytes: usize,
    /// Most were allocated in regions, so who begins the next one has not touched them all.
    pub in_regions: bool,
}

#[derive(Debug, Default)]
pub struct Rows {
    /// By first address.
    rows: BTreeMap<usize, Row>,
    /// By origin, a position in `sites`.
    numbers: HashMap<Vec<usize>, usize>,
    sites: Vec<Site>,
    pub batches: Vec<Batch>,
    any_gone: bool,
}

impl Rows {
    /// Adds a block; whether its site has enough new ones for a batch. `in_region`: its thread was one of several in a region.
    pub fn add(
        &mut self,
        start: usize,
        bytes: usize,
        stands_for: usize,
        in_region: bool,
        origin: Vec<usize>,
    ) -> bool {
        self.remove_within(start, start + bytes);
        if self.rows.len() >= MOST_ROWS {
            return false;
        }
        let site = self.site_of(origin);
        let is_in = |&batch: &usize| {
            let block = &self.batches[batch].block;
            (block.start..block.start + block.bytes).contains(&start)
        };
        let batch = self.sites[site].batches.iter().copied().find(is_in);
        let membership = batch.map_or(Membership::New, Membership::Batch);
        self.rows
            .insert(start, Row { bytes, stands_for, in_region, site, membership, is_gone: false });
        let site = &mut self.sites[site];
        if membership == Membership::New {
            site.new_bytes += stands_for;
        }
        site.is_due()
    }

    fn site_of(&mut self, origin: Vec<usize>) -> usize {
        let next = self.sites.len();
        let number = *self.numbers.entry(origin.clone()).or_insert(next);
        if number == next {
            self.sites.push(Site { origin, new_bytes: 0, old_bytes: 0, batches: Vec::new() });
        }
        number
    }

    /// Whoever gave back what was here told nobody.
    fn remove_within(&mut self, start: usize, end: usize) {
        let before =
            self.rows.range(..start).next_back().filter(|(at, row)| *at + row.bytes > start);
        let inside = self.rows.range(start..end);
        let over: Vec<usize> = before.into_iter().chain(inside).map(|(&at, _)| at).collect();
        for at in over {
            self.end(at);
            self.rows.remove(&at);
        }
    }

    /// The block that begins there is given back, if it is a row.
    pub fn end(&mut self, start: usize) {
        let Some(row) = self.rows.get_mut(&start).filter(|row| !row.is_gone) else { return };
        row.is_gone = true;
        self.any_gone = true;
        if row.membership == Membership::New {
            self.sites[row.site].new_bytes -= row.stands_for;
        }
    }

    /// Forgets what was given back.
    pub fn forget_gone(&mut self) {
        if std::mem::take(&mut self.any_gone) {
            self.rows.retain(|_, row| !row.is_gone);
        }
    }

    /// Makes batches of sites that have enough new rows. Their positions in `batches`; `number` counts blocks.
    pub fn make_batches(&mut self, number: &mut u64) -> std::ops::Range<usize> {
        let first = self.batches.len();
        for site in 0..self.sites.len() {
            if self.sites[site].is_due() {
                self.make_batches_of(site, number);
            }
        }
        first..self.batches.len()
    }

    fn make_batches_of(&mut self, site: usize, number: &mut u64) {
        let is_new =
            |row: &Row| row.site == site && row.membership == Membership::New && !row.is_gone;
        let new: Vec<usize> =
            self.rows.iter().filter(|(_, row)| is_new(row)).map(|(&at, _)| at).collect();
        let runs: Vec<&[usize]> = new.chunk_by(|&one, &next| self.are_near(one, next)).collect();
        for run in runs {
            let membership = match self.batch_of(site, run, number) {
                Some(batch) => {
                    self.batches.push(batch);
                    self.sites[site].batches.push(self.batches.len() - 1);
                    Membership::Batch(self.batches.len() - 1)
                }
                None => Membership::Alone,
            };
            for at in run {
                self.rows.entry(*at).and_modify(|row| row.membership = membership);
            }
        }
        let site = &mut self.sites[site];
        site.old_bytes += std::mem::take(&mut site.new_bytes);
    }

    /// Whether one row lies so near the one before it that what is between them may be rows of the site.
    fn are_near(&self, one: usize, next: usize) -> bool {
        let (one_row, next_row) = (&self.rows[&one], &self.rows[&next]);
        let reach = LARGE_BYTES.max(2 * (one_row.stands_for + next_row.stands_for));
        next - (one + one_row.bytes) <= reach
    }

    /// These rows as a batch, if together they are large.
    fn batch_of(&self, site: usize, run: &[usize], number: &mut u64) -> Option<Batch> {
        let (&start, &last) = (run.first()?, run.last()?);
        let bytes = last + self.rows[&last].bytes - start;
        let rows = || run.iter().map(|at| &self.rows[at]);
        let taken_bytes = rows().map(|row| row.stands_for).sum::<usize>().min(bytes);
        if bytes < LARGE_BYTES || OWN_PART * taken_bytes < bytes {
            return None;
        }
        let count = rows().map(|row| row.stands_for as f64 / row.bytes as f64).sum::<f64>();
        let in_regions = 2 * rows().filter(|row| row.in_region).count() > run.len();
        *number += 1;
        let block = Block {
            number: *number,
            start,
            bytes,
            kind: Kind::Rows,
            path: String::new(),
            origin: self.sites[site].origin.clone(),
            since: ticks(),
            until: u64::MAX,
            told: true,
            samples: 0,
            next_look: FIRST_LOOK,
        };
        Some(Batch { block, rows: count.round().max(1.0) as usize, taken_bytes, in_regions })
    }

    /// The batch whose an address is: the nearest row's, as far as that may stand for it.
    pub fn at(&mut self, address: usize) -> Option<&mut Block> {
        let below = self.rows.range(..=address).next_back();
        let above = self.rows.range(address + 1..).next();
        let distance = |found: &(&usize, &Row)| match *found.0 > address {
            true => *found.0 - address,
            false => address.saturating_sub(*found.0 + found.1.bytes - 1),
        };
        let nearest = below.into_iter().chain(above).min_by_key(distance)?;
        let Membership::Batch(batch) = nearest.1.membership else { return None };
        let block = &mut self.batches[batch].block;
        let is_near = distance(&nearest) <= 2 * nearest.1.stands_for;
        let is_inside = (block.start..block.start + block.bytes).contains(&address);
        (is_near && is_inside).then_some(block)
    }

    /// In a forked child, whose trace knows of no batch.
    pub fn start_anew(&mut self) {
        self.batches.clear();
        for site in &mut self.sites {
            (site.new_bytes, site.old_bytes) = (0, 0);
            site.batches.clear();
        }
        for row in self.rows.values_mut().filter(|row| !row.is_gone) {
            row.membership = Membership::New;
            self.sites[row.site].new_bytes += row.stands_for;
        }
        self.forget_gone();
    }
}

impl Site {
    fn is_due(&self) -> bool {
        self.new_bytes >= LARGE_BYTES.max(self.old_bytes / GROWTH)
    }
}

/// How often rows are told of: with each up to a while of work, then with so many that it is a small part of the time.
#[derive(Debug, Default)]
pub struct Pace {
    spent_ns: u64,
    /// Bytes from one row to the next.
    period: usize,
    random: u64,
}

/// Telling of all costs no more than this.
const FREE_NS: u64 = 20_000_000;
/// Where one took longer, its thread lost the processor meanwhile.
const LONG_NS: u64 = 50_000;
/// Above that, one part in so many of the time.
const PART_OF_TIME: u64 = 64;
const SHORTEST: usize = 1 << 10;
const LONGEST: usize = 16 << 20;

impl Pace {
    /// A row was told of, which took so long, so long after the start. How many bytes may go by until the next; by chance a bit
    /// more or less, so that lines which take turns are told of alike.
    pub fn next(&mut self, took_ns: u64, elapsed_ns: u64) -> usize {
        self.spent_ns += took_ns.min(LONG_NS);
        let allowed_ns = FREE_NS + elapsed_ns / PART_OF_TIME;
        if self.spent_ns > allowed_ns {
            self.period = (2 * self.period).clamp(2 * SHORTEST, LONGEST);
        } else if self.spent_ns < allowed_ns - allowed_ns / 4 {
            self.period /= 2;
        }
        if self.period <= SHORTEST {
            return 0;
        }
        // Source: Knuth, the multiplier of MMIX.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.period / 2 + (self.random >> 33) as usize % self.period
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const ROW: usize = 64 << 10;

    /// Rows side by side from an address on, each told of.
    fn with_rows(rows: &mut Rows, start: usize, count: usize, step: usize, origin: usize) -> bool {
        let add = |at: usize| rows.add(start + at * step, ROW, ROW, origin == 3, vec![origin]);
        (0..count).map(add).fold(false, |_, is_due| is_due)
    }

    #[test]
    fn rows_of_a_line_are_a_block() {
        let (mut rows, mut number) = (Rows::default(), 7);
        assert!(!with_rows(&mut rows, 1 << 30, 15, ROW + 16, 1), "less than a mebibyte");
        assert_eq!(rows.make_batches(&mut number), 0..0);
        rows = Rows::default();
        assert!(with_rows(&mut rows, 1 << 30, 100, ROW + 16, 1));
        with_rows(&mut rows, 2 << 30, 100, 2 * ROW, 2);
        with_rows(&mut rows, (2 << 30) + ROW, 100, 2 * ROW, 3);
        assert_eq!(rows.make_batches(&mut number), 0..3);
        let [one, two, three] = &rows.batches[..] else { panic!("{:?}", rows.batches) };
        assert_eq!((one.block.number, one.block.start, one.rows), (8, 1 << 30, 100));
        assert_eq!((one.taken_bytes, two.block.bytes), (100 * ROW, 199 * ROW));
        assert_eq!((two.rows, three.rows, three.block.number), (100, 100, 10));
        assert_eq!((one.in_regions, three.in_regions), (false, true));
        let mut number_at = |address| rows.at(address).map(|block| block.number);
        assert_eq!(number_at((1 << 30) + 50 * ROW), Some(8));
        // They lie in turns.
        assert_eq!((number_at((2 << 30) + 100), number_at((2 << 30) + ROW)), (Some(9), Some(10)));
        assert_eq!((number_at(3 << 30), number_at(5)), (None, None));
    }

    #[test]
    fn rows_that_come_again_are_the_same_block() {
        let (mut rows, mut number) = (Rows::default(), 0);
        with_rows(&mut rows, 1 << 30, 100, ROW, 1);
        rows.make_batches(&mut number);
        for at in 0..100 {
            rows.end((1 << 30) + at * ROW);
        }
        assert!(rows.at(1 << 30).is_some(), "samples come late");
        rows.forget_gone();
        assert!(rows.at(1 << 30).is_none());
        assert!(!with_rows(&mut rows, 1 << 30, 100, ROW, 1), "nothing is new");
        assert_eq!(rows.at(1 << 30).map(|block| block.number), Some(1));
        rows.start_anew();
        assert_eq!(rows.make_batches(&mut number), 0..1, "the child's trace has them, too");
    }

    /// Only each tenth is told of.
    #[test]
    fn some_rows_stand_for_all() {
        let (mut rows, mut number) = (Rows::default(), 0);
        for at in 0..100 {
            rows.add((1 << 30) + 10 * at * ROW, ROW, 10 * ROW, false, vec![1]);
        }
        rows.make_batches(&mut number);
        assert_eq!(rows.batches[0].rows, 1000);
        assert_eq!(rows.at((1 << 30) + 15 * ROW).map(|block| block.number), Some(1));
    }

    #[test]
    fn telling_takes_a_small_part_of_the_time() {
        let mut pace = Pace::default();
        let (mut bytes, mut spent_ns, mut told) = (0usize, 0, 0);
        // A program that does nothing but allocate, a gigabyte in 100 ms.
        while bytes < 10 << 30 {
            let elapsed_ns = (bytes / 10) as u64 + spent_ns;
            bytes += pace.next(3000, elapsed_ns).max(1 << 10);
            (spent_ns, told) = (spent_ns + 3000, told + 1);
        }
        assert!(spent_ns < FREE_NS + 1_100_000_000 / PART_OF_TIME + 1_000_000, "{spent_ns}");
        assert!(told > 5000, "{told}");
    }
}
