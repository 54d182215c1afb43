//! Blocks for tasks whose data is too long for a slab's classes.
//!
//! They are kept for later tasks like a slab's, in four classes for each power of two: a thread that looks into a queue may read the record
//! of a task that has just gone (`ancestry::Glimpse`), so a record's memory stays a record's. Of a long block only the first page
//! is kept, the rest goes back to the system until it is used again. They are rare, so one lock serves all.
#![allow(unsafe_code)]

use super::slab::Header;
use crate::memory;
use crate::process_lock::ProcessLock;
use std::alloc::Layout;
use std::ptr::null_mut;

/// Free blocks by their length, linked through `Block::next`, four lists for each power of two.
pub(crate) static FREE: ProcessLock<[List; CLASSES]> =
    ProcessLock::new([List(null_mut()); CLASSES]);
const CLASSES: usize = 4 * usize::BITS as usize;

#[derive(Clone, Copy)]
pub(crate) struct List(*mut Header);

// SAFETY: free blocks belong to whoever has the lock.
unsafe impl Send for List {}

const ALIGN: usize = 64;
const PAGE: usize = 4096;
/// Longer ones go back to the system but for a page.
const LONG: usize = 1 << 20;

/// How long a block is that has room for so much.
pub fn length(bytes: usize) -> usize {
    let step = 1 << (bytes.ilog2() - 2);
    let length = bytes.checked_next_multiple_of(step);
    length.unwrap_or_else(|| crate::report::fatal("a task's data is larger than the address space"))
}

/// Blocks of a length have a list.
fn list_of(length: usize) -> usize {
    let log = length.ilog2();
    4 * log as usize + (length >> (log - 2)) % 4
}

/// A block of this length that was a record before: at rest, with its block's fields set.
pub fn take(length: usize) -> Option<*mut Header> {
    pop(&mut FREE.lock()[list_of(length)])
}

/// The same, a longer one: for when there is no memory.
pub fn take_longer(length: usize) -> Option<*mut Header> {
    FREE.lock()[list_of(length) + 1..].iter_mut().find_map(pop)
}

/// Any: for when there is no memory for shorter ones.
pub fn take_any() -> Option<*mut Header> {
    FREE.lock().iter_mut().find_map(pop)
}

fn pop(list: &mut List) -> Option<*mut Header> {
    let block = list.0;
    if block.is_null() {
        return None;
    }
    // SAFETY: blocks in the list are live, and the caller's who has the lock.
    list.0 = unsafe { (*block).block.next };
    Some(block)
}

/// Memory for another one.
pub fn allocate(length: usize) -> Option<*mut Header> {
    let layout = Layout::from_size_align(length, ALIGN).ok()?;
    Some(memory::try_allocate_beside_reserve(layout)?.as_ptr().cast())
}

/// Keeps a block for a later task.
///
/// # Safety
/// It came from `allocate` with this length and is a record at rest that nobody uses any more.
pub unsafe fn keep(block: *mut Header, length: usize) {
    if length >= LONG {
        let begins = (block.addr() + PAGE).next_multiple_of(PAGE) - block.addr();
        let ends = (block.addr() + length) / PAGE * PAGE - block.addr();
        // SAFETY: whole pages within the block, behind the record's header, whose content nobody needs.
        unsafe {
            libc::madvise(
                block.wrapping_byte_add(begins).cast(),
                ends - begins,
                libc::MADV_DONTNEED,
            )
        };
    }
    let list = &mut FREE.lock()[list_of(length)].0;
    // SAFETY: the block is live and the caller's alone.
    unsafe { (*block).block.next = *list };
    *list = block;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_quarter_is_added_and_each_length_has_a_list() {
        assert_eq!(
            [2049, 2560, 2561, 4095, 4096, 4097].map(length),
            [2560, 2560, 3072, 4096, 4096, 5120]
        );
        let lists = [4096, 5120, 6144, 7168, 8192].map(list_of);
        assert!(lists.windows(2).all(|pair| pair[1] == pair[0] + 1));
        assert!(list_of(length(usize::MAX / 2)) < CLASSES);
    }
}
