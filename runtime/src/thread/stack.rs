//! How much stack a thread has left.
//!
//! A task that runs at once, in place of being deferred, uses the creator's stack. That is fine for
//! recursion, which would use as much serially, but not for chains of tasks that create their
//! successor as the last thing they do. So each thread has a floor: a task created below it is deferred.
//! Units: addresses in bytes; stacks grow downwards.
#![allow(unsafe_code)]

/// Assumed where the limit is unlimited or unknown.
const DEFAULT_BYTES: usize = 2 << 20;
/// No more than this counts, however large the stack.
const LARGEST_BYTES: usize = 256 << 20;

/// An address within the caller's frame.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub fn here() -> usize {
    let pointer;
    // SAFETY: reads the stack pointer; touches nothing else.
    unsafe {
        core::arch::asm!(
            "mov {}, rsp",
            out(reg) pointer,
            options(nomem, nostack, preserves_flags)
        );
    }
    pointer
}

/// An address within the caller's frame.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub fn here() -> usize {
    let marker = 0u8;
    std::hint::black_box(&raw const marker) as usize
}

/// The calling thread's floor: half of its stack may be used before it.
pub fn floor() -> usize {
    let size = size_bytes().clamp(64 << 10, LARGEST_BYTES);
    here().saturating_sub(size / 2)
}

/// The calling thread's stack size: what `ulimit -s` says for the main thread (asking the C library
/// would read /proc/self/maps), what the C library says for others.
fn size_bytes() -> usize {
    // SAFETY: neither call takes an argument.
    let is_main = unsafe { libc::getpid() == libc::gettid() };
    let size = if is_main { limit_bytes() } else { attribute_bytes() };
    size.unwrap_or(DEFAULT_BYTES)
}

/// The soft limit of the main thread's stack.
pub fn limit_bytes() -> Option<usize> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for the answer.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) } == 0;
    (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur as usize)
}

fn attribute_bytes() -> Option<usize> {
    let mut attributes = std::mem::MaybeUninit::uninit();
    let mut size = 0;
    // SAFETY: the attributes are initialised by the first call, read and destroyed after it alone.
    let known = unsafe {
        libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) == 0 && {
            let known = libc::pthread_attr_getstacksize(attributes.as_ptr(), &mut size) == 0;
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            known
        }
    };
    known.then_some(size)
}
