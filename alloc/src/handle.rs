//! Handles: the numbers by which a program names allocators.
//!
//! A handle up to [`Handle::THREAD_MEMORY`] is one of the predefined allocators, 0 is none. Any
//! other is the address of an [`Allocator`] that `omp_init_allocator` made. clang's `omp.h` has three
//! more small numbers for memory of offload devices; without devices they mean default memory.
//!
//! Lifetime: the handle counts as one owner of its allocator and every allocation that is remembered
//! as another, so that destroying an allocator before its memory is freed harms nobody.
//!
//! Source: OpenMP 5.2, table 6.4 (predefined allocators).
#![allow(unsafe_code)]

use crate::pool::Pool;
use crate::space::Space;
use crate::traits::{Fallback, Partition, RawTrait, Traits};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An `omp_allocator_handle_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle(pub usize);

impl Handle {
    /// `omp_null_allocator`.
    pub const NULL: Handle = Handle(0);
    /// `omp_default_mem_alloc`.
    pub const DEFAULT_MEMORY: Handle = Handle(1);
    /// `omp_thread_mem_alloc`, the last predefined one.
    pub const THREAD_MEMORY: Handle = Handle(8);

    /// Below every address: no allocator of the program lies there.
    const FIRST_ADDRESS: usize = 4096;

    /// The allocator of the program that this handle names; `None` for the predefined ones.
    ///
    /// # Safety
    /// The handle is predefined, or came from [`init`] and was not destroyed.
    pub unsafe fn resolve<'a>(self) -> Option<&'a Arc<Allocator>> {
        if self.0 < Handle::FIRST_ADDRESS {
            return None;
        }
        // SAFETY: such a handle is the address of an Arc that `init` leaked.
        Some(unsafe { &*(self.0 as *const Arc<Allocator>) })
    }
}

/// An allocator that the program made.
#[derive(Debug)]
pub struct Allocator {
    pub space: Space,
    /// Whose turn it is among the locations of the space.
    turns: AtomicUsize,
    pub traits: Traits,
    pub(crate) pool: Pool,
    /// The allocator to ask when this one cannot: kept alive from here.
    pub(crate) next: Option<Arc<Allocator>>,
}

impl Allocator {
    /// Whether its memory is the heap's, as it is.
    pub(crate) fn is_plain(&self) -> bool {
        let anywhere = !matches!(self.space, Space::Part(_));
        !self.remembers() && anywhere && self.traits.partition == Partition::Environment
    }

    /// Which turn a block has among the locations of the space.
    pub(crate) fn take_turn(&self) -> usize {
        // Relaxed: any order of turns is as good.
        self.turns.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether something about its allocations must be known when they are freed or resized.
    pub(crate) fn remembers(&self) -> bool {
        let traits = &self.traits;
        let quiet = matches!(traits.fallback, Fallback::DefaultMemory | Fallback::Null);
        traits.pinned
            || traits.pool_bytes.is_some()
            || traits.alignment > crate::os::memory::HEAP_ALIGNMENT
            || !quiet
    }
}

/// `omp_init_allocator`: [`Handle::NULL`] if the space does not exist or a trait makes no sense.
///
/// # Safety
/// An allocator named as fallback exists.
pub unsafe fn init(space: usize, traits: &[RawTrait]) -> Handle {
    let (Some(space), Some(traits)) = (Space::from_handle(space), Traits::parse(traits)) else {
        return Handle::NULL;
    };
    let next = match traits.fallback {
        // SAFETY: the caller's promise.
        Fallback::Allocator(handle) => unsafe { handle.resolve() }.cloned(),
        _ => None,
    };
    let pool = Pool::new(traits.pool_bytes);
    let allocator = Arc::new(Allocator { space, turns: AtomicUsize::new(0), traits, pool, next });
    Handle(Box::into_raw(Box::new(allocator)) as usize)
}

/// Like [`init`], for traits that can name predefined allocators alone (OMP_ALLOCATOR).
pub fn init_by_name(space: usize, traits: &[RawTrait]) -> Handle {
    // SAFETY: predefined allocators always exist.
    unsafe { init(space, traits) }
}

/// `omp_destroy_allocator`. Predefined allocators stay.
///
/// # Safety
/// As for [`Handle::resolve`]; afterwards the handle is never used again.
pub unsafe fn destroy(handle: Handle) {
    // SAFETY: the caller's promise.
    if let Some(allocator) = unsafe { handle.resolve() } {
        // SAFETY: `init` made the handle with Box::into_raw, and this is its last use.
        drop(unsafe { Box::from_raw(std::ptr::from_ref(allocator).cast_mut()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn init_refuses_what_it_does_not_know() {
        let odd = RawTrait { key: 2, value: 3 };
        // SAFETY: no fallback allocator is named.
        unsafe {
            assert_eq!(init(5, &[]), Handle::NULL);
            assert_eq!(init(0, &[odd]), Handle::NULL);
            let handle = init(4, &[]);
            assert_eq!(handle.resolve().unwrap().space, Space::LowLatency);
            destroy(handle);
            destroy(Handle::DEFAULT_MEMORY);
            destroy(Handle::NULL);
        }
    }

    #[test]
    fn a_fallback_allocator_outlives_its_handle() {
        // SAFETY: handles are used before they are destroyed.
        unsafe {
            let second = init(0, &[RawTrait { key: 4, value: 64 }]);
            let chain = [RawTrait { key: 5, value: 14 }, RawTrait { key: 6, value: second.0 }];
            let first = init(0, &chain);
            destroy(second);
            let next = first.resolve().unwrap().next.as_ref().unwrap();
            assert_eq!(next.traits.pool_bytes, Some(64));
            destroy(first);
        }
    }
}
