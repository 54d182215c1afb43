//! Lock routines, critical sections and the lock of big atomics, under the names of both ABIs.
//!
//! Terms: *simple* and *nestable* locks as in OpenMP 5.2, section 18.9. The storage is the program's;
//! what the library keeps in it, and how much of it, is the business of `vicinity_runtime::locks`.
//!
//! Fortran passes a lock variable by reference, as C passes a pointer to it, so each `omp_x_` does
//! what `omp_x` does; `__kmpc_x` has a source location and a thread number in front. Hints (by value
//! in C, by reference in Fortran) are not looked at. libgomp's OMP_1.0 locks, of OpenMP 2.5, have 4
//! and 8 bytes, as much as is used here: the same functions serve all versions.

pub mod critical;
mod nestable;
mod simple;
mod watched;

pub(crate) use critical::{GOMP_atomic_end, GOMP_atomic_start};

/// Gives each of the functions in this module (`init`, `set` and so on, each taking a pointer to the
/// program's lock) its name in C, in Fortran and in libomp's own interface.
macro_rules! entries {
    ($($does:ident $(($hint:ident))? $(-> $ret:ty)?: $c:ident $fortran:ident $kmpc:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $c(lock: *mut c_void $(, $hint: usize)?) $(-> $ret)? {
            // SAFETY: the program keeps the contract of the lock routines, which $does names.
            unsafe { $does(lock) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $fortran(lock: *mut c_void $(, $hint: usize)?) $(-> $ret)? {
            // SAFETY: as above.
            unsafe { $does(lock) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $kmpc(
            _location: *const c_void,
            _thread: i32,
            lock: *mut c_void
            $(, $hint: usize)?
        ) $(-> $ret)? {
            // SAFETY: as above.
            unsafe { $does(lock) }
        }
    )*};
}
use entries;
