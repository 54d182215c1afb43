//! `omp_lock_t`: OpenMP 5.2, sections 18.9.1 to 18.9.6, simple locks.
//!
//! Every function takes a pointer to a lock of the program: 4 bytes at least, aligned to 4. A lock
//! owns nothing but its storage, so destroying it does nothing but tell a tool.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use vicinity_runtime::locks::LockWord;
use vicinity_runtime::tool::abi::mutex;
use vicinity_runtime::tool::{self, mutex as told};

use super::watched;

super::entries! {
    init: omp_init_lock omp_init_lock_ __kmpc_init_lock;
    init(_hint): omp_init_lock_with_hint omp_init_lock_with_hint_ __kmpc_init_lock_with_hint;
    destroy: omp_destroy_lock omp_destroy_lock_ __kmpc_destroy_lock;
    set: omp_set_lock omp_set_lock_ __kmpc_set_lock;
    unset: omp_unset_lock omp_unset_lock_ __kmpc_unset_lock;
    test -> c_int: omp_test_lock omp_test_lock_ __kmpc_test_lock;
}

unsafe fn init(lock: *mut c_void) {
    // SAFETY: the program gives the storage of a lock; any four bytes are a valid word.
    unsafe { LockWord::at(lock.cast()) }.reset();
    // A tool is looked for by the first call that comes here.
    vicinity_runtime::thread::current();
    if tool::is_on() {
        told::made(mutex::LOCK, lock.addr());
    }
}

unsafe fn destroy(lock: *mut c_void) {
    if tool::is_on() {
        told::destroyed(mutex::LOCK, lock.addr());
    }
}

unsafe fn set(lock: *mut c_void) {
    // SAFETY: the program passes an initialised lock.
    watched::take(mutex::LOCK, unsafe { LockWord::at(lock.cast()) });
}

unsafe fn unset(lock: *mut c_void) {
    // SAFETY: the program passes a lock that it holds.
    watched::give_back(mutex::LOCK, unsafe { LockWord::at(lock.cast()) });
}

unsafe fn test(lock: *mut c_void) -> c_int {
    // SAFETY: the program passes an initialised lock.
    let word = unsafe { LockWord::at(lock.cast()) };
    if tool::is_on() { test_watched(word) } else { word.try_lock().into() }
}

#[cold]
fn test_watched(word: &LockWord) -> c_int {
    let lock = std::ptr::from_ref(word);
    told::acquire(mutex::TEST_LOCK, lock.addr());
    let taken = word.try_lock();
    if taken {
        told::acquired(mutex::TEST_LOCK, lock.addr());
    } else {
        told::refused();
    }
    taken.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Storage as clang's `omp.h` declares it: only the first four bytes may change.
    #[test]
    fn uses_four_bytes() {
        let mut storage = [0x5555_5555u32; 2];
        let lock: *mut c_void = storage.as_mut_ptr().cast();
        // SAFETY: `lock` points to a lock that this thread alone uses.
        unsafe {
            omp_init_lock(lock);
            omp_set_lock_(lock);
            assert_eq!(__kmpc_test_lock(std::ptr::null(), 0, lock), 0);
            omp_unset_lock(lock);
            assert_eq!(omp_test_lock(lock), 1);
            omp_unset_lock(lock);
            omp_destroy_lock(lock);
        }
        assert_eq!(storage[1], 0x5555_5555);
    }
}
