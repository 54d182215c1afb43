//! Allocating, resizing and freeing through OpenMP allocators.
//!
//! Terms: *plain* memory comes from the heap and is not remembered; *remembered* memory has a record
//! in the side table. Which of the two a block is never shows to the program: every block is freed by
//! [`free`], whatever allocator the program names with it.
//!
//! Fallback: an allocator that cannot meet a request does what its fallback trait says; a chain of
//! fallback allocators ends, because an allocator can only name an older one.
//!
//! Source: OpenMP 5.2, sections 6.2 and 18.13.
#![allow(unsafe_code)]

use crate::handle::{Allocator, Handle};
use crate::os::memory;
use crate::pool;
use crate::table::{Record, Table};
use crate::traits::Fallback;
use std::ptr::NonNull;
use std::sync::Arc;

static TABLE: Table = Table::new();

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
        None => plain(request),
    }
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
        unsafe { free(block) };
        return Err(Failure::Null);
    }
    let Some(mut record) = TABLE.remove(address(block)) else {
        let to = if to == Handle::NULL { from } else { to };
        // SAFETY: the caller's promise; the block is not remembered, so it is plain.
        return unsafe { reallocate_plain(block, size, to) };
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
        free(block);
    }
    Ok(new)
}

/// Frees a block of this module.
///
/// # Safety
/// `block` came from this module and is not used afterwards.
pub unsafe fn free(block: NonNull<u8>) {
    match TABLE.remove(address(block)) {
        // SAFETY: a block that is not remembered is a heap block.
        None => unsafe { memory::free_heap(block) },
        // SAFETY: the record says what the block is.
        Some(record) => unsafe {
            record.allocator.pool.release(record.charge_bytes);
            release(block, record.mapped_bytes);
        },
    }
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
            (Fallback::Allocator(_) | Fallback::DefaultMemory, _) => return plain(request),
        }
    }
}

fn plain(request: Request) -> Outcome {
    memory::heap(request.size_bytes, request.alignment, request.zeroed).ok_or(Failure::Null)
}

/// Memory from this very allocator, without fallback.
fn try_allocate(allocator: &Arc<Allocator>, request: Request) -> Option<NonNull<u8>> {
    let alignment = request.alignment.max(allocator.traits.alignment);
    let request = Request { alignment, ..request };
    if !allocator.remembers() {
        return plain(request).ok();
    }
    let charge_bytes = pool::charge(request.size_bytes)?;
    if !allocator.pool.reserve(charge_bytes) {
        return None;
    }
    let Some((block, mapped_bytes)) = acquire(allocator, request) else {
        allocator.pool.release(charge_bytes);
        return None;
    };
    let allocator = Arc::clone(allocator);
    let size_bytes = request.size_bytes;
    TABLE.insert(address(block), Record { allocator, size_bytes, charge_bytes, mapped_bytes });
    Some(block)
}

/// A block as the allocator wants it, and the size of the pages it has for itself.
fn acquire(allocator: &Allocator, request: Request) -> Option<(NonNull<u8>, usize)> {
    let Request { size_bytes, alignment, zeroed } = request;
    if allocator.traits.pinned {
        return memory::pinned(size_bytes, alignment);
    }
    memory::heap(size_bytes, alignment, zeroed).map(|block| (block, 0))
}

/// # Safety
/// `block` has `mapped` bytes of pages, or is a heap block if that is 0; nobody uses it afterwards.
unsafe fn release(block: NonNull<u8>, mapped: usize) {
    // SAFETY: the caller's promise.
    unsafe { if mapped > 0 { memory::unmap(block, mapped) } else { memory::free_heap(block) } }
}

/// Moves a remembered block, whose record is out of the table, to one of `size` bytes in the same
/// pool. The old bytes count as given back already, so a pool is not asked for both at once. `None`
/// changes nothing.
fn resize_record(block: NonNull<u8>, record: &mut Record, size: usize) -> Option<NonNull<u8>> {
    let charge = pool::charge(size)?;
    let allocator = &record.allocator;
    let request = Request::new(size).aligned(allocator.traits.alignment)?;
    let (new, mapped) = acquire(allocator, request)?;
    if !allocator.pool.exchange(record.charge_bytes, charge) {
        // SAFETY: the new block was just made and is not used.
        unsafe { release(new, mapped) };
        return None;
    }
    // SAFETY: both blocks have that many bytes and differ; the old one is released once.
    unsafe {
        new.copy_from_nonoverlapping(block, record.size_bytes.min(size));
        release(block, record.mapped_bytes);
    }
    (record.size_bytes, record.charge_bytes, record.mapped_bytes) = (size, charge, mapped);
    Some(new)
}

/// # Safety
/// `block` is plain, and `to` is null or exists.
unsafe fn reallocate_plain(block: NonNull<u8>, size: usize, to: Handle) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe {
        if to.resolve().is_none_or(|allocator| !allocator.remembers()) {
            return memory::resize_heap(block, size).ok_or(Failure::Null);
        }
        let new = allocate(to, Request::new(size))?;
        let old_size = memory::heap_block_size(block);
        new.copy_from_nonoverlapping(block, old_size.min(size));
        memory::free_heap(block);
        Ok(new)
    }
}

/// The key of a block in the side table.
fn address(block: NonNull<u8>) -> usize {
    block.as_ptr() as usize
}

#[cfg(test)]
mod tests;
