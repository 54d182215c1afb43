//! Linux futexes: sleep while a word holds a value, wake those who sleep on it.
//!
//! Source: futex(2). Private futexes: the word is never shared between processes.
#![allow(unsafe_code)]

use crate::errno;
use std::sync::atomic::AtomicU32;

/// Sleeps while `word` holds `expected`; may return early, so callers check their condition again.
pub fn wait(word: &AtomicU32, expected: u32) {
    // SAFETY: `word` is a live, aligned 32-bit word for the whole call; no timeout is passed.
    errno::kept(|| unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            expected,
            std::ptr::null::<libc::timespec>(),
        );
    });
}

/// Wakes at most `count` sleepers of `word`.
pub fn wake(word: &AtomicU32, count: i32) {
    wake_at(word, count);
}

/// Wakes all sleepers of the word at this address, which may have been freed.
pub fn wake_all(word: *const AtomicU32) {
    wake_at(word, i32::MAX);
}

fn wake_at(word: *const AtomicU32, count: i32) {
    // SAFETY: FUTEX_WAKE only uses the address as a key; the kernel checks it.
    unsafe {
        libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, count);
    }
}
