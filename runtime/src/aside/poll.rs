//! Polling: asking somebody else, for instance MPI, whether what tasks wait for has come.
//!
//! Protocol: threads ask whenever they look for a task; those that find tasks, seldom. One asks at a time, and whoever comes
//! meanwhile goes on: the answer reaches its task whoever has asked.

use super::switch_on;
use crate::thread::{self, clock};
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Ends the pauses of those whose wait is over; how many still wait.
pub type Function = extern "C" fn(*mut c_void) -> c_int;

/// So long busy threads do not ask again, 5 microseconds at 3 GHz, and so many times as long as asking took.
const ASK_EVERY_TICKS: u64 = 15_000;
const ASK_EVERY_TIMES: u64 = 8;

/// Whom to ask, with what.
static ASKED: OnceLock<Asked> = OnceLock::new();
static ASKING: AtomicBool = AtomicBool::new(false);
/// What it said last. Relaxed, like the next: hints.
static AWAITS: AtomicBool = AtomicBool::new(false);
static NOT_BEFORE: AtomicU64 = AtomicU64::new(0);

struct Asked {
    function: Function,
    /// An address.
    argument: usize,
}

/// Has threads that look for tasks call `function`, from now on and to the end of the process. False if they call another one
/// already, or a tool watches.
pub fn register(function: Function, argument: *mut c_void) -> bool {
    let argument = argument as usize;
    let is_this = |asked: &Asked| {
        std::ptr::fn_addr_eq(asked.function, function) && asked.argument == argument
    };
    switch_on() && is_this(ASKED.get_or_init(|| Asked { function, argument }))
}

/// Asks, if nobody does so at this moment; where the thread has other things to do, not too often.
pub fn poll(is_idle: bool) {
    let Some(asked) = ASKED.get() else { return };
    if ASKING.load(Ordering::Relaxed) {
        return;
    }
    let now = clock::ticks();
    if !is_idle && now < NOT_BEFORE.load(Ordering::Relaxed) {
        return;
    }
    // Acquire: pairs with the Release below: one asks at a time.
    if ASKING.swap(true, Ordering::Acquire) {
        return;
    }
    let awaited = (asked.function)(asked.argument as *mut c_void);
    AWAITS.store(awaited > 0, Ordering::Relaxed);
    let after = clock::ticks();
    let pause = (ASK_EVERY_TIMES * after.saturating_sub(now)).max(ASK_EVERY_TICKS);
    NOT_BEFORE.store(after + pause, Ordering::Relaxed);
    // Release: pairs with the Acquire above.
    ASKING.store(false, Ordering::Release);
}

/// Whether anybody waited when the last answer came.
pub fn awaits() -> bool {
    AWAITS.load(Ordering::Relaxed)
}

/// Somebody waits whose thread goes on with something else: has a thread of the team that sleeps begin to ask.
pub fn attend() {
    AWAITS.store(true, Ordering::Relaxed);
    if let Some(thread) = thread::try_current() {
        thread.member().team().announce_to_all();
    }
}

/// In a forked child: the parent's other threads ask no more.
pub(crate) fn in_child() {
    ASKING.store(false, Ordering::Relaxed);
}
