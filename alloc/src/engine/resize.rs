//! Blocks of a new size with the old contents.
#![allow(unsafe_code)]

use super::{
    Failure, Outcome, Request, acquire, address, allocate, default_memory, free_unremembered,
    release,
};
use crate::handle::Handle;
use crate::os::memory;
use crate::placed::index::INDEX;
use crate::placed::{self, Misuse};
use crate::pool;
use crate::table::Record;
use std::ptr::NonNull;

/// Moves a remembered block, whose record is out of the table, to one of `size` bytes in the same
/// pool. The old bytes count as given back already, so a pool is not asked for both at once. `None`
/// changes nothing.
pub(super) fn resize_record(
    block: NonNull<u8>,
    record: &mut Record,
    size: usize,
) -> Option<NonNull<u8>> {
    let charge = pool::charge(size)?;
    let allocator = &record.allocator;
    let request = Request::new(size).aligned(allocator.traits.alignment)?;
    let (new, origin) = acquire(allocator, request)?;
    if !allocator.pool.exchange(record.charge_bytes, charge) {
        // SAFETY: the new block was just made and is not used.
        unsafe { release(new, origin) };
        return None;
    }
    // SAFETY: both blocks have that many bytes and differ; the old one is released once.
    unsafe {
        new.copy_from_nonoverlapping(block, record.size_bytes.min(size));
        release(block, std::mem::replace(&mut record.origin, origin));
    }
    (record.size_bytes, record.charge_bytes) = (size, charge);
    Some(new)
}

/// # Safety
/// `block` has no record, and `to` is null or exists.
pub(super) unsafe fn reallocate_unremembered(
    block: NonNull<u8>,
    size: usize,
    to: Handle,
) -> Outcome {
    let placed =
        placed::engine().and_then(|engine| Some((engine, engine.block_of(address(block))?)));
    if let Some((engine, (start, old_size))) = placed {
        if start != address(block) {
            return Err(Failure::Misuse(Misuse::Inside));
        }
        // SAFETY: the caller's promise.
        let elsewhere = unsafe { to.resolve() }.is_some();
        if !elsewhere && engine.resize(start, size) {
            return Ok(block);
        }
        let request = Request::new(size);
        // SAFETY: the caller's promise; the blocks have that many bytes and differ.
        unsafe {
            let new = if elsewhere {
                allocate(to, request)?
            } else {
                default_memory(Some(engine.wish_of(start)), request)?
            };
            new.copy_from_nonoverlapping(block, old_size.min(size));
            free_unremembered(block).map_err(Failure::Misuse)?;
            return Ok(new);
        }
    }
    // SAFETY: the caller's promise.
    unsafe { reallocate_plain(block, size, to) }
}

/// # Safety
/// As for [`reallocate_unremembered`]; the block is not placed.
pub(super) unsafe fn reallocate_plain(block: NonNull<u8>, size: usize, to: Handle) -> Outcome {
    // While it is resized the block is nobody's, so that a second thread with the same mistake finds nothing.
    if !INDEX.remove_heap_block(address(block)) {
        return Err(Failure::Misuse(Misuse::Foreign));
    }
    // SAFETY: the caller's promise.
    let stays = unsafe { to.resolve() }.is_none_or(|allocator| allocator.is_plain());
    // SAFETY: a heap block of ours, and nobody else has it.
    let new = unsafe {
        if stays {
            memory::resize_heap(block, size).ok_or(Failure::Null)
        } else {
            allocate(to, Request::new(size)).inspect(|new| {
                let old_size = memory::heap_block_size(block);
                new.copy_from_nonoverlapping(block, old_size.min(size));
                memory::free_heap(block);
            })
        }
    };
    let mine = match new {
        Ok(new) if stays => new,
        Ok(new) => return Ok(new),
        Err(_) => block,
    };
    // Without memory for the table the program still has its block; it cannot be freed, that is all.
    let _ = INDEX.add_heap_block(address(mine));
    new
}
