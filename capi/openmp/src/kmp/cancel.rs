//! libomp's cancellation.

use crate::handle::Pointer;
use libc::c_int;
use vicinity_runtime::cancel::{self, Kind};

/// libomp's `kmp_cancel_kind_t`: 1 parallel, 2 loop, 3 sections, 4 taskgroup.
fn kind(number: c_int) -> Kind {
    match number {
        2 | 3 => Kind::Worksharing,
        4 => Kind::Taskgroup,
        _ => Kind::Parallel,
    }
}

/// Not 0 if the caller must leave the construct.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel(_location: Pointer, _gtid: c_int, construct: c_int) -> c_int {
    cancel::request(kind(construct)).into()
}

/// Not 0 if the caller must leave the construct.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancellationpoint(
    _location: Pointer,
    _gtid: c_int,
    construct: c_int,
) -> c_int {
    cancel::is_requested(kind(construct)).into()
}
