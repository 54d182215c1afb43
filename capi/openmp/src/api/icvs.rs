//! Reading and setting internal control variables.
//!
//! Numbers out of range: fewer than one thread is one thread, as for libgomp; a negative number of
//! levels, teams or threads of a team changes nothing. Each costs one line.
//! Source: OpenMP 5.2, sections 18.2.1 to 18.2.15, 18.4.3 to 18.4.6, 18.5.1.
#![allow(unsafe_code)]

use super::{getters, int, setters};
use std::ffi::c_int;
use vicinity_runtime::clause::{
    SET_MAX_ACTIVE_LEVELS, SET_NUM_TEAMS, SET_NUM_THREADS, SET_TEAMS_THREAD_LIMIT,
};
use vicinity_runtime::settings::SUPPORTED_ACTIVE_LEVELS;
use vicinity_runtime::{device, devices, global, icv, thread};

getters! {
    int(icv::current().num_threads) => c_int: omp_get_max_threads omp_get_max_threads_;
    int(devices::processors()) => c_int: omp_get_num_procs omp_get_num_procs_;
    icv::current().dynamic.into() => c_int: omp_get_dynamic omp_get_dynamic_;
    nested().into() => c_int: omp_get_nested omp_get_nested_;
    global::settings().cancellation.into() => c_int: omp_get_cancellation omp_get_cancellation_;
    int(icv::current().thread_limit) => c_int: omp_get_thread_limit omp_get_thread_limit_;
    int(icv::current().max_active_levels) => c_int:
        omp_get_max_active_levels omp_get_max_active_levels_;
    int(SUPPORTED_ACTIVE_LEVELS) => c_int:
        omp_get_supported_active_levels omp_get_supported_active_levels_;
    int(device::num_teams()) => c_int: omp_get_max_teams omp_get_max_teams_;
    int(device::teams_thread_limit()) => c_int:
        omp_get_teams_thread_limit omp_get_teams_thread_limit_;
    int(global::settings().max_task_priority) => c_int:
        omp_get_max_task_priority omp_get_max_task_priority_;
}

setters! {
    set_num_threads => ():
        value omp_set_num_threads ompc_set_num_threads;
        reference omp_set_num_threads_ omp_set_num_threads_8_;
    set_dynamic => ():
        value omp_set_dynamic ompc_set_dynamic;
        reference omp_set_dynamic_ omp_set_dynamic_8_;
    set_nested => ():
        value omp_set_nested ompc_set_nested;
        reference omp_set_nested_ omp_set_nested_8_;
    set_max_active_levels => ():
        value omp_set_max_active_levels ompc_set_max_active_levels;
        reference omp_set_max_active_levels_ omp_set_max_active_levels_8_;
    set_num_teams => ():
        value omp_set_num_teams;
        reference omp_set_num_teams_ omp_set_num_teams_8_;
    set_teams_thread_limit => ():
        value omp_set_teams_thread_limit;
        reference omp_set_teams_thread_limit_ omp_set_teams_thread_limit_8_;
}

pub(super) fn set_num_threads(count: c_int) {
    let count = SET_NUM_THREADS.sense(count).unwrap_or(1);
    icv::update(|icvs| icvs.num_threads = count);
}

fn set_dynamic(on: c_int) {
    icv::update(|icvs| icvs.dynamic = on != 0);
}

/// Deprecated: whether another level of regions could be active.
fn nested() -> bool {
    let levels = icv::current().max_active_levels;
    levels > 1 && levels > thread::current().member().team().nest().active_level
}

fn set_nested(on: c_int) {
    icv::update(|icvs| match on {
        0 => icvs.max_active_levels = icvs.max_active_levels.min(1),
        _ => icvs.max_active_levels = SUPPORTED_ACTIVE_LEVELS,
    });
}

fn set_max_active_levels(levels: c_int) {
    if let Some(levels) = SET_MAX_ACTIVE_LEVELS.sense(levels) {
        icv::update(|icvs| icvs.max_active_levels = levels.min(SUPPORTED_ACTIVE_LEVELS));
    }
}

fn set_num_teams(count: c_int) {
    if let Some(count) = SET_NUM_TEAMS.sense(count) {
        device::NUM_TEAMS.set(count);
    }
}

fn set_teams_thread_limit(count: c_int) {
    if let Some(count) = SET_TEAMS_THREAD_LIMIT.sense(count) {
        device::TEAMS_THREAD_LIMIT.set(count);
    }
}
