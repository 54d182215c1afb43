//! The OpenMP ABIs (libgomp and libomp) and the C API of vicinity.h.

pub mod allocators;
pub mod api;
pub mod atomics;
pub mod gomp;
pub mod handle;
pub mod kmp;
pub mod locks;
mod memory;
pub mod native;
