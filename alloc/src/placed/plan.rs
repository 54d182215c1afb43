//! How a request is met: packed into a slot, as a run of granules of a region, or by a mapping of its own.
//!
//! Pure: what the request is and what the machine has are arguments.
//!
//! - Up to 32 KiB a block is a slot: many to a page. Fine blocks of this size lie in memory whose pages go round
//!   the sites, so they go round with them.
//! - Up to half a region it is a run of a region.
//! - Above, or where it has a pattern of its own (blocked, fine with huge pages), it is a mapping. So is unbound memory
//!   of the size of a huge page or more, as the C library has it.
//!
//! Huge pages: memory at one site has them from one huge page on. Fine memory has them where every site gets
//! [`HUGE_UNITS`] at least, because a unit is then a huge page and a few of them are not evenly spread. Unbound
//! memory has them as the system decides, but not where blocks share a region: who first touches one block
//! would have its neighbours near, too.
//!
//! Units: bytes.

use super::classes::Class;
use super::region::{REGION_ALIGNMENT, REGION_GRANULES, Rule};
use super::word::GRANULE;

/// What a program wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The operating system decides, at the first touch.
    Standard,
    /// Units go round the sites.
    Fine,
    /// All of it at one site.
    At(u16),
    /// In as many contiguous blocks as there are sites.
    Blocked,
    /// Parts of two to this power of bytes go round the sites.
    Parts { unit_shift: u8 },
}

impl Wish {
    /// Parts of at least this many bytes, for a block of `size_bytes`. Each is one mapping for the kernel, so there are not
    /// too many.
    pub fn parts(part_bytes: usize, size_bytes: usize) -> Wish {
        let least = part_bytes.max(GRANULE).max(size_bytes / MOST_PARTS);
        // A part of half an address space has nothing to go round.
        let unit = least.checked_next_power_of_two().unwrap_or(1 << (usize::BITS - 2));
        Wish::Parts { unit_shift: unit.ilog2() as u8 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub size_bytes: usize,
    /// A power of two.
    pub alignment: usize,
    /// Pages of its own, that can be pinned.
    pub apart: bool,
}

/// What the machine has.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Those that memory is spread over.
    pub sites: usize,
    /// A power of two, a granule at most.
    pub page_bytes: usize,
    /// A power of two, a granule at least.
    pub huge_page_bytes: Option<usize>,
}

/// Whether a unit of fine memory is neither a page nor a huge page: the kernel has no interleaving of that, and such
/// units are few.
pub fn is_part(unit_shift: u8, page_bytes: usize, huge_page_bytes: Option<usize>) -> bool {
    let unit = 1usize << unit_shift;
    unit > page_bytes && huge_page_bytes != Some(unit)
}

/// How a mapping is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    At(u16),
    /// Units of two to this power of bytes go round the sites, by address.
    Fine {
        unit_shift: u8,
    },
    /// Units of two to this power of bytes, in contiguous blocks.
    Blocked {
        unit_shift: u8,
    },
    Unbound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    Slot { rule: Rule, class: Class },
    Run { rule: Rule, huge: bool, granules: usize },
    Own { layout: Layout, huge: bool, granules: usize, alignment: usize },
}

/// Parts of a block whose parts have a size of their own.
const MOST_PARTS: usize = 256;

/// Huge pages that each site gets at least of fine memory that has them.
const HUGE_UNITS: usize = 4;

/// Pieces that each site gets at least of memory that is moved piece by piece; what has fewer is moved page by page.
pub const MOVED_PIECES: usize = 4;

impl Request {
    pub fn new(size_bytes: usize, alignment: usize) -> Request {
        Request { size_bytes, alignment, apart: false }
    }

    /// `None` if it is more than there can be.
    pub fn plan(self, wish: Wish, machine: &Machine) -> Option<Plan> {
        let Request { size_bytes, alignment, apart } = self;
        if size_bytes == 0 || size_bytes > isize::MAX as usize - GRANULE {
            return None;
        }
        let granules = size_bytes.div_ceil(GRANULE);
        let rule = match wish {
            Wish::Standard => Rule::Unbound,
            Wish::Fine => Rule::Fine,
            Wish::At(site) => Rule::At(site),
            Wish::Blocked => return Some(self.blocked(granules, machine)),
            Wish::Parts { unit_shift } => {
                return Some(self.in_parts(unit_shift, granules, machine));
            }
        };
        if !apart && let Some(class) = Class::for_block(size_bytes, alignment) {
            return Some(Plan::Slot { rule, class });
        }
        let huge = self.has_huge_pages(rule, machine);
        let own_pattern = match rule {
            Rule::At(_) => false,
            Rule::Fine => huge,
            Rule::Unbound => machine.huge_page_bytes.is_some_and(|huge| size_bytes >= huge),
        };
        if apart || own_pattern || granules > REGION_GRANULES / 2 || alignment > REGION_ALIGNMENT {
            return Some(self.own(rule, huge, granules, machine));
        }
        Some(Plan::Run { rule, huge, granules })
    }

    pub fn has_huge_pages(self, rule: Rule, machine: &Machine) -> bool {
        let least = match rule {
            Rule::At(_) => 1,
            Rule::Fine => HUGE_UNITS * machine.sites,
            Rule::Unbound => return false,
        };
        machine.huge_page_bytes.is_some_and(|huge| self.size_bytes / huge >= least)
    }

    fn own(self, rule: Rule, huge: bool, granules: usize, machine: &Machine) -> Plan {
        let layout = match rule {
            Rule::At(site) => Layout::At(site),
            Rule::Fine => {
                let unit = machine.huge_page_bytes.filter(|_| huge).unwrap_or(machine.page_bytes);
                Layout::Fine { unit_shift: unit.ilog2() as u8 }
            }
            Rule::Unbound => Layout::Unbound,
        };
        self.own_as(layout, huge, granules, machine)
    }

    fn blocked(self, granules: usize, machine: &Machine) -> Plan {
        let enough = |huge: &usize| self.size_bytes / huge >= HUGE_UNITS * machine.sites;
        let unit = machine.huge_page_bytes.filter(enough);
        let unit_shift = unit.unwrap_or(machine.page_bytes).ilog2() as u8;
        self.own_as(Layout::Blocked { unit_shift }, unit.is_some(), granules, machine)
    }

    fn in_parts(self, unit_shift: u8, granules: usize, machine: &Machine) -> Plan {
        let unit = 1usize << unit_shift;
        let huge = machine.huge_page_bytes.is_some_and(|huge| unit >= huge);
        let plan = self.own_as(Layout::Fine { unit_shift }, huge, granules, machine);
        match plan {
            // Parts begin at multiples of their size, so that an address says which part it is in.
            Plan::Own { layout, huge, granules, alignment } => {
                Plan::Own { layout, huge, granules, alignment: alignment.max(unit) }
            }
            other => other,
        }
    }

    fn own_as(self, layout: Layout, huge: bool, granules: usize, machine: &Machine) -> Plan {
        let least = machine.huge_page_bytes.filter(|_| huge).unwrap_or(GRANULE);
        Plan::Own { layout, huge, granules, alignment: self.alignment.max(least) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: Machine = Machine { sites: 4, page_bytes: 4096, huge_page_bytes: Some(2 << 20) };
    const MIB: usize = 1 << 20;

    fn plan(size: usize, wish: Wish) -> Plan {
        Request::new(size, 16).plan(wish, &MACHINE).unwrap()
    }

    #[test]
    fn small_blocks_are_slots() {
        let class = Class::for_block(1000, 16).unwrap();
        assert_eq!(plan(1000, Wish::At(2)), Plan::Slot { rule: Rule::At(2), class });
        assert_eq!(plan(1000, Wish::Fine), Plan::Slot { rule: Rule::Fine, class });
        let apart = Request { apart: true, ..Request::new(1000, 16) };
        let own = Plan::Own { layout: Layout::At(2), huge: false, granules: 1, alignment: GRANULE };
        assert_eq!(apart.plan(Wish::At(2), &MACHINE), Some(own));
    }

    #[test]
    fn larger_ones_are_runs_then_mappings() {
        let run = Plan::Run { rule: Rule::At(1), huge: false, granules: 2 };
        assert_eq!(plan(GRANULE + 1, Wish::At(1)), run);
        let run = Plan::Run { rule: Rule::At(1), huge: true, granules: 32 };
        assert_eq!(plan(2 * MIB, Wish::At(1)), run);
        let run = Plan::Run { rule: Rule::Fine, huge: false, granules: 496 };
        assert_eq!(plan(31 * MIB, Wish::Fine), run);
        let layout = Layout::Fine { unit_shift: 21 };
        let own = Plan::Own { layout, huge: true, granules: 512, alignment: 2 * MIB };
        assert_eq!(plan(32 * MIB, Wish::Fine), own);
        let run = Plan::Run { rule: Rule::Unbound, huge: false, granules: 16 };
        assert_eq!(plan(MIB, Wish::Standard), run);
        let layout = Layout::Unbound;
        let own = Plan::Own { layout, huge: false, granules: 32, alignment: GRANULE };
        assert_eq!(plan(2 * MIB, Wish::Standard), own);
    }

    #[test]
    fn blocks_are_cut_at_units() {
        let shift = |size| match plan(size, Wish::Blocked) {
            Plan::Own { layout: Layout::Blocked { unit_shift }, .. } => unit_shift,
            other => panic!("{other:?}"),
        };
        assert_eq!((shift(1), shift(31 * MIB), shift(32 * MIB)), (12, 12, 21));
    }

    #[test]
    fn machines_without_huge_pages_have_small_units() {
        let machine = Machine { huge_page_bytes: None, ..MACHINE };
        let plan = Request::new(1 << 30, 16).plan(Wish::Fine, &machine).unwrap();
        let layout = Layout::Fine { unit_shift: 12 };
        let own = Plan::Own { layout, huge: false, granules: 16384, alignment: GRANULE };
        assert_eq!(plan, own);
    }

    #[test]
    fn impossible_sizes_have_no_plan() {
        for size in [0, usize::MAX, isize::MAX as usize] {
            assert_eq!(Request::new(size, 16).plan(Wish::Fine, &MACHINE), None);
        }
    }
}
