//! libomp's teams constructs.
#![allow(unsafe_code)]

use super::parallel::{Call, Microtask, enter, push};
use crate::handle::Pointer;
use libc::c_int;
use vicinity_runtime::clause::{NUM_TEAMS, THREAD_LIMIT};
use vicinity_runtime::teams::{self, Clauses};
use vicinity_runtime::thread::{self, Pushed};

/// The clauses of the next teams construct.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_teams(
    _location: Pointer,
    _gtid: c_int,
    num_teams: c_int,
    thread_limit: c_int,
) {
    push(|pushed| {
        pushed.num_teams = NUM_TEAMS.of(num_teams);
        pushed.thread_limit = THREAD_LIMIT.of(thread_limit);
    });
}

/// The clauses with a lower and an upper bound of the number of teams, of which the upper one is used.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_teams_51(
    location: Pointer,
    gtid: c_int,
    lower: c_int,
    upper: c_int,
    thread_limit: c_int,
) {
    __kmpc_push_num_teams(location, gtid, upper.max(lower), thread_limit);
}

/// `__kmpc_fork_teams` behind its variable argument list.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_kmp_fork_teams(
    _location: Pointer,
    count: c_int,
    body: Microtask,
    arguments: *const Pointer,
) {
    let pushed = &thread::current().pushed;
    let Pushed { num_teams, thread_limit, .. } = pushed.get();
    pushed.with(|pushed| (pushed.num_teams, pushed.thread_limit) = (0, 0));
    let mut call = Call { body, count, arguments };
    let clauses = Clauses { lower: 0, upper: num_teams, thread_limit };
    teams::run(enter, (&raw mut call).cast(), clauses);
}
