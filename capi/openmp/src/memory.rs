//! Where the library's own memory comes from: the system's allocator, then the reserve (`vicinity_runtime::memory`). Where both
//! have nothing more, the process ends after one line that says how much was needed.
//!
//! What may fail does not come this way: teams and task records (`memory`), and what the program allocates (`vicinity_alloc`).
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use vicinity_runtime::{memory, report};

struct Library;

#[global_allocator]
static LIBRARY: Library = Library;

// SAFETY: the system's allocator, which may be asked a second time.
unsafe impl GlobalAlloc for Library {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        insist(layout.size(), || unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        insist(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's contract; where it fails, the memory is as it was.
        insist(bytes, || unsafe { System.realloc(memory, layout, bytes) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// What the system gives, the second time if not the first.
#[inline]
fn insist(bytes: usize, attempt: impl Fn() -> *mut u8) -> *mut u8 {
    let memory = attempt();
    if memory.is_null() { again(bytes, attempt) } else { memory }
}

#[cold]
#[inline(never)]
fn again(bytes: usize, attempt: impl FnOnce() -> *mut u8) -> *mut u8 {
    let memory = if memory::use_reserve() { attempt() } else { std::ptr::null_mut() };
    if memory.is_null() {
        report::out_of_memory(bytes);
    }
    memory
}
