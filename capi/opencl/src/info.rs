//! Answers to queries: `(param_value_size, param_value, param_value_size_ret)`.
//!
//! Protocol: an entry point makes a `Reply` of what the program passed; whoever knows the answer gives it, once.
#![allow(unsafe_code)]

use crate::error::{Result, ensure};
use opencl_sys::{CL_INVALID_VALUE, cl_bool, cl_name_version};
use std::ffi::c_void;

/// Where an answer goes.
pub struct Reply {
    size_bytes: usize,
    value: *mut u8,
    size_answer: *mut usize,
}

/// Values that are copied into the program's memory as they are.
///
/// # Safety
/// The type has no padding.
pub unsafe trait Plain: Copy {}

// SAFETY: numbers, pointers and structures of them without gaps.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for usize {}
// SAFETY: as above.
unsafe impl Plain for isize {}
// SAFETY: as above.
unsafe impl Plain for *mut c_void {}
// SAFETY: as above.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
// SAFETY: as above: a number and 64 bytes.
unsafe impl Plain for cl_name_version {}

impl Reply {
    /// # Safety
    /// `value` is null or has room for `size_bytes`; `size_answer` is null or has room for a number.
    pub unsafe fn new(size_bytes: usize, value: *mut c_void, size_answer: *mut usize) -> Reply {
        Reply { size_bytes, value: value.cast(), size_answer }
    }

    /// How many values the program has room for; none if it wants none.
    pub fn room_for<T: Plain>(&self) -> Option<usize> {
        (!self.value.is_null()).then(|| self.size_bytes / size_of::<T>())
    }

    pub fn give<T: Plain>(self, value: T) -> Result {
        self.give_all(&[value])
    }

    pub fn give_bool(self, value: bool) -> Result {
        self.give(cl_bool::from(value))
    }

    /// A list, without its length.
    pub fn give_all<T: Plain>(self, values: &[T]) -> Result {
        let bytes = size_of_val(values);
        if !self.value.is_null() {
            ensure(self.size_bytes >= bytes, CL_INVALID_VALUE)?;
            // SAFETY: there is room, by what `new` was promised and the line above.
            unsafe { self.value.copy_from_nonoverlapping(values.as_ptr().cast(), bytes) };
        }
        if !self.size_answer.is_null() {
            // SAFETY: there is room, by what `new` was promised.
            unsafe { self.size_answer.write_unaligned(bytes) };
        }
        Ok(())
    }

    /// Text, and the zero that ends it.
    pub fn give_text(self, text: &str) -> Result {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend(text.bytes().filter(|&byte| byte != 0));
        bytes.push(0);
        self.give_all(&bytes)
    }

    /// Places that the program gave, in order, for blocks whose sizes it asked for before. A null place is left
    /// out.
    ///
    /// # Safety
    /// If there is a value, it is an array of as many pointers as there are blocks, each null or with room for
    /// its block.
    pub unsafe fn fill_places(self, blocks: &[&[u8]]) -> Result {
        let bytes = blocks.len() * size_of::<*mut u8>();
        if !self.value.is_null() {
            ensure(self.size_bytes >= bytes, CL_INVALID_VALUE)?;
            for (index, block) in blocks.iter().enumerate() {
                // SAFETY: the caller's promise.
                let place = unsafe { self.value.cast::<*mut u8>().add(index).read_unaligned() };
                if !place.is_null() {
                    // SAFETY: the caller's promise.
                    unsafe { place.copy_from_nonoverlapping(block.as_ptr(), block.len()) };
                }
            }
        }
        if !self.size_answer.is_null() {
            // SAFETY: there is room, by what `new` was promised.
            unsafe { self.size_answer.write_unaligned(bytes) };
        }
        Ok(())
    }
}
