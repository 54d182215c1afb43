//! libgomp's teams constructs.
#![allow(unsafe_code)]

use crate::handle::Flag;
use libc::{c_uint, c_void};
use vicinity_runtime::clause::{NUM_TEAMS, THREAD_LIMIT};
use vicinity_runtime::task::record::Body;
use vicinity_runtime::teams::{self, Clauses};

/// A negative number that the program wrote arrives as a large one.
fn clauses(lower: c_uint, upper: c_uint, thread_limit: c_uint) -> Clauses {
    Clauses {
        lower: NUM_TEAMS.of(lower as i32),
        upper: NUM_TEAMS.of(upper as i32),
        thread_limit: THREAD_LIMIT.of(thread_limit as i32),
    }
}

/// A teams construct outside a target region.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_teams_reg(
    body: Body,
    data: *mut c_void,
    num_teams: c_uint,
    thread_limit: c_uint,
    _flags: c_uint,
) {
    teams::run(body, data, clauses(0, num_teams, thread_limit));
}

/// A teams construct within a target region, as earlier compilers call it: a league of one.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_teams(_num_teams: c_uint, thread_limit: c_uint) {
    teams::become_first(clauses(1, 1, thread_limit));
}

/// Called ahead of each team of such a construct; false when there is none left.
#[unsafe(no_mangle)]
pub extern "C" fn GOMP_teams4(
    lower: c_uint,
    upper: c_uint,
    thread_limit: c_uint,
    first: Flag,
) -> bool {
    if !first.is_set() {
        return teams::become_next();
    }
    teams::become_first(clauses(lower, upper, thread_limit));
    true
}
