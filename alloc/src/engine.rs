//! Allocating, resizing and freeing through OpenMP allocators.
//!
//! Terms: *plain* memory comes from the heap; *placed* memory lies where its distribution says
//! ([`crate::placed`]); *remembered* memory, of either kind, has a record in a table. Which of these a block is
//! never shows to the program: every block is freed by [`free`], whatever allocator the program names with it.
//!
//! Which memory is placed: where there is more than one location, that of `omp_malloc`, and that of allocators
//! whose partition asks for something; `environment`, the default, asks for what OMP_DATA_DISTRIBUTION says. The
//! rest is plain.
//!
//! Every block is known: an address that was not given out here, or was given back, is not freed.
//!
//! Fallback: an allocator that cannot meet a request does what its fallback trait says; a chain of
//! fallback allocators ends, because an allocator can only name an older one.
//!
//! Source: OpenMP 5.2, sections 6.2 and 18.13.
#![allow(unsafe_code)]

mod resize;
mod wishes;

use crate::handle::{Allocator, Handle};
use crate::os::memory;
use crate::placed::index::INDEX;
use crate::placed::{self, Misuse, Wish};
use crate::pool;
use crate::repair::LEAST_BYTES;
use crate::table::{Origin, Record, Table};
use crate::traits::{Access, Fallback, Partition};
use resize::{reallocate_unremembered, resize_record};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, MutexGuard};
use vicinity_policy::distribution::Distribution;
use vicinity_policy::topology::LocationId;
use wishes::{blocked, predefined_access, wish, wish_of};

static TABLE: Table = Table::new();

/// Heap blocks of so many bytes have room for a huge page, mostly.
const HUGE_BYTES: usize = 2 << 20;

/// Nobody allocates, resizes or frees while this is there.
pub struct Quiet {
    _table: Vec<MutexGuard<'static, BTreeMap<usize, Record>>>,
    _placed: Option<placed::engine::Quiet<'static>>,
}

/// All locks of memory, for a fork.
pub fn quiesced() -> Quiet {
    let _table = TABLE.quiesced();
    Quiet { _table, _placed: placed::engine_so_far().map(|engine| engine.quiesced()) }
}

/// What a program asks for.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub size_bytes: usize,
    /// At least this alignment, a power of two; allocators may add to it.
    pub alignment: usize,
    /// The memory must read as zeroes.
    pub zeroed: bool,
}

/// Why there is no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The program gets a null pointer.
    Null,
    /// The program asked to be ended (`omp_atv_abort_fb`).
    Abort,
    /// The block to be resized is not one; the program gets a null pointer.
    Misuse(Misuse),
}

pub type Outcome = Result<NonNull<u8>, Failure>;

impl Request {
    pub fn new(size_bytes: usize) -> Request {
        Request { size_bytes, alignment: 1, zeroed: false }
    }

    /// `count` elements of `size` bytes, zeroed; `None` if that is more than an address space.
    pub fn zeroed(count: usize, size: usize) -> Option<Request> {
        let size_bytes = count.checked_mul(size)?;
        Some(Request { size_bytes, alignment: 1, zeroed: true })
    }

    /// The same, aligned; `None` if `alignment` is not a power of two.
    pub fn aligned(self, alignment: usize) -> Option<Request> {
        alignment.is_power_of_two().then_some(Request { alignment, ..self })
    }
}

/// Memory from the allocator `from`; null means default memory here. A request of no bytes gives a
/// null pointer.
///
/// # Safety
/// `from` is null or an allocator that exists.
pub unsafe fn allocate(from: Handle, request: Request) -> Outcome {
    if request.size_bytes == 0 {
        return Err(Failure::Null);
    }
    // SAFETY: the caller's promise.
    match unsafe { from.resolve() } {
        Some(allocator) => allocate_from(allocator, request),
        None => default_memory(
            wish(predefined_access(from), Partition::Environment, request.size_bytes),
            request,
        ),
    }
}

/// Memory by distribution: `omp_malloc`.
pub fn allocate_spread(size: usize, distribution: Distribution) -> Outcome {
    if size == 0 {
        return Err(Failure::Null);
    }
    if distribution == Distribution::Auto && size >= LEAST_BYTES {
        let block = placed::engine().and_then(|engine| engine.allocate_movable(size, 1));
        return block.map_or_else(|| default_memory(None, Request::new(size)), |it| Ok(it.start));
    }
    let standard = |size| (size > placed::classes::LARGEST).then_some(Wish::Standard);
    let wish = placed::engine().and_then(|engine| match distribution {
        Distribution::Standard | Distribution::Auto => standard(size),
        Distribution::Fine => Some(Wish::Fine),
        Distribution::Coarse => Some(engine.next_turn()),
        Distribution::Blocked => Some(blocked(engine, size)),
    });
    default_memory(wish, Request::new(size))
}

/// Memory at one location, or at the one with memory that is nearest to it.
pub fn allocate_at(size: usize, location: LocationId) -> Outcome {
    if size == 0 {
        return Err(Failure::Null);
    }
    default_memory(placed::wish_at(location), Request::new(size))
}

/// A block of a new size with the old contents, as far as they fit, from the allocator `to`; null
/// means the one that `block` came from. Not enough memory leaves the old block as it is; no bytes
/// free it.
///
/// `from` is what the program says `block` came from; it helps where a fallback of `from` gave plain
/// memory.
///
/// # Safety
/// `block` came from this module and is not used afterwards, unless the outcome is a failure for a
/// size above 0. `to` and `from` are null or exist.
pub unsafe fn reallocate(block: NonNull<u8>, size: usize, to: Handle, from: Handle) -> Outcome {
    if size == 0 {
        // SAFETY: the caller's promise.
        let freed = unsafe { free(block) };
        return Err(freed.map_or_else(Failure::Misuse, |()| Failure::Null));
    }
    let Some(mut record) = TABLE.remove(address(block)) else {
        let to = if to == Handle::NULL { from } else { to };
        // SAFETY: the caller's promise; the block is not remembered.
        return unsafe { reallocate_unremembered(block, size, to) };
    };
    // SAFETY: the caller's promise.
    let same = match unsafe { to.resolve() } {
        Some(allocator) => Arc::ptr_eq(allocator, &record.allocator),
        None => to == Handle::NULL,
    };
    if same && let Some(moved) = resize_record(block, &mut record, size) {
        TABLE.insert(address(moved), record);
        return Ok(moved);
    }
    let (old_size, old_allocator) = (record.size_bytes, Arc::clone(&record.allocator));
    // Back into the table first: a failure must leave the block as it was.
    TABLE.insert(address(block), record);
    let request = Request::new(size);
    // SAFETY: `to` exists by the caller's promise.
    let new = unsafe {
        if same { allocate_from(&old_allocator, request) } else { allocate(to, request) }
    }?;
    // SAFETY: both blocks have that many bytes and differ; the old one is ours to free.
    unsafe {
        new.copy_from_nonoverlapping(block, old_size.min(size));
        free(block).map_err(Failure::Misuse)?;
    }
    Ok(new)
}

/// Frees a block of this module; anything else is left alone.
///
/// # Safety
/// If `block` came from this module, it is not used afterwards.
pub unsafe fn free(block: NonNull<u8>) -> Result<(), Misuse> {
    match TABLE.remove(address(block)) {
        // SAFETY: the caller's promise.
        None => unsafe { free_unremembered(block) },
        // SAFETY: the record says what the block is.
        Some(record) => unsafe {
            record.allocator.pool.release(record.charge_bytes);
            release(block, record.origin);
            Ok(())
        },
    }
}

/// # Safety
/// As for [`free`]; the block has no record.
unsafe fn free_unremembered(block: NonNull<u8>) -> Result<(), Misuse> {
    if let Some(engine) = placed::engine_so_far() {
        match engine.free(address(block)) {
            Err(Misuse::Foreign) => {}
            known => return known,
        }
    }
    if !INDEX.remove_heap_block(address(block)) {
        return Err(Misuse::Foreign);
    }
    // SAFETY: a heap block of ours, and nobody else frees it.
    unsafe { memory::free_heap(block) };
    Ok(())
}

/// Whether a block begins here that this module gave out and did not get back.
pub fn is_ours(block: NonNull<u8>) -> bool {
    let address = address(block);
    let placed = || placed::engine_so_far()?.block_of(address).map(|(start, _)| start == address);
    TABLE.contains(address) || INDEX.has_heap_block(address) || placed().unwrap_or(false)
}

/// Memory from this allocator, or from where its fallback leads.
fn allocate_from(mut allocator: &Arc<Allocator>, request: Request) -> Outcome {
    loop {
        if let Some(block) = try_allocate(allocator, request) {
            return Ok(block);
        }
        match (allocator.traits.fallback, &allocator.next) {
            (Fallback::Null, _) => return Err(Failure::Null),
            (Fallback::Abort, _) => return Err(Failure::Abort),
            (Fallback::Allocator(_), Some(next)) => allocator = next,
            // A predefined allocator as fallback is default memory, too.
            (Fallback::Allocator(_) | Fallback::DefaultMemory, _) => {
                return default_memory(
                    wish(Access::All, Partition::Environment, request.size_bytes),
                    request,
                );
            }
        }
    }
}

/// Memory that nothing need be remembered of: placed as wished, or plain.
fn default_memory(wish: Option<Wish>, request: Request) -> Outcome {
    let placed = wish.and_then(|wish| place(wish, request, false));
    placed.or_else(|| plain(request)).ok_or(Failure::Null)
}

fn plain(request: Request) -> Option<NonNull<u8>> {
    let block = heap(request)?;
    if INDEX.add_heap_block(address(block)).is_err() {
        // SAFETY: the block was just made, and nobody else knows of it.
        unsafe { memory::free_heap(block) };
        return None;
    }
    Some(block)
}

/// A block of the C heap. A large one asks for huge pages where all memory is equally near: touching 2 MiB for the first time then
/// takes one fault in place of 512. With several locations whoever touches a page first places it, and a huge one would be
/// placed as a whole.
fn heap(request: Request) -> Option<NonNull<u8>> {
    let Request { size_bytes, alignment, zeroed } = request;
    let block = memory::heap(size_bytes, alignment, zeroed)?;
    if size_bytes >= HUGE_BYTES && placed::engine().is_none() {
        memory::advise_huge_inside(block, size_bytes);
    }
    Some(block)
}

fn place(wish: Wish, request: Request, apart: bool) -> Option<NonNull<u8>> {
    let Request { size_bytes, alignment, zeroed } = request;
    let block =
        placed::engine()?.allocate(placed::Request { size_bytes, alignment, apart }, wish)?;
    if zeroed && !block.is_zero {
        // SAFETY: the block has that many bytes.
        unsafe { block.start.write_bytes(0, size_bytes) };
    }
    Some(block.start)
}

/// Memory from this very allocator, without fallback.
fn try_allocate(allocator: &Arc<Allocator>, request: Request) -> Option<NonNull<u8>> {
    let alignment = request.alignment.max(allocator.traits.alignment);
    let request = Request { alignment, ..request };
    if !allocator.remembers() {
        return default_memory(wish_of(allocator, request.size_bytes), request).ok();
    }
    let charge_bytes = pool::charge(request.size_bytes)?;
    if !allocator.pool.reserve(charge_bytes) {
        return None;
    }
    let Some((block, origin)) = acquire(allocator, request) else {
        allocator.pool.release(charge_bytes);
        return None;
    };
    let allocator = Arc::clone(allocator);
    let size_bytes = request.size_bytes;
    TABLE.insert(address(block), Record { allocator, size_bytes, charge_bytes, origin });
    Some(block)
}

/// A block as the allocator wants it.
fn acquire(allocator: &Allocator, request: Request) -> Option<(NonNull<u8>, Origin)> {
    let Request { size_bytes, alignment, .. } = request;
    let pinned = allocator.traits.pinned;
    if let Some(wish) = wish_of(allocator, size_bytes)
        && let Some(block) = place(wish, request, pinned)
    {
        if !pinned || memory::pin(block, size_bytes) {
            return Some((block, Origin::Placed));
        }
        // SAFETY: the block was just made, and nobody else knows of it.
        unsafe { release(block, Origin::Placed) };
        return None;
    }
    if pinned {
        let (block, length) = memory::pinned(size_bytes, alignment)?;
        return Some((block, Origin::Pages(length)));
    }
    heap(request).map(|block| (block, Origin::Heap))
}

/// # Safety
/// `block` is what `origin` says, and nobody uses it afterwards.
unsafe fn release(block: NonNull<u8>, origin: Origin) {
    match origin {
        // SAFETY: the caller's promise.
        Origin::Pages(length) => unsafe { memory::unmap(block, length) },
        // SAFETY: the caller's promise.
        Origin::Heap => unsafe { memory::free_heap(block) },
        Origin::Placed => {
            let freed = placed::engine_so_far().map(|engine| engine.free(address(block)));
            debug_assert_eq!(freed, Some(Ok(())), "a record is of a block that is there");
        }
    }
}

/// The key of a block in the side table.
fn address(block: NonNull<u8>) -> usize {
    block.as_ptr() as usize
}

#[cfg(test)]
mod tests;
