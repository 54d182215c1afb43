//! libgomp's cancellation.

use crate::handle::Flag;
use libc::c_int;
use vicinity_runtime::cancel::{self, Kind};

/// Bits of `which`, as gcc's `gomp-constants.h` has them: 1 parallel, 2 loop, 4 sections, 8 taskgroup.
fn kind(which: c_int) -> Kind {
    match which {
        _ if which & 6 != 0 => Kind::Worksharing,
        _ if which & 8 != 0 => Kind::Taskgroup,
        _ => Kind::Parallel,
    }
}

/// `do_cancel` is the value of the if clause; without it this is a cancellation point. True if the
/// caller must leave the construct.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_cancel(which: c_int, do_cancel: Flag) -> bool {
    if do_cancel.is_set() {
        cancel::request(kind(which))
    } else {
        cancel::is_requested(kind(which))
    }
}

#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_cancellation_point(which: c_int) -> bool {
    cancel::is_requested(kind(which))
}
