//! Where worksharing constructs meet task reductions: the three moments at which a construct with a
//! `reduction(task, ...)` clause involves the descriptors.
#![allow(unsafe_code)]

use super::tasks::GOMP_taskgroup_start;
use vicinity_runtime::report;

/// Every thread, before it enters the construct: opens the taskgroup that surrounds its part.
pub fn begin_worksharing() {
    GOMP_taskgroup_start();
}

/// The first thread, before any other comes in: registers the descriptor with its taskgroup.
///
/// # Safety
/// `descriptor` is the compiler's.
pub unsafe fn register_first(descriptor: *mut usize) {
    report::fatal(&format!("task reductions of a construct ({descriptor:p}) cannot be registered"));
}

/// Another thread: joins the first one's registered descriptor.
///
/// # Safety
/// Both descriptors are the compiler's, of one construct.
pub unsafe fn register_later(descriptor: *mut usize, _first: *mut usize) {
    report::fatal(&format!("task reductions of a construct ({descriptor:p}) cannot be registered"));
}
