//! The system calls of tracing: memory, the file, signals.
#![allow(unsafe_code)]

use crate::sync::AtomicU64;
use std::os::fd::{AsRawFd, RawFd};

/// Zeroed words that take memory only once they are used; they stay until the process ends.
pub fn reserve(words: usize, large_pages: bool) -> Option<&'static [AtomicU64]> {
    let bytes = words.checked_mul(8)?;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new anonymous mapping wherever there is room harms nobody; it is never unmapped, and zero
    // is valid for every word.
    unsafe {
        let block = libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0);
        if block == libc::MAP_FAILED {
            return None;
        }
        if large_pages {
            // Advice: a failure costs more page faults.
            libc::madvise(block, bytes, libc::MADV_HUGEPAGE);
        }
        Some(std::slice::from_raw_parts(block.cast(), words))
    }
}

/// Nanoseconds since some moment, and since 1970.
pub fn clocks_ns() -> (u64, u64) {
    let read = |clock| {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `now` is a valid place for the answer; both clocks always exist.
        unsafe { libc::clock_gettime(clock, &mut now) };
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    };
    (read(libc::CLOCK_MONOTONIC), read(libc::CLOCK_REALTIME))
}

/// Takes the file for this process alone, until it is closed; false if another one has it.
pub fn lock_file(file: &impl AsRawFd) -> bool {
    // SAFETY: a call on an open file. A file system without locks is as good as one that nobody else uses.
    let status = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
    status == 0 || std::io::Error::last_os_error().kind() != std::io::ErrorKind::WouldBlock
}

/// Writes all of `bytes`: at a position of a regular file, or at the end of anything else. The error number if it cannot.
pub fn write_all(file: RawFd, mut bytes: &[u8], mut position: Option<u64>) -> Result<(), i32> {
    while !bytes.is_empty() {
        let (start, length) = (bytes.as_ptr().cast(), bytes.len());
        // SAFETY: the memory is readable for `length` bytes.
        let written = unsafe {
            match position {
                Some(at) => libc::pwrite(file, start, length, at as i64),
                None => libc::write(file, start, length),
            }
        };
        match written {
            0 => return Err(libc::ENOSPC),
            1.. => {
                bytes = &bytes[written as usize..];
                position = position.map(|at| at + written as u64);
            }
            _ => match std::io::Error::last_os_error().raw_os_error() {
                Some(libc::EINTR) => (),
                error => return Err(error.unwrap_or(libc::EIO)),
            },
        }
    }
    Ok(())
}

/// Ends the file here, if it can be ended.
pub fn truncate(file: RawFd, length: u64) {
    // SAFETY: a call on an open file; a failure leaves a longer file.
    unsafe { libc::ftruncate(file, length as i64) };
}

/// Keeps an open file from the programs that this one becomes or starts.
pub fn close_on_exec(file: RawFd) {
    // SAFETY: a call on an open file; a failure leaves it to them.
    unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
}

pub fn close(file: RawFd) {
    // SAFETY: the file is the caller's.
    unsafe { libc::close(file) };
}

/// The calling thread.
pub fn thread_id() -> u32 {
    vicinity_alloc::os::process::native_thread_id()
}

/// Sleeps for a tenth of a millisecond; a signal handler may.
pub fn nap() {
    let time = libc::timespec { tv_sec: 0, tv_nsec: 100_000 };
    // SAFETY: a valid time; nobody asks how much of it was left.
    unsafe { libc::nanosleep(&time, std::ptr::null_mut()) };
}

/// Has a function called when the program ends by `exit` or `quick_exit`.
pub fn at_exit(last: extern "C" fn()) {
    unsafe extern "C" {
        fn at_quick_exit(last: extern "C" fn()) -> libc::c_int;
    }
    // SAFETY: a function without arguments, in a library that is never unloaded. A failure costs the
    // events of a program that ends so.
    unsafe {
        libc::atexit(last);
        at_quick_exit(last);
    }
}

/// Signals whose default action ends the program, of those that programs get.
const FATAL: [i32; 13] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGSEGV,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGXCPU,
    libc::SIGSYS,
];

pub type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);

/// Has `handler` called once for each signal that would end the program; others' handlers stay.
pub fn watch_signals(handler: Handler) {
    for signal in FATAL {
        // SAFETY: both actions are valid places, zero is a valid action, and the handler has the type that
        // SA_SIGINFO promises. It runs on the thread's alternate stack, where there is one.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old);
            if old.sa_sigaction != libc::SIG_DFL {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = handler as *const () as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
            libc::sigaction(signal, &new, std::ptr::null_mut());
        }
    }
}

/// In a handler whose signal has its default action again: has the program end by it, once the handler returns. A
/// fault of the processor comes again by itself, where it was.
pub fn end_by(signal: i32, info: *const libc::siginfo_t) {
    // SAFETY: the kernel's information on the signal, or null.
    let comes_again = unsafe { info.as_ref() }.is_some_and(|info| info.si_code > 0)
        && [libc::SIGILL, libc::SIGBUS, libc::SIGFPE, libc::SIGSEGV].contains(&signal);
    if !comes_again {
        // SAFETY: no preconditions; the signal is blocked until the handler returns.
        unsafe { libc::raise(signal) };
    }
}

/// Bytes of a thread's stack for handlers: enough to format and write events.
const STACK_BYTES: usize = 128 << 10;

/// Gives the calling thread a stack for signal handlers, unless it has one, so that a stack that overflowed can be told of.
pub fn provide_stack() {
    // SAFETY: both are valid places; the new stack is a mapping that is never unmapped.
    unsafe {
        let mut old: libc::stack_t = std::mem::zeroed();
        let known = libc::sigaltstack(std::ptr::null(), &mut old) == 0;
        if known
            && old.ss_flags & libc::SS_DISABLE != 0
            && let Some(words) = reserve(STACK_BYTES / 8, false)
        {
            let stack = words.as_ptr().cast_mut().cast();
            let new = libc::stack_t { ss_sp: stack, ss_flags: 0, ss_size: STACK_BYTES };
            libc::sigaltstack(&new, std::ptr::null_mut());
        }
    }
}
