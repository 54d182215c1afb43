//! ThreadSanitizer in the program: memory of tasks is used again, which it must not take for a race.
//!
//! The compiler's code writes what a task captures into memory that an earlier task has read, on another thread: between
//! the two lies what the runtime does, which the sanitizer does not see and a tool (Archer) is not told. So the end of a
//! task is declared to come before the next use of its record.
#![allow(unsafe_code)]

use crate::task::TaskRef;
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};

/// `AnnotateHappensBefore(file, line, address)` and `AnnotateHappensAfter`.
type Annotate = unsafe extern "C" fn(*const c_char, c_int, usize);

/// Those functions' addresses; 0: no sanitizer. Relaxed: set before a second thread has a record.
static BEFORE: AtomicUsize = AtomicUsize::new(0);
static AFTER: AtomicUsize = AtomicUsize::new(0);

/// A tool is there: looks for the sanitizer.
pub fn look() {
    let find = |name: &CStr| {
        // SAFETY: a lookup by name.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
    };
    BEFORE.store(find(c"AnnotateHappensBefore"), Ordering::Relaxed);
    AFTER.store(find(c"AnnotateHappensAfter"), Ordering::Relaxed);
}

/// A task's body is over.
pub fn is_over(task: TaskRef) {
    annotate(&BEFORE, task);
}

/// A task has a record, in which another one may have been.
pub fn is_new(task: TaskRef) {
    annotate(&AFTER, task);
}

fn annotate(which: &AtomicUsize, task: TaskRef) {
    let function = which.load(Ordering::Relaxed);
    if function != 0 {
        // SAFETY: the sanitizer's function; it changes only what the sanitizer knows.
        unsafe {
            let function = std::mem::transmute::<usize, Annotate>(function);
            function(c"".as_ptr(), 0, task.as_ptr() as usize);
        }
    }
}
