//! Tasks that are set aside while they wait, and whom to ask whether they may go on.
#![allow(unsafe_code)]

use super::status::{Outcome, Status, code};
use std::ffi::{c_int, c_void};
use vicinity_runtime::aside::{self, Pause, poll};
use vicinity_runtime::global;

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_pause_helps() -> c_int {
    c_int::from(aside::helps())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_pause_wait(pause: *const Pause) -> c_int {
    code(pause_at(pause).map(Pause::wait))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_pause_end(pause: *const Pause) -> c_int {
    code(pause_at(pause).map(Pause::end))
}

/// The program's pause, which lives until it has ended.
fn pause_at<'a>(pause: *const Pause) -> Outcome<&'a Pause> {
    if !pause.is_aligned() {
        return Err(Status::Argument);
    }
    // SAFETY: null, or what the program says is a pause: two words, zeroes or what `Pause` made of them.
    unsafe { pause.as_ref() }.ok_or(Status::Argument)
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_poll(function: Option<poll::Function>, argument: *mut c_void) -> c_int {
    global::start();
    code(match function {
        None => Err(Status::Argument),
        Some(function) if poll::register(function, argument) => Ok(()),
        Some(_) => Err(Status::Unsupported),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_poll_wake() -> c_int {
    poll::attend();
    code(Ok(()))
}
