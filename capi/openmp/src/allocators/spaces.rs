//! Memory spaces of OpenMP 6.0: what resources a space has, a space of some of them, and the spaces and allocators of
//! devices, among which there is the host alone.
//!
//! A resource is a location, by its number: `omp_get_submemspace(space, 1, &n)` is the memory of location `n`.
//! Sources: OpenMP 6.0, chapter 27; the routines that clang's `omp.h` declares from LLVM 20 on.
#![allow(unsafe_code)]

use crate::api::is_host_device;
use std::ffi::c_int;
use vicinity_alloc::handle::{self, Handle};
use vicinity_alloc::space::{self, Space};
use vicinity_runtime::global;

/// `omp_null_mem_space` and `omp_null_allocator`.
const NULL: usize = 0;

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_memspace_num_resources(memspace: usize) -> c_int {
    global::start();
    c_int::try_from(space::resources(memspace)).unwrap_or(c_int::MAX)
}

/// Resources count from 0. Null for a space or resource that does not exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_submemspace(
    memspace: usize,
    count: c_int,
    resources: *const c_int,
) -> usize {
    global::start();
    match usize::try_from(count) {
        Ok(count) if count > 0 && !resources.is_null() => {
            // SAFETY: the program's array has `count` elements.
            space::part(memspace, unsafe { std::slice::from_raw_parts(resources, count) })
        }
        _ => NULL,
    }
}

/// A space where all devices are the host; null for a space that does not exist.
fn space_of(is_host: bool, memspace: usize) -> usize {
    if is_host && Space::from_handle(memspace).is_some() { memspace } else { NULL }
}

/// The allocator with default traits of a space: the predefined one, or one made for a part.
fn allocator_of(memspace: usize) -> usize {
    match Space::from_handle(memspace) {
        _ if memspace == NULL => NULL,
        None => NULL,
        Some(Space::Default) => Handle::DEFAULT_MEMORY.0,
        Some(Space::LargeCapacity) => 2,
        Some(Space::Constant) => 3,
        Some(Space::HighBandwidth) => 4,
        Some(Space::LowLatency) => 5,
        Some(Space::Part(_)) => handle::init_by_name(memspace, &[]).0,
    }
}

/// Whether `count` devices are the host, each of them.
///
/// # Safety
/// `devices` has `count` elements.
unsafe fn all_host(count: c_int, devices: *const c_int) -> bool {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller's promise.
    count > 0
        && !devices.is_null()
        && (0..count).all(|at| is_host_device(unsafe { *devices.add(at) }))
}

/// Routines for one device.
macro_rules! for_device {
    ($($space:ident $allocator:ident)+) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $space(device: c_int, memspace: usize) -> usize {
            space_of(is_host_device(device), memspace)
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $allocator(device: c_int, memspace: usize) -> usize {
            allocator_of($space(device, memspace))
        }
    )+};
}

for_device! {
    omp_get_device_memspace omp_get_device_allocator
    omp_get_device_and_host_memspace omp_get_device_and_host_allocator
}

/// Routines for several devices.
macro_rules! for_devices {
    ($($space:ident $allocator:ident $($or_none:ident)?;)+) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $space(
            count: c_int,
            devices: *const c_int,
            memspace: usize,
        ) -> usize {
            // SAFETY: the program's array has `count` elements.
            let is_host = unsafe { all_host(count, devices) };
            $(let is_host = is_host || $or_none(count);)?
            space_of(is_host, memspace)
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $allocator(
            count: c_int,
            devices: *const c_int,
            memspace: usize,
        ) -> usize {
            // SAFETY: the same contract.
            allocator_of(unsafe { $space(count, devices, memspace) })
        }
    )+};
}

for_devices! {
    omp_get_devices_memspace omp_get_devices_allocator;
    omp_get_devices_and_host_memspace omp_get_devices_and_host_allocator no_device;
}

/// The host alone.
fn no_device(count: c_int) -> bool {
    count == 0
}

/// All devices are the host.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_devices_all_memspace(memspace: usize) -> usize {
    space_of(true, memspace)
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_devices_all_allocator(memspace: usize) -> usize {
    allocator_of(omp_get_devices_all_memspace(memspace))
}
