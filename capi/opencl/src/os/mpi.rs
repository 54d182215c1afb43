//! The program's MPI, through functions that the program has compiled with its own `mpi.h` (`CL/cl_vicinity.h`).
//!
//! So nothing here depends on which MPI it is: how large its handles are, what its constants are, where its statuses have the
//! error. Handles are numbers here.
//!
//! Invariants: 1. A process has one MPI. The functions that come first serve for all, whichever file of the program they are of. 2. Nothing
//! is called before MPI says that any thread may.

use crate::core::memory::Address;
use crate::error::{Error, Result, ensure};
use crate::report;
use opencl_sys::{CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_RUNNING, CL_SUCCESS, cl_int};
use std::ffi::{c_int, c_void};
use std::sync::{Once, OnceLock};

/// `cl_mpi_vicinity`.
#[repr(C)]
pub struct Functions {
    size_bytes: usize,
    state: unsafe extern "C" fn() -> cl_int,
    check: unsafe extern "C" fn(u64, c_int, c_int, c_int) -> cl_int,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, u64, *mut u64) -> cl_int,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, u64, *mut u64) -> cl_int,
    test: unsafe extern "C" fn(c_int, *mut u64, *mut cl_int),
}

/// `cl_mpi_handle_vicinity`: a communicator or a request.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle {
    pub functions: *const Functions,
    pub number: u64,
}

/// How many requests may be tested in one call.
const TESTS: usize = 64;

static KNOWN: OnceLock<&'static Functions> = OnceLock::new();

/// An MPI that any thread may call.
#[derive(Clone, Copy)]
pub struct Mpi(&'static Functions);

/// What is sent, or where to something is received, and the rank on the other side.
pub struct Letter {
    pub memory: Address,
    pub bytes: usize,
    pub rank: c_int,
    pub tag: c_int,
}

impl Mpi {
    /// An error, and a line that says why, where it cannot be used.
    ///
    /// # Safety
    /// The functions are null or those of the header, and stay where they are.
    pub unsafe fn of(functions: *const Functions) -> Result<Mpi> {
        // SAFETY: the caller's promise.
        let theirs = unsafe { functions.as_ref() }.ok_or(Error(CL_INVALID_VALUE))?;
        ensure(theirs.size_bytes >= size_of::<Functions>(), CL_INVALID_VALUE)?;
        let mpi = Mpi(KNOWN.get_or_init(|| theirs));
        // SAFETY: MPI may be asked for its state at any time.
        let lacks = match unsafe { (mpi.0.state)() } {
            0 => return Ok(mpi),
            1 => "MPI is not initialized",
            2 => "MPI is finalized",
            _ => "MPI was initialized without MPI_THREAD_MULTIPLE (MPI_Init_thread)",
        };
        static SAID: Once = Once::new();
        SAID.call_once(|| report::warn(&format!("{lacks}; no OpenCL command can send or receive")));
        Err(Error(CL_INVALID_OPERATION))
    }

    /// The one that is in use, once `of` has given it.
    pub fn known() -> Option<Mpi> {
        KNOWN.get().copied().map(Mpi)
    }

    /// An error if no message can have this rank and this tag.
    pub fn check(self, letter: &Letter, communicator: u64, receives: bool) -> Result {
        // SAFETY: numbers that MPI looks at; a communicator is believed.
        status(unsafe { (self.0.check)(communicator, letter.rank, letter.tag, receives.into()) })
    }

    /// Begins to send; the request.
    ///
    /// # Safety
    /// The memory is there until the request is done.
    pub unsafe fn send(self, letter: &Letter, communicator: u64) -> Result<u64> {
        let Letter { memory, bytes, rank, tag } = *letter;
        let (memory, mut request) = (memory.pointer().cast(), 0);
        // SAFETY: the caller's promise.
        status(unsafe { (self.0.send)(memory, bytes, rank, tag, communicator, &raw mut request) })?;
        Ok(request)
    }

    /// The same to receive.
    ///
    /// # Safety
    /// The memory is there until the request is done.
    pub unsafe fn receive(self, letter: &Letter, communicator: u64) -> Result<u64> {
        let Letter { memory, bytes, rank, tag } = *letter;
        let (memory, mut request) = (memory.pointer().cast(), 0);
        // SAFETY: the caller's promise.
        status(unsafe {
            (self.0.receive)(memory, bytes, rank, tag, communicator, &raw mut request)
        })?;
        Ok(request)
    }

    /// Of each request: nothing while it is under way, or how it ended. Those that are done are not tested again.
    pub fn test(self, requests: &mut [u64]) -> Vec<Option<Result>> {
        let mut found = Vec::with_capacity(requests.len());
        for requests in requests.chunks_mut(TESTS) {
            let mut statuses = [CL_RUNNING; TESTS];
            let count = requests.len() as c_int;
            // SAFETY: as many requests of MPI's as are said, and room for an answer to each.
            unsafe { (self.0.test)(count, requests.as_mut_ptr(), statuses.as_mut_ptr()) };
            let answer = |&code: &cl_int| (code != CL_RUNNING).then(|| status(code));
            found.extend(statuses[..requests.len()].iter().map(answer));
        }
        found
    }
}

fn status(code: cl_int) -> Result {
    ensure(code == CL_SUCCESS, code)
}

/// Short pauses of the calling thread are not made longer than they are.
pub fn rest_precisely() {
    // SAFETY: a number for the calling thread.
    _ = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1000) };
}
