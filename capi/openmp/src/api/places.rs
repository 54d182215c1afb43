//! The place list and the calling thread's part of it.
//!
//! Source: OpenMP 5.2, section 18.3 (thread affinity routines).
#![allow(unsafe_code)]

use super::{getters, int, narrow, setters};
use std::ffi::c_int;
use vicinity_alloc::os::CpuSet;
use vicinity_runtime::settings::ProcBind;
use vicinity_runtime::team::places::{self, NOWHERE, Spot};
use vicinity_runtime::thread;

getters! {
    bind_policy().code() => c_int: omp_get_proc_bind omp_get_proc_bind_;
    int(places::list().len() as u32) => c_int: omp_get_num_places omp_get_num_places_;
    place_num() => c_int: omp_get_place_num omp_get_place_num_;
    int(spot().partition.len) => c_int:
        omp_get_partition_num_places omp_get_partition_num_places_;
}

setters! {
    num_procs => c_int:
        value omp_get_place_num_procs;
        reference omp_get_place_num_procs_ omp_get_place_num_procs_8_;
}

fn bind_policy() -> ProcBind {
    places::policy(thread::current().member())
}

fn spot() -> Spot {
    thread::current().member().spot.get()
}

fn place_num() -> c_int {
    match spot().place {
        NOWHERE => -1,
        place => int(place),
    }
}

fn processors(place: c_int) -> Option<&'static CpuSet> {
    places::list().get(usize::try_from(place).ok()?)
}

/// 0 for a place that does not exist.
fn num_procs(place: c_int) -> c_int {
    processors(place).map_or(0, |cpus| int(cpus.len()))
}

/// # Safety
/// `to` has room for all of `numbers`.
unsafe fn store<T: TryFrom<u32>>(numbers: impl Iterator<Item = u32>, to: *mut T) {
    for (at, number) in numbers.filter_map(|number| T::try_from(number).ok()).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { to.add(at).write(number) };
    }
}

fn partition() -> std::ops::Range<u32> {
    let partition = spot().partition;
    partition.first..partition.first + partition.len
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_place_proc_ids(place: c_int, ids: *mut c_int) {
    // SAFETY: the program has room for `omp_get_place_num_procs(place)` numbers.
    unsafe { store(processors(place).into_iter().flat_map(CpuSet::iter), ids) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_place_proc_ids_(place: *const i32, ids: *mut i32) {
    // SAFETY: Fortran passes valid references, and room as above.
    unsafe { omp_get_place_proc_ids(*place, ids) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_place_proc_ids_8_(place: *const i64, ids: *mut i64) {
    // SAFETY: Fortran passes valid references, and room as above.
    unsafe { store(processors(narrow(*place)).into_iter().flat_map(CpuSet::iter), ids) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_partition_place_nums(numbers: *mut c_int) {
    // SAFETY: the program has room for `omp_get_partition_num_places()` numbers.
    unsafe { store(partition(), numbers) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_partition_place_nums_(numbers: *mut i32) {
    // SAFETY: as above.
    unsafe { store(partition(), numbers) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_partition_place_nums_8_(numbers: *mut i64) {
    // SAFETY: as above.
    unsafe { store(partition(), numbers) }
}
