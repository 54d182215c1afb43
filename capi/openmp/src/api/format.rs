//! The affinity format, and a thread's affinity printed or written into a buffer.
//!
//! C strings end with a zero byte; Fortran strings have a length, passed last, and end in blanks. A
//! text that does not fit is cut; the length returned is that of the whole text.
//! Source: OpenMP 5.2, sections 18.3.6 to 18.3.9.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::slice;
use vicinity_runtime::device;
use vicinity_runtime::display::thread;

/// # Safety
/// `text` is null or a C string.
unsafe fn from_c(text: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// # Safety
/// `text` is null or has `len` bytes.
unsafe fn from_fortran(text: *const c_char, len: usize) -> Option<String> {
    if text.is_null() || len == 0 {
        return None;
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice::from_raw_parts(text.cast::<u8>(), len) };
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// # Safety
/// `buffer` is null or has room for `size` bytes.
unsafe fn to_c(text: &str, buffer: *mut c_char, size: usize) -> usize {
    if !buffer.is_null() && size > 0 {
        let kept = text.len().min(size - 1);
        // SAFETY: the caller's promise; `kept` is below `size`.
        unsafe {
            text.as_ptr().copy_to_nonoverlapping(buffer.cast(), kept);
            buffer.add(kept).write(0);
        }
    }
    text.len()
}

/// # Safety
/// As for `to_c`.
unsafe fn to_fortran(text: &str, buffer: *mut c_char, size: usize) -> usize {
    if !buffer.is_null() {
        let kept = text.len().min(size);
        // SAFETY: the caller's promise.
        unsafe {
            text.as_ptr().copy_to_nonoverlapping(buffer.cast(), kept);
            buffer.add(kept).write_bytes(b' ', size - kept);
        }
    }
    text.len()
}

/// The routines of C, under their own and libomp's names.
macro_rules! c_names {
    ($set:ident $get:ident $display:ident $capture:ident) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(format: *const c_char) {
            // SAFETY: the program passes a C string.
            device::set_affinity_format(unsafe { from_c(format) }.unwrap_or_default());
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(buffer: *mut c_char, size: usize) -> usize {
            // SAFETY: the program passes a buffer of that size, or none.
            unsafe { to_c(&device::affinity_format(), buffer, size) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $display(format: *const c_char) {
            // SAFETY: the program passes a C string, or none.
            thread::show(unsafe { from_c(format) }.as_deref());
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $capture(
            buffer: *mut c_char,
            size: usize,
            format: *const c_char,
        ) -> usize {
            // SAFETY: the program passes a buffer of that size and a C string, or none of either.
            unsafe { to_c(&thread::line(from_c(format).as_deref()), buffer, size) }
        }
    };
}

c_names!(omp_set_affinity_format omp_get_affinity_format omp_display_affinity omp_capture_affinity);
c_names!(ompc_set_affinity_format ompc_get_affinity_format ompc_display_affinity
    ompc_capture_affinity);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_set_affinity_format_(format: *const c_char, len: usize) {
    // SAFETY: Fortran passes a string and its length.
    device::set_affinity_format(unsafe { from_fortran(format, len) }.unwrap_or_default());
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_affinity_format_(buffer: *mut c_char, size: usize) -> usize {
    // SAFETY: Fortran passes a string and its length.
    unsafe { to_fortran(&device::affinity_format(), buffer, size) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_display_affinity_(format: *const c_char, len: usize) {
    // SAFETY: Fortran passes a string and its length.
    thread::show(unsafe { from_fortran(format, len) }.as_deref());
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_capture_affinity_(
    buffer: *mut c_char,
    format: *const c_char,
    size: usize,
    len: usize,
) -> usize {
    // SAFETY: Fortran passes two strings and their lengths.
    unsafe { to_fortran(&thread::line(from_fortran(format, len).as_deref()), buffer, size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_padded() {
        let mut buffer = [b'x' as c_char; 8];
        let text = |buffer: &[c_char]| -> String {
            buffer.iter().map(|&byte| byte as u8 as char).collect()
        };
        let at = buffer.as_mut_ptr();
        // SAFETY: the buffer has the sizes that are passed.
        unsafe {
            assert_eq!(to_c("abc", at, 3), 3);
            assert_eq!(text(&buffer[..4]), "ab\0x");
            assert_eq!(to_fortran("abc", at, 6), 3);
            assert_eq!(text(&buffer), "abc   xx");
            assert_eq!(to_fortran("abcdef", at, 2), 6);
            assert_eq!(text(&buffer[..3]), "abc");
            assert_eq!(from_fortran(at, 6).as_deref(), Some("abc   "));
            assert_eq!((to_c("abc", std::ptr::null_mut(), 0), from_c(std::ptr::null())), (3, None));
        }
    }
}
