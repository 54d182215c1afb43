//! Memory of programs that ask `malloc`: their large blocks, mappings and variables, by OMP_DATA_DISTRIBUTION and
//! VICINITY_PLACEMENT.
//!
//! The preloaded library `capi/preload/place.c` says what is large, and asks here for that alone. Nothing here takes a lock that
//! a caller may hold, save `release` and `allocate`, which it calls outside of the library and of a fork.

use crate::os::{memory, stack};
use crate::placed::engine::Engine;
use crate::placed::{self, Request, Wish, rules};
use std::ops::Range;
use std::ptr::NonNull;
use vicinity_policy::distribution::{self, Distribution};

/// Whether memory is to be placed at all.
pub fn is_wanted() -> bool {
    let is_asked_for =
        placed::distribution() != Distribution::Standard || !placed::rules().is_empty();
    is_asked_for && placed::engine().is_some()
}

/// A block that reads as zeroes, for the call that returns to `caller`; `None` where others may have memory, or it is theirs.
pub fn allocate(size_bytes: usize, alignment: usize, caller: usize) -> Option<NonNull<u8>> {
    let engine = placed::engine_so_far()?;
    let block = match distribution_for(caller) {
        Distribution::Standard => return None,
        Distribution::Auto => engine.allocate_movable(size_bytes, alignment)?,
        how => {
            let request = Request { size_bytes, alignment, apart: false };
            engine.allocate(request, wish(engine, how))?
        }
    };
    assert!(block.is_zero, "large blocks are fresh pages");
    Some(block.start)
}

fn distribution_for(caller: usize) -> Distribution {
    let rules = placed::rules();
    let ruled = || rules::of_origin(rules, &stack::addresses_from(caller));
    let ruled = if rules.is_empty() { None } else { ruled() };
    ruled.unwrap_or(placed::distribution())
}

/// The size of the block that begins here, 0 if none does.
pub fn size_of(address: usize) -> usize {
    let block = placed::block_of(address);
    block.filter(|&(start, _)| start == address).map_or(0, |(_, size)| size)
}

/// Gives back a block that [`size_of`] knows. Of two threads that free the same one, the second does nothing.
pub fn release(address: usize) {
    if let Some(engine) = placed::engine_so_far() {
        let _ = engine.free(address);
    }
}

/// Whether the block has this size now.
pub fn resize(address: usize, size: usize) -> bool {
    placed::engine_so_far().is_some_and(|engine| engine.resize(address, size))
}

/// Has pages of a fresh mapping of others go where the distribution says. It stays one mapping for the kernel, because mremap takes
/// no two at once: in place of contiguous parts its pages go round.
pub fn place_mapping(start: usize, bytes: usize, caller: usize) {
    if let Some(engine) = placed::engine_so_far() {
        let wish = wish(engine, distribution_for(caller));
        let whole = if wish == Wish::Blocked { Wish::Fine } else { wish };
        engine.bind_others(start, bytes, whole);
    }
}

/// The same for a program's variables, which are one range for all: their pages go round, but of those that a rule names.
pub fn place_variables(start: usize, bytes: usize) {
    let Some(engine) = placed::engine_so_far() else { return };
    if !matches!(placed::distribution(), Distribution::Standard | Distribution::Auto) {
        engine.bind_others(start, bytes, Wish::Fine);
    }
    for (range, how) in rules::of_variables(placed::rules(), start..start + bytes) {
        bind_parts(engine, range, wish(engine, how));
    }
}

/// Whole pages of a variable; in contiguous parts, each is bound by itself.
fn bind_parts(engine: &Engine, range: Range<usize>, wish: Wish) {
    let page = memory::page_size();
    let (start, end) = (range.start.next_multiple_of(page), range.end / page * page);
    if start >= end {
        return;
    }
    if wish != Wish::Blocked {
        return engine.bind_others(start, end - start, wish);
    }
    let sites = engine.sites().spread();
    for site in 0..sites {
        let pages = distribution::block(site, sites, ((end - start) / page) as u64);
        let length = (pages.end - pages.start) as usize * page;
        if length > 0 {
            engine.bind_others(start + pages.start as usize * page, length, Wish::At(site as u16));
        }
    }
}

fn wish(engine: &Engine, how: Distribution) -> Wish {
    match how {
        Distribution::Standard | Distribution::Auto => Wish::Standard,
        Distribution::Fine => Wish::Fine,
        Distribution::Coarse => engine.next_turn(),
        Distribution::Blocked => Wish::Blocked,
    }
}
