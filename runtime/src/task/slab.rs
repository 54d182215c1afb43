//! Where task records come from: per-thread free lists of blocks in a few sizes.
//!
//! Terms: a *block* is one allocation for a record and its payload; its *home* is the slab that made it.
//! A *chain* is a list of blocks linked through `Block::next`.
//!
//! Protocol. The owner pops from its own list. It frees its own blocks onto that list, and
//! others' blocks into an outgoing chain, which it hands to their home in one operation when it is full,
//! when the target changes, or when the thread goes idle. An owner whose list is empty takes its whole
//! inbox. Blocks beyond the largest class are kept elsewhere (`large`). Where the allocator has nothing
//! more, the owner runs tasks until a block comes free (`team::shortage`).
//!
//! Invariants: 1. A slab is never deallocated (a thread that ends leaves it to a later thread), so
//! `home` is always valid. 2. The inbox is only pushed to and taken whole, so it has no ABA problem.
//! Units: bytes. Memory kept: the peak number of blocks in flight, in chunks of 64 KiB, and at most
//! `BATCH` outgoing blocks a class and thread.
#![allow(unsafe_code)]

use super::large;
use crate::memory;
use crate::private::Private;
use crate::team::until_there_is_memory;
use std::alloc::Layout;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Block sizes in bytes; each a multiple of the cache line.
const CLASS_BYTES: [usize; 4] = [320, 512, 1024, 2048];
/// Any block has room for so much.
pub const SMALLEST_BYTES: usize = CLASS_BYTES[0];
const CLASSES: usize = CLASS_BYTES.len();
const CHUNK_BYTES: usize = 64 << 10;
const ALIGN: usize = 64;
/// Blocks freed for another thread that travel together.
const BATCH: u32 = 32;

/// What every block carries; part of the record's second cache line.
#[repr(C)]
pub struct Block {
    /// Null for a block that came straight from the allocator.
    home: *const Slab,
    /// Owner of the list the block is in.
    pub(super) next: *mut Header,
    /// Size class, or the size in bytes where `home` is null.
    class: usize,
}

impl Block {
    /// How long the block is.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        if self.home.is_null() { self.class } else { CLASS_BYTES[self.class] }
    }

    /// For a record that did not come from a slab.
    pub const fn none() -> Block {
        Block { home: std::ptr::null(), next: null_mut(), class: 0 }
    }
}

/// The start of a record as the slab sees it: the block's fields lie in its second cache line.
#[repr(C, align(64))]
pub struct Header {
    hot: [u64; 8],
    pub block: Block,
}

#[derive(Clone, Copy)]
struct Chain {
    home: *const Slab,
    head: *mut Header,
    tail: *mut Header,
    len: u32,
}

const NO_CHAIN: Chain =
    Chain { home: std::ptr::null(), head: null_mut(), tail: null_mut(), len: 0 };

pub struct Slab {
    /// Owner: free blocks by class.
    free: [Private<*mut Header>; CLASSES],
    /// Owner: blocks on their way home, by class.
    outgoing: [Private<Chain>; CLASSES],
    /// Anybody: blocks that came home, by class.
    inbox: [crossbeam_utils::CachePadded<AtomicPtr<Header>>; CLASSES],
}

impl Default for Slab {
    fn default() -> Self {
        Slab {
            free: std::array::from_fn(|_| Private::new(null_mut())),
            outgoing: std::array::from_fn(|_| Private::new(NO_CHAIN)),
            inbox: Default::default(),
        }
    }
}

impl Slab {
    /// Owner: a block of at least `bytes` bytes, 64-byte aligned; `block` is set, the rest is not.
    #[inline(always)]
    pub fn allocate(&'static self, bytes: usize) -> *mut Header {
        if bytes <= SMALLEST_BYTES { self.pop(0) } else { self.allocate_more(bytes) }
    }

    /// Owner: whether there is a free block of the smallest class.
    #[inline(always)]
    pub fn has_some(&self) -> bool {
        !self.free[0].get().is_null()
    }

    #[inline(never)]
    fn allocate_more(&'static self, bytes: usize) -> *mut Header {
        match CLASS_BYTES.iter().position(|&class| bytes <= class) {
            Some(class) => self.pop(class),
            None => large(bytes),
        }
    }

    #[inline(always)]
    fn pop(&'static self, class: usize) -> *mut Header {
        let head = self.free[class].get();
        if head.is_null() {
            return self.refill(class);
        }
        // SAFETY: blocks in the free list are live and the owner's alone.
        self.free[class].set(unsafe { (*head).block.next });
        head
    }

    #[cold]
    fn refill(&'static self, class: usize) -> *mut Header {
        let head = self
            .chain(class)
            .unwrap_or_else(|| until_there_is_memory(CLASS_BYTES[class], || self.chain(class)));
        // SAFETY: the chain was taken whole; it is the owner's alone now.
        self.free[class].set(unsafe { (*head).block.next });
        head
    }

    /// A chain of free blocks: its own, those that came home, or fresh ones. None if there is no memory.
    fn chain(&'static self, class: usize) -> Option<*mut Header> {
        let is_one = |head: &*mut Header| !head.is_null();
        // Acquire: pairs with the Release in `send`.
        let inbox = || self.inbox[class].swap(null_mut(), Ordering::Acquire);
        // Of its own there are some if it ran tasks because there was no memory.
        let known = Some(self.free[class].get()).filter(is_one);
        let known = known.or_else(|| Some(inbox()).filter(is_one));
        known
            .or_else(|| self.carve(class, CHUNK_BYTES))
            .or_else(|| self.carve(class, CLASS_BYTES[class]))
            .or_else(|| self.cut_up(class))
    }

    /// Cuts a fresh chunk of this length into blocks and returns them as a chain.
    fn carve(&'static self, class: usize, chunk_bytes: usize) -> Option<*mut Header> {
        Some(self.cut(class, raw(chunk_bytes)?, chunk_bytes))
    }

    /// Does so with a kept block of a task with long data.
    fn cut_up(&'static self, class: usize) -> Option<*mut Header> {
        let block = large::take_any()?;
        // SAFETY: the block is the caller's alone, and this field of a record is set.
        let bytes = unsafe { (*block).block.bytes() };
        Some(self.cut(class, block.cast(), bytes))
    }

    fn cut(&'static self, class: usize, chunk: *mut u8, chunk_bytes: usize) -> *mut Header {
        let size = CLASS_BYTES[class];
        let mut head = null_mut();
        for index in (0..chunk_bytes / size).rev() {
            // SAFETY: `index * size + size` is within the chunk, and both are multiples of 64.
            let block = unsafe { chunk.add(index * size) }.cast::<Header>();
            // SAFETY: nobody else has the block. Where a record was, there is one again.
            unsafe {
                (&raw mut (*block).block).write(Block { home: self, next: head, class });
                super::record::init_fresh(block);
            }
            head = block;
        }
        head
    }

    /// Owner of this slab (the calling thread's): gives a block back, wherever it came from.
    ///
    /// # Safety
    /// `block` came from `allocate` of some slab and nobody uses it any more.
    #[inline(always)]
    pub unsafe fn free(&'static self, block: *mut Header) {
        // SAFETY: the block is live and the caller's alone.
        let Block { home, class, .. } = unsafe { (&raw const (*block).block).read() };
        if std::ptr::eq(home, self) {
            // SAFETY: as above.
            unsafe { (*block).block.next = self.free[class].get() };
            self.free[class].set(block);
        } else if home.is_null() {
            // SAFETY: `large` made it of this length; the rest is the caller's contract.
            unsafe { large::keep(block, class) };
        } else {
            self.post(home, class, block);
        }
    }

    /// Owner: gives back one of its own blocks of the smallest class.
    ///
    /// # Safety
    /// As for `free`; and the block came from `allocate` of this slab for no more than `SMALLEST_BYTES`.
    #[inline(always)]
    pub unsafe fn free_smallest(&'static self, block: *mut Header) {
        // SAFETY: the block is live and the caller's alone.
        unsafe { (*block).block.next = self.free[0].get() };
        self.free[0].set(block);
    }

    /// Adds a block to the outgoing chain of its class.
    #[inline(never)]
    fn post(&self, home: *const Slab, class: usize, block: *mut Header) {
        let mut chain = self.outgoing[class].get();
        if chain.home != home || chain.len == BATCH {
            send(chain, class);
            chain = Chain { home, head: null_mut(), tail: block, len: 0 };
        }
        // SAFETY: the block is live and the caller's alone.
        unsafe { (*block).block.next = chain.head };
        self.outgoing[class].set(Chain { head: block, len: chain.len + 1, ..chain });
    }

    /// Owner: sends all outgoing chains home. Called before the thread sleeps or ends.
    pub fn flush(&self) {
        for (class, outgoing) in self.outgoing.iter().enumerate() {
            send(outgoing.replace(NO_CHAIN), class);
        }
    }
}

/// Hands a chain to its home.
fn send(chain: Chain, class: usize) {
    if chain.len == 0 {
        return;
    }
    // SAFETY: slabs are never deallocated (invariant 1).
    let inbox = unsafe { &(*chain.home).inbox[class] };
    let mut old = inbox.load(Ordering::Relaxed);
    loop {
        // SAFETY: the chain is the caller's until the exchange below succeeds.
        unsafe { (*chain.tail).block.next = old };
        // Release: pairs with the Acquire in `refill`.
        match inbox.compare_exchange_weak(old, chain.head, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => old = now,
        }
    }
}

fn large(bytes: usize) -> *mut Header {
    let length = large::length(bytes);
    let block =
        || large::take(length).or_else(|| fresh(length)).or_else(|| large::take_longer(length));
    block().unwrap_or_else(|| until_there_is_memory(length, block))
}

/// A block that was none before.
fn fresh(length: usize) -> Option<*mut Header> {
    let block = large::allocate(length)?;
    let fields = Block { home: std::ptr::null(), next: null_mut(), class: length };
    // SAFETY: the block is fresh and at least a header long, since it exceeds every class.
    unsafe {
        (&raw mut (*block).block).write(fields);
        super::record::init_fresh(block);
    }
    Some(block)
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, ALIGN)
        .unwrap_or_else(|_| crate::report::fatal("a task's data is larger than the address space"))
}

fn raw(bytes: usize) -> Option<*mut u8> {
    Some(memory::try_allocate_beside_reserve(layout(bytes))?.as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slab() -> &'static Slab {
        Box::leak(Box::default())
    }

    #[test]
    fn own_blocks_are_reused_last_in_first_out() {
        let slab = slab();
        let (a, b) = (slab.allocate(200), slab.allocate(320));
        assert_ne!(a, b);
        // SAFETY: both blocks are this test's.
        unsafe {
            slab.free(a);
            slab.free(b);
        }
        assert_eq!((slab.allocate(1), slab.allocate(320)), (b, a));
    }

    #[test]
    fn blocks_freed_elsewhere_come_home_in_batches() {
        let (home, other) = (slab(), slab());
        let blocks: Vec<_> = (0..CHUNK_BYTES / 320).map(|_| home.allocate(320)).collect();
        // SAFETY: the blocks are this test's.
        blocks.iter().for_each(|&block| unsafe { other.free(block) });
        other.flush();
        let again: Vec<_> = (0..CHUNK_BYTES / 320).map(|_| home.allocate(320)).collect();
        assert!(again.iter().all(|block| blocks.contains(block)), "no new chunk was needed");
    }

    #[test]
    fn large_blocks_come_and_go() {
        let slab = slab();
        // No other test has one so large.
        const BYTES: usize = 3 << 20;
        let block = slab.allocate(BYTES);
        assert!(block.is_aligned());
        // SAFETY: the block is this test's.
        unsafe {
            assert_eq!((*block).block.bytes(), BYTES);
            block.cast::<u8>().add(BYTES / 2).write(7);
            slab.free(block);
            assert_eq!(slab.allocate(BYTES), block, "a record's memory stays a record's");
            assert_eq!(block.cast::<u8>().add(BYTES / 2).read(), 0, "its pages went back");
            slab.free(block);
        }
    }
}
