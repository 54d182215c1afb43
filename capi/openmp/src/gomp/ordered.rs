//! libgomp's ordered regions.
//!
//! Source: OpenMP 5.2, section 15.10.2 (ordered construct).
#![allow(unsafe_code)]

use vicinity_runtime::thread;

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_ordered_start() {
    thread::seat().ordered_start();
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_ordered_end() {
    thread::seat().ordered_end();
}
