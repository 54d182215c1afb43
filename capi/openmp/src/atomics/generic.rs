//! `__kmpc_atomic_N`: updates of N bytes by a function of the program.
//!
//! The function is `f(result, variable, operand)`; result and variable may be the same memory. Up to
//! 8 bytes it is applied to a copy, which is then swapped in; it may run more than once. Larger
//! variables are changed in place under the lock of big atomics.
#![allow(unsafe_code)]

use super::word::Word;
use crate::locks::{GOMP_atomic_end, GOMP_atomic_start};
use std::ffi::c_void;

type Combine = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void);

macro_rules! small {
    ($($name:ident $type:ty;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _location: *const c_void,
            _thread: i32,
            at: *mut $type,
            right: *mut c_void,
            combine: Combine,
        ) {
            let change = |mut left: $type| {
                let mut result = left;
                // SAFETY: the program's function reads its last two arguments and writes the first.
                unsafe { combine((&raw mut result).cast(), (&raw mut left).cast(), right) };
                result
            };
            // SAFETY: the compiler passes a variable that is only accessed atomically.
            unsafe { Word::update(at, change) };
        }
    )*};
}

macro_rules! big {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _location: *const c_void,
            _thread: i32,
            at: *mut c_void,
            right: *mut c_void,
            combine: Combine,
        ) {
            GOMP_atomic_start();
            // SAFETY: whoever accesses the variable atomically holds the lock.
            unsafe { combine(at, at, right) };
            GOMP_atomic_end();
        }
    )*};
}

small! {
    __kmpc_atomic_1 u8;
    __kmpc_atomic_2 u16;
    __kmpc_atomic_4 u32;
    __kmpc_atomic_8 u64;
}
big! { __kmpc_atomic_10 __kmpc_atomic_16 __kmpc_atomic_20 __kmpc_atomic_32 }

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null;

    unsafe extern "C" fn add<T: Copy + std::ops::Add<Output = T>>(
        result: *mut c_void,
        left: *mut c_void,
        right: *mut c_void,
    ) {
        // SAFETY: the tests pass pointers to values of this type.
        unsafe { *result.cast::<T>() = *left.cast::<T>() + *right.cast::<T>() };
    }

    #[test]
    fn combines_small_and_big() {
        let (mut short, mut big) = (7u16, 1u128 << 100);
        let (mut one, mut two) = (1u16, 2u128);
        // SAFETY: every argument is a variable of this thread.
        unsafe {
            __kmpc_atomic_2(null(), 0, &mut short, (&raw mut one).cast(), add::<u16>);
            let (at, right) = ((&raw mut big).cast(), (&raw mut two).cast());
            __kmpc_atomic_16(null(), 0, at, right, add::<u128>);
        }
        assert_eq!((short, big), (8, (1 << 100) + 2));
    }
}
