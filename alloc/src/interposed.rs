//! Memory of programs that ask `malloc`: their large blocks, mappings and variables, by OMP_DATA_DISTRIBUTION.
//!
//! The preloaded library `capi/preload/place.c` says what is large, and asks here for that alone. Nothing here takes a lock that
//! a caller may hold, save `release` and `allocate`, which it calls outside of the library and of a fork.

use crate::placed::engine::Engine;
use crate::placed::{self, Request, Wish};
use std::ptr::NonNull;
use vicinity_policy::distribution::Distribution;

/// Whether memory is to be placed at all.
pub fn is_wanted() -> bool {
    placed::distribution() != Distribution::Standard && placed::engine().is_some()
}

/// A block that reads as zeroes; `None` where others may have memory.
pub fn allocate(size_bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
    let engine = placed::engine_so_far()?;
    let block = match placed::distribution() {
        Distribution::Auto => engine.allocate_movable(size_bytes, alignment)?,
        _ => {
            let request = Request { size_bytes, alignment, apart: false };
            engine.allocate(request, wish(engine))?
        }
    };
    assert!(block.is_zero, "large blocks are fresh pages");
    Some(block.start)
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
pub fn place_mapping(start: usize, bytes: usize) {
    if let Some(engine) = placed::engine_so_far() {
        let wish = wish(engine);
        let whole = if wish == Wish::Blocked { Wish::Fine } else { wish };
        engine.bind_others(start, bytes, whole);
    }
}

/// The same for a program's variables, which are one range for all: their pages go round.
pub fn place_variables(start: usize, bytes: usize) {
    if let Some(engine) = placed::engine_so_far()
        && placed::distribution() != Distribution::Auto
    {
        engine.bind_others(start, bytes, Wish::Fine);
    }
}

fn wish(engine: &Engine) -> Wish {
    match placed::distribution() {
        Distribution::Standard | Distribution::Auto => Wish::Standard,
        Distribution::Fine => Wish::Fine,
        Distribution::Coarse => engine.next_turn(),
        Distribution::Blocked => Wish::Blocked,
    }
}
