//! Memory that may not be there: for what grows with the number of threads and tasks.
//!
//! Where memory is exhausted, a smaller team or a task that runs at once is better than the end of the program. So these
//! ask the system's allocator itself and say whether it has what is wanted; everything else that the runtime
//! allocates is small, and without it the process ends (in the C library `capi/openmp/src/memory.rs` says so in one line).
//! Units: bytes.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::NonNull;

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
    let room = try_allocate(layout);
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
        assert_eq!(try_leak(3, |index| index * 2), Some(&[0, 2, 4][..]));
    }
}
