//! Files of the program: its descriptors and its streams of the C library.
//!
//! A descriptor is duplicated, so the program may close its own. A stream is the program's until the command is over.
//!
//! Source: POSIX.1-2017, `pread`, `lseek`, 2.5.1 (interaction of descriptors and streams).

use crate::core::memory::Address;
use std::ffi::c_int;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::fs::{FileExt, FileTypeExt};

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    ToFile,
    FromFile,
}

/// How a descriptor was opened.
#[derive(Clone, Copy)]
pub struct Mode(c_int);

impl Mode {
    pub fn of(descriptor: RawFd) -> Result<Mode> {
        // SAFETY: any number may be asked for.
        match unsafe { libc::fcntl(descriptor, libc::F_GETFL) } {
            -1 => Err(Error::last_os_error()),
            flags => Ok(Mode(flags)),
        }
    }

    pub fn allows(self, direction: Direction) -> bool {
        let excluded = match direction {
            Direction::ToFile => libc::O_RDONLY,
            Direction::FromFile => libc::O_WRONLY,
        };
        self.0 & libc::O_ACCMODE != excluded && self.0 & libc::O_PATH == 0
    }

    pub fn is_both(self) -> bool {
        self.0 & libc::O_ACCMODE == libc::O_RDWR
    }

    /// What is written goes to the end, whatever the offset.
    pub fn appends(self) -> bool {
        self.0 & libc::O_APPEND != 0
    }
}

/// The system's number for an error.
pub fn number(error: &Error) -> c_int {
    // Without one nothing was written, and no reason given.
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// A duplicate of a descriptor of the program's.
pub fn duplicate(descriptor: RawFd) -> Result<File> {
    if descriptor < 0 {
        return Err(Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: a number that may be none of a file is refused by the system.
    let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    Ok(borrowed.try_clone_to_owned()?.into())
}

/// Whether reading and writing ends by itself: nobody else has to do something first.
pub fn is_storage(file: &File) -> bool {
    file.metadata().is_ok_and(|about| {
        let kind = about.file_type();
        kind.is_file() || kind.is_block_device()
    })
}

pub fn has_offsets(mut file: &File) -> bool {
    file.stream_position().is_ok()
}

/// The position of the descriptor, which is behind so many bytes then. Others that do the same get others.
pub fn claim(mut file: &File, bytes: usize) -> Result<u64> {
    let end = file.seek(SeekFrom::Current(bytes as i64))?;
    Ok(end - bytes as u64)
}

/// The system may begin to read.
pub fn announce(file: &File, offset: u64, bytes: usize) {
    let (offset, bytes) = (offset as libc::off_t, bytes as libc::off_t);
    // SAFETY: no memory is involved; it is a hint.
    _ = unsafe { libc::posix_fadvise(file.as_raw_fd(), offset, bytes, libc::POSIX_FADV_WILLNEED) };
}

/// Memory that a command reads or writes.
///
/// # Safety
/// It is there, and nobody else's meanwhile but for what the program does at its own risk.
unsafe fn bytes_of<'a>(memory: Address, bytes: usize) -> &'a mut [u8] {
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(memory.pointer(), bytes) }
}

/// All of the bytes, at an offset.
///
/// # Safety
/// The memory is there, and a command's.
pub unsafe fn transfer_at(
    file: &File,
    offset: u64,
    memory: Address,
    bytes: usize,
    direction: Direction,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let memory = unsafe { bytes_of(memory, bytes) };
    match direction {
        Direction::ToFile => file.write_all_at(memory, offset),
        Direction::FromFile => file.read_exact_at(memory, offset),
    }
}

/// All of the bytes, from where the descriptor is.
///
/// # Safety
/// As of `transfer_at`.
pub unsafe fn transfer(
    mut file: &File,
    memory: Address,
    bytes: usize,
    direction: Direction,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let memory = unsafe { bytes_of(memory, bytes) };
    match direction {
        Direction::ToFile => file.write_all(memory),
        Direction::FromFile => file.read_exact(memory),
    }
}

/// A stream of the C library. The program keeps it open until the command is over.
#[derive(Clone, Copy)]
pub struct Stream(*mut libc::FILE);

// SAFETY: the C library locks it at each call.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

unsafe extern "C" {
    fn flockfile(stream: *mut libc::FILE);
    fn funlockfile(stream: *mut libc::FILE);
}

impl Stream {
    /// # Safety
    /// An open stream, until all that is done with this is over.
    pub unsafe fn new(stream: *mut libc::FILE) -> Stream {
        Stream(stream)
    }

    pub fn descriptor(self) -> RawFd {
        // SAFETY: the promise to `new`.
        unsafe { libc::fileno(self.0) }
    }

    /// As `claim`, with what the stream still holds written first.
    pub fn claim(self, bytes: usize) -> Result<u64> {
        // SAFETY: the promise to `new`.
        unsafe {
            flockfile(self.0);
            let claimed = self.claim_locked(bytes as libc::off_t);
            funlockfile(self.0);
            claimed
        }
    }

    /// # Safety
    /// The caller has the stream's lock.
    unsafe fn claim_locked(self, bytes: libc::off_t) -> Result<u64> {
        let unless_wrong = |code: c_int| match code {
            0 => Ok(()),
            _ => Err(Error::last_os_error()),
        };
        // SAFETY: the promise to `new`.
        unsafe {
            unless_wrong(libc::fflush(self.0))?;
            let offset = libc::ftello(self.0);
            let offset = u64::try_from(offset).map_err(|_| Error::last_os_error())?;
            unless_wrong(libc::fseeko(self.0, bytes, libc::SEEK_CUR))?;
            Ok(offset)
        }
    }

    /// As the program's own `fread` or `fwrite` and `fflush`.
    ///
    /// # Safety
    /// As of `transfer_at`.
    pub unsafe fn transfer(
        self,
        memory: Address,
        bytes: usize,
        direction: Direction,
    ) -> Result<()> {
        let memory = memory.pointer().cast();
        // SAFETY: the caller's promise, and that to `new`.
        unsafe {
            let (done, flushed) = match direction {
                Direction::ToFile => {
                    let written = libc::fwrite(memory, 1, bytes, self.0);
                    (written, written < bytes || libc::fflush(self.0) == 0)
                }
                Direction::FromFile => (libc::fread(memory, 1, bytes, self.0), true),
            };
            let wrong = Error::last_os_error();
            match done == bytes && flushed {
                true => Ok(()),
                false if direction == Direction::FromFile && libc::feof(self.0) != 0 => {
                    Err(ErrorKind::UnexpectedEof.into())
                }
                false => Err(wrong),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_follow_each_other() {
        let file = tempfile::tempfile().unwrap();
        let claims: Vec<u64> = [10, 0, 7, 1].iter().map(|&n| claim(&file, n).unwrap()).collect();
        assert_eq!(claims, [0, 10, 10, 17]);
        assert!(has_offsets(&file) && is_storage(&file));
        let (reader, writer) = std::io::pipe().unwrap();
        let reader = duplicate(reader.as_raw_fd()).unwrap();
        assert!(!has_offsets(&reader) && !is_storage(&reader));
        assert!(Mode::of(reader.as_raw_fd()).unwrap().allows(Direction::FromFile));
        assert!(!Mode::of(writer.as_raw_fd()).unwrap().allows(Direction::FromFile));
        assert!(duplicate(-1).is_err() && duplicate(RawFd::MAX).is_err());
    }
}
