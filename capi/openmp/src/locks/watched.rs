//! Taking a lock and giving it back, as a tool may watch: the usual way has one test more, and no register to save for it.

use std::ffi::c_int;
use vicinity_runtime::locks::LockWord;
use vicinity_runtime::tool::{self, mutex as told};

/// Takes a lock for a construct of this kind; a tool is told.
#[inline]
pub fn take(kind: c_int, lock: &LockWord) {
    if tool::is_on() {
        return take_watched(kind, lock);
    }
    lock.lock();
}

#[inline]
pub fn give_back(kind: c_int, lock: &LockWord) {
    if tool::is_on() {
        return give_back_watched(kind, lock);
    }
    lock.unlock();
}

#[cold]
#[inline(never)]
fn take_watched(kind: c_int, lock: &LockWord) {
    let id = std::ptr::from_ref(lock).addr();
    told::acquire(kind, id);
    lock.lock();
    told::acquired(kind, id);
}

#[cold]
#[inline(never)]
fn give_back_watched(kind: c_int, lock: &LockWord) {
    lock.unlock();
    told::released(kind, std::ptr::from_ref(lock).addr());
}
