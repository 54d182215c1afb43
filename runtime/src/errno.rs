//! `errno` is the program's: constructs leave it as it was, so that a program may ask for it behind one (`critical` around `perror`).
#![allow(unsafe_code)]

/// Does what may set `errno`, and puts back what was there.
pub fn kept<R>(work: impl FnOnce() -> R) -> R {
    // SAFETY: the calling thread's own; no reference to it is held while `work` runs.
    let before = unsafe { *libc::__errno_location() };
    let result = work();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = before };
    result
}
