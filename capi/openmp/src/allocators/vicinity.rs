//! The memory part of `vicinity.h`: memory by how it is distributed over the machine, and where it is.
//!
//! Terms: *distribution* as in the design: standard (the kernel places pages at their first touch),
//! fine (pages over all locations in turn), coarse (whole allocations over locations in turn).
#![allow(unsafe_code)]

use crate::native::status::{Outcome, Status, code};
use crate::native::topology;
use std::ffi::{c_int, c_void};
use vicinity_alloc::{engine, placed};
use vicinity_policy::distribution::Distribution;
use vicinity_policy::footprint::NodeBytes;
use vicinity_policy::topology::LocationId;
use vicinity_runtime::global;

/// By the numbers of `OMP_MALLOC_STANDARD` and so on.
const KINDS: [Distribution; 3] = [Distribution::Standard, Distribution::Fine, Distribution::Coarse];

/// Memory distributed as `OMP_DATA_DISTRIBUTION` says. Null for no bytes or if there is too little.
#[unsafe(no_mangle)]
pub extern "C" fn omp_malloc(size: usize) -> *mut c_void {
    global::start();
    allocate("omp_malloc", size, placed::distribution())
}

/// Memory with a distribution of its own. Null also for a kind that does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn omp_malloc_specific(size: usize, kind: c_int) -> *mut c_void {
    global::start();
    match usize::try_from(kind).ok().and_then(|kind| KINDS.get(kind)) {
        Some(&distribution) => allocate("omp_malloc_specific", size, distribution),
        None => std::ptr::null_mut(),
    }
}

fn allocate(routine: &str, size: usize, distribution: Distribution) -> *mut c_void {
    super::give(routine, None, engine::allocate_spread(size, distribution), size)
}

/// Memory at one location. Null also for a location that does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_malloc_at(size: usize, location: c_int) -> *mut c_void {
    global::start();
    match topology::known(location) {
        Ok(location) => {
            super::give("vicinity_malloc_at", None, engine::allocate_at(size, location), size)
        }
        Err(_) => std::ptr::null_mut(),
    }
}

/// Frees memory of any `omp_` routine, as `omp_free(block, omp_null_allocator)` does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_free(block: *mut c_void) {
    // SAFETY: the program passes memory of these routines for the last time.
    unsafe { super::free("vicinity_free", block) }
}

/// Writes how many bytes of a block lie at each location, for `count` locations at most.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_locate(
    block: *const c_void,
    size: usize,
    bytes_per_location: *mut usize,
    count: usize,
) -> c_int {
    let locate = || -> Outcome {
        if block.is_null() || (bytes_per_location.is_null() && count > 0) {
            return Err(Status::Argument);
        }
        let data = bytes_at(block as usize, size);
        for at in 0..count {
            let bytes = data.as_slice().get(at).copied().unwrap_or(0);
            // SAFETY: the program has room for `count` numbers.
            unsafe { bytes_per_location.add(at).write(bytes as usize) };
        }
        Ok(())
    };
    code(locate())
}

fn bytes_at(block: usize, size: usize) -> NodeBytes {
    let mut data = NodeBytes::new(global::machine().topology.len());
    match placed::engine() {
        Some(engine) => engine.survey(block, size, &mut data),
        None => data.add(LocationId(0), size as u64),
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn answers_and_errors() {
        let block = omp_malloc(100);
        let mut bytes = [7usize; 2];
        // SAFETY: the block is freed once, and the answers have room.
        unsafe {
            assert_eq!(vicinity_locate(null_mut(), 1, bytes.as_mut_ptr(), 1), -1);
            assert_eq!(vicinity_locate(block, 1, null_mut(), 1), -1);
            assert_eq!(vicinity_locate(block, 100, null_mut(), 0), 0);
            assert_eq!(vicinity_locate(block, 100, bytes.as_mut_ptr(), 2), 0);
            vicinity_free(block);
        }
        assert_eq!(bytes, [100, 0]);
        assert!(omp_malloc_specific(10, 3).is_null() && omp_malloc_specific(10, -1).is_null());
        assert!(omp_malloc(usize::MAX).is_null());
        assert!(vicinity_malloc_at(10, -1).is_null() && vicinity_malloc_at(10, 1 << 20).is_null());
        assert!(vicinity_malloc_at(0, 0).is_null());
    }
}
