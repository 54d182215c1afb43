//! What libgomp's worksharing entry points have in common: schedules as gcc numbers them, entering a
//! construct with its extras, chunks as the compiler wants them back, and leaving.
//!
//! Extras of a construct: `reductions` describes task reductions, which the first thread registers and
//! the others join; `mem` points to a size in bytes on the way in and to that much zeroed memory, the same
//! for all threads of the team, on the way out. Either may be null.
//! Source: libgomp's `libgomp_g.h`, and the code gcc 12 makes.
#![allow(unsafe_code)]

use super::reduction;
use libc::{c_long, c_ulonglong, c_void};
use vicinity_runtime::worksharing::plan::{Kind, Order, Plan, Schedule};
use vicinity_runtime::worksharing::{Entry, Seat};
use vicinity_runtime::{icv, team, thread, tool};

/// The monotonic bit of a schedule number.
const MONOTONIC: u64 = 0x8000_0000;

/// Schedule numbers without the monotonic bit; 0 and 4 stand for `runtime`.
mod number {
    pub const STATIC: u64 = 1;
    pub const DYNAMIC: u64 = 2;
    pub const GUIDED: u64 = 3;
}

/// A schedule whose chunk size came as a signed number, none or 0 when not given.
pub const fn schedule(kind: Kind, chunk: c_long, order: Order) -> Schedule {
    let chunk = if chunk > 0 { chunk.cast_unsigned() } else { 0 };
    Schedule { kind, chunk, order }
}

/// run-sched-var, for a clause that demands `order` or leaves it to the variable.
pub fn runtime(order: Order) -> Schedule {
    let chosen = icv::run_schedule();
    match order {
        Order::Unspecified => chosen,
        order => Schedule { order, ..chosen },
    }
}

/// The schedule with this number.
pub fn numbered(number: c_long, chunk: c_long) -> Schedule {
    let bits = number.cast_unsigned();
    let order = if bits & MONOTONIC != 0 { Order::Monotonic } else { Order::Unspecified };
    match bits & !MONOTONIC & 0xffff_ffff {
        number::STATIC => schedule(Kind::Static, chunk, order),
        number::DYNAMIC => schedule(Kind::Dynamic, chunk, order),
        number::GUIDED => schedule(Kind::Guided, chunk, order),
        _ => runtime(order),
    }
}

/// What comes with a construct beside its work.
#[derive(Clone, Copy)]
pub struct Extras {
    pub reductions: *mut usize,
    pub mem: *mut *mut c_void,
}

impl Extras {
    pub const NONE: Extras = Extras { reductions: std::ptr::null_mut(), mem: std::ptr::null_mut() };
}

/// Enters a construct.
///
/// # Safety
/// The extras are null or what the compiler passes with this construct.
pub unsafe fn open(seat: Seat<'static>, plan: &Plan, extras: Extras) {
    let Extras { reductions, mem } = extras;
    if reductions.is_null() && mem.is_null() {
        seat.begin(plan, |_| ());
        return;
    }
    if !reductions.is_null() {
        reduction::begin_worksharing();
    }
    // SAFETY: `mem` is null or the compiler's variable, which holds the size now.
    let bytes = unsafe { mem.as_ref() }.map(|size| *size as usize);
    let entry = seat.begin(plan, |construct| {
        if !reductions.is_null() {
            // SAFETY: the compiler's descriptor of this construct, not null.
            unsafe { reduction::register_first(reductions) };
            construct.leave_message(reductions.cast());
        }
        if let Some(bytes) = bytes {
            construct.provide_scratch(bytes);
        }
    });
    let scratch = match entry {
        Entry::First(construct) => construct.scratch(),
        Entry::Later(construct) => {
            if !reductions.is_null() {
                // SAFETY: both are descriptors of this construct, and the first thread's is registered.
                unsafe { reduction::register_later(reductions, construct.message().cast()) };
            }
            construct.scratch()
        }
        Entry::Refused => {
            if !reductions.is_null() {
                // SAFETY: as for the first thread; here each is on its own.
                unsafe { reduction::register_first(reductions) };
            }
            bytes.map_or(std::ptr::null_mut(), |bytes| seat.spare_scratch(bytes))
        }
    };
    if bytes.is_some() {
        // SAFETY: the compiler's variable, not null.
        unsafe { *mem = scratch };
    }
}

/// The next chunk of a loop over signed numbers; false when there is none.
///
/// # Safety
/// `start` and `end` are the compiler's variables.
#[inline(never)]
pub unsafe fn next(start: *mut c_long, end: *mut c_long) -> bool {
    let Some((first, bound)) = next_bounds() else { return false };
    // SAFETY: the caller's promise.
    unsafe {
        *start = first.cast_signed();
        *end = bound.cast_signed();
    }
    true
}

/// As `next`, for unsigned numbers.
///
/// # Safety
/// `start` and `end` are the compiler's variables.
#[inline(never)]
pub unsafe fn next_ull(start: *mut c_ulonglong, end: *mut c_ulonglong) -> bool {
    let Some((first, bound)) = next_bounds() else { return false };
    // SAFETY: the caller's promise.
    unsafe {
        *start = first;
        *end = bound;
    }
    true
}

#[inline(always)]
fn next_bounds() -> Option<(u64, u64)> {
    let seat = thread::seat();
    seat.next().map(|chunk| seat.space().half_open_bounds(chunk))
}

/// Leaves the construct, and the doacross nest if it is one; without waiting for the others.
pub fn close() {
    let seat = thread::seat();
    seat.end();
    seat.end_doacross();
}

/// The barrier at the end of a worksharing construct; true if the region was cancelled.
pub fn barrier() -> bool {
    if tool::is_on() {
        tool::sync::next_barrier(tool::abi::sync::BARRIER_WORKSHARE);
    }
    team::barrier()
}
