//! `omp_nest_lock_t`: OpenMP 5.2, sections 18.9.1 to 18.9.6, nestable locks.
//!
//! Every function takes a pointer to a lock of the program: 8 bytes at least, aligned to 8. The owner
//! of a lock is the calling task.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use vicinity_runtime::locks::{NestWord, Owner};
use vicinity_runtime::tool::abi::mutex;
use vicinity_runtime::tool::{self, mutex as told};

super::entries! {
    init: omp_init_nest_lock omp_init_nest_lock_ __kmpc_init_nest_lock;
    init(_hint): omp_init_nest_lock_with_hint omp_init_nest_lock_with_hint_
        __kmpc_init_nest_lock_with_hint;
    destroy: omp_destroy_nest_lock omp_destroy_nest_lock_ __kmpc_destroy_nest_lock;
    set: omp_set_nest_lock omp_set_nest_lock_ __kmpc_set_nest_lock;
    unset: omp_unset_nest_lock omp_unset_nest_lock_ __kmpc_unset_nest_lock;
    test -> c_int: omp_test_nest_lock omp_test_nest_lock_ __kmpc_test_nest_lock;
}

/// The calling task, as the owner of locks.
fn me() -> Owner {
    Owner::of_task(vicinity_runtime::thread::current_task_id())
}

unsafe fn init(lock: *mut c_void) {
    // SAFETY: the program gives the storage of a lock; any eight bytes are a valid word.
    unsafe { NestWord::at(lock.cast()) }.reset();
    // A tool is looked for by the first call that comes here.
    vicinity_runtime::thread::current();
    if tool::is_on() {
        told::made(mutex::NEST_LOCK, lock.addr());
    }
}

unsafe fn destroy(lock: *mut c_void) {
    if tool::is_on() {
        told::destroyed(mutex::NEST_LOCK, lock.addr());
    }
}

unsafe fn set(lock: *mut c_void) {
    // SAFETY: the program passes an initialised lock.
    let word = unsafe { NestWord::at(lock.cast()) };
    if tool::is_on() {
        return set_watched(word);
    }
    word.lock(me());
}

#[cold]
fn set_watched(word: &NestWord) {
    let id = std::ptr::from_ref(word).addr();
    told::acquire(mutex::NEST_LOCK, id);
    let depth = word.lock(me());
    told::nest_acquired(mutex::NEST_LOCK, id, depth);
}

unsafe fn unset(lock: *mut c_void) {
    // SAFETY: the program passes a lock that the calling task holds.
    let word = unsafe { NestWord::at(lock.cast()) };
    if tool::is_on() {
        return unset_watched(word);
    }
    word.unlock();
}

#[cold]
fn unset_watched(word: &NestWord) {
    let depth = word.unlock();
    told::nest_released(std::ptr::from_ref(word).addr(), depth);
}

/// The new nesting count, or 0 if another task holds the lock. A depth fits: it has 20 bits.
unsafe fn test(lock: *mut c_void) -> c_int {
    // SAFETY: the program passes an initialised lock.
    let word = unsafe { NestWord::at(lock.cast()) };
    if tool::is_on() { test_watched(word) } else { word.try_lock(me()) as c_int }
}

#[cold]
fn test_watched(word: &NestWord) -> c_int {
    let id = std::ptr::from_ref(word).addr();
    told::acquire(mutex::TEST_NEST_LOCK, id);
    let depth = word.try_lock(me());
    match depth {
        0 => told::refused(),
        depth => told::nest_acquired(mutex::TEST_NEST_LOCK, id, depth),
    }
    depth as c_int
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Storage as gcc's `omp.h` declares it: only the first eight bytes may change.
    #[test]
    fn uses_eight_bytes_and_counts() {
        let mut storage = [u64::MAX; 2];
        let lock: *mut c_void = storage.as_mut_ptr().cast();
        // SAFETY: `lock` points to a lock that this thread alone uses.
        unsafe {
            omp_init_nest_lock(lock);
            omp_set_nest_lock(lock);
            assert_eq!(omp_test_nest_lock_(lock), 2);
            assert_eq!(__kmpc_test_nest_lock(std::ptr::null(), 0, lock), 3);
            for _ in 0..3 {
                omp_unset_nest_lock(lock);
            }
            assert_eq!(omp_test_nest_lock(lock), 1);
            omp_unset_nest_lock_(lock);
            omp_destroy_nest_lock(lock);
        }
        assert_eq!(storage, [0, u64::MAX]);
    }
}
