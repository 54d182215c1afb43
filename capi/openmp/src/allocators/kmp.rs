//! libomp's own heap: `kmp_malloc` and the like, which clang's `omp.h` declares, their Fortran names
//! (arguments by reference), and `kmpc_malloc` and the like, which Intel's compilers call.
//!
//! All of it is the C heap. Unlike the `omp_` routines, a request of no bytes gives a block.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use vicinity_alloc::os::memory;

fn malloc(size: usize, alignment: usize, zeroed: bool) -> *mut c_void {
    if !alignment.is_power_of_two() {
        return null_mut();
    }
    memory::heap(size.max(1), alignment, zeroed).map_or(null_mut(), |block| block.as_ptr().cast())
}

fn calloc(count: usize, size: usize) -> *mut c_void {
    count.checked_mul(size).map_or(null_mut(), |bytes| malloc(bytes, 1, true))
}

/// # Safety
/// `block` is null or came from this module; it is not used afterwards unless the answer is null for
/// a size above 0.
unsafe fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(block) = NonNull::new(block.cast()) else { return malloc(size, 1, false) };
    // SAFETY: the caller's promise.
    unsafe {
        if size == 0 {
            memory::free_heap(block);
            return null_mut();
        }
        memory::resize_heap(block, size).map_or(null_mut(), |block| block.as_ptr().cast())
    }
}

/// # Safety
/// `block` is null or came from this module, and is not used afterwards.
unsafe fn free(block: *mut c_void) {
    if let Some(block) = NonNull::new(block.cast()) {
        // SAFETY: the caller's promise.
        unsafe { memory::free_heap(block) };
    }
}

/// Defines one routine under its two C names and its Fortran name.
macro_rules! routine {
    ($c:ident $kmpc:ident $fortran:ident => $does:ident($($argument:ident: $type:ty),*)
        $(with $($constant:expr),+)? $(; -> $result:ty)?) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $c($($argument: $type),*) $(-> $result)? {
            // SAFETY: the program keeps the contract of the C heap. (Some of these are safe.)
            #[allow(unused_unsafe)]
            unsafe {
                $does($($argument),* $(, $($constant),+)?)
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $kmpc($($argument: $type),*) $(-> $result)? {
            // SAFETY: the same contract.
            unsafe { $c($($argument),*) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $fortran($($argument: *const $type),*) $(-> $result)? {
            // SAFETY: Fortran passes valid references, and keeps the same contract.
            unsafe { $c($(*$argument),*) }
        }
    };
}

routine!(kmp_malloc kmpc_malloc kmp_malloc_ => malloc(size: usize) with 1, false; -> *mut c_void);
routine!(kmp_aligned_malloc kmpc_aligned_malloc kmp_aligned_malloc_ =>
    malloc(size: usize, alignment: usize) with false; -> *mut c_void);
routine!(kmp_calloc kmpc_calloc kmp_calloc_ => calloc(count: usize, size: usize); -> *mut c_void);
routine!(kmp_realloc kmpc_realloc kmp_realloc_ =>
    realloc(block: *mut c_void, size: usize); -> *mut c_void);
routine!(kmp_free kmpc_free kmp_free_ => free(block: *mut c_void));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_the_c_heap() {
        // SAFETY: blocks are used while they live.
        unsafe {
            assert!(kmp_aligned_malloc(128, 127).is_null());
            assert!(kmp_calloc(usize::MAX, 2).is_null());
            let block = kmp_aligned_malloc_(&64, &4096);
            assert_eq!(block as usize % 4096, 0);
            let block = kmp_realloc(block, 10_000);
            kmp_free_(&block);
            let block = kmpc_calloc(3, 5).cast::<u8>();
            assert!((0..15).all(|i| block.add(i).read() == 0));
            assert!(kmp_realloc(block.cast(), 0).is_null());
            kmpc_free(kmp_malloc(0));
            kmp_free(null_mut());
        }
    }
}
