//! Where the program called the runtime: the return address that events name.
//!
//! The stack is walked, by the tables that unwinding uses, from the event to the first frame outside of this library. So
//! entry points need not keep their return address for tools, and cost nothing while there is none. Only an event that
//! the tool asked for walks.
//!
//! Not here: frames of tasks (`facts`), for which any address within the runtime's frame will do.
#![allow(unsafe_code)]

use super::{here, of_thread};
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::OnceLock;

/// The code of this library.
static OURS: OnceLock<Range<usize>> = OnceLock::new();

/// Frames of the runtime between an event and the program: far more than there are.
const DEEPEST: u32 = 64;

/// `_Unwind_Reason_Code`: go on, and stop.
const GO_ON: c_int = 0;
const STOP: c_int = 4;

type Step = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

unsafe extern "C" {
    fn _Unwind_Backtrace(step: Step, walk: *mut c_void) -> c_int;
    fn _Unwind_GetIP(frame: *mut c_void) -> usize;
    fn _Unwind_GetCFA(frame: *mut c_void) -> usize;
}

struct Walk {
    ours: Range<usize>,
    /// Stack addresses from here on are not the program's.
    bottom: usize,
    frames: u32,
    found: usize,
}

/// The return address of the call that brought the thread into the runtime; null where the program called nothing, as when
/// a worker waits for its next region.
pub fn find() -> *const c_void {
    let Some(ours) = OURS.get() else { return std::ptr::null() };
    let bottom = here().and_then(of_thread).map_or(usize::MAX, |facts| facts.bottom.get());
    let mut walk = Walk { ours: ours.clone(), bottom, frames: 0, found: 0 };
    // SAFETY: `step` gets what it expects, and lets nothing unwind.
    unsafe { _Unwind_Backtrace(step, (&raw mut walk).cast()) };
    walk.found as *const c_void
}

unsafe extern "C" fn step(frame: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: `find` passes its walk, and the unwinder a frame.
    let (walk, address, stack) =
        unsafe { (&mut *walk.cast::<Walk>(), _Unwind_GetIP(frame), _Unwind_GetCFA(frame)) };
    walk.frames += 1;
    if stack > walk.bottom || walk.frames > DEEPEST {
        return STOP;
    }
    if walk.ours.contains(&address) {
        return GO_ON;
    }
    walk.found = address;
    STOP
}

/// A tool is there: looks where this library's code is.
pub fn look() {
    let mut found = 0..0;
    // SAFETY: the callback gets a description of each object, and the place passed here.
    unsafe { libc::dl_iterate_phdr(Some(note_if_ours), (&raw mut found).cast()) };
    let _ = OURS.set(found);
}

unsafe extern "C" fn note_if_ours(
    object: *mut libc::dl_phdr_info,
    _bytes: usize,
    found: *mut c_void,
) -> c_int {
    let me = look as *const () as usize;
    // SAFETY: the loader's description, and the place that `look` passed.
    let (object, found) = unsafe { (&*object, &mut *found.cast::<Range<usize>>()) };
    for at in 0..object.dlpi_phnum {
        // SAFETY: the object has so many headers.
        let header = unsafe { &*object.dlpi_phdr.add(usize::from(at)) };
        let start = (object.dlpi_addr + header.p_vaddr) as usize;
        let code = start..start + header.p_memsz as usize;
        if header.p_type == libc::PT_LOAD && code.contains(&me) {
            *found = code;
            return 1;
        }
    }
    0
}
