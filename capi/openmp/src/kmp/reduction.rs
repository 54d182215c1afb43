//! libomp's reductions at the end of regions and worksharing constructs.
//!
//! The compiler asks how its thread's values get into the originals: by itself, one thread at a time (1,
//! followed by an `end` call), by atomic operations (2, followed by an `end` call only where a barrier is
//! due), or not at all because another thread has combined them (0).
//!
//! A team of one needs nothing. Atomic operations wait for nobody, so they are best while there are few
//! variables; large teams combine in a tree; small ones take turns, and so do teams larger than the
//! machine, where waiting for a particular thread means switching to it.
//! Source: OpenMP 5.2 section 5.5; the calls clang 19 makes.
#![allow(unsafe_code)]

use super::misc::Location;
use crate::locks::critical::{__kmpc_critical, __kmpc_end_critical};
use libc::{c_int, c_void, size_t};
use vicinity_runtime::team::combine::{How, combine, let_go};
use vicinity_runtime::team::{Member, region};
use vicinity_runtime::{global, thread, tool};

/// Combines the second list of addresses into the first.
type Combine = unsafe extern "C" fn(*mut c_void, *mut c_void);
/// A `kmp_critical_name`.
type Name = *mut [u32; 8];

/// `Location::flags`: the compiler has generated atomic operations.
const ATOMIC: i32 = 0x10;
/// Atomic operations pay up to this many of them in all the team.
const MOST_ATOMICS: u32 = 64;
/// Up to this team size threads take turns rather than climb a tree.
const SMALL_TEAM: u32 = 4;

/// What the compiler's code must do.
mod answer {
    pub const NOTHING: i32 = 0;
    pub const COMBINE: i32 = 1;
    pub const USE_ATOMICS: i32 = 2;
}

/// The arguments of a reduction.
struct Reduction {
    variables: u32,
    data: *mut c_void,
    combine: Option<Combine>,
    name: Name,
}

impl Reduction {
    fn how(&self, location: *const Location, members: u32) -> How {
        // SAFETY: null, or the compiler's location.
        let flags = unsafe { location.as_ref() }.map_or(0, |location| location.flags);
        // A tool knows of locks, and not of threads that combine what others have; and the compiler does not say where
        // atomics end.
        let watched = tool::is_on();
        let tree = !self.data.is_null() && self.combine.is_some() && !watched;
        let few = self.variables.saturating_mul(members) <= MOST_ATOMICS && !watched;
        if members == 1 {
            How::Alone
        } else if flags & ATOMIC != 0 && few {
            How::Atomics
        } else if tree && members > SMALL_TEAM && members <= global::processors() {
            How::Tree
        } else {
            How::InTurn
        }
    }

    /// Decides, remembers it for the `end` call, and does the runtime's part.
    fn start(&self, location: *const Location, barrier: bool) -> c_int {
        let member = thread::current().member();
        let how = self.how(location, member.team().size());
        member.combining.set(how);
        if tool::is_on() {
            tool::sync::reduction(true);
        }
        match how {
            How::Alone => answer::COMBINE,
            How::Atomics => answer::USE_ATOMICS,
            How::InTurn => {
                // SAFETY: the compiler's static storage for this reduction.
                unsafe { __kmpc_critical(std::ptr::null(), 0, self.name) };
                answer::COMBINE
            }
            How::Tree => self.climb(member, barrier),
        }
    }

    fn climb(&self, member: &Member, barrier: bool) -> c_int {
        let winner = combine(member, self.data as usize, barrier, |into, from| {
            if let Some(combine) = self.combine {
                // SAFETY: both are lists of this reduction's variables, of two threads that wait.
                unsafe { combine(into as *mut c_void, from as *mut c_void) };
            }
        });
        if winner {
            return answer::COMBINE;
        }
        if barrier {
            region::barrier();
            let_go(member);
        }
        answer::NOTHING
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_reduce_nowait(
    location: *const Location,
    _gtid: c_int,
    variables: c_int,
    _size: size_t,
    data: *mut c_void,
    combine: Option<Combine>,
    name: Name,
) -> c_int {
    let reduction = Reduction { variables: variables.max(0) as u32, data, combine, name };
    reduction.start(location, false)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_reduce_nowait(_location: *const Location, _gtid: c_int, name: Name) {
    if tool::is_on() {
        tool::sync::reduction(false);
    }
    if thread::current().member().combining.get() == How::InTurn {
        // SAFETY: this thread's `__kmpc_reduce_nowait` has taken the lock.
        unsafe { __kmpc_end_critical(std::ptr::null(), 0, name) };
    }
}

/// With a barrier.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_reduce(
    location: *const Location,
    _gtid: c_int,
    variables: c_int,
    _size: size_t,
    data: *mut c_void,
    combine: Option<Combine>,
    name: Name,
) -> c_int {
    let reduction = Reduction { variables: variables.max(0) as u32, data, combine, name };
    reduction.start(location, true)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_reduce(location: *const Location, gtid: c_int, name: Name) {
    __kmpc_end_reduce_nowait(location, gtid, name);
    region::barrier();
}
