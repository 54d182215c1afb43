//! Devices: the host, and its locations where they are asked for (`vicinity_runtime::devices`).
//!
//! The host's number is the number of the others: 0, as for both compilers' runtimes without offloading, where there are none.
//! Sources: OpenMP 5.2, section 18.7, and 6.0, chapter 24 (device information routines); the numbers of `omp.h`.
#![allow(unsafe_code)]

use super::{getters, interop, setters};
use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;
use vicinity_runtime::{devices, global, icv};

/// `omp_initial_device` of OpenMP 5.2: the host by another number.
const INITIAL: c_int = -1;

/// Number of the host, and of devices other than it.
fn host() -> c_int {
    devices::count()
}

/// Whether a device number names the host.
pub fn is_host(device: c_int) -> bool {
    device == host() || device == INITIAL
}

/// Whether a device number names the host or another device; all have the host's memory.
pub fn is_there(device: c_int) -> bool {
    is_host(device) || devices::location(device).is_some()
}

/// The device that the calling thread is on.
fn current() -> c_int {
    icv::current().on_device.map_or_else(host, c_int::from)
}

getters! {
    host() => c_int: omp_get_num_devices omp_get_num_devices_;
    host() => c_int: omp_get_initial_device omp_get_initial_device_;
    current() => c_int: omp_get_device_num omp_get_device_num_;
    icv::current().on_device.is_none().into() => c_int: omp_is_initial_device omp_is_initial_device_;
    icv::current().default_device => c_int: omp_get_default_device omp_get_default_device_;
}

setters! {
    set_default_device => ():
        value omp_set_default_device;
        reference omp_set_default_device_ omp_set_default_device_8_;
}

/// Any number is kept; a negative one counts as 0, as for libgomp.
fn set_default_device(device: c_int) {
    icv::update(|icvs| icvs.default_device = device.max(0));
}

/// What the host is called, as gcc's runtime calls it.
const HOST_UID: &CStr = c"OMP_INITIAL_DEVICE";
/// `omp_invalid_device`, which gcc's and clang's headers number differently.
const INVALID_FOR_GCC: c_int = -4;
const INVALID_FOR_CLANG: c_int = -2;
/// `omp_default_device` of gcc 16's header: default-device-var.
const DEFAULT: c_int = -5;

/// Null for a number that names no device.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_uid_from_device(device: c_int) -> *const c_char {
    if is_host(stands_for(device)) { HOST_UID.as_ptr() } else { null() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_uid_from_device_(
    text: *mut *const c_char,
    length: *mut usize,
    device: i32,
) {
    // SAFETY: gfortran passes two places for the result.
    unsafe { interop::give_text(omp_get_uid_from_device(device), text, length) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_uid_from_device_8_(
    text: *mut *const c_char,
    length: *mut usize,
    device: i64,
) {
    // SAFETY: as above.
    unsafe { omp_get_uid_from_device_(text, length, super::narrow(device)) };
}

/// The name's first version, which programs get that are linked with this library: libomp's, where the host has the number
/// that `omp_get_initial_device` gives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_device_from_uid(uid: *const c_char) -> c_int {
    // SAFETY: the program passes a string, or null.
    unsafe { from_uid(uid, host(), INVALID_FOR_CLANG) }
}

/// The same under libgomp's version.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn device_from_uid_for_gcc(uid: *const c_char) -> c_int {
    // SAFETY: the program passes a string, or null.
    unsafe { from_uid(uid, INITIAL, INVALID_FOR_GCC) }
}

/// Fortran's string has a length and no end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_device_from_uid_(uid: *const u8, length: usize) -> c_int {
    if uid.is_null() {
        return INVALID_FOR_GCC;
    }
    // SAFETY: gfortran passes a string of this length.
    let uid = unsafe { std::slice::from_raw_parts(uid, length) };
    if uid == HOST_UID.to_bytes() { INITIAL } else { INVALID_FOR_GCC }
}

/// # Safety
/// `uid` is null or a string.
unsafe fn from_uid(uid: *const c_char, host: c_int, otherwise: c_int) -> c_int {
    // SAFETY: the caller's promise.
    let is_host = !uid.is_null() && unsafe { CStr::from_ptr(uid) } == HOST_UID;
    if is_host { host } else { otherwise }
}

/// The device itself where the number means default-device-var.
fn stands_for(device: c_int) -> c_int {
    if device == DEFAULT { icv::current().default_device } else { device }
}

/// Distances of devices from the calling thread's: 0 for the host and the device that it is on, those of locations between
/// locations, as hops; -1 for a number that names no device, as from gcc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_device_distances(
    count: c_int,
    devices: *const c_int,
    distances: *mut c_int,
) {
    for at in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: the program's arrays have `count` elements.
        unsafe {
            let device = stands_for(*devices.add(at));
            *distances.add(at) = distance_to(device);
        }
    }
}

fn distance_to(device: c_int) -> c_int {
    match (devices::location(device), devices::location(current())) {
        (Some(there), Some(here)) => global::machine().topology.hops(here, there) as c_int,
        _ if is_there(device) => 0,
        _ => -1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_has_a_name() {
        let uid = omp_get_uid_from_device(INITIAL);
        // SAFETY: the uid is a string.
        unsafe {
            assert_eq!(device_from_uid_for_gcc(uid), INITIAL);
            assert_eq!(device_from_uid_for_gcc(c"gpu".as_ptr()), INVALID_FOR_GCC);
            assert_eq!(omp_get_device_from_uid(null()), INVALID_FOR_CLANG);
            // As LLVM's own test has it: the way there and back.
            assert_eq!(omp_get_device_from_uid(omp_get_uid_from_device(host())), host());
        }
        assert_eq!(omp_get_uid_from_device(host()), uid);
        assert!(omp_get_uid_from_device(7).is_null());
    }
}
