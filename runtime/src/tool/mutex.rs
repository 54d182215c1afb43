//! Events of locks, critical sections, atomics and ordered regions.
//!
//! Whoever takes a lock asks `super::is_on` first, and calls nothing else if it is: so the usual way has one test more, and
//! no register to save for it.

use super::abi::{mutex, scope, state};
use super::{callbacks, here, of_thread};
use std::ffi::c_int;

/// How locks are made here: a word that threads spin and sleep on. One of `ompt_enumerate_mutex_impls`.
pub const IMPLEMENTATION: u32 = 1;

/// About to take a lock: by its kind and its address.
#[cold]
pub fn acquire(kind: c_int, id: usize) {
    if let Some(facts) = here().and_then(of_thread) {
        facts.lock_state.set(state::WAIT_MUTEX);
        facts.wait_id.set(id as u64);
    }
    callbacks::mutex_acquire(kind, 0, IMPLEMENTATION, id as u64);
}

#[cold]
pub fn acquired(kind: c_int, id: usize) {
    not_waiting();
    callbacks::mutex_acquired(kind, id as u64);
}

/// A test of a lock that is taken.
#[cold]
pub fn refused() {
    not_waiting();
}

fn not_waiting() {
    if let Some(facts) = here().and_then(of_thread) {
        facts.lock_state.set(0);
        facts.wait_id.set(0);
    }
}

#[cold]
pub fn released(kind: c_int, id: usize) {
    callbacks::mutex_released(kind, id as u64);
}

#[cold]
pub fn made(kind: c_int, id: usize) {
    callbacks::lock_init(kind, 0, IMPLEMENTATION, id as u64);
}

#[cold]
pub fn destroyed(kind: c_int, id: usize) {
    callbacks::lock_destroy(kind, id as u64);
}

/// A nestable lock was taken: for the first time, or once more by its owner.
#[cold]
pub fn nest_acquired(kind: c_int, id: usize, depth: u32) {
    if depth == 1 {
        return acquired(kind, id);
    }
    not_waiting();
    callbacks::nest_lock(scope::BEGIN, id as u64);
}

/// The same, given back; `depth` is how often it is still held.
#[cold]
pub fn nest_released(id: usize, depth: u32) {
    if depth == 0 {
        return released(mutex::NEST_LOCK, id);
    }
    callbacks::nest_lock(scope::END, id as u64);
}
