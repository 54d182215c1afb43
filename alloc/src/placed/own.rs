//! Mappings of their own: large blocks, and those with a pattern that no region has.
//!
//! Fine memory of huge pages is bound unit by unit where that is affordable: a unit for which the kernel
//! finds no huge page is then made of small pages at the same place, where an interleaving policy
//! would spread them. Each such unit is one of the some 65,000 mappings that a process may have, so a
//! process gets [`MOST_PIECES`] of them; other memory is interleaved with the same pattern.
#![allow(unsafe_code)]

use super::index::INDEX;
use super::plan::Layout;
use super::sites::Sites;
use super::slot::Detail;
use super::watch::Watch;
use super::word::{BY_ADDRESS, Form, GRANULE, GRANULE_SHIFT, Placement, Word};
use crate::os::{memory, numa};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use vicinity_policy::distribution::Spread;

/// Mappings of the kernel that units bound one by one may use up.
const MOST_PIECES: usize = 8192;

/// Relaxed: it guards a number and publishes nothing.
static PIECES: AtomicUsize = AtomicUsize::new(0);

/// A mapping to be made.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    pub layout: Layout,
    pub huge: bool,
    pub granules: usize,
    pub alignment: usize,
    pub size_bytes: usize,
}

/// A part of a mapping at one site: granules from `first`, `count` of them.
struct Part {
    site: u16,
    first: usize,
    count: usize,
}

impl Mapping {
    /// Maps, binds and publishes it.
    pub fn make(self, sites: &Sites, watch: &Watch) -> Option<NonNull<u8>> {
        let length = self.granules * GRANULE;
        let block = memory::map_aligned(length, self.alignment)?;
        let start = block.as_ptr() as usize;
        if INDEX.cover(start, self.granules).is_err() {
            // SAFETY: the pages were just mapped, and nobody else knows of them.
            unsafe { memory::unmap(block, length) };
            return None;
        }
        match self.layout {
            Layout::Unbound => {}
            Layout::Fine { .. } => memory::advise_huge(block, length, self.huge),
            _ if self.huge => memory::advise_huge(block, length, true),
            _ => {}
        }
        let mut form = Form::Own;
        if sites.kernel_knows() && self.layout != Layout::Unbound {
            watch.look(sites);
            match self.bind(start, sites, watch) {
                Ok(bound) => form = bound,
                Err(numa::Refused) => watch.refused(),
            }
        }
        INDEX.set_detail(start, Detail::Run { size_bytes: self.size_bytes });
        self.set_words(start, form, sites);
        Some(block)
    }

    fn bind(&self, start: usize, sites: &Sites, watch: &Watch) -> Result<Form, numa::Refused> {
        let length = self.granules * GRANULE;
        let Layout::Fine { unit_shift } = self.layout else {
            for part in self.parts(sites) {
                if let Some(node) = sites.node(part.site) {
                    let bytes = part.count * GRANULE;
                    watch.expect(node, bytes as u64);
                    numa::prefer(start + part.first * GRANULE, bytes, node)?;
                }
            }
            return Ok(Form::Own);
        };
        let share = (length / sites.count()) as u64;
        sites.nodes().iter().for_each(|&node| watch.expect(node, share));
        let pieces = self.pieces(unit_shift);
        if self.huge && reserve_pieces(pieces) {
            if bind_units(start, length, unit_shift, sites).is_ok() {
                return Ok(Form::Pieces);
            }
            PIECES.fetch_sub(pieces, Ordering::Relaxed);
        }
        numa::interleave(start, length, sites.nodes())?;
        Ok(Form::Own)
    }

    fn pieces(&self, unit_shift: u8) -> usize {
        (self.granules * GRANULE).div_ceil(1 << unit_shift)
    }

    /// The parts of a layout that is not fine.
    fn parts(&self, sites: &Sites) -> Vec<Part> {
        let whole = |site| vec![Part { site, first: 0, count: self.granules }];
        let Layout::Blocked { unit_shift } = self.layout else {
            return match self.layout {
                Layout::At(site) => whole(site),
                _ => Vec::new(),
            };
        };
        let unit_granules = 1 << (u32::from(unit_shift) - GRANULE_SHIFT);
        let units = self.granules.div_ceil(unit_granules);
        let spread = Spread::Blocked { units: units as u64 };
        let mut parts: Vec<Part> = Vec::new();
        for unit in 0..units {
            let site = spread.place_of(unit as u64, sites.count()) as u16;
            let first = unit * unit_granules;
            let count = unit_granules.min(self.granules - first);
            match parts.last_mut() {
                Some(part) if part.site == site => part.count += count,
                _ => parts.push(Part { site, first, count }),
            }
        }
        parts
    }

    fn set_words(&self, start: usize, form: Form, sites: &Sites) {
        let all = self.granules;
        let uniform = match self.layout {
            Layout::Fine { unit_shift } => Placement::Fine { unit_shift },
            _ => Placement::Unbound,
        };
        let parts = self.parts(sites);
        if parts.is_empty() {
            INDEX.set_words(start, all, |n| Word::new(uniform, form, n, all - n));
        }
        for Part { site, first, count } in parts {
            INDEX.set_words(start + first * GRANULE, count, |n| {
                Word::new(Placement::At(site), form, first + n, count - n)
            });
        }
    }
}

/// Gives a mapping back whose detail its last owner has claimed.
pub fn unmap(start: usize, size_bytes: usize, word: Word) {
    let granules = size_bytes.div_ceil(GRANULE);
    INDEX.set_words(start, granules, |_| Word::FOREIGN);
    let block = NonNull::new(start as *mut u8).expect("mappings are not at address 0");
    // SAFETY: a mapping of ours, which its owner gave back.
    unsafe { memory::unmap(block, granules * GRANULE) };
    if let (Form::Pieces, Placement::Fine { unit_shift }) = (word.form(), word.placement()) {
        let pieces = (granules * GRANULE).div_ceil(1 << unit_shift);
        let before = PIECES.fetch_sub(pieces, Ordering::Relaxed);
        debug_assert!(before >= pieces, "more pieces given back than taken");
    }
}

fn reserve_pieces(pieces: usize) -> bool {
    let reserved = PIECES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
        used.checked_add(pieces).filter(|&total| total <= MOST_PIECES)
    });
    reserved.is_ok()
}

fn bind_units(
    start: usize,
    length: usize,
    unit_shift: u8,
    sites: &Sites,
) -> Result<(), numa::Refused> {
    let unit = 1 << unit_shift;
    debug_assert!(start.is_multiple_of(unit));
    for at in (start..start + length).step_by(unit) {
        let site = BY_ADDRESS.place_of((at >> unit_shift) as u64, sites.count());
        numa::prefer(at, unit.min(start + length - at), sites.nodes()[site])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vicinity_policy::topology::LocationId;

    fn make(layout: Layout, granules: usize) -> usize {
        let sites = Sites::remembered((0..4).map(LocationId));
        let watch = Watch::new(&sites, |_| ());
        let size_bytes = granules * GRANULE - 5;
        let mapping = Mapping { layout, huge: false, granules, alignment: GRANULE, size_bytes };
        mapping.make(&sites, &watch).unwrap().as_ptr() as usize
    }

    #[test]
    fn blocks_are_contiguous() {
        let start = make(Layout::Blocked { unit_shift: 16 }, 10);
        let words: Vec<Word> = (0..10).map(|n| INDEX.word(start + n * GRANULE)).collect();
        let sites: Vec<_> = words.iter().map(|word| word.placement()).collect();
        let expected = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3].map(Placement::At);
        assert_eq!(sites, expected);
        let ways: Vec<_> = words.iter().map(|word| (word.back(), word.ahead())).collect();
        assert_eq!(ways[..5], [(0, 3), (1, 2), (2, 1), (3, 2), (4, 1)]);
        unmap(start, 10 * GRANULE - 5, words[0]);
        assert_eq!(INDEX.word(start), Word::FOREIGN);
    }

    #[test]
    fn fine_and_unbound_mappings_are_uniform() {
        for (layout, placement) in [
            (Layout::Fine { unit_shift: 12 }, Placement::Fine { unit_shift: 12 }),
            (Layout::Unbound, Placement::Unbound),
            (Layout::At(3), Placement::At(3)),
        ] {
            let start = make(layout, 3);
            let word = INDEX.word(start + GRANULE);
            assert_eq!((word.placement(), word.back(), word.ahead()), (placement, 1, 2));
            assert_eq!(INDEX.detail(start), Detail::Run { size_bytes: 3 * GRANULE - 5 });
            unmap(start, 3 * GRANULE - 5, word);
        }
    }

    #[test]
    fn pieces_are_limited() {
        assert!(!reserve_pieces(MOST_PIECES + 1));
        assert!(!reserve_pieces(usize::MAX));
    }
}
