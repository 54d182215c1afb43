//! Files whose names others know, too, such as those of a cache: opened so that nobody makes us wait, fill the memory, or
//! run what they have written.
//!
//! Terms: a file or folder is *guarded* if it belongs to us or to the system's administrator, and nobody else may write it.
//! A group of the owner's own number is the owner's alone, as distributions make them.
//!
//! What was opened is looked at, not what has its name: in between, a name may become another's. In a guarded folder only its
//! owner gives names, whoever owns the folders above it: they can only put another folder of ours in its place.
//! Source: open(2), openat(2), inode(7).

#![allow(unsafe_code)]

use std::ffi::{CString, OsStr};
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opening a pipe or a device does not wait.
const AT_ONCE: i32 = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC;

/// The content of a file, by whatever links. What is no file, or has more bytes, is an error.
pub fn read_file(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(AT_ONCE).open(path)?;
    content(file, most_bytes)
}

fn content(file: File, most_bytes: u64) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a file"));
    }
    if metadata.len() > most_bytes {
        return Err(ErrorKind::FileTooLarge.into());
    }
    // It may grow meanwhile: then it is cut off.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.take(most_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A folder that is open.
pub struct Folder(File);

/// What there is under a name.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// No file, one of too many bytes, or one that is not guarded.
    Wrong,
    Content(Vec<u8>),
}

impl Folder {
    pub fn open(path: &Path) -> io::Result<Folder> {
        let flags = libc::O_DIRECTORY | AT_ONCE;
        OpenOptions::new().read(true).custom_flags(flags).open(path).map(Folder)
    }

    /// The same of one that is not reached by a link, as the file that it is.
    pub fn open_itself(path: &Path) -> io::Result<File> {
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | AT_ONCE;
        OpenOptions::new().read(true).custom_flags(flags).open(path)
    }

    /// Makes it, and those above it, for us alone.
    pub fn make(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    /// Why it is not guarded, for people; `None` if it is.
    pub fn exposure(&self) -> io::Result<Option<String>> {
        Ok(exposure(&Guard::of(&self.0.metadata()?), own_user()))
    }

    /// What is called `name` in it, which is no link.
    pub fn read(&self, name: &OsStr, most_bytes: u64) -> io::Result<Found> {
        let name = CString::new(name.as_bytes())?;
        let flags = libc::O_RDONLY | libc::O_NOFOLLOW | AT_ONCE;
        // SAFETY: a descriptor that is open, and a name that ends with a zero.
        let descriptor = unsafe { libc::openat(self.0.as_raw_fd(), name.as_ptr(), flags) };
        if descriptor < 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::ENOENT) => Ok(Found::Nothing),
                // A link; a socket or a device without a driver.
                Some(libc::ELOOP | libc::ENXIO | libc::ENODEV) => Ok(Found::Wrong),
                _ => Err(error),
            };
        }
        // SAFETY: just opened, and nobody else's.
        let file = unsafe { File::from_raw_fd(descriptor) };
        if exposure(&Guard::of(&file.metadata()?), own_user()).is_some() {
            return Ok(Found::Wrong);
        }
        match content(file, most_bytes) {
            Ok(bytes) => Ok(Found::Content(bytes)),
            Err(error)
                if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::FileTooLarge) =>
            {
                Ok(Found::Wrong)
            }
            Err(error) => Err(error),
        }
    }
}

/// Whose it is, and who may write it.
struct Guard {
    user: u32,
    group: u32,
    mode: u32,
}

impl Guard {
    fn of(metadata: &Metadata) -> Guard {
        Guard { user: metadata.uid(), group: metadata.gid(), mode: metadata.mode() }
    }
}

const ADMINISTRATOR: u32 = 0;

fn exposure(guard: &Guard, own: u32) -> Option<String> {
    let Guard { user, group, mode } = *guard;
    if user != own && user != ADMINISTRATOR {
        return Some(format!("belongs to user {user}"));
    }
    let group_writes = mode & libc::S_IWGRP != 0 && group != user;
    let others_write = mode & libc::S_IWOTH != 0;
    let mode = mode & 0o7777;
    (group_writes || others_write).then(|| format!("may be written by others (mode {mode:o})"))
}

fn own_user() -> u32 {
    // SAFETY: no preconditions; the call cannot fail.
    unsafe { libc::geteuid() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;

    /// An empty folder of this test.
    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("vicinity-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder::make(&path).unwrap();
        path
    }

    fn pipe(path: &Path) {
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a name that ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    }

    #[test]
    fn only_files_are_read_and_nothing_waits() {
        let path = place("only-files");
        let folder = Folder::open(&path).unwrap();
        fs::write(path.join("file"), "text").unwrap();
        pipe(&path.join("pipe"));
        symlink("file", path.join("link")).unwrap();
        symlink("/dev/zero", path.join("zeros")).unwrap();
        fs::create_dir(path.join("folder")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
        let found = |name: &str| folder.read(name.as_ref(), 4).unwrap();
        assert_eq!(found("file"), Found::Content(b"text".to_vec()));
        assert_eq!(found("nothing"), Found::Nothing);
        for wrong in ["pipe", "link", "zeros", "folder", "socket"] {
            assert_eq!(found(wrong), Found::Wrong, "{wrong}");
        }
        assert_eq!(folder.read("file".as_ref(), 3).unwrap(), Found::Wrong, "too many bytes");
        assert_eq!(read_file(&path.join("link"), 4).unwrap(), b"text");
        for wrong in ["pipe", "zeros", "folder", "socket", "nothing"] {
            assert!(read_file(&path.join(wrong), 4).is_err(), "{wrong}");
        }
        assert!(Folder::open(&path.join("pipe")).is_err());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn what_others_may_write_is_not_believed() {
        let path = place("guards");
        let folder = Folder::open(&path).unwrap();
        assert_eq!(folder.exposure().unwrap(), None);
        let file = path.join("file");
        fs::write(&file, "text").unwrap();
        for (mode, is_guarded) in [(0o600, true), (0o644, true), (0o602, false)] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let found = folder.read("file".as_ref(), 4).unwrap();
            assert_eq!(found == Found::Content(b"text".to_vec()), is_guarded, "{mode:o}");
        }
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
        let said = folder.exposure().unwrap().unwrap();
        assert_eq!(said, "may be written by others (mode 777)");
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn owners_and_their_own_groups_are_trusted() {
        let said = |user, group, mode| exposure(&Guard { user, group, mode }, 1000);
        for (user, group, mode) in
            [(1000, 1000, 0o700), (1000, 1000, 0o775), (0, 0, 0o775), (1000, 100, 0o755)]
        {
            assert_eq!(said(user, group, mode), None, "{user} {group} {mode:o}");
        }
        assert_eq!(said(1001, 1001, 0o700).unwrap(), "belongs to user 1001");
        for (user, group, mode) in [(1000, 100, 0o775), (0, 1000, 0o775), (1000, 1000, 0o707)] {
            assert!(said(user, group, mode).is_some(), "{user} {group} {mode:o}");
        }
    }
}
