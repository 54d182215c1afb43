//! Teams and leagues of several dimensions, which nothing here has: one dimension is supported, its number is 0, and along
//! any other there is one thread in one team.
//!
//! Source: OpenMP 6.1 (multidimensional teams and leagues), as gcc 17 declares it.
#![allow(unsafe_code)]

use super::devices::is_host;
use super::int;
use std::ffi::c_int;
use vicinity_runtime::{icv, thread};

/// Supported dimensions, natively or not.
const DIMENSIONS: c_int = 1;

/// Routines with a dimension: what holds along the first, and along any other.
macro_rules! along {
    ($($name:ident: $first:expr, $other:literal;)+) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(dimension: c_int) -> c_int {
            if dimension == 0 { int($first) } else { $other }
        }
    )+};
}

along! {
    omp_get_num_threads_dim: thread::current().member().team().size(), 1;
    omp_get_thread_num_dim: thread::current().member().num, 0;
    omp_get_thread_limit_dim: icv::current().thread_limit, 1;
    omp_get_num_teams_dim: thread::current().member().team().nest().num_teams, 1;
    omp_get_team_num_dim: thread::current().member().team().nest().team_num, 0;
}

/// Routines with a device and whether the support must be native.
macro_rules! supported {
    ($($name:ident $fortran:ident)+) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(_device: c_int, _native: c_int) -> c_int {
            DIMENSIONS
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $fortran(_device: c_int, _native: c_int) -> c_int {
            DIMENSIONS
        }
    )+};
}

supported! {
    omp_get_supported_active_team_dims omp_get_supported_active_team_dims_
    omp_get_supported_active_league_dims omp_get_supported_active_league_dims_
}

/// Most teams, or threads, along a dimension: leagues and teams are as long as one likes.
macro_rules! most {
    ($($name:ident)+) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(device: c_int, dimension: c_int) -> c_int {
            if is_host(device) && dimension == 0 { c_int::MAX } else { 1 }
        }
    )+};
}

most! { omp_get_supported_teams_dim omp_get_supported_threads_dim }
