//! Where the traits of allocators want memory.

use crate::handle::{Allocator, Handle};
use crate::os::memory;
use crate::placed::engine::Engine;
use crate::placed::{self, Wish};
use crate::space::Space;
use crate::traits::{Access, Partition, Traits};
use vicinity_policy::distribution::Distribution;

/// Where traits want memory; `None` is anywhere.
pub(super) fn wish(access: Access, partition: Partition, size: usize) -> Option<Wish> {
    let first_touch = [Distribution::Standard, Distribution::Auto];
    if partition == Partition::Environment && first_touch.contains(&placed::distribution()) {
        return None;
    }
    let engine = placed::engine()?;
    Some(match (partition, placed::distribution()) {
        (Partition::Nearest, _) => engine.here(),
        (Partition::Blocked, _) => blocked(engine, size),
        (Partition::Interleaved, _) => Wish::Fine,
        // Memory of one thread has no use for others' locations.
        (Partition::Environment, _) if access == Access::Thread => engine.here(),
        (Partition::Environment, Distribution::Fine) => Wish::Fine,
        (Partition::Environment, Distribution::Blocked) => blocked(engine, size),
        (Partition::Environment, _) => engine.next_turn(),
    })
}

/// Contiguous parts; what is not more than a page is one.
pub(super) fn blocked(engine: &Engine, size: usize) -> Wish {
    if size <= memory::page_size() { engine.next_turn() } else { Wish::Blocked }
}

/// Where an allocator of the program wants memory. That of a space of some locations lies at one of them, each block whole:
/// at the nearest, if the partition says so, else they take turns.
pub(super) fn wish_of(allocator: &Allocator, size: usize) -> Option<Wish> {
    let Traits { access, partition, part_bytes, .. } = allocator.traits;
    match (allocator.space, part_bytes) {
        (Space::Part(locations), _) => {
            let turn = (partition != Partition::Nearest).then(|| allocator.take_turn());
            placed::wish_among(locations, turn)
        }
        (_, Some(part)) if partition == Partition::Interleaved && size > part => {
            placed::engine().map(|_| Wish::parts(part, size))
        }
        (_, Some(part)) if partition == Partition::Blocked && size <= part => {
            placed::engine().map(Engine::next_turn)
        }
        _ => wish(access, partition, size),
    }
}

/// The access trait of a predefined allocator.
pub(super) fn predefined_access(handle: Handle) -> Access {
    if handle == Handle::THREAD_MEMORY { Access::Thread } else { Access::All }
}
