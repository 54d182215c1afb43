//! libgomp's single constructs.
#![allow(unsafe_code)]

use libc::c_void;
use vicinity_runtime::team::{region, single};
use vicinity_runtime::tool;

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_single_start() -> bool {
    single::take()
}

/// gcc's form for tools: the thread that runs the block says when it has.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_single_start_with_end() -> bool {
    single::take()
}

#[unsafe(no_mangle)]
pub extern "C" fn GOMP_single_end() {
    if tool::is_on() {
        tool::sync::single_ends();
    }
}

/// Null for the thread that runs the block; for the others, when that one has, the address of its values. In a
/// cancelled region that thread may be gone with its values: then null too, since the caller has no other way on.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_single_copy_start() -> *mut c_void {
    if single::take() {
        return std::ptr::null_mut();
    }
    if region::barrier() {
        return std::ptr::null_mut();
    }
    single::offered()
}

/// The thread that ran the block names the address of its values.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_single_copy_end(data: *mut c_void) {
    single::offer(data);
    region::barrier();
}
