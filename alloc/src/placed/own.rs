//! Mappings of their own: large blocks, and those with a pattern that no region has.
//!
//! Fine memory of huge pages is bound unit by unit where that is affordable: a unit for which the kernel
//! finds no huge page is then made of small pages at the same place, where an interleaving policy
//! would spread them. Each such unit is one of the some 65,000 mappings that a process may have, so a
//! process gets [`MOST_PIECES`] of them; other memory is interleaved with the same pattern.
#![allow(unsafe_code)]

use super::index::INDEX;
use super::plan::{Layout, is_part};
use super::sites::Sites;
use super::slot::Detail;
use super::watch::Watch;
use super::word::{Form, GRANULE, Placement, Word};
use crate::os::{memory, numa};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use vicinity_policy::distribution;

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

/// A part of a mapping at one site.
struct Part {
    site: u16,
    offset: usize,
    bytes: usize,
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
        let (all, placement) = (self.granules, self.placement());
        INDEX.set_words(start, all, |n| Word::new(placement, form, n, all - n));
        Some(block)
    }

    fn bind(&self, start: usize, sites: &Sites, watch: &Watch) -> Result<Form, numa::Refused> {
        let length = self.granules * GRANULE;
        let Layout::Fine { unit_shift } = self.layout else {
            for Part { site, offset, bytes } in self.parts(sites) {
                if let Some(node) = sites.node(site) {
                    watch.expect(node, bytes as u64);
                    numa::prefer(start + offset, bytes, node)?;
                }
            }
            return Ok(Form::Own);
        };
        let share = (length / sites.spread()) as u64;
        sites.spread_nodes().iter().for_each(|&node| watch.expect(node, share));
        let pieces = self.pieces(unit_shift);
        if is_part(unit_shift, memory::page_size(), memory::huge_page_bytes()) {
            bind_units(start, length, unit_shift, sites)?;
            return Ok(Form::Own);
        }
        if self.huge && reserve_pieces(pieces) {
            if bind_units(start, length, unit_shift, sites).is_ok() {
                return Ok(Form::Pieces);
            }
            PIECES.fetch_sub(pieces, Ordering::Relaxed);
        }
        numa::interleave(start, length, sites.spread_nodes())?;
        Ok(Form::Own)
    }

    fn pieces(&self, unit_shift: u8) -> usize {
        (self.granules * GRANULE).div_ceil(1 << unit_shift)
    }

    /// The parts of a layout that is not fine; together all of it.
    fn parts(&self, sites: &Sites) -> Vec<Part> {
        let length = self.granules * GRANULE;
        match self.layout {
            Layout::At(site) => vec![Part { site, offset: 0, bytes: length }],
            Layout::Blocked { unit_shift } => {
                let units = blocked_units(self.size_bytes, unit_shift);
                let at =
                    |unit: u64| if unit == units { length } else { (unit as usize) << unit_shift };
                (0..sites.spread())
                    .map(|place| (place as u16, distribution::block(place, sites.spread(), units)))
                    .filter(|(_, block)| !block.is_empty())
                    .map(|(site, block)| {
                        let offset = at(block.start);
                        Part { site, offset, bytes: at(block.end) - offset }
                    })
                    .collect()
            }
            Layout::Fine { .. } | Layout::Unbound => Vec::new(),
        }
    }

    fn placement(&self) -> Placement {
        match self.layout {
            Layout::At(site) => Placement::At(site),
            Layout::Fine { unit_shift } => Placement::Fine { unit_shift },
            Layout::Blocked { unit_shift } => Placement::Blocked { unit_shift },
            Layout::Unbound => Placement::Unbound,
        }
    }
}

/// How many units a blocked allocation of this size is cut into.
pub fn blocked_units(size_bytes: usize, unit_shift: u8) -> u64 {
    size_bytes.div_ceil(1 << unit_shift) as u64
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
        let site = sites.place_of(at, unit_shift);
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
    fn parts_are_all_of_a_mapping() {
        let sites = Sites::remembered((0..4).map(LocationId));
        let cut = |layout, size_bytes: usize| -> Vec<(u16, usize, usize)> {
            let granules = size_bytes.div_ceil(GRANULE);
            let mapping = Mapping { layout, huge: false, granules, alignment: GRANULE, size_bytes };
            let parts = mapping.parts(&sites).into_iter();
            parts.map(|Part { site, offset, bytes }| (site, offset, bytes)).collect()
        };
        assert_eq!(cut(Layout::At(2), 100_000), [(2, 0, 2 * GRANULE)]);
        let pages = [(0, 0, 15), (1, 15, 15), (2, 30, 15), (3, 45, 19)];
        let pages = pages.map(|(site, offset, bytes)| (site, offset << 12, bytes << 12));
        assert_eq!(cut(Layout::Blocked { unit_shift: 12 }, 60 << 12), pages);
        let few = [(0, 0, 1 << 12), (2, 1 << 12, 15 << 12)];
        assert_eq!(cut(Layout::Blocked { unit_shift: 12 }, 5000), few);
    }

    #[test]
    fn words_say_how_a_mapping_is_placed() {
        for (layout, placement) in [
            (Layout::Fine { unit_shift: 12 }, Placement::Fine { unit_shift: 12 }),
            (Layout::Blocked { unit_shift: 12 }, Placement::Blocked { unit_shift: 12 }),
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
