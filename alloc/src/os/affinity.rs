//! Which processors the calling thread may run on, and binding it to some of them.
//!
//! The system calls are made directly: the C library's `cpu_set_t` ends at 1,024 processors, the
//! kernel's masks do not.
//! Source: Linux `sched_setaffinity(2)`, section "C library/kernel differences".

#![allow(unsafe_code)]

use super::cpu_set::{CpuSet, MAX_PROCESSORS};
use std::io;

/// Words of the first attempt: 8,192 processors, the largest mask of any stock kernel.
const USUAL_WORDS: usize = 128;
const MAX_WORDS: usize = (MAX_PROCESSORS / u64::BITS) as usize;

/// The processors the calling thread may run on; empty when the kernel does not say.
pub fn affinity_mask() -> CpuSet {
    let mut usual = [0; USUAL_WORDS];
    match read_mask(&mut usual) {
        Ok(words) => return CpuSet::from_words(&usual[..words]),
        Err(error) if error.raw_os_error() != Some(libc::EINVAL) => return CpuSet::new(),
        Err(_) => {}
    }
    // EINVAL: the kernel's masks are longer than that.
    let mut large = vec![0; MAX_WORDS];
    match read_mask(&mut large) {
        Ok(words) => CpuSet::from_words(&large[..words]),
        Err(_) => CpuSet::new(),
    }
}

/// Reads the calling thread's mask and says how many words the kernel wrote.
fn read_mask(words: &mut [u64]) -> io::Result<usize> {
    // SAFETY: the kernel writes at most `size_of_val(words)` bytes, all inside `words`; 0 names the
    // calling thread.
    let written = unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(words), words.as_mut_ptr())
    };
    match usize::try_from(written) {
        Ok(bytes) => Ok(bytes.div_ceil(size_of::<u64>())),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Lets the calling thread run on these processors only.
///
/// Fails when none of them exists and is allowed to the process (`EINVAL`).
pub fn bind_current_thread(cpus: &CpuSet) -> io::Result<()> {
    let words = cpus.words();
    // SAFETY: the kernel only reads `size_of_val(words)` bytes of `words`; 0 names the calling thread.
    let status = unsafe {
        libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(words), words.as_ptr())
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Which of the processors another thread of this process may run on it is to keep off, at once: those before, if that
/// leaves any.
pub fn keep_off(thread: libc::pthread_t, processor: u32) -> Option<CpuSet> {
    let mut words = [0u64; USUAL_WORDS];
    let bytes = size_of_val(&words);
    // SAFETY: the kernel writes at most so many bytes, all inside `words`.
    let status = unsafe { libc::pthread_getaffinity_np(thread, bytes, words.as_mut_ptr().cast()) };
    let before = CpuSet::from_words(&words);
    let mut others = before.clone();
    others.remove(processor);
    if status != 0 || others.is_empty() {
        return None;
    }
    let words = others.words();
    // SAFETY: the kernel only reads `size_of_val(words)` bytes of `words`.
    let status =
        unsafe { libc::pthread_setaffinity_np(thread, size_of_val(words), words.as_ptr().cast()) };
    (status == 0).then_some(before)
}

/// The processor the calling thread is running on at this moment, where the kernel says.
pub fn current_processor() -> Option<u32> {
    // SAFETY: no preconditions.
    let cpu = unsafe { libc::sched_getcpu() };
    u32::try_from(cpu).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_can_be_bound_and_freed() {
        // In a thread of its own: the mask must not leak into other tests.
        let bound = std::thread::spawn(|| {
            let all = affinity_mask();
            assert!(!all.is_empty());
            let one: CpuSet = all.first().into_iter().collect();
            bind_current_thread(&one).unwrap();
            assert_eq!(affinity_mask(), one);
            assert_eq!(current_processor(), one.first());
            bind_current_thread(&all).unwrap();
            assert_eq!(affinity_mask(), all);
        });
        bound.join().unwrap();
    }

    #[test]
    fn binding_to_nothing_fails() {
        assert!(bind_current_thread(&CpuSet::new()).is_err());
    }

    #[test]
    fn a_mask_that_is_too_short_is_refused_by_the_kernel() {
        assert!(read_mask(&mut []).is_err());
    }
}
