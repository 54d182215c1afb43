//! The side table: for every granule of the address space what is known of it, found with three loads.
//!
//! A root has one pointer for every 4 GiB of addresses; a leaf has a slot for each granule of them. Leaves
//! are mapped when memory of ours first lies there, and cost pages only where slots are used: 16 bytes
//! for 64 KiB of program memory. Beside the slots a leaf remembers which heap blocks are ours, a bit for every 16
//! bytes of a granule in which there are any.
//!
//! Invariants: 1. Leaves and bits are never deallocated: readers need no lock and no guard. 2. An address that no
//! leaf covers is not ours. 3. A heap block's bit is set from before the program gets it until it gives it
//! back, and only one of several threads that give it back finds it set.
//!
//! Not here: addresses above 2^48, which Linux hands out only to those that ask for them.
#![allow(unsafe_code)]

use super::slot::{Detail, Slot};
use super::word::{GRANULE, GRANULE_SHIFT, Word};
use crate::os::memory::{self, HEAP_ALIGNMENT};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

const LEAF_BITS: u32 = 16;
const LEAF_SLOTS: usize = 1 << LEAF_BITS;
const ADDRESS_BITS: u32 = 48;
const ROOTS: usize = 1 << (ADDRESS_BITS - GRANULE_SHIFT - LEAF_BITS);
const BITS_WORDS: usize = GRANULE / HEAP_ALIGNMENT / 64;

/// Which heap blocks of a granule are ours.
type Bits = [AtomicU64; BITS_WORDS];

struct Leaf {
    slots: [Slot; LEAF_SLOTS],
    heap: [AtomicPtr<Bits>; LEAF_SLOTS],
}

/// One for the whole address space.
pub struct Index {
    roots: [AtomicPtr<Leaf>; ROOTS],
}

pub static INDEX: Index = Index { roots: [const { AtomicPtr::new(null_mut()) }; ROOTS] };

/// There was no memory for the table itself.
#[derive(Debug)]
pub struct Full;

impl Index {
    /// The slot of the granule that `address` is in, if anything of ours was ever near.
    #[inline]
    pub fn slot(&'static self, address: usize) -> Option<&'static Slot> {
        Some(&self.leaf(address)?.slots[leaf_place(address)])
    }

    #[inline]
    pub fn word(&'static self, address: usize) -> Word {
        self.slot(address).map_or(Word::FOREIGN, Slot::word)
    }

    pub fn detail(&'static self, address: usize) -> Detail {
        self.slot(address).map_or(Detail::Nothing, Slot::detail)
    }

    /// Makes sure that every granule from `start` on has a slot.
    pub fn cover(&'static self, start: usize, granules: usize) -> Result<(), Full> {
        let last = start + (granules - 1) * GRANULE;
        let leaf_bytes = LEAF_SLOTS * GRANULE;
        let mut at = start;
        loop {
            self.leaf_or_new(at).ok_or(Full)?;
            let next = (at / leaf_bytes + 1) * leaf_bytes;
            if next > last {
                return Ok(());
            }
            at = next;
        }
    }

    /// Gives each of `granules` that are covered its word.
    pub fn set_words(&'static self, start: usize, granules: usize, word: impl Fn(usize) -> Word) {
        for number in 0..granules {
            if let Some(slot) = self.slot(start + number * GRANULE) {
                slot.set_word(word(number));
            }
        }
    }

    pub fn set_detail(&'static self, address: usize, detail: Detail) {
        if let Some(slot) = self.slot(address) {
            slot.set_detail(detail);
        }
    }

    /// Remembers a heap block as ours.
    pub fn add_heap_block(&'static self, address: usize) -> Result<(), Full> {
        let leaf = self.leaf_or_new(address).ok_or(Full)?;
        let bits = bits_or_new(&leaf.heap[leaf_place(address)]).ok_or(Full)?;
        let (word, bit) = heap_bit(address);
        // Release: pairs with the Acquire in `remove_heap_block`, though whoever frees a block was told its
        // address by another way as well.
        bits[word].fetch_or(bit, Ordering::Release);
        Ok(())
    }

    /// Forgets a heap block; `false` if it is not ours, or not any more.
    pub fn remove_heap_block(&'static self, address: usize) -> bool {
        self.heap_word(address).is_some_and(|(bits, bit)| {
            // Acquire: pairs with the Release in `add_heap_block`.
            bits.fetch_and(!bit, Ordering::Acquire) & bit != 0
        })
    }

    /// Whether this is the beginning of a heap block of ours.
    pub fn has_heap_block(&'static self, address: usize) -> bool {
        // Relaxed: the caller was told the address by whoever allocated the block, and nothing is read behind it.
        self.heap_word(address).is_some_and(|(bits, bit)| bits.load(Ordering::Relaxed) & bit != 0)
    }

    /// Where a heap block at this address is remembered, if any near it ever was, and its bit there.
    fn heap_word(&'static self, address: usize) -> Option<(&'static AtomicU64, u64)> {
        if !address.is_multiple_of(HEAP_ALIGNMENT) {
            return None;
        }
        // Acquire: pairs with the Release in `bits_or_new`.
        let bits = self.leaf(address)?.heap[leaf_place(address)].load(Ordering::Acquire);
        // SAFETY: such a pointer leads to bits that are never deallocated.
        let bits = unsafe { bits.as_ref() }?;
        let (word, bit) = heap_bit(address);
        Some((&bits[word], bit))
    }

    #[inline]
    fn leaf(&'static self, address: usize) -> Option<&'static Leaf> {
        let root = self.roots.get(address >> (GRANULE_SHIFT + LEAF_BITS))?;
        // Acquire: pairs with the Release in `leaf_or_new`.
        // SAFETY: such a pointer leads to a leaf that is never deallocated.
        unsafe { root.load(Ordering::Acquire).as_ref() }
    }

    fn leaf_or_new(&'static self, address: usize) -> Option<&'static Leaf> {
        if let Some(leaf) = self.leaf(address) {
            return Some(leaf);
        }
        let root = self.roots.get(address >> (GRANULE_SHIFT + LEAF_BITS))?;
        let new = memory::map_pages(size_of::<Leaf>())?;
        let placed = root.compare_exchange(
            null_mut(),
            new.as_ptr().cast(),
            // Release: pairs with the Acquire in `leaf`: the pages read as zeroes.
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if placed.is_err() {
            // SAFETY: the pages were just mapped, and nobody else knows of them.
            unsafe { memory::unmap(new, size_of::<Leaf>()) };
        }
        self.leaf(address)
    }
}

fn bits_or_new(place: &'static AtomicPtr<Bits>) -> Option<&'static Bits> {
    // Acquire: pairs with the Release below.
    let mut bits = place.load(Ordering::Acquire);
    if bits.is_null() {
        let new = memory::heap(size_of::<Bits>(), align_of::<Bits>(), true)?;
        // Release: pairs with the Acquires here and in `remove_heap_block`: the bits read as zeroes.
        let placed = place.compare_exchange(
            null_mut(),
            new.as_ptr().cast(),
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        bits = match placed {
            Ok(_) => new.as_ptr().cast(),
            Err(other) => {
                // SAFETY: the block was just made, and nobody else knows of it.
                unsafe { memory::free_heap(new) };
                other
            }
        };
    }
    // SAFETY: bits that are in place are never deallocated.
    unsafe { bits.as_ref() }
}

#[inline]
fn leaf_place(address: usize) -> usize {
    (address >> GRANULE_SHIFT) % LEAF_SLOTS
}

fn heap_bit(address: usize) -> (usize, u64) {
    let number = address % GRANULE / HEAP_ALIGNMENT;
    (number / 64, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::super::word::{Form, Placement};
    use super::*;

    /// Addresses that nothing is mapped at: the table does not look.
    const NOWHERE: usize = 0x1234_0000_0000;

    #[test]
    fn covers_runs_across_leaves() {
        let start = NOWHERE + 0xffff_0000 - 5 * GRANULE;
        assert_eq!(INDEX.word(start), Word::FOREIGN);
        INDEX.cover(start, 20).unwrap();
        INDEX.set_words(start, 20, |n| Word::new(Placement::At(2), Form::Run, n, 20 - n));
        INDEX.set_detail(start, Detail::Run { size_bytes: 99 });
        for n in 0..20 {
            assert_eq!(INDEX.word(start + n * GRANULE + 7).back(), n);
        }
        assert_eq!(INDEX.word(start + 20 * GRANULE), Word::FOREIGN);
        assert_eq!(INDEX.detail(start + 1), Detail::Run { size_bytes: 99 });
        assert!(INDEX.cover(usize::MAX & !(GRANULE - 1), 1).is_err());
        assert_eq!(INDEX.word(usize::MAX), Word::FOREIGN);
    }

    #[test]
    fn knows_heap_blocks() {
        let block = NOWHERE + 0x2_0000_0000 + 48;
        assert!(!INDEX.remove_heap_block(block));
        INDEX.add_heap_block(block).unwrap();
        assert!(!INDEX.remove_heap_block(block + 1));
        assert!(!INDEX.remove_heap_block(block + 16));
        assert!(INDEX.remove_heap_block(block));
        assert!(!INDEX.remove_heap_block(block));
    }

    #[test]
    fn one_of_several_threads_frees_a_heap_block() {
        for round in 0..200 {
            let block = NOWHERE + 0x3_0000_0000 + round * 16;
            INDEX.add_heap_block(block).unwrap();
            let wins: usize = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..3)
                    .map(|_| scope.spawn(move || usize::from(INDEX.remove_heap_block(block))))
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            assert_eq!(wins, 1);
        }
    }
}
