//! Units of a command, given to the workers: as one task, as a range of tasks, or as one such range for each part.
#![allow(unsafe_code)]

use super::part::Part;
use super::run::Division;
use crate::os::runtime::{self, Function, RangeFunction};
use std::ffi::c_void;

/// What workers call: `whole` for all units at once, `block` for some of them.
pub struct Doer {
    pub whole: Function,
    pub block: RangeFunction,
    pub argument: *mut c_void,
}

/// A part of a command that is carried out.
pub struct Share {
    block: RangeFunction,
    argument: *mut c_void,
    first: usize,
}

// SAFETY: the argument is for all tasks of the command, whichever threads run them.
unsafe impl Send for Share {}

/// Gives the units to the workers, under the name of `subject`; how many of them there are no tasks for.
///
/// # Safety
/// The functions may be called with the argument, by any threads, for every unit once. `shares` is the caller's alone, and
/// is there until the last unit is done, of which the caller has those that there are no tasks for. Nothing of the command may be
/// touched after a return of 0: it may be done.
pub unsafe fn hand_out(
    doer: Doer,
    division: &Division,
    parts: &[Part],
    subject: *const c_void,
    shares: *mut Vec<Share>,
) -> usize {
    let Division { units, grain } = *division;
    let Doer { whole, block, argument } = doer;
    let unless = |is_taken, count| if is_taken { 0 } else { count };
    if division.is_whole() {
        let location = parts.first().map(|part| part.location);
        // SAFETY: the caller's promise.
        return unless(unsafe { runtime::task(whole, argument, location, subject) }, units);
    }
    if parts.is_empty() {
        // SAFETY: the caller's promise.
        let is_taken = unsafe { runtime::range(block, argument, units, grain, None, subject) };
        return unless(is_taken, units);
    }
    // SAFETY: nobody else looks at the shares yet, and they are not changed until the last unit is done, of which the part
    // that is handed out last has one.
    let shares = unsafe {
        *shares = parts.iter().map(|part| Share { block, argument, first: part.first }).collect();
        (*shares).as_mut_ptr()
    };
    let hand_out = |(index, part): (usize, &Part)| {
        // SAFETY: as above. Units of parts that are not taken count as not done until the end.
        let is_taken = unsafe {
            let (share, location) = (shares.add(index).cast(), Some(part.location));
            runtime::range(block_of_share, share, part.count, grain, location, subject)
        };
        unless(is_taken, part.count)
    };
    parts.iter().enumerate().map(hand_out).sum()
}

unsafe extern "C" fn block_of_share(begin: usize, end: usize, share: *mut c_void) {
    // SAFETY: shares live until the last unit is done.
    let Share { block, argument, first } = unsafe { &*share.cast::<Share>() };
    // SAFETY: what `hand_out` was promised.
    unsafe { block(first + begin, first + end, *argument) };
}
