//! Interoperability objects: no foreign runtime is there, so every object is `omp_interop_none`.
//!
//! Source: OpenMP 5.2, section 18.12; numbers of `omp_interop_rc_t` and `omp_interop_property_t`: `omp.h`.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;

/// `omp_irc_empty`: the object is `omp_interop_none`.
const EMPTY: c_int = -1;
/// `omp_irc_out_of_range`: no such property.
const OUT_OF_RANGE: c_int = -2;
/// `omp_ipr_first`: the lowest property number; all are negative.
const FIRST: c_int = -9;

/// What a query of an object without a runtime answers.
fn refusal(property: c_int) -> c_int {
    if (FIRST..0).contains(&property) { EMPTY } else { OUT_OF_RANGE }
}

/// Defines queries of a property, which all fail, under their C and Fortran names.
macro_rules! queries {
    ($($nothing:expr => $type:ty: $($name:ident)+;)+) => {
        $($(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(
                _object: *const c_void,
                property: c_int,
                code: *mut c_int,
            ) -> $type {
                // SAFETY: the program passes a place for the code, or null.
                if let Some(code) = unsafe { code.as_mut() } {
                    *code = refusal(property);
                }
                $nothing
            }
        )+)+
    };
}

queries! {
    0 => isize: omp_get_interop_int omp_get_interop_int_;
    null() => *const c_void: omp_get_interop_ptr omp_get_interop_ptr_;
    null() => *const c_char: omp_get_interop_str;
}

/// Defines the routines that describe a property or a code of an object.
macro_rules! descriptions {
    ($($text:expr => $($name:ident)+;)+) => {
        $($(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name(_object: *const c_void, number: c_int) -> *const c_char {
                $text(number)
            }
        )+)+
    };
}

descriptions! {
    name => omp_get_interop_name;
    type_name => omp_get_interop_type_desc;
    meaning => omp_get_interop_rc_desc;
}

/// Defines the same for gfortran, which passes by value and gets strings in two places of its own: where they are, and how
/// long.
macro_rules! fortran_descriptions {
    ($($c:ident => $fortran:ident;)+) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $fortran(
                text: *mut *const c_char,
                length: *mut usize,
                object: *const c_void,
                number: c_int,
            ) {
                // SAFETY: gfortran passes two places for the result.
                unsafe { give_text($c(object, number), text, length) };
            }
        )+
    };
}

fortran_descriptions! {
    omp_get_interop_name => omp_get_interop_name_;
    omp_get_interop_type_desc => omp_get_interop_type_desc_;
    omp_get_interop_rc_desc => omp_get_interop_rc_desc_;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_interop_str_(
    text: *mut *const c_char,
    length: *mut usize,
    object: *const c_void,
    property: c_int,
    code: *mut c_int,
) {
    // SAFETY: gfortran passes two places for the result, and one for the code, or null.
    unsafe { give_text(omp_get_interop_str(object, property, code), text, length) };
}

/// A string as gfortran wants it; null is a disassociated pointer.
///
/// # Safety
/// `from` is null or a string; `text` and `length` are places for the result.
pub(super) unsafe fn give_text(from: *const c_char, text: *mut *const c_char, length: *mut usize) {
    // SAFETY: the caller's promise.
    unsafe {
        *text = from;
        *length = if from.is_null() { 0 } else { CStr::from_ptr(from).to_bytes().len() };
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_num_interop_properties(_object: *const c_void) -> c_int {
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_num_interop_properties_(_object: *const c_void) -> c_int {
    0
}

fn name(property: c_int) -> *const c_char {
    let name = match property {
        -1 => c"fr_id",
        -2 => c"fr_name",
        -3 => c"vendor",
        -4 => c"vendor_name",
        -5 => c"device_num",
        -6 => c"platform",
        -7 => c"device",
        -8 => c"device_context",
        -9 => c"targetsync",
        _ => return null(),
    };
    name.as_ptr()
}

fn type_name(property: c_int) -> *const c_char {
    let name = match property {
        -1 | -3 | -5 => c"omp_intptr_t",
        -2 | -4 => c"const char *",
        -9..=-6 => c"void *",
        _ => return null(),
    };
    name.as_ptr()
}

fn meaning(code: c_int) -> *const c_char {
    let text = match code {
        1 => c"valid property, but it has no value here",
        0 => c"successful",
        -1 => c"the object is omp_interop_none",
        -2 => c"no property has this number",
        -3 => c"the property is an integer",
        -4 => c"the property is a pointer",
        -5 => c"the property is a string",
        -6 => c"another error",
        _ => return null(),
    };
    text.as_ptr()
}
