//! Memory that processes of one user have in common: a file in /dev/shm that each of them maps, and locks on its bytes that say which
//! processes there are.
//!
//! Terms: a *place* is a byte of the file, as far as locks are concerned; what it holds does not matter. A lock belongs to a
//! process: the kernel gives it back when that process ends, however it does, or becomes another program; a child of fork does not have it.
//! So whoever asks for the lock on a place learns whether somebody lives there, whatever the processes' numbers are worth.
//!
//! The file is made by the first process, stays when the last one ends, and has all its memory from the beginning. Who opens it
//! and finds that another user could have made or changed it, or that it is not as this version makes it, does without.
//! Not here: protection against this user's own processes. One that cuts the file short ends those that have it mapped.
//!
//! Source: fcntl(2), advisory record locking; posix_fallocate(3). Units: bytes.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null_mut};
use std::time::Duration;

/// The least number that the file gets (see `shared`).
const LEAST_DESCRIPTOR: i32 = 256;
/// Tries to be the only one at a place, a millisecond each.
const TRIES: u32 = 200;

/// Open and mapped until the process ends.
pub struct CommonFile {
    file: File,
    memory: NonNull<u8>,
}

// SAFETY: the address of memory that stays where it is; what is done there is the caller's business.
unsafe impl Send for CommonFile {}
// SAFETY: as above.
unsafe impl Sync for CommonFile {}

/// The folder of files that are memory.
pub fn folder() -> &'static Path {
    Path::new("/dev/shm")
}

/// The user in whose name this process acts.
pub fn user() -> u32 {
    // SAFETY: no preconditions; the call cannot fail.
    unsafe { libc::geteuid() }
}

impl CommonFile {
    /// Opens the file of this name and size, whole pages, or makes it, filled with zeros; `enter` is called as by `alone`. An error
    /// says what is wrong, with the file's name.
    pub fn open<R>(
        path: PathBuf,
        length: usize,
        enter: impl FnOnce(&CommonFile) -> Result<R, String>,
    ) -> Result<(CommonFile, R), String> {
        let common = made(&path, length).map_err(|why| format!("{}: {why}", path.display()))?;
        let entered = enter(&common).map_err(|why| format!("{}: {why}", path.display()))?;
        common.give_back(0);
        Ok((common, entered))
    }

    /// Calls `act` while no other process is in here: one that has the lock on place 0. An error says why it was not called.
    pub fn alone<R>(&self, act: impl FnOnce(&CommonFile) -> R) -> std::io::Result<R> {
        be_alone(&self.file)?;
        let result = act(self);
        self.give_back(0);
        Ok(result)
    }

    /// Its first byte.
    pub fn memory(&self) -> NonNull<u8> {
        self.memory
    }

    /// Takes the lock on a place for this process; false if another one has it, or the system refuses.
    pub fn take(&self, place: u32) -> bool {
        set_lock(&self.file, place, libc::F_WRLCK).is_ok()
    }

    pub fn give_back(&self, place: u32) {
        // The lock was this process's, so nothing can fail; if it does, others take it that the process lives.
        let _ = set_lock(&self.file, place, libc::F_UNLCK);
    }

    /// Whether another process may have the lock on a place: certainly not, if false.
    pub fn may_be_taken(&self, place: u32) -> bool {
        let mut lock = lock_of(place, libc::F_WRLCK);
        // SAFETY: asks for a lock, and gets it described in the structure that is passed.
        let status = unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_GETLK, &raw mut lock) };
        status != 0 || i32::from(lock.l_type) != libc::F_UNLCK
    }
}

/// Opened, with the lock on place 0, which goes with the file if anything else fails.
fn made(path: &Path, length: usize) -> Result<CommonFile, String> {
    let file = open(path).map_err(|error| format!("it cannot be opened: {error}"))?;
    check(&file)?;
    be_alone(&file).map_err(|error| format!("it cannot be locked: {error}"))?;
    fill(&file, length).map_err(|error| format!("there is no memory for it: {error}"))?;
    if file.metadata().map_or(0, |facts| facts.len()) != length as u64 {
        return Err(format!("it does not have {length} bytes"));
    }
    let memory = map(&file, length).map_err(|error| format!("it cannot be mapped: {error}"))?;
    Ok(CommonFile { file, memory })
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    options.read(true).write(true).create(true).mode(0o600).custom_flags(flags);
    let low = options.open(path)?;
    // SAFETY: opens an open file once more, under a number of its own.
    let high = unsafe { libc::fcntl(low.as_raw_fd(), libc::F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR) };
    if high < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the number was just made, and nobody else has it.
    Ok(unsafe { File::from_raw_fd(high) })
}

/// Whether nobody but this user could have made or changed it.
fn check(file: &File) -> Result<(), String> {
    let facts = file.metadata().map_err(|error| error.to_string())?;
    if !facts.is_file() {
        Err("it is not a file".to_owned())
    } else if facts.uid() != user() {
        Err(format!("it belongs to user {}, and this process is user {}", facts.uid(), user()))
    } else if facts.mode() & 0o777 != 0o600 || facts.nlink() > 1 {
        Err(format!("others may use it: its mode is {:o}, not 600", facts.mode() & 0o777))
    } else {
        Ok(())
    }
}

/// Gives an empty file its memory, all of it, so that writing never fails later.
fn fill(file: &File, length: usize) -> std::io::Result<()> {
    if file.metadata()?.len() != 0 {
        return Ok(());
    }
    // SAFETY: a call on an open file that passes no addresses.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length as libc::off_t) } {
        0 => Ok(()),
        status => Err(Error::from_raw_os_error(status)),
    }
}

fn map(file: &File, length: usize) -> std::io::Result<NonNull<u8>> {
    let (access, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    // SAFETY: a new mapping of a file that has `length` bytes.
    let start = unsafe { libc::mmap(null_mut(), length, access, shared, file.as_raw_fd(), 0) };
    if start == libc::MAP_FAILED {
        return Err(Error::last_os_error());
    }
    NonNull::new(start.cast()).ok_or(Error::from(ErrorKind::InvalidData))
}

/// Takes the lock on place 0.
fn be_alone(file: &File) -> std::io::Result<()> {
    for _ in 0..TRIES {
        if set_lock(file, 0, libc::F_WRLCK).is_ok() {
            return Ok(());
        }
        // Another process has it, for some microseconds; unless it was stopped there.
        std::thread::sleep(Duration::from_millis(1));
    }
    set_lock(file, 0, libc::F_WRLCK)
}

fn set_lock(file: &File, place: u32, kind: i32) -> std::io::Result<()> {
    let lock = lock_of(place, kind);
    // SAFETY: a call on an open file with a structure that it reads.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const lock) } {
        0 => Ok(()),
        _ => Err(Error::last_os_error()),
    }
}

fn lock_of(place: u32, kind: i32) -> libc::flock {
    // SAFETY: a structure of numbers.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = libc::off_t::from(place);
    lock.l_len = 1;
    lock
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("vicinity-common-{name}-{}", std::process::id()))
    }

    fn open(path: &Path, length: usize) -> Result<CommonFile, String> {
        CommonFile::open(path.to_owned(), length, |_| Ok(())).map(|it| it.0)
    }

    #[test]
    fn what_one_writes_the_other_reads() {
        let path = path("two");
        let (one, other) = (open(&path, 4096).unwrap(), open(&path, 4096).unwrap());
        // SAFETY: both mappings have 4096 bytes.
        unsafe {
            assert_eq!(other.memory().add(77).read(), 0);
            one.memory().add(77).write(7);
            assert_eq!(other.memory().add(77).read(), 7);
        }
        assert!(one.take(3) && !one.may_be_taken(4));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_is_not_as_it_should_be_is_refused() {
        let path = path("odd");
        std::fs::write(&path, [1; 100]).unwrap();
        let said = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            open(&path, 4096).err().unwrap()
        };
        assert!(said(0o660).ends_with("its mode is 660, not 600"));
        assert!(said(0o600).ends_with("it does not have 4096 bytes"));
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(open(&path, 4096).err().unwrap().contains("cannot be opened"));
        std::fs::remove_dir(&path).unwrap();
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        assert!(open(&path, 4096).err().unwrap().contains("cannot be opened"));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn there_may_be_no_such_folder() {
        let said = open(Path::new("/proc/vicinity/share"), 4096).err().unwrap();
        assert!(said.starts_with("/proc/vicinity/share: it cannot be opened"), "{said}");
    }
}
