//! `omp_get_wtime` and `omp_get_wtick`, in seconds.
//!
//! Source: OpenMP 5.2, section 18.10.
#![allow(unsafe_code)]

use super::getters;
use vicinity_alloc::os::clock;

getters! {
    clock::now_s() => f64: omp_get_wtime omp_get_wtime_;
    clock::resolution_s() => f64: omp_get_wtick omp_get_wtick_;
}
