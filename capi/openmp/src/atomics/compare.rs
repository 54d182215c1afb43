//! `atomic compare`: compare and swap on 1, 2, 4 and 8 bytes.
//!
//! `bool_N_cas` says whether the swap was done, `val_N_cas` returns the value found. The `_cpt` forms
//! store into a last argument: for `bool` the value found if the swap was not done, else nothing; for
//! `val` the value that the variable has afterwards.
//!
//! Source: OpenMP 5.2, section 15.8.4.
#![allow(unsafe_code)]

use super::word::Word;
use std::ffi::c_void;

macro_rules! compare_and_swap {
    ($type:ty, $bytes:literal) => {
        const _: () = {
            #[unsafe(export_name = concat!("__kmpc_atomic_bool_", $bytes, "_cas"))]
            unsafe extern "C" fn swapped(
                _: *const c_void,
                _: i32,
                at: *mut $type,
                expected: $type,
                new: $type,
            ) -> bool {
                // SAFETY: the compiler passes a variable that is only accessed atomically.
                unsafe { Word::compare_exchange(at, expected, new) }.is_ok()
            }

            #[unsafe(export_name = concat!("__kmpc_atomic_val_", $bytes, "_cas"))]
            unsafe extern "C" fn found(
                _: *const c_void,
                _: i32,
                at: *mut $type,
                expected: $type,
                new: $type,
            ) -> $type {
                // SAFETY: as above.
                match unsafe { Word::compare_exchange(at, expected, new) } {
                    Ok(found) | Err(found) => found,
                }
            }

            #[unsafe(export_name = concat!("__kmpc_atomic_bool_", $bytes, "_cas_cpt"))]
            unsafe extern "C" fn swapped_capture(
                _: *const c_void,
                _: i32,
                at: *mut $type,
                expected: $type,
                new: $type,
                captured: *mut $type,
            ) -> bool {
                // SAFETY: as above, and `captured` is a variable of the calling thread.
                unsafe {
                    match Word::compare_exchange(at, expected, new) {
                        Ok(_) => true,
                        Err(found) => {
                            *captured = found;
                            false
                        }
                    }
                }
            }

            #[unsafe(export_name = concat!("__kmpc_atomic_val_", $bytes, "_cas_cpt"))]
            unsafe extern "C" fn found_capture(
                _: *const c_void,
                _: i32,
                at: *mut $type,
                expected: $type,
                new: $type,
                captured: *mut $type,
            ) -> $type {
                // SAFETY: as above.
                unsafe {
                    let (found, after) = match Word::compare_exchange(at, expected, new) {
                        Ok(found) => (found, new),
                        Err(found) => (found, found),
                    };
                    *captured = after;
                    found
                }
            }
        };
    };
}

compare_and_swap! { i8, "1" }
compare_and_swap! { i16, "2" }
compare_and_swap! { i32, "4" }
compare_and_swap! { i64, "8" }

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::ptr::null;

    unsafe extern "C" {
        fn __kmpc_atomic_bool_1_cas_cpt(
            _: *const c_void,
            _: i32,
            at: *mut i8,
            expected: i8,
            new: i8,
            captured: *mut i8,
        ) -> bool;
        fn __kmpc_atomic_val_8_cas_cpt(
            _: *const c_void,
            _: i32,
            at: *mut i64,
            expected: i64,
            new: i64,
            captured: *mut i64,
        ) -> i64;
    }

    #[test]
    fn captures() {
        let (mut byte, mut kept, mut long, mut after) = (1i8, 9i8, 5i64, 0i64);
        // SAFETY: every argument is a variable of this thread.
        unsafe {
            assert!(__kmpc_atomic_bool_1_cas_cpt(null(), 0, &mut byte, 1, 2, &mut kept));
            assert_eq!((byte, kept), (2, 9));
            assert!(!__kmpc_atomic_bool_1_cas_cpt(null(), 0, &mut byte, 1, 3, &mut kept));
            assert_eq!((byte, kept), (2, 2));
            assert_eq!(__kmpc_atomic_val_8_cas_cpt(null(), 0, &mut long, 5, 6, &mut after), 5);
            assert_eq!((long, after), (6, 6));
            assert_eq!(__kmpc_atomic_val_8_cas_cpt(null(), 0, &mut long, 5, 7, &mut after), 6);
        }
        assert_eq!((long, after), (6, 6));
    }
}
