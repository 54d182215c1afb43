//! `__kmpc_atomic_*`: atomic updates as library calls, as compilers for libomp's ABI make them.
//!
//! Names: `__kmpc_atomic_<type>_<operation>`, all with a source location and a thread number first,
//! then the address of the variable, then the other operand. Types are `fixed1` to `fixed8` (signed,
//! with `u` unsigned), `float4`, `float8`; `float10` and the complex types are in `shim/atomics.c`,
//! `float16`, `cmplx16` and operands of quadruple precision (`_fp`) in `shim/quad.c`, because Rust has
//! no names for them. Suffixes: `_cpt` returns the new value if its last argument is
//! not 0, else the old one; `_rev` swaps the operands; `_rd`, `_wr`, `_swp` read, write and exchange;
//! an operand type as suffix (`_float8`) computes in that type.
//!
//! Ordering: every access is sequentially consistent, for the directive's clause does not reach us.
//! Accesses of one variable pair with each other.
//!
//! Source: the interface of libomp 19 (`kmp_atomic.h`: names and arguments); OpenMP 5.2, 15.8.4.

mod compare;
mod fixed;
mod float;
mod generic;
mod word;

/// Defines an update and its capturing form for each operation:
/// `"name" "name with capture" |variable, operand| new value;`.
macro_rules! updates {
    ($type:ty, $prefix:literal, $($name:literal $capture:literal $operation:expr;)*) => {$(
        const _: () = {
            #[unsafe(export_name = concat!("__kmpc_atomic_", $prefix, $name))]
            unsafe extern "C" fn update(_: *const c_void, _: i32, at: *mut $type, right: $type) {
                let operation: fn($type, $type) -> $type = $operation;
                // SAFETY: the compiler passes a variable that is only accessed atomically.
                unsafe { Word::update(at, |left| operation(left, right)) };
            }

            #[unsafe(export_name = concat!("__kmpc_atomic_", $prefix, $capture))]
            unsafe extern "C" fn capture(
                _: *const c_void,
                _: i32,
                at: *mut $type,
                right: $type,
                after: i32,
            ) -> $type {
                let operation: fn($type, $type) -> $type = $operation;
                // SAFETY: as above.
                let (old, new) = unsafe { Word::update(at, |left| operation(left, right)) };
                if after != 0 { new } else { old }
            }
        };
    )*};
}

/// Defines updates whose operand and computation have the type `$wide`.
macro_rules! mixed_updates {
    ($type:ty, $prefix:literal, $wide:ty, $($name:literal $operation:expr;)*) => {$(
        const _: () = {
            #[unsafe(export_name = concat!("__kmpc_atomic_", $prefix, $name))]
            unsafe extern "C" fn update(_: *const c_void, _: i32, at: *mut $type, right: $wide) {
                let operation: fn($wide, $wide) -> $wide = $operation;
                let change = |left: $type| operation(left as $wide, right) as $type;
                // SAFETY: the compiler passes a variable that is only accessed atomically.
                unsafe { Word::update(at, change) };
            }
        };
    )*};
}

/// Defines reading, writing and exchanging.
macro_rules! accesses {
    ($type:ty, $prefix:literal) => {
        const _: () = {
            #[unsafe(export_name = concat!("__kmpc_atomic_", $prefix, "_rd"))]
            unsafe extern "C" fn read(_: *const c_void, _: i32, at: *mut $type) -> $type {
                // SAFETY: the compiler passes a variable that is only accessed atomically.
                unsafe { Word::load(at) }
            }

            #[unsafe(export_name = concat!("__kmpc_atomic_", $prefix, "_wr"))]
            unsafe extern "C" fn write(_: *const c_void, _: i32, at: *mut $type, value: $type) {
                // SAFETY: as above.
                unsafe { Word::store(at, value) }
            }

            #[unsafe(export_name = concat!("__kmpc_atomic_", $prefix, "_swp"))]
            unsafe extern "C" fn exchange(
                _: *const c_void,
                _: i32,
                at: *mut $type,
                value: $type,
            ) -> $type {
                // SAFETY: as above.
                unsafe { Word::swap(at, value) }
            }
        };
    };
}

use {accesses, mixed_updates, updates};
