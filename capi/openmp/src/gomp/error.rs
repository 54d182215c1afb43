//! The error directive with `at(execution)`: says what libgomp says, word for word, for those who look for it.
//!
//! Source: OpenMP 5.2 section 8.5; the calls gcc 12 makes.
#![allow(unsafe_code)]

use libc::{c_char, c_int, size_t};
use vicinity_runtime::{report, thread, tool};

/// `severity(warning)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_warning(message: *const c_char, length: size_t) {
    // SAFETY: the caller's contract is the compiler's.
    let text = unsafe { text(message, length) };
    tell(1, &text);
    report::show(&format!("\nlibgomp: {text}\n"));
}

/// `severity(fatal)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn GOMP_error(message: *const c_char, length: size_t) {
    // SAFETY: the caller's contract is the compiler's.
    let text = unsafe { text(message, length) };
    tell(2, &text);
    report::show(&format!("\nlibgomp: fatal error: {text}\n"));
    std::process::exit(1);
}

/// Tells a tool.
fn tell(severity: c_int, text: &str) {
    thread::current();
    tool::error(severity, text.as_bytes());
}

/// # Safety
/// `message` is null or a string; `length` is how long it is, or `size_t::MAX` for one that ends in a zero
/// (Fortran's do not).
unsafe fn text(message: *const c_char, length: size_t) -> String {
    if message.is_null() {
        return "error directive encountered".into();
    }
    let bytes = if length == size_t::MAX {
        // SAFETY: a string that ends in a zero.
        unsafe { std::ffi::CStr::from_ptr(message) }.to_bytes()
    } else {
        // SAFETY: as long as the compiler says.
        unsafe { std::slice::from_raw_parts(message.cast::<u8>(), length) }
    };
    format!("error directive encountered: {}", String::from_utf8_lossy(bytes))
}
