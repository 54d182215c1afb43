//! `Word`: types of 1, 2, 4 or 8 bytes, and the atomic accesses of a variable of such a type.
//!
//! Floating-point variables are exchanged by their bits. All accesses are SeqCst: each pairs with
//! every other one of the same variable; see the parent module.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};

/// # Safety
/// All functions need `at` to be aligned and to point to a variable that lives and that nobody
/// accesses otherwise than atomically meanwhile.
pub(super) trait Word: Copy {
    unsafe fn load(at: *mut Self) -> Self;
    unsafe fn store(at: *mut Self, value: Self);
    unsafe fn swap(at: *mut Self, value: Self) -> Self;

    /// Replaces `expected` by `new`. The value found, `Ok` if it was the expected one.
    unsafe fn compare_exchange(at: *mut Self, expected: Self, new: Self) -> Result<Self, Self>;

    /// Applies `change`, as often as it takes; returns the old and the new value.
    unsafe fn update(at: *mut Self, change: impl Fn(Self) -> Self) -> (Self, Self);
}

macro_rules! word {
    ($($type:ty, $atomic:ty, $into:expr, $from:expr;)*) => {$(
        impl Word for $type {
            #[inline(always)]
            unsafe fn load(at: *mut Self) -> Self {
                // SAFETY: the contract of the trait; the atomic has the size of the type.
                $from(unsafe { <$atomic>::from_ptr(at.cast()) }.load(SeqCst))
            }

            #[inline(always)]
            unsafe fn store(at: *mut Self, value: Self) {
                // SAFETY: as above.
                unsafe { <$atomic>::from_ptr(at.cast()) }.store($into(value), SeqCst);
            }

            #[inline(always)]
            unsafe fn swap(at: *mut Self, value: Self) -> Self {
                // SAFETY: as above.
                $from(unsafe { <$atomic>::from_ptr(at.cast()) }.swap($into(value), SeqCst))
            }

            #[inline(always)]
            unsafe fn compare_exchange(
                at: *mut Self,
                expected: Self,
                new: Self,
            ) -> Result<Self, Self> {
                // SAFETY: as above.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                match cell.compare_exchange($into(expected), $into(new), SeqCst, SeqCst) {
                    Ok(found) => Ok($from(found)),
                    Err(found) => Err($from(found)),
                }
            }

            #[inline(always)]
            unsafe fn update(at: *mut Self, change: impl Fn(Self) -> Self) -> (Self, Self) {
                // SAFETY: as above.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                let mut old = cell.load(SeqCst);
                loop {
                    let new = change($from(old));
                    match cell.compare_exchange_weak(old, $into(new), SeqCst, SeqCst) {
                        Ok(_) => return ($from(old), new),
                        Err(found) => old = found,
                    }
                }
            }
        }
    )*};
}

word! {
    i8, AtomicU8, i8::cast_unsigned, u8::cast_signed;
    i16, AtomicU16, i16::cast_unsigned, u16::cast_signed;
    i32, AtomicU32, i32::cast_unsigned, u32::cast_signed;
    i64, AtomicU64, i64::cast_unsigned, u64::cast_signed;
    u8, AtomicU8, u8::from, u8::from;
    u16, AtomicU16, u16::from, u16::from;
    u32, AtomicU32, u32::from, u32::from;
    u64, AtomicU64, u64::from, u64::from;
    f32, AtomicU32, f32::to_bits, f32::from_bits;
    f64, AtomicU64, f64::to_bits, f64::from_bits;
}
