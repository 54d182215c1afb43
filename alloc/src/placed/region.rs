//! Regions: 64 MiB of addresses with one rule of placement, from which runs of granules are taken.
//!
//! Terms: a *ground* is all regions of one rule. Because a region is mapped and bound once, a run costs no
//! system call until it is freed, and all runs of a region share one mapping of the kernel, of which a process
//! may have some 65,000 only.
//!
//! Invariants: 1. Free granules have no memory behind them: a fresh run reads as zeroes and is placed when it
//! is touched. 2. A ground keeps one empty region at most.
//!
//! Protocol: a ground's mutex guards its regions. The words of granules in a region are [`Word::IDLE`] while
//! nobody has them; whoever takes a run sets them, and sets them back before giving it back.
#![allow(unsafe_code)]

use super::index::INDEX;
use super::sites::Sites;
use super::watch::Watch;
use super::word::{GRANULE, Word};
use crate::os::{memory, numa};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Granules of a region.
pub const REGION_GRANULES: usize = 1024;
/// Regions begin at multiples of this: a huge page of x86 and of arm64.
pub const REGION_ALIGNMENT: usize = 2 << 20;

/// How memory of a region is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// At one site.
    At(u16),
    /// Pages of the system's size round all sites.
    Fine,
    /// At the first touch.
    Unbound,
}

#[derive(Debug)]
pub struct Ground {
    rule: Rule,
    /// Whether its regions are to have huge pages.
    huge: bool,
    /// By first address.
    regions: Mutex<BTreeMap<usize, Region>>,
}

/// A ground's lock.
pub struct Quiet<'a> {
    _regions: MutexGuard<'a, BTreeMap<usize, Region>>,
}

#[derive(Debug)]
struct Region {
    granules: usize,
    free: usize,
    /// One bit a granule: taken.
    taken: Vec<u64>,
}

impl Ground {
    pub fn new(rule: Rule, huge: bool) -> Ground {
        Ground { rule, huge, regions: Mutex::new(BTreeMap::new()) }
    }

    /// The first address of `granules` that nobody else has, at a multiple of `alignment`.
    pub fn take(
        &self,
        granules: usize,
        alignment: usize,
        sites: &Sites,
        watch: &Watch,
    ) -> Option<usize> {
        debug_assert!(alignment <= REGION_ALIGNMENT);
        let step = alignment.div_ceil(GRANULE).max(1);
        let mut regions = self.lock();
        for (&start, region) in regions.iter_mut().filter(|(_, region)| region.free >= granules) {
            if let Some(first) = region.take(granules, step) {
                return Some(start + first * GRANULE);
            }
        }
        // A process with little address space left gets a region just large enough.
        let (start, length) = [REGION_GRANULES.max(granules), granules]
            .into_iter()
            .find_map(|length| Some((self.map(length, sites, watch)?, length)))?;
        let mut region = Region::new(length);
        let first = region.take(granules, step)?;
        regions.insert(start, region);
        Some(start + first * GRANULE)
    }

    /// Gives a run back. Its words are idle already.
    pub fn give(&self, start: usize, granules: usize) {
        let block = NonNull::new(start as *mut u8).expect("runs are not at address 0");
        // SAFETY: the run came from `take`, and its owner does not use it any more.
        unsafe { memory::purge(block, granules * GRANULE) };
        let mut regions = self.lock();
        let (&base, region) =
            regions.range_mut(..=start).next_back().expect("a run lies in a region");
        region.give((start - base) / GRANULE, granules);
        if region.free < region.granules {
            return;
        }
        let empty = |region: &&Region| region.free == region.granules;
        if regions.values().filter(empty).take(2).count() == 2
            && let Some(region) = regions.remove(&base)
        {
            unmap(base, region.granules);
        }
    }

    fn map(&self, granules: usize, sites: &Sites, watch: &Watch) -> Option<usize> {
        let length = granules * GRANULE;
        let block = memory::map_aligned(length, REGION_ALIGNMENT)?;
        let start = block.as_ptr() as usize;
        if INDEX.cover(start, granules).is_err() {
            // SAFETY: the pages were just mapped, and nobody else knows of them.
            unsafe { memory::unmap(block, length) };
            return None;
        }
        match self.rule {
            Rule::At(_) if self.huge => memory::advise_huge(block, length, true),
            // A huge page would be at one site.
            Rule::Fine | Rule::Unbound => memory::advise_huge(block, length, false),
            _ => {}
        }
        if sites.kernel_knows() && self.rule != Rule::Unbound {
            watch.look(sites);
            let bound = match self.rule {
                Rule::At(site) => {
                    sites.node(site).map_or(Ok(()), |node| numa::prefer(start, length, node))
                }
                _ => numa::interleave(start, length, sites.spread_nodes()),
            };
            bound.unwrap_or_else(|numa::Refused| watch.refused());
        }
        INDEX.set_words(start, granules, |_| Word::IDLE);
        Some(start)
    }

    /// Nobody takes or gives granules until this is dropped.
    pub fn quiesced(&self) -> Quiet<'_> {
        Quiet { _regions: self.lock() }
    }

    /// No holder of the mutex panics between changes that belong together.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Region>> {
        self.regions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let regions = self.regions.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(regions).into_iter().for_each(|(base, region)| unmap(base, region.granules));
    }
}

/// Nobody has any granule of the region.
fn unmap(start: usize, granules: usize) {
    INDEX.set_words(start, granules, |_| Word::FOREIGN);
    let block = NonNull::new(start as *mut u8).expect("regions are not at address 0");
    // SAFETY: a region of ours that nobody uses.
    unsafe { memory::unmap(block, granules * GRANULE) };
}

impl Region {
    fn new(granules: usize) -> Region {
        Region { granules, free: granules, taken: vec![0; granules.div_ceil(64)] }
    }

    /// Takes the first run of free granules that begins at a multiple of `step`.
    fn take(&mut self, granules: usize, step: usize) -> Option<usize> {
        let mut first = 0;
        while first + granules <= self.granules {
            let Some(obstacle) = self.last_taken(first, granules) else {
                self.mark(first, granules, true);
                self.free -= granules;
                return Some(first);
            };
            first = (obstacle + 1).next_multiple_of(step);
        }
        None
    }

    fn give(&mut self, first: usize, granules: usize) {
        debug_assert!((first..first + granules).all(|granule| self.is_taken(granule)));
        self.mark(first, granules, false);
        self.free += granules;
    }

    /// The last granule of a run that is taken, skipping whole words that are.
    fn last_taken(&self, first: usize, granules: usize) -> Option<usize> {
        if granules == 1 && self.taken[first / 64] == u64::MAX {
            return Some(first / 64 * 64 + 63);
        }
        (first..first + granules).rev().find(|&granule| self.is_taken(granule))
    }

    fn is_taken(&self, granule: usize) -> bool {
        self.taken[granule / 64] >> (granule % 64) & 1 == 1
    }

    fn mark(&mut self, first: usize, granules: usize, taken: bool) {
        for granule in first..first + granules {
            let bit = 1 << (granule % 64);
            let word = &mut self.taken[granule / 64];
            *word = if taken { *word | bit } else { *word & !bit };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_policy::topology::LocationId;

    #[test]
    fn runs_are_first_fit_and_aligned() {
        let mut region = Region::new(130);
        assert_eq!(region.take(3, 1), Some(0));
        assert_eq!(region.take(32, 32), Some(32));
        assert_eq!(region.take(29, 1), Some(3));
        assert_eq!(region.take(66, 1), Some(64));
        assert_eq!((region.free, region.take(1, 1)), (0, None));
        region.give(32, 32);
        assert_eq!((region.take(33, 1), region.take(32, 1)), (None, Some(32)));
        region.give(129, 1);
        assert_eq!(region.take(1, 1), Some(129));
    }

    #[test]
    fn one_empty_region_is_kept() {
        let sites = Sites::remembered((0..2).map(LocationId));
        let watch = Watch::new(&sites, |_| ());
        let ground = Ground::new(Rule::At(1), false);
        let take = |granules| ground.take(granules, 1, &sites, &watch).unwrap();
        let runs = [take(1000), take(1000), take(1000), take(2000)];
        assert_eq!(INDEX.word(runs[3]), Word::IDLE);
        for (run, granules) in runs.into_iter().zip([1000, 1000, 1000, 2000]) {
            ground.give(run, granules);
        }
        assert_eq!(ground.regions.lock().unwrap().len(), 1);
        assert_eq!(runs.iter().filter(|&&run| INDEX.word(run) == Word::IDLE).count(), 1);
        drop(ground);
        assert!(runs.iter().all(|&run| INDEX.word(run) == Word::FOREIGN));
    }
}
