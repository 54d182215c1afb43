//! Streams: tasks that start by themselves, created by any thread; and words to wait for.
#![allow(unsafe_code)]

use super::handle::Handle;
use super::status::{Outcome, Status, code};
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use vicinity_runtime::task::stream::Stream;
use vicinity_runtime::team::open;
use vicinity_runtime::{global, trace};

/// `vicinity_stream`.
pub struct Raw {
    stream: &'static Stream,
    /// All its unfinished tasks.
    tasks: Arc<Handle>,
}

/// The stream of a task that is being created.
#[derive(Clone)]
pub struct Target {
    pub stream: &'static Stream,
    pub tasks: Arc<Handle>,
}

impl Raw {
    /// # Safety
    /// `raw` is null, or came from `vicinity_stream_create` and was not destroyed.
    pub unsafe fn target(raw: *const Raw) -> Option<Target> {
        // SAFETY: the caller's promise.
        unsafe { raw.as_ref() }.map(|raw| Target { stream: raw.stream, tasks: raw.tasks.clone() })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_stream_create(stream: *mut *mut Raw) -> c_int {
    if stream.is_null() {
        return Status::Argument as c_int;
    }
    let raw = Box::new(Raw { stream: Stream::create(), tasks: Arc::default() });
    // SAFETY: the program passes a place for a pointer.
    unsafe { stream.write(Box::into_raw(raw)) };
    code(Ok(()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_stream_wait(stream: *const Raw) -> c_int {
    // SAFETY: the program passes a stream that lives until this returns, or null.
    let stream = unsafe { stream.as_ref() }.ok_or(Status::Argument);
    code(stream.map(|raw| raw.tasks.wait()))
}

/// Tasks of the stream that are not finished go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_stream_destroy(stream: *mut Raw) -> c_int {
    let destroy = || -> Outcome {
        if stream.is_null() {
            return Err(Status::Argument);
        }
        // SAFETY: the program passes a stream for the last time.
        unsafe { Box::from_raw(stream) }.stream.retire();
        Ok(())
    };
    code(destroy())
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_is_traced() -> c_int {
    global::start();
    c_int::from(trace::is_on())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_wait_word(word: *const u32, value: u32) -> c_int {
    if !word.is_aligned() {
        return Status::Argument as c_int;
    }
    // SAFETY: the program passes a word that lives until this returns, or null.
    let word = unsafe { word.cast::<AtomicU32>().as_ref() }.ok_or(Status::Argument);
    code(word.map(|word| open::wait_word(word, value)))
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_wake_word(word: *const u32) -> c_int {
    if word.is_null() {
        return Status::Argument as c_int;
    }
    open::wake_word(word.cast());
    code(Ok(()))
}
