//! Where a program's data are, under a distribution.
//!
//! Pages of `standard` belong to whom touches them first; regions that the initial thread initialised are
//! all at its location. `coarse` goes round the locations allocation by allocation, `fine` unit by unit from
//! the first location on, as the kernel interleaves a mapping; `blocked` cuts each into contiguous parts. On a many-core `standard` is what its
//! allocator does: lines go round the home caches, which is `fine`.
//!
//! Source: docs of `policy::distribution`. Units: bytes.

use vicinity_policy::distribution::{Distribution, Spread};
use vicinity_policy::topology::LocationId;

use crate::machine::Machine;
use crate::program::{Program, Region, Use};

const UNTOUCHED: u16 = u16::MAX;

enum Placed {
    Spread(Spread),
    /// The location of each page.
    Touched(Vec<u16>),
}

/// Where every region is.
pub struct Placement {
    regions: Vec<Placed>,
    locations: Vec<LocationId>,
    unit_bytes: u64,
}

impl Placement {
    /// `initial`: where the initial thread is.
    pub fn new(
        program: &Program,
        machine: &Machine,
        distribution: Distribution,
        initial: LocationId,
    ) -> Placement {
        let count = machine.topology.len() as u16;
        let place = |(number, region): (usize, &Region)| match (distribution, region.recorded) {
            (Distribution::Fine, _) => Placed::Spread(Spread::RoundRobin { first: 0 }),
            (_, Some(at)) => Placed::Spread(Spread::At(at.0 % count)),
            (Distribution::Blocked, _) => {
                let units = region.bytes.div_ceil(machine.unit_bytes);
                Placed::Spread(Spread::Blocked { units })
            }
            (Distribution::Coarse, None) => Placed::Spread(Spread::At(number as u16 % count)),
            (Distribution::Standard | Distribution::Auto, None) if machine.many_core => {
                Placed::Spread(Spread::RoundRobin { first: 0 })
            }
            (Distribution::Standard, None) if region.initialised => {
                Placed::Spread(Spread::At(initial.0))
            }
            (Distribution::Standard | Distribution::Auto, None) => {
                let first = if region.initialised { initial.0 } else { UNTOUCHED };
                Placed::Touched(vec![first; region.bytes.div_ceil(machine.unit_bytes) as usize])
            }
        };
        let regions = program.regions.iter().enumerate().map(place).collect();
        let locations = machine.topology.locations().collect();
        Placement { regions, locations, unit_bytes: machine.unit_bytes }
    }

    /// Calls `add` with bytes and where they are; what nobody touched yet is left out.
    pub fn locate(&self, one: &Use, mut add: impl FnMut(LocationId, u64)) {
        match &self.regions[one.region as usize] {
            Placed::Spread(Spread::At(at)) => {
                add(self.locations[usize::from(*at)], one.total_bytes());
            }
            Placed::Spread(spread) => {
                for row in 0..u64::from(one.rows) {
                    self.locate_row(*spread, one.start + row * one.stride, one.bytes, &mut add);
                }
            }
            Placed::Touched(pages) => self.each_unit(one, |page, bytes| {
                let at = pages[page as usize];
                if at != UNTOUCHED {
                    add(LocationId(at), bytes);
                }
            }),
        }
    }

    /// A core at `location` goes over the data: it gets the pages that nobody touched.
    pub fn touch(&mut self, one: &Use, location: LocationId) {
        if !matches!(self.regions[one.region as usize], Placed::Touched(_)) {
            return;
        }
        let mut touched = Vec::new();
        self.each_unit(one, |page, _| touched.push(page as usize));
        if let Placed::Touched(pages) = &mut self.regions[one.region as usize] {
            for page in touched {
                if pages[page] == UNTOUCHED {
                    pages[page] = location.0;
                }
            }
        }
    }

    /// Nobody has touched anything yet.
    pub fn forget(&mut self) {
        for placed in &mut self.regions {
            if let Placed::Touched(pages) = placed {
                pages.fill(UNTOUCHED);
            }
        }
    }

    /// Of a region that is placed page by page, each page that was touched, and where it is.
    pub fn each_page(&self, region: usize, mut f: impl FnMut(u64, LocationId)) {
        if let Placed::Touched(pages) = &self.regions[region] {
            let touched = pages.iter().enumerate().filter(|&(_, &at)| at != UNTOUCHED);
            touched.for_each(|(page, &at)| f(page as u64, LocationId(at)));
        }
    }

    /// Bytes of such a region.
    pub fn bytes(&self, region: usize) -> u64 {
        match &self.regions[region] {
            Placed::Touched(pages) => pages.len() as u64 * self.unit_bytes,
            Placed::Spread(_) => 0,
        }
    }

    /// Moves its pages to their homes; how many bytes were not there.
    pub fn repair(&mut self, region: usize, home: impl Fn(u64) -> LocationId) -> u64 {
        let Placed::Touched(pages) = &mut self.regions[region] else { return 0 };
        let mut moved = 0;
        for (page, at) in pages.iter_mut().enumerate() {
            let home = home(page as u64).0;
            moved += u64::from(*at != home);
            *at = home;
        }
        moved * self.unit_bytes
    }

    /// Whole rounds at once, then what is left, unit by unit.
    fn locate_row(
        &self,
        spread: Spread,
        start: u64,
        bytes: u64,
        add: &mut impl FnMut(LocationId, u64),
    ) {
        let round = self.unit_bytes * self.locations.len() as u64;
        let rounds = if matches!(spread, Spread::RoundRobin { .. }) { bytes / round } else { 0 };
        if rounds > 0 {
            for &at in &self.locations {
                add(at, rounds * self.unit_bytes);
            }
        }
        let mut at = start + rounds * round;
        while at < start + bytes {
            let unit = at / self.unit_bytes;
            let end = ((unit + 1) * self.unit_bytes).min(start + bytes);
            add(spread.location_of(unit, &self.locations), end - at);
            at = end;
        }
    }

    fn each_unit(&self, one: &Use, mut f: impl FnMut(u64, u64)) {
        for row in 0..u64::from(one.rows) {
            let start = one.start + row * one.stride;
            let mut at = start;
            while at < start + one.bytes {
                let unit = at / self.unit_bytes;
                let end = ((unit + 1) * self.unit_bytes).min(start + one.bytes);
                f(unit, end - at);
                at = end;
            }
        }
    }

    /// Bytes that each location holds in the end, where that is known beforehand.
    pub fn held(&self, program: &Program) -> Vec<u64> {
        let mut held = vec![0; self.locations.len()];
        for (number, region) in program.regions.iter().enumerate() {
            let all = Use::of(number as u32, 0, region.bytes, crate::program::Access::Read);
            self.locate(&all, |at, bytes| held[at.index()] += bytes);
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Access, Builder};
    use vicinity_policy::presets;

    fn located(placement: &Placement, one: &Use) -> Vec<u64> {
        let mut bytes = vec![0; placement.locations.len()];
        placement.locate(one, |at, more| bytes[at.index()] += more);
        bytes
    }

    #[test]
    fn distributions_place_as_they_say() {
        let machine = Machine::new(presets::named("opteron6172").unwrap());
        let mut builder = Builder::default();
        builder.region(64 << 10, true);
        builder.region(10 * 4096, false);
        let program = builder.finish("test".into(), &[], &[]);
        let place = |how| Placement::new(&program, &machine, how, LocationId(3));
        let all = Use::of(1, 0, 10 * 4096, Access::Write);
        assert_eq!(located(&place(Distribution::Coarse), &all)[1], 40_960);
        let fine = located(&place(Distribution::Fine), &all);
        assert_eq!(fine, [8192, 8192, 4096, 4096, 4096, 4096, 4096, 4096]);
        let part = Use { start: 100, bytes: 8000, ..all.clone() };
        let fine = located(&place(Distribution::Fine), &part);
        assert_eq!(fine[..3], [3996, 4004, 0]);
        let mut standard = place(Distribution::Standard);
        assert_eq!(located(&standard, &Use::of(0, 0, 4096, Access::Read))[3], 4096);
        assert_eq!(located(&standard, &all), [0; 8]);
        standard.touch(&part, LocationId(5));
        assert_eq!(located(&standard, &all)[5], 8192);
    }

    #[test]
    fn rows_are_strided() {
        let machine = Machine::new(presets::named("opteron6172").unwrap());
        let mut builder = Builder::default();
        builder.region(1 << 20, true);
        let program = builder.finish("test".into(), &[], &[]);
        let placement = Placement::new(&program, &machine, Distribution::Fine, LocationId(0));
        let column = Use {
            start: 4096,
            bytes: 2048,
            stride: 65_536,
            rows: 16,
            ..Use::of(0, 0, 1, Access::Read)
        };
        assert_eq!(located(&placement, &column)[1], 16 * 2048);
    }
}
