//! Locations and processors. The machine counts as one location, number 0.
#![allow(unsafe_code)]

use super::status::{Outcome, Status, code};
use std::ffi::{c_int, c_void};
use vicinity_runtime::global;

/// Where the program does not say: `VICINITY_ANYWHERE`.
const ANYWHERE: c_int = -1;
const LOCATIONS: c_int = 1;

/// Whether a task may ask for this location.
pub fn check(location: c_int) -> Outcome {
    match location {
        ANYWHERE | 0..LOCATIONS => Ok(()),
        _ => Err(Status::Location),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_num_locations() -> c_int {
    LOCATIONS
}

/// Processors worth a thread each: what the process may use, by affinity and control groups.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_num_processors() -> c_int {
    c_int::try_from(global::processors()).unwrap_or(c_int::MAX)
}

/// The location of the calling thread.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_current_location() -> c_int {
    0
}

/// Writes the numbers of a location's processors, at most `capacity`, and how many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vicinity_location_processors(
    location: c_int,
    processors: *mut c_int,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    let list = || {
        if count.is_null() || (processors.is_null() && capacity > 0) {
            return Err(Status::Argument);
        }
        if !(0..LOCATIONS).contains(&location) {
            return Err(Status::Location);
        }
        let cpus = global::allowed();
        for (at, cpu) in cpus.iter().take(capacity).enumerate() {
            // SAFETY: the program has room for `capacity` numbers.
            unsafe { processors.add(at).write(cpu as c_int) };
        }
        // SAFETY: the program passes a place for the number.
        unsafe { count.write(cpus.len() as usize) };
        Ok(())
    };
    code(list())
}

/// Where the pages of a block lie. Not in this version: the answer is `VICINITY_ERROR_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_locate(
    block: *const c_void,
    _size: usize,
    bytes_per_location: *mut usize,
    count: usize,
) -> c_int {
    let missing = block.is_null() || (bytes_per_location.is_null() && count > 0);
    code(Err(if missing { Status::Argument } else { Status::Unsupported }))
}
