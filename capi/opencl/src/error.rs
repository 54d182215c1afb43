//! What went wrong, by the number that the specification gives it.

use opencl_sys::{CL_SUCCESS, cl_int};

/// An error code of OpenCL; never `CL_SUCCESS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub cl_int);

pub type Result<T = ()> = std::result::Result<T, Error>;

/// An error, unless the condition holds.
#[inline]
pub fn ensure(holds: bool, code: cl_int) -> Result {
    if holds { Ok(()) } else { Err(Error(code)) }
}

/// The number for C.
#[inline]
pub fn code(result: Result) -> cl_int {
    match result {
        Ok(()) => CL_SUCCESS,
        Err(Error(code)) => code,
    }
}
