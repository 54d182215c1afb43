//! Where the calling thread is: its number, its team, the teams around it, its task.
//!
//! Source: OpenMP 5.2, sections 18.2 (parallel region support), 18.4.1 and 18.4.2 (teams), 18.5.3
//! and 18.5.4 (tasks).
#![allow(unsafe_code)]

use super::{getters, int, setters};
use std::ffi::c_int;
use vicinity_runtime::task::record::flag;
use vicinity_runtime::team::{Nest, ancestors};
use vicinity_runtime::thread;

getters! {
    int(thread::current().member().num) => c_int: omp_get_thread_num omp_get_thread_num_;
    int(thread::current().member().team().size()) => c_int:
        omp_get_num_threads omp_get_num_threads_;
    ancestors::in_parallel().into() => c_int: omp_in_parallel omp_in_parallel_;
    int(nest().level) => c_int: omp_get_level omp_get_level_;
    int(nest().active_level) => c_int: omp_get_active_level omp_get_active_level_;
    int(nest().num_teams) => c_int: omp_get_num_teams omp_get_num_teams_;
    int(nest().team_num) => c_int: omp_get_team_num omp_get_team_num_;
    thread::current().task().is(flag::FINAL).into() => c_int: omp_in_final omp_in_final_;
    (!thread::current().task().is(flag::IMPLICIT)).into() => c_int:
        omp_in_explicit_task omp_in_explicit_task_;
}

// Free-agent threads (OpenMP 6.0, section 14.1) run tasks of a team that they do not belong to: here the members alone do.
getters! {
    0 => c_int: omp_is_free_agent omp_is_free_agent_;
}

setters! {
    not_free => c_int:
        value omp_ancestor_is_free_agent;
        reference omp_ancestor_is_free_agent_;
    ancestor_thread_num => c_int:
        value omp_get_ancestor_thread_num ompc_get_ancestor_thread_num;
        reference omp_get_ancestor_thread_num_ omp_get_ancestor_thread_num_8_;
    team_size => c_int:
        value omp_get_team_size ompc_get_team_size;
        reference omp_get_team_size_ omp_get_team_size_8_;
}

fn nest() -> Nest {
    thread::current().member().team().nest()
}

fn not_free(_level: c_int) -> c_int {
    0
}

/// -1 for a level that does not enclose the caller; the same for `team_size`.
fn ancestor_thread_num(level: c_int) -> c_int {
    ancestors::at_level(level).map_or(-1, |member| int(member.num))
}

fn team_size(level: c_int) -> c_int {
    ancestors::at_level(level).map_or(-1, |member| int(member.team().size()))
}
