//! Memory that may not be there: for what grows with the number of threads and tasks.
//!
//! Where memory is exhausted, a smaller team, or other tasks first, are better than the end of the program. So the
//! functions here ask the system's allocator itself and say whether it has what is wanted.
//!
//! Everything else that the runtime allocates is small, and it cannot go on without: what a task has of dependences, a
//! worker's name. For that there is a *reserve*, which is taken before the first task gets its record. An allocation that
//! fails (the C library's are in `capi/openmp/src/memory.rs`) uses it up, and no memory is taken for more tasks until
//! the reserve is there again. Units: bytes.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// What lies by for allocations that cannot fail. Nobody touches it, so it costs addresses alone.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
const RESERVE_LAYOUT: Layout = Layout::new::<[u8; 4 << 20]>();

/// Fresh memory for what is made without bound; none where there is none, or none for the reserve.
pub fn try_allocate_beside_reserve(layout: Layout) -> Option<NonNull<u8>> {
    restock().then(|| try_allocate(layout)).flatten()
}

/// Whether the reserve was used up since it was last taken. Where it could never be taken, nothing waits for it. Relaxed: a
/// hint.
static USED_UP: AtomicBool = AtomicBool::new(false);

/// Whether the reserve is there, or could be taken again; true also where there never was one.
fn restock() -> bool {
    // Relaxed: whose it is counts, not what is in it.
    if !RESERVE.load(Ordering::Relaxed).is_null() {
        return true;
    }
    let Some(fresh) = try_allocate(RESERVE_LAYOUT) else {
        return !USED_UP.load(Ordering::Relaxed);
    };
    USED_UP.store(false, Ordering::Relaxed);
    // AcqRel, as in `use_reserve`: whoever gets the memory may write to it.
    let before = RESERVE.swap(fresh.as_ptr(), Ordering::AcqRel);
    // SAFETY: what was in the word came from here, and is nobody's now.
    NonNull::new(before).inspect(|&before| unsafe { release(before, RESERVE_LAYOUT) });
    true
}

/// After an allocation that cannot fail did: gives the reserve back to the system. False if there was none.
#[cold]
pub fn use_reserve() -> bool {
    // AcqRel: as in `restock`.
    let reserve = NonNull::new(RESERVE.swap(null_mut(), Ordering::AcqRel));
    USED_UP.fetch_or(reserve.is_some(), Ordering::Relaxed);
    // SAFETY: `restock` put it there; it is nobody's now.
    reserve.inspect(|&reserve| unsafe { release(reserve, RESERVE_LAYOUT) }).is_some()
}

/// Fresh memory, not initialised; none where there is none. Of a size that is not zero.
pub fn try_allocate(layout: Layout) -> Option<NonNull<u8>> {
    assert!(layout.size() != 0);
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { System.alloc(layout) })
}

/// Gives back what `try_allocate` gave.
///
/// # Safety
/// `memory` came from `try_allocate` with this layout, and nobody uses it any more.
pub unsafe fn release(memory: NonNull<u8>, layout: Layout) {
    // SAFETY: the caller's contract.
    unsafe { System.dealloc(memory.as_ptr(), layout) };
}

/// Whether `count` times `bytes` could be had at this moment, for allocations that cannot fail.
pub fn has_room_for(count: usize, bytes: usize) -> bool {
    let layout = bytes.checked_mul(count).and_then(|all| Layout::from_size_align(all, 1).ok());
    let Some(layout) = layout.filter(|layout| layout.size() != 0) else { return count == 0 };
    // What is allocated and given back unused is not allocated at all by an optimizing compiler.
    let room = std::hint::black_box(try_allocate(layout));
    // SAFETY: it was given just now, with this layout.
    room.inspect(|&room| unsafe { release(room, layout) }).is_some()
}

/// A slice of `len` items that is never deallocated; none where there is no memory for it.
pub fn try_leak<T>(len: usize, mut make: impl FnMut(usize) -> T) -> Option<&'static [T]> {
    let layout = Layout::array::<T>(len).ok().filter(|layout| layout.size() != 0)?;
    let items = try_allocate(layout)?.cast::<T>();
    // SAFETY: the memory is for `len` items, aligned for them, and nobody else's.
    (0..len).for_each(|index| unsafe { items.add(index).write(make(index)) });
    // SAFETY: all items were written, and the memory is never given back.
    Some(unsafe { std::slice::from_raw_parts(items.as_ptr(), len) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No allocator has more than half of the addresses.
    const TOO_MUCH: usize = isize::MAX as usize - 4096;

    #[test]
    fn what_cannot_be_had_is_said_and_what_can_is_given() {
        let layout = Layout::from_size_align(TOO_MUCH, 64).unwrap();
        assert!(try_allocate(layout).is_none());
        assert!(!has_room_for(usize::MAX, 2) && !has_room_for(1, TOO_MUCH));
        assert!(has_room_for(0, 7) && has_room_for(1000, 7));
        assert!(try_leak(TOO_MUCH, |index| index).is_none());
        // Other tests may take it again at once.
        assert!(try_allocate_beside_reserve(layout).is_none() && use_reserve());
        assert_eq!(try_leak(3, |index| index * 2), Some(&[0, 2, 4][..]));
    }
}
