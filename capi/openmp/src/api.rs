//! The runtime routines of OpenMP (`omp_`), with the names and argument forms of C, of gfortran
//! (`omp_x_` by reference, `omp_x_8_` for 8-byte integers) and of flang (`omp_x` by value), and
//! libomp's further ones (`ompc_`, `kmp_`).
//!
//! The macros define one routine under all its names; what it does is a safe function.
//! Source: OpenMP 5.2, chapter 18 (runtime library routines).
#![allow(unsafe_code)]

mod control;
pub mod copies;
mod devices;
mod dimensions;
mod format;
mod icvs;
mod interop;
mod kmp;
mod masks;
mod memory;
mod places;
mod schedule;
mod team;
mod time;

pub use devices::is_host as is_host_device;
use std::ffi::c_int;

/// Routines without arguments: the same in every language.
macro_rules! getters {
    ($($value:expr => $type:ty: $($name:ident)+;)+) => {
        $($(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> $type {
                $value
            }
        )+)+
    };
}
use getters;

/// Routines with one integer: by value for C and flang, by reference for gfortran.
macro_rules! setters {
    ($($does:path => $result:ty:
        value $($name:ident)+; reference $fortran:ident $($fortran_8:ident)?;)+) => {
        $(
            $(
                #[unsafe(no_mangle)]
                pub extern "C" fn $name(value: std::ffi::c_int) -> $result {
                    $does(value)
                }
            )+

            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $fortran(value: *const i32) -> $result {
                // SAFETY: Fortran passes a valid reference.
                $does(unsafe { *value })
            }

            $(
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn $fortran_8(value: *const i64) -> $result {
                    // SAFETY: Fortran passes a valid reference.
                    $does($crate::api::narrow(unsafe { *value }))
                }
            )?
        )+
    };
}
use setters;

/// An 8-byte Fortran integer where C has an `int`.
fn narrow(value: i64) -> c_int {
    value.clamp(c_int::MIN.into(), c_int::MAX.into()) as c_int
}

/// A count where C has an `int`.
fn int(count: u32) -> c_int {
    c_int::try_from(count).unwrap_or(c_int::MAX)
}
