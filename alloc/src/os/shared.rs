//! Memory of this process that other processes of its user can read: a file without a name, which ends with the last that has it.
//!
//! Others find it among the open files of the process, `/proc/PID/fd`, whose owner alone may look there. Its size is sealed: it
//! cannot shrink while somebody reads it.
//!
//! Source: memfd_create(2), fcntl(2) (F_ADD_SEALS). Units: bytes.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::ptr::{NonNull, null_mut};

/// The least number that the file gets: programs close and open low numbers, and count on which is next.
const LEAST_DESCRIPTOR: i32 = 256;

/// Zeroed memory of a size that is whole pages; `None` where the system has no room for it, or no such files.
/// It stays until the process ends; a child of fork shares it, and a program that is started in this process's place loses it.
pub fn page(name: &CStr, length: usize) -> Option<NonNull<u8>> {
    // SAFETY: a name with its zero, and flags.
    let descriptor =
        unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if descriptor < 0 {
        return None;
    }
    // SAFETY: the number was just opened, and nobody else has it.
    let low = unsafe { File::from_raw_fd(descriptor) };
    low.set_len(length as u64).ok()?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: calls on an open file that pass no addresses; the second opens it once more, under a number of its own.
    let high = unsafe {
        libc::fchmod(low.as_raw_fd(), 0o600);
        libc::fcntl(low.as_raw_fd(), libc::F_ADD_SEALS, seals);
        libc::fcntl(low.as_raw_fd(), libc::F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR)
    };
    if high < 0 {
        return None;
    }
    // SAFETY: as above.
    let file = unsafe { File::from_raw_fd(high) };
    let (access, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    // SAFETY: a new mapping of a file of at least `length` bytes.
    let start = unsafe { libc::mmap(null_mut(), length, access, shared, file.as_raw_fd(), 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let _ = file.into_raw_fd();
    NonNull::new(start.cast())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{FileExt, MetadataExt};

    /// The file of this process whose link says so.
    fn find(name: &str) -> File {
        let files = std::fs::read_dir("/proc/self/fd").unwrap().flatten().map(|file| file.path());
        let is_it = |path: &std::path::PathBuf| {
            std::fs::read_link(path).is_ok_and(|target| target.to_string_lossy().contains(name))
        };
        File::open(files.into_iter().find(is_it).expect("it is open")).unwrap()
    }

    #[test]
    fn what_is_written_can_be_read_through_the_file() {
        let memory = page(c"vicinity-test-page", 8192).expect("the system has such files");
        // SAFETY: the mapping has 8192 bytes.
        unsafe { memory.add(5000).write(7) };
        let file = find("memfd:vicinity-test-page");
        let mut byte = [0];
        file.read_exact_at(&mut byte, 5000).unwrap();
        let facts = file.metadata().unwrap();
        assert_eq!((byte[0], facts.len(), facts.mode() & 0o777), (7, 8192, 0o600));
        let other = std::fs::OpenOptions::new()
            .write(true)
            .open(format!("/proc/self/fd/{}", file.as_raw_fd()));
        assert!(other.is_ok_and(|file| file.set_len(100).is_err()), "it cannot shrink");
    }
}
