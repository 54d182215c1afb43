//! Types that the ABIs pass by address and that only their compilers look into.

/// A pointer-sized place whose content is opaque here.
pub type Pointer = *mut libc::c_void;
