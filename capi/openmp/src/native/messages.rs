//! Messages in the trace, told by those who send and receive.
#![allow(unsafe_code)]

use super::status::{Status, code};
use std::ffi::c_int;
use vicinity_runtime::thread::{self, clock};
use vicinity_runtime::trace::{self, End, Message};

/// `vicinity_message` of vicinity.h.
#[repr(C)]
pub struct Told {
    receives: c_int,
    peer: c_int,
    tag: c_int,
    communicator: u64,
    bytes: usize,
    began: u64,
    posted: u64,
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_trace_now() -> u64 {
    // The first thread of all begins the trace.
    thread::current();
    if trace::is_on() { clock::ticks() } else { 0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_trace_message(message: *const Told) -> c_int {
    if !message.is_aligned() {
        return code(Err(Status::Argument));
    }
    // SAFETY: null, or what the caller says is a message.
    let Some(told) = (unsafe { message.as_ref() }) else { return code(Err(Status::Argument)) };
    let end = if told.receives != 0 { End::Receive } else { End::Send };
    let &Told { peer, tag, communicator, began, posted, .. } = told;
    let bytes = told.bytes as u64;
    trace::message(
        thread::current(),
        Message { end, peer, tag, communicator, bytes, began, posted },
    );
    code(Ok(()))
}
