//! Critical sections, and the one lock of atomics that no instruction can do.
//!
//! A named critical section has zeroed storage of its own that the linker merges by name: 8 bytes
//! from gcc, 32 from clang; the first 4 are its lock. gcc's unnamed section is a call without
//! argument and has its lock here; clang's is a section named "".
//!
//! Big atomics (`long double`, complex, structures) share one lock, whichever compiler asks for it:
//! gcc brackets them with `GOMP_atomic_start` and `GOMP_atomic_end`, and the `__kmpc_atomic_` routines
//! for those types take the same lock, so mixed programs agree.
//!
//! Source: OpenMP 5.2, sections 15.2 (critical) and 15.8.4 (atomic).
#![allow(unsafe_code)]

use std::ffi::c_void;
use vicinity_runtime::locks::LockWord;
use vicinity_runtime::tool::abi::mutex;

use super::watched::{give_back, take};

/// Keeps a lock off the cache lines of its neighbours.
#[repr(align(128))]
struct Alone(LockWord);

static UNNAMED: Alone = Alone(LockWord::new());
static ATOMIC: Alone = Alone(LockWord::new());

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_critical_start() {
    take(mutex::CRITICAL, &UNNAMED.0);
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_critical_end() {
    give_back(mutex::CRITICAL, &UNNAMED.0);
}

/// `name` points to the section's storage, a `void *` of zeroes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_critical_name_start(name: *mut *mut c_void) {
    // SAFETY: the compiler passes static storage that only these functions touch.
    take(mutex::CRITICAL, unsafe { LockWord::at(name.cast()) });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_critical_name_end(name: *mut *mut c_void) {
    // SAFETY: as for the start of the section, which this thread has passed.
    give_back(mutex::CRITICAL, unsafe { LockWord::at(name.cast()) });
}

/// `name` points to a `kmp_critical_name`: 32 bytes of zeroes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_critical(
    _location: *const c_void,
    _thread: i32,
    name: *mut [u32; 8],
) {
    // SAFETY: the compiler passes static storage that only these functions touch.
    take(mutex::CRITICAL, unsafe { LockWord::at(name.cast()) });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_critical_with_hint(
    location: *const c_void,
    thread: i32,
    name: *mut [u32; 8],
    _hint: u32,
) {
    // SAFETY: the same contract; a hint changes nothing.
    unsafe { __kmpc_critical(location, thread, name) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_critical(
    _location: *const c_void,
    _thread: i32,
    name: *mut [u32; 8],
) {
    // SAFETY: as for the start of the section, which this thread has passed.
    give_back(mutex::CRITICAL, unsafe { LockWord::at(name.cast()) });
}

/// Also called by the C part of the atomics (shim/atomics.c).
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_atomic_start() {
    take(mutex::ATOMIC, &ATOMIC.0);
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_atomic_end() {
    give_back(mutex::ATOMIC, &ATOMIC.0);
}

/// gcc 17 brackets reductions with these, and atomics alone with the two above: one lock, since an older compiler's part of
/// the program takes the same lock for both.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_reduction_start() {
    take(mutex::ATOMIC, &ATOMIC.0);
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_reduction_end() {
    give_back(mutex::ATOMIC, &ATOMIC.0);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_atomic_start() {
    take(mutex::ATOMIC, &ATOMIC.0);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_atomic_end() {
    give_back(mutex::ATOMIC, &ATOMIC.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    struct Name([u32; 8]);

    #[test]
    fn sections_exclude_threads() {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = Box::into_raw(Box::new(Name([0; 8]))) as usize;
        let handles: Vec<_> = (0..4)
            .map(|_| {
                std::thread::spawn(move || {
                    for _ in 0..2_000 {
                        let name = name as *mut [u32; 8];
                        // SAFETY: `name` points to zeroed storage that outlives the threads.
                        unsafe { __kmpc_critical_with_hint(std::ptr::null(), 0, name, 0) };
                        COUNT.store(COUNT.load(Relaxed) + 1, Relaxed);
                        // SAFETY: as above, and the section was entered.
                        unsafe { __kmpc_end_critical(std::ptr::null(), 0, name) };
                    }
                })
            })
            .collect();
        for handle in handles {
            handle.join().unwrap();
        }
        assert_eq!(COUNT.load(Relaxed), 8_000);
        // SAFETY: made by Box::into_raw above; the threads are gone.
        let name = unsafe { Box::from_raw(name as *mut Name) };
        assert_eq!(name.0, [0; 8]);
    }
}
