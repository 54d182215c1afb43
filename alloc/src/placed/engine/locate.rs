//! Where bytes are: by the side table for memory of ours, by the kernel for others'.

use super::Engine;
use crate::placed::index::INDEX;
use crate::placed::own;
use crate::placed::word::{GRANULE, Placement, Word};
use vicinity_policy::distribution::{self, Spread};
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::topology::LocationId;

impl Engine {
    /// Adds how many of `bytes` at `address` are at each location. Of memory of ours that nobody has touched
    /// it says where it will be; of other memory it says nothing until it is touched.
    #[inline]
    pub fn locate(&self, address: usize, bytes: usize, data: &mut NodeBytes) {
        let word = INDEX.word(address);
        if let Placement::At(site) = word.placement()
            && bytes <= word.ahead() * GRANULE - address % GRANULE
            && !self.watch.in_doubt()
            && let Some(&location) = self.sites.locations().get(usize::from(site))
        {
            data.add(location, bytes as u64);
            return;
        }
        self.locate_parts(address, bytes, false, data);
    }

    /// The same, with every page of memory that others placed looked at, up to a gibibyte.
    pub fn survey(&self, address: usize, bytes: usize, data: &mut NodeBytes) {
        self.locate_parts(address, bytes, true, data);
    }

    fn locate_parts(&self, address: usize, bytes: usize, all: bool, data: &mut NodeBytes) {
        let end = address.saturating_add(bytes);
        let mut at = address;
        while at < end {
            let word = INDEX.word(at);
            let upto = if word.is_taken() {
                end.min((at & !(GRANULE - 1)).saturating_add(word.ahead() * GRANULE))
            } else {
                end
            };
            if word.is_planned() && !self.watch.in_doubt() {
                self.add_planned(word, at, upto, data);
            } else if self.sites.kernel_knows() {
                let otherwise = |address| self.planned(address);
                if all {
                    self.pages.survey(at, upto, &self.sites, otherwise, data);
                } else {
                    self.pages.locate(at, upto, &self.sites, otherwise, data);
                }
            }
            at = upto;
        }
    }

    /// Where the table says a byte is or will be.
    fn planned(&self, address: usize) -> Option<LocationId> {
        let sites = self.sites.spread();
        let site = match INDEX.word(address).placement() {
            Placement::At(site) => usize::from(site),
            Placement::Fine { unit_shift } => self.sites.place_of(address, unit_shift),
            Placement::Blocked { unit_shift } => {
                let (start, size) = self.block_of(address)?;
                let units = own::blocked_units(size, unit_shift);
                let unit = (address - start) >> unit_shift;
                Spread::Blocked { units }.place_of(unit as u64, sites)
            }
            _ => return None,
        };
        self.sites.locations().get(site).copied()
    }

    fn add_planned(&self, word: Word, start: usize, end: usize, data: &mut NodeBytes) {
        match word.placement() {
            Placement::Fine { unit_shift } => self.add_fine(unit_shift, start, end, data),
            Placement::Blocked { unit_shift } => self.add_blocked(unit_shift, start, end, data),
            _ => {
                if let Some(location) = self.planned(start) {
                    data.add(location, (end - start) as u64);
                }
            }
        }
    }

    fn add_blocked(&self, unit_shift: u8, start: usize, end: usize, data: &mut NodeBytes) {
        let Some((base, size)) = self.block_of(start) else { return };
        let units = own::blocked_units(size, unit_shift);
        let sites = self.sites.spread();
        for (place, &location) in self.sites.locations()[..sites].iter().enumerate() {
            let block = distribution::block(place, sites, units);
            let at = |unit: u64| base + ((unit as usize) << unit_shift);
            let (from, upto) = (at(block.start).max(start), at(block.end).min(end));
            if from < upto {
                data.add(location, (upto - from) as u64);
            }
        }
    }

    fn add_fine(&self, unit_shift: u8, start: usize, end: usize, data: &mut NodeBytes) {
        let sites = self.sites.spread();
        let unit = 1usize << unit_shift;
        // What is a whole number of rounds is the same everywhere.
        let rounds = (end - start) / (unit * sites);
        if rounds > 0 {
            let locations = &self.sites.locations()[..sites];
            locations.iter().for_each(|&it| data.add(it, (rounds * unit) as u64));
        }
        let mut at = start + rounds * unit * sites;
        while at < end {
            let upto = end.min((at / unit + 1) * unit);
            let site = self.sites.place_of(at, unit_shift);
            data.add(self.sites.locations()[site], (upto - at) as u64);
            at = upto;
        }
    }
}
