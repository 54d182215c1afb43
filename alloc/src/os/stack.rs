//! The calling thread's stack, by the tables that unwinding uses: who called.
//!
//! Source: the Itanium C++ ABI, exception handling, level I. A frame without such a table ends the walk.
#![allow(unsafe_code)]

use super::modules;
use std::ffi::{c_int, c_void};
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

/// Most addresses that are given.
pub const MOST: usize = 12;
/// Frames of this library at the top of a stack: far more than it has on any way.
pub const DEEPEST: u32 = 64;

/// `_Unwind_Reason_Code`: go on, and stop.
const GO_ON: c_int = 0;
const STOP: c_int = 4;

type Step = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

unsafe extern "C" {
    fn _Unwind_Backtrace(step: Step, visit: *mut c_void) -> c_int;
    fn _Unwind_GetIP(frame: *mut c_void) -> usize;
    fn _Unwind_GetCFA(frame: *mut c_void) -> usize;
}

/// A function that has been called and has not returned.
pub struct Frame {
    /// Where it goes on.
    pub address: usize,
    /// Where its part of the stack begins.
    pub stack: usize,
}

/// Visits frames, the innermost first. `visit` does not panic.
pub fn walk<V: FnMut(Frame) -> ControlFlow<()>>(mut visit: V) {
    // SAFETY: `step` gets what it expects, and lets nothing unwind.
    unsafe { _Unwind_Backtrace(step::<V>, (&raw mut visit).cast()) };
}

unsafe extern "C" fn step<V: FnMut(Frame) -> ControlFlow<()>>(
    frame: *mut c_void,
    visit: *mut c_void,
) -> c_int {
    // SAFETY: `walk` passes its visitor, and the unwinder a frame.
    let (visit, frame) = unsafe {
        let (address, stack) = (_Unwind_GetIP(frame), _Unwind_GetCFA(frame));
        (&mut *visit.cast::<V>(), Frame { address, stack })
    };
    if visit(frame).is_continue() { GO_ON } else { STOP }
}

/// The object that this code is part of.
pub fn ours() -> &'static Range<usize> {
    static OURS: OnceLock<Range<usize>> = OnceLock::new();
    OURS.get_or_init(|| {
        let here = ours as *const () as usize;
        let own = modules::all().into_iter().find(|module| module.addresses.contains(&here));
        own.map_or(0..0, |module| module.addresses)
    })
}

/// Return addresses from `caller` on, the innermost first; that alone where the stack does not tell more.
pub fn addresses_from(caller: usize) -> Vec<usize> {
    let found = addresses(|address| address == caller);
    if found.is_empty() { vec![caller] } else { found }
}

/// Return addresses from the first on that is not in the object that this code is part of.
pub fn addresses_outside() -> Vec<usize> {
    let ours = ours();
    addresses(|address| !ours.contains(&address))
}

/// Those from the first on that `begins` accepts.
fn addresses(begins: impl Fn(usize) -> bool) -> Vec<usize> {
    let (mut passed, mut found) = (0, Vec::new());
    let go_on_if = |more| if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    walk(|Frame { address, .. }| {
        if address == 0 {
            return ControlFlow::Break(());
        }
        if found.is_empty() && !begins(address) {
            passed += 1;
            return go_on_if(passed < DEEPEST);
        }
        found.push(address);
        go_on_if(found.len() < MOST)
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_found() {
        // A test is its own object, so all of its frames are passed over.
        let outside = addresses_outside();
        let ours = modules::all();
        let here = callers_are_found as *const () as usize;
        let own = ours.iter().find(|module| module.addresses.contains(&here)).unwrap();
        assert!(outside.iter().all(|address| !own.addresses.contains(address)), "{outside:?}");
        assert_eq!(addresses_from(1), [1], "nobody has returned there");
    }
}
