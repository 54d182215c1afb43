//! Groups: tasks that are waited for together.
#![allow(unsafe_code)]

use super::handle::Handle;
use super::status::{Status, code};
use std::ffi::c_int;
use std::sync::Arc;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_group_create(group: *mut *const Handle) -> c_int {
    if group.is_null() {
        return Status::Argument as c_int;
    }
    // SAFETY: the program passes a place for a pointer.
    unsafe { group.write(Arc::<Handle>::default().give()) };
    code(Ok(()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_group_wait(group: *const Handle) -> c_int {
    // SAFETY: the program passes a group that lives until this returns, or null.
    code(unsafe { Handle::borrow(group) }.map(Handle::wait))
}

/// Tasks of the group that are not finished go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_group_destroy(group: *const Handle) -> c_int {
    // SAFETY: the program passes a group for the last time, or null.
    code(unsafe { Handle::take(group) }.map(drop))
}
