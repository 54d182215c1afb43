//! Floating-point updates: `float4` and `float8`.
//!
//! Maximum and minimum replace the variable only if the operand compares greater or less, so a NaN on
//! either side leaves it as it is.
#![allow(unsafe_code)]

use super::word::Word;
use super::{accesses, mixed_updates, updates};
use std::ffi::c_void;

macro_rules! float {
    ($type:ty, $prefix:literal) => {
        updates! { $type, $prefix,
            "_add" "_add_cpt" |x, r| x + r;
            "_sub" "_sub_cpt" |x, r| x - r;
            "_sub_rev" "_sub_cpt_rev" |x, r| r - x;
            "_mul" "_mul_cpt" |x, r| x * r;
            "_div" "_div_cpt" |x, r| x / r;
            "_div_rev" "_div_cpt_rev" |x, r| r / x;
            "_max" "_max_cpt" |x, r| if r > x { r } else { x };
            "_min" "_min_cpt" |x, r| if r < x { r } else { x };
        }
        accesses! { $type, $prefix }
    };
}

float! { f32, "float4" }
float! { f64, "float8" }
mixed_updates! { f32, "float4", f64,
    "_add_float8" |x, r| x + r;
    "_sub_float8" |x, r| x - r;
    "_mul_float8" |x, r| x * r;
    "_div_float8" |x, r| x / r;
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::ptr::null;

    unsafe extern "C" {
        fn __kmpc_atomic_float4_add_float8(_: *const c_void, _: i32, at: *mut f32, right: f64);
        fn __kmpc_atomic_float4_max(_: *const c_void, _: i32, at: *mut f32, right: f32);
        fn __kmpc_atomic_float8_div_rev(_: *const c_void, _: i32, at: *mut f64, right: f64);
        fn __kmpc_atomic_float8_min_cpt(
            _: *const c_void,
            _: i32,
            at: *mut f64,
            right: f64,
            after: i32,
        ) -> f64;
    }

    #[test]
    fn operations_are_those_of_c() {
        let (mut single, mut double) = (1.0f32, 4.0f64);
        // SAFETY: each call gets a variable of this thread alone.
        unsafe {
            __kmpc_atomic_float4_add_float8(null(), 0, &mut single, 1e-9);
            assert_eq!(single, 1.0);
            __kmpc_atomic_float4_max(null(), 0, &mut single, f32::NAN);
            assert_eq!(single, 1.0);
            __kmpc_atomic_float4_max(null(), 0, &mut single, 2.0);
            assert_eq!(single, 2.0);
            __kmpc_atomic_float8_div_rev(null(), 0, &mut double, 1.0);
            assert_eq!(double, 0.25);
            assert_eq!(__kmpc_atomic_float8_min_cpt(null(), 0, &mut double, 0.5, 1), 0.25);
            assert_eq!(__kmpc_atomic_float8_min_cpt(null(), 0, &mut double, 0.125, 0), 0.25);
        }
        assert_eq!(double, 0.125);
    }
}
