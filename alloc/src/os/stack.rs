//! Who called: the return addresses on the calling thread's stack, by the tables that unwinding uses.
//!
//! Source: the Itanium C++ ABI, exception handling, level I. A frame without such a table ends the walk.
#![allow(unsafe_code)]

use super::modules;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::OnceLock;

/// Most addresses that are given.
pub const MOST: usize = 12;
/// Frames that are passed over at the top: far more than this library has on any way.
const DEEPEST: u32 = 64;

/// `_Unwind_Reason_Code`: go on, and stop.
const GO_ON: c_int = 0;
const STOP: c_int = 4;

type Step = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

unsafe extern "C" {
    fn _Unwind_Backtrace(step: Step, walk: *mut c_void) -> c_int;
    fn _Unwind_GetIP(frame: *mut c_void) -> usize;
}

/// Where the list begins.
enum First {
    /// With this address.
    At(usize),
    /// With the first that is not in this code.
    Outside(Range<usize>),
}

struct Walk {
    first: First,
    passed: u32,
    found: Vec<usize>,
}

/// Return addresses from `caller` on, the innermost first; that alone where the stack does not tell more.
pub fn addresses_from(caller: usize) -> Vec<usize> {
    let found = walk(First::At(caller));
    if found.is_empty() { vec![caller] } else { found }
}

/// Return addresses from the first on that is not in the object that this code is part of.
pub fn addresses_outside() -> Vec<usize> {
    static OURS: OnceLock<Range<usize>> = OnceLock::new();
    let ours = OURS.get_or_init(|| {
        let here = addresses_outside as *const () as usize;
        let own = modules::all().into_iter().find(|module| module.addresses.contains(&here));
        own.map_or(0..0, |module| module.addresses)
    });
    walk(First::Outside(ours.clone()))
}

fn walk(first: First) -> Vec<usize> {
    let mut walk = Walk { first, passed: 0, found: Vec::new() };
    // SAFETY: `step` gets what it expects, and lets nothing unwind.
    unsafe { _Unwind_Backtrace(step, (&raw mut walk).cast()) };
    walk.found
}

unsafe extern "C" fn step(frame: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: `walk` passes its list, and the unwinder a frame.
    let (walk, address) = unsafe { (&mut *walk.cast::<Walk>(), _Unwind_GetIP(frame)) };
    let begins = match &walk.first {
        First::At(caller) => address == *caller,
        First::Outside(code) => !code.contains(&address),
    };
    if address == 0 {
        return STOP;
    }
    if walk.found.is_empty() && !begins {
        walk.passed += 1;
        return if walk.passed < DEEPEST { GO_ON } else { STOP };
    }
    walk.found.push(address);
    if walk.found.len() < MOST { GO_ON } else { STOP }
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
