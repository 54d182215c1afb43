//! Locations, their processors and distances, for programs that ask.
#![allow(unsafe_code)]

use super::status::{Outcome, Status, code};
use std::ffi::c_int;
use vicinity_policy::topology::LocationId;
use vicinity_runtime::global;

/// Where the program does not say: `VICINITY_ANYWHERE`.
const ANYWHERE: c_int = -1;

/// The location that a task asks for, if any.
pub fn wanted(location: c_int) -> Outcome<Option<LocationId>> {
    if location == ANYWHERE { Ok(None) } else { known(location).map(Some) }
}

/// A location of this machine.
pub fn known(location: c_int) -> Result<LocationId, Status> {
    let number = u16::try_from(location).map_err(|_| Status::Location)?;
    let exists = usize::from(number) < global::machine().topology.len();
    if exists { Ok(LocationId(number)) } else { Err(Status::Location) }
}

#[unsafe(no_mangle)]
pub extern "C" fn vicinity_num_locations() -> c_int {
    global::machine().topology.len() as c_int
}

/// Processors worth a thread each: what the process may use, by affinity and control groups.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_num_processors() -> c_int {
    c_int::try_from(global::processors()).unwrap_or(c_int::MAX)
}

/// The location of the calling thread.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_current_location() -> c_int {
    c_int::from(global::current_location().0)
}

/// How far a location's memory is from another's threads, 10 for its own.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_distance(from: c_int, to: c_int) -> c_int {
    match (known(from), known(to)) {
        (Ok(from), Ok(to)) => c_int::from(global::machine().topology.distance(from, to)),
        _ => code(Err(Status::Location)),
    }
}

/// The NUMA node that a location's memory is on.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_location_node(location: c_int) -> c_int {
    let node = known(location).map(|id| global::machine().locations[id.index()].node);
    match node {
        Ok(node) => node.and_then(|node| c_int::try_from(node).ok()).unwrap_or(0),
        Err(status) => code(Err(status)),
    }
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
        let cpus = &global::machine().locations[known(location)?.index()].processors;
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
