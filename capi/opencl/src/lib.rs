//! The OpenCL driver: what the loader of OpenCL (an "installable client driver" loader) finds behind
//! `vicinity.icd`, and OpenCL programs behind that.
//!
//! `api` has the entry points, of a few lines each: they turn handles and pointers into references and values,
//! and call `core`, where the objects are, or `queue`, which has the commands carried out by the workers of
//! `libvicinity.so.1`. `handle` is what makes any number that a program passes as a handle safe to look at;
//! `info` answers queries, `report` says what is said unasked.
//!
//! Invariants: 1. Misuse gets an error code: a handle that is null, released or of another kind, a size that is
//! too small, an argument that is not set. What a program says of its own memory is believed. 2. There is no
//! compiler in the process: `vicinity-translate` is another one. 3. No thread that is made here runs kernels.
//!
//! Source: The OpenCL Specification 3.0; the extension cl_khr_icd.

mod api;
mod core;
mod error;
mod handle;
mod info;
mod os;
mod queue;
mod report;
mod sync;
