//! Integer updates: `fixed1`, `fixed2`, `fixed4`, `fixed8` and their unsigned forms.
//!
//! Arithmetic wraps. Shifts are those of C, which widens narrow operands first: a shift by the width
//! of a narrow type or more moves everything out. `andl` and `orl` are the logical operators, `eqv` and
//! `neqv` Fortran's.
#![allow(unsafe_code)]

use super::word::Word;
use super::{accesses, mixed_updates, updates};
use std::ffi::c_void;
use vicinity_runtime::report;

#[cold]
fn division_by_zero() -> ! {
    report::fatal("an atomic update divides an integer by zero")
}

/// Signed operations of one width.
macro_rules! signed {
    ($type:ty, $prefix:literal) => {
        updates! { $type, $prefix,
            "_add" "_add_cpt" |x, r| x.wrapping_add(r);
            "_sub" "_sub_cpt" |x, r| x.wrapping_sub(r);
            "_sub_rev" "_sub_cpt_rev" |x, r| r.wrapping_sub(x);
            "_mul" "_mul_cpt" |x, r| x.wrapping_mul(r);
            "_andb" "_andb_cpt" |x, r| x & r;
            "_orb" "_orb_cpt" |x, r| x | r;
            "_xor" "_xor_cpt" |x, r| x ^ r;
            "_neqv" "_neqv_cpt" |x, r| x ^ r;
            "_eqv" "_eqv_cpt" |x, r| x ^ !r;
            "_andl" "_andl_cpt" |x, r| (x != 0 && r != 0).into();
            "_orl" "_orl_cpt" |x, r| (x != 0 || r != 0).into();
            "_max" "_max_cpt" |x, r| x.max(r);
            "_min" "_min_cpt" |x, r| x.min(r);
            "_shl" "_shl_cpt" |x, r| (x as i64).wrapping_shl(r as u32) as $type;
            "_shl_rev" "_shl_cpt_rev" |x, r| (r as i64).wrapping_shl(x as u32) as $type;
        }
        quotients! { $type, $prefix, i64 }
        accesses! { $type, $prefix }
        mixed_updates! { $type, $prefix, f64,
            "_mul_float8" |x, r| x * r;
            "_div_float8" |x, r| x / r;
        }
    };
}

/// What depends on the sign: division and shifting right. `$wide` is the 8-byte type.
macro_rules! quotients {
    ($type:ty, $prefix:literal, $wide:ty) => {
        updates! { $type, $prefix,
            "_div" "_div_cpt" |x, r| if r == 0 { division_by_zero() } else { x.wrapping_div(r) };
            "_div_rev" "_div_cpt_rev"
                |x, r| if x == 0 { division_by_zero() } else { r.wrapping_div(x) };
            "_shr" "_shr_cpt" |x, r| (x as $wide).wrapping_shr(r as u32) as $type;
            "_shr_rev" "_shr_cpt_rev" |x, r| (r as $wide).wrapping_shr(x as u32) as $type;
        }
    };
}

signed! { i8, "fixed1" }
signed! { i16, "fixed2" }
signed! { i32, "fixed4" }
signed! { i64, "fixed8" }
quotients! { u8, "fixed1u", u64 }
quotients! { u16, "fixed2u", u64 }
quotients! { u32, "fixed4u", u64 }
quotients! { u64, "fixed8u", u64 }

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::ptr::null;

    unsafe extern "C" {
        fn __kmpc_atomic_fixed1_shl(_: *const c_void, _: i32, at: *mut i8, right: i8);
        fn __kmpc_atomic_fixed1_shr(_: *const c_void, _: i32, at: *mut i8, right: i8);
        fn __kmpc_atomic_fixed1u_shr(_: *const c_void, _: i32, at: *mut u8, right: u8);
        fn __kmpc_atomic_fixed2_sub_rev(_: *const c_void, _: i32, at: *mut i16, right: i16);
        fn __kmpc_atomic_fixed4_add(_: *const c_void, _: i32, at: *mut i32, right: i32);
        fn __kmpc_atomic_fixed4_add_cpt(
            _: *const c_void,
            _: i32,
            at: *mut i32,
            right: i32,
            after: i32,
        ) -> i32;
        fn __kmpc_atomic_fixed4_eqv(_: *const c_void, _: i32, at: *mut i32, right: i32);
        fn __kmpc_atomic_fixed4_andl(_: *const c_void, _: i32, at: *mut i32, right: i32);
        fn __kmpc_atomic_fixed8_div_cpt_rev(
            _: *const c_void,
            _: i32,
            at: *mut i64,
            right: i64,
            after: i32,
        ) -> i64;
        fn __kmpc_atomic_fixed8_mul_float8(_: *const c_void, _: i32, at: *mut i64, right: f64);
        fn __kmpc_atomic_fixed8_swp(_: *const c_void, _: i32, at: *mut i64, value: i64) -> i64;
    }

    #[test]
    fn operations_are_those_of_c() {
        let (mut byte, mut ubyte, mut short, mut int, mut long) = (-3i8, 200u8, 10i16, 5i32, 7i64);
        // SAFETY: each call gets a variable of this thread alone.
        unsafe {
            __kmpc_atomic_fixed1_shr(null(), 0, &mut byte, 1);
            assert_eq!(byte, -2);
            __kmpc_atomic_fixed1_shl(null(), 0, &mut byte, 9);
            assert_eq!(byte, 0);
            __kmpc_atomic_fixed1u_shr(null(), 0, &mut ubyte, 3);
            assert_eq!(ubyte, 25);
            __kmpc_atomic_fixed2_sub_rev(null(), 0, &mut short, 4);
            assert_eq!(short, -6);
            assert_eq!(__kmpc_atomic_fixed4_add_cpt(null(), 0, &mut int, i32::MAX, 0), 5);
            assert_eq!(int, i32::MIN + 4);
            assert_eq!(__kmpc_atomic_fixed4_add_cpt(null(), 0, &mut int, 1, 1), i32::MIN + 5);
            int = 0b1100;
            __kmpc_atomic_fixed4_eqv(null(), 0, &mut int, 0b1010);
            assert_eq!(int, !0b0110);
            __kmpc_atomic_fixed4_andl(null(), 0, &mut int, 4);
            assert_eq!(int, 1);
            assert_eq!(__kmpc_atomic_fixed8_div_cpt_rev(null(), 0, &mut long, 100, 1), 14);
            __kmpc_atomic_fixed8_mul_float8(null(), 0, &mut long, 2.5);
            assert_eq!(__kmpc_atomic_fixed8_swp(null(), 0, &mut long, 1), 35);
        }
        assert_eq!(long, 1);
    }

    #[test]
    fn threads_lose_no_update() {
        let at = Box::into_raw(Box::new(0i32)) as usize;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5_000 {
                        // SAFETY: the variable outlives the scope.
                        unsafe { __kmpc_atomic_fixed4_add(null(), 0, at as *mut i32, 1) };
                    }
                });
            }
        });
        // SAFETY: made by Box::into_raw above.
        assert_eq!(*unsafe { Box::from_raw(at as *mut i32) }, 20_000);
    }
}
