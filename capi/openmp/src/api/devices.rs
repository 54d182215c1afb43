//! Devices: there is the host and no other.
//!
//! The host's number is the number of devices, 0, as for both compilers' runtimes without offloading.
//! Source: OpenMP 5.2, section 18.7 (device information routines).
#![allow(unsafe_code)]

use super::{getters, setters};
use std::ffi::c_int;
use vicinity_runtime::icv;

/// Number of the host, and of devices other than it.
pub const HOST: c_int = 0;
/// `omp_initial_device` of OpenMP 5.2: the host by another number.
const INITIAL: c_int = -1;

/// Whether a device number names the host.
pub fn is_host(device: c_int) -> bool {
    device == HOST || device == INITIAL
}

getters! {
    HOST => c_int: omp_get_num_devices omp_get_num_devices_;
    HOST => c_int: omp_get_initial_device omp_get_initial_device_;
    HOST => c_int: omp_get_device_num omp_get_device_num_;
    1 => c_int: omp_is_initial_device omp_is_initial_device_;
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
