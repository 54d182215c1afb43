//! Error codes and the version.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

/// What a function of the C API answers; the numbers are part of the ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    Success = 0,
    /// A null pointer, or a number out of range.
    Argument = -1,
    /// A location that this machine does not have.
    Location = -2,
    /// Not in this version of the library.
    Unsupported = -3,
}

pub type Outcome<T = ()> = Result<T, Status>;

/// The code for C.
pub fn code(outcome: Outcome) -> c_int {
    match outcome {
        Ok(()) => Status::Success as c_int,
        Err(status) => status as c_int,
    }
}

fn text(code: c_int) -> &'static CStr {
    match code {
        0 => c"success",
        -1 => c"an argument is null or out of range",
        -2 => c"this machine has no such location",
        -3 => c"not supported by this version of the library",
        _ => c"unknown error code",
    }
}

/// What a code means, in English; valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_strerror(code: c_int) -> *const c_char {
    text(code).as_ptr()
}

/// Major * 10000 + minor * 100 + patch.
#[unsafe(no_mangle)]
pub extern "C" fn vicinity_version() -> c_int {
    const VERSION: c_int = number(env!("CARGO_PKG_VERSION_MAJOR")) * 10_000
        + number(env!("CARGO_PKG_VERSION_MINOR")) * 100
        + number(env!("CARGO_PKG_VERSION_PATCH"));
    VERSION
}

const fn number(digits: &str) -> c_int {
    let (mut value, mut at) = (0, 0);
    while at < digits.len() {
        value = value * 10 + (digits.as_bytes()[at] - b'0') as c_int;
        at += 1;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_text_of_its_own() {
        let all = [Status::Success, Status::Argument, Status::Location, Status::Unsupported];
        for (index, status) in all.into_iter().enumerate() {
            assert_eq!(status as c_int, -(index as c_int));
            assert_ne!(text(status as c_int), text(1));
        }
        assert_eq!(number("120"), 120);
    }
}
