//! libomp's single, master and masked constructs, and copyprivate.
#![allow(unsafe_code)]

use crate::handle::Pointer;
use libc::{c_int, c_void, size_t};
use vicinity_runtime::team::{region, single};
use vicinity_runtime::{thread, tool};

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_single(_location: Pointer, _gtid: c_int) -> c_int {
    single::take().into()
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_single(_location: Pointer, _gtid: c_int) {
    if tool::is_on() {
        tool::sync::single_ends();
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_master(_location: Pointer, gtid: c_int) -> c_int {
    __kmpc_masked(_location, gtid, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_master(location: Pointer, gtid: c_int) {
    __kmpc_end_masked(location, gtid);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_masked(_location: Pointer, _gtid: c_int, filter: c_int) -> c_int {
    let is_named = thread::current().member().num as c_int == filter;
    if is_named && tool::is_on() {
        tool::sync::masked(true);
    }
    is_named.into()
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_masked(_location: Pointer, _gtid: c_int) {
    if tool::is_on() {
        tool::sync::masked(false);
    }
}

/// The thread that ran the block (`ran` is not 0) offers its values; the others copy them.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_copyprivate(
    _location: Pointer,
    _gtid: c_int,
    _size: size_t,
    data: *mut c_void,
    copy: unsafe extern "C" fn(*mut c_void, *mut c_void),
    ran: c_int,
) {
    if ran != 0 {
        single::offer(data);
    }
    if region::barrier() {
        // Cancelled: the thread that ran the block may never come, or be gone with its values.
        return;
    }
    if ran == 0 {
        // SAFETY: both are lists of the construct's variables, for which the compiler made `copy`.
        unsafe { copy(data, single::offered()) };
    }
    region::barrier();
}

/// A lighter form: returns the address of the values; a barrier of the compiler's follows the copying.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_copyprivate_light(
    _location: Pointer,
    _gtid: c_int,
    data: *mut c_void,
) -> *mut c_void {
    if !data.is_null() {
        single::offer(data);
    }
    if region::barrier() {
        return data;
    }
    single::offered()
}
