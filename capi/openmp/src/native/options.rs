//! What a program says of a task: dependences, group, priority, location.
#![allow(unsafe_code)]

use super::handle::Handle;
use super::status::{Outcome, Status};
use super::streams::{self, Target};
use super::topology;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;
use vicinity_policy::topology::LocationId;
use vicinity_runtime::task::deps::{Access, Dependence};

/// `vicinity_dependence`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawDependence {
    address: *mut c_void,
    length_bytes: usize,
    access: c_int,
}

/// `vicinity_options`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawOptions {
    /// Bytes of the structure, as the program knows it: later versions may append members.
    size: usize,
    dependences: *const RawDependence,
    dependence_count: usize,
    group: *const Handle,
    priority: c_int,
    location: c_int,
    stream: *const streams::Raw,
    subject: *const c_void,
}

/// Bytes of the structure before it had streams.
const WITHOUT_STREAM: usize = std::mem::offset_of!(RawOptions, stream);

/// Bits of `access`.
const IN: c_int = 1;
const OUT: c_int = 2;
/// A hint: the task uses this data more than the rest.
const INTENSIVE: c_int = 0x100;

/// Options that make sense.
#[derive(Default)]
pub struct Options {
    pub dependences: Vec<Dependence>,
    pub group: Option<Arc<Handle>>,
    pub priority: i32,
    /// None: anywhere.
    pub location: Option<LocationId>,
    pub target: Option<Target>,
    /// The function that traces name the task after; 0: the one it runs.
    pub subject: usize,
}

impl Options {
    /// # Safety
    /// `raw` is null (the default options), or points to options whose pointers are valid.
    pub unsafe fn read(raw: *const RawOptions) -> Outcome<Options> {
        if raw.is_null() {
            return Ok(Options::default());
        }
        // SAFETY: the caller's promise; the structure begins with its size.
        let raw = unsafe { RawOptions::copy(raw) }?;
        if raw.priority < 0 || (raw.dependences.is_null() && raw.dependence_count > 0) {
            return Err(Status::Argument);
        }
        let location = topology::wanted(raw.location)?;
        let dependences = match raw.dependence_count {
            0 => &[],
            // SAFETY: the caller's promise.
            count => unsafe { std::slice::from_raw_parts(raw.dependences, count) },
        };
        let dependences = dependences.iter().map(dependence).collect::<Outcome<_>>()?;
        // SAFETY: the caller's promise.
        let group = (!raw.group.is_null()).then(|| unsafe { Handle::share(raw.group) });
        // SAFETY: the caller's promise.
        let target = unsafe { streams::Raw::target(raw.stream) };
        let (priority, subject) = (raw.priority, raw.subject.addr());
        Ok(Options { dependences, group, priority, location, target, subject })
    }
}

impl RawOptions {
    /// What there is of a structure, which is shorter in an older program.
    ///
    /// # Safety
    /// It is as long as its first member says.
    unsafe fn copy(raw: *const RawOptions) -> Outcome<RawOptions> {
        // SAFETY: every version of the structure begins with its size.
        let size = unsafe { (&raw const (*raw).size).read() };
        if size < WITHOUT_STREAM {
            return Err(Status::Argument);
        }
        let mut copy = MaybeUninit::<RawOptions>::zeroed();
        // SAFETY: so many bytes are there, and zero is valid for those that are not: null pointers.
        unsafe {
            let bytes = size.min(size_of::<RawOptions>());
            raw.cast::<u8>().copy_to_nonoverlapping(copy.as_mut_ptr().cast(), bytes);
            Ok(copy.assume_init())
        }
    }
}

fn dependence(raw: &RawDependence) -> Outcome<Dependence> {
    let access = match raw.access & !INTENSIVE {
        IN => Access::In,
        access if access & OUT != 0 && access & !(IN | OUT) == 0 => Access::Out,
        _ => return Err(Status::Argument),
    };
    if raw.address.is_null() {
        return Err(Status::Argument);
    }
    let address = Some(raw.address as usize);
    let intensive = raw.access & INTENSIVE != 0;
    Ok(Dependence { address, length_bytes: raw.length_bytes, access, intensive })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let mut place = 0u8;
        let address: *mut c_void = (&raw mut place).cast();
        let read = |access, address, location, priority, size| {
            let dependences = [RawDependence { address, length_bytes: 1, access }];
            let raw = RawOptions {
                size,
                dependences: dependences.as_ptr(),
                dependence_count: 1,
                group: std::ptr::null(),
                priority,
                location,
                stream: std::ptr::null(),
                subject: std::ptr::null(),
            };
            // SAFETY: all pointers are null or valid.
            unsafe { Options::read(&raw) }.map(|it| it.dependences[0].access)
        };
        let size = size_of::<RawOptions>();
        assert_eq!(read(1, address, -1, 0, size), Ok(Access::In));
        assert_eq!(read(2, address, 0, 7, size + 8), Ok(Access::Out));
        assert_eq!(read(2, address, 0, 7, WITHOUT_STREAM), Ok(Access::Out));
        assert_eq!(read(3 | INTENSIVE, address, -1, 0, size), Ok(Access::Out));
        for access in [0, 4, INTENSIVE, -1] {
            assert_eq!(read(access, address, -1, 0, size), Err(Status::Argument));
        }
        assert_eq!(read(1, std::ptr::null_mut(), -1, 0, size), Err(Status::Argument));
        assert_eq!(read(1, address, -1, -1, size), Err(Status::Argument));
        assert_eq!(read(1, address, 1 << 20, 0, size), Err(Status::Location));
        assert_eq!(read(1, address, -1, 0, 0), Err(Status::Argument));
    }
}
