//! Folders that one process at a time works in, also after the one that made the folder has ended.
//!
//! Protocol: the process that works in a folder has its lock (the folder itself is what is locked), from its start to its end,
//! however it ends. A folder without a lock was left behind: whoever comes by removes it. Folders are looked through and
//! made under the lock of the folder above, for which nobody waits.
//!
//! Source: flock(2): a lock belongs to the open file, so a program that is started inherits it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use vicinity_alloc::os::files::Folder;

/// A folder to work in, for as long as `lock` is open anywhere.
pub struct Workplace {
    pub path: PathBuf,
    pub lock: File,
}

pub enum Claim {
    Mine(Workplace),
    /// Somebody works in it, or enough do elsewhere: perhaps later.
    Taken,
}

/// Claims the folder `name` in `above`, empty, if not more than `most` are worked in then.
pub fn claim(above: &Path, name: &str, most: usize) -> io::Result<Claim> {
    Folder::make(above)?;
    let Some(_lock) = locked(above)? else { return Ok(Claim::Taken) };
    let path = above.join(name);
    if sweep_locked(above)? >= most || path.exists() {
        return Ok(Claim::Taken);
    }
    Folder::make(&path)?;
    Ok(locked(&path)?.map_or(Claim::Taken, |lock| Claim::Mine(Workplace { path, lock })))
}

/// Removes what was left behind in `above`.
pub fn sweep(above: &Path) {
    // What cannot be done now is done by who claims the next one.
    if let Ok(Some(_lock)) = locked(above) {
        _ = sweep_locked(above);
    }
}

/// Gives how many folders are worked in.
fn sweep_locked(above: &Path) -> io::Result<usize> {
    let mut at_work = 0;
    for entry in fs::read_dir(above)?.flatten() {
        match locked(&entry.path()) {
            Ok(Some(_lock)) => fs::remove_dir_all(entry.path())?,
            Ok(None) => at_work += 1,
            Err(error) => match error.kind() {
                // It has just gone.
                ErrorKind::NotFound => {}
                // A link or anything else: nobody works in that.
                _ if error.raw_os_error() == Some(libc::ELOOP) => fs::remove_file(entry.path())?,
                ErrorKind::NotADirectory => fs::remove_file(entry.path())?,
                _ => return Err(error),
            },
        }
    }
    Ok(at_work)
}

/// The folder with its lock; `None` if another has that.
fn locked(folder: &Path) -> io::Result<Option<File>> {
    let file = Folder::open_itself(folder)?;
    // SAFETY: a descriptor that is open, and numbers.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
        return Ok(Some(file));
    }
    match io::Error::last_os_error() {
        error if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        error => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mine(above: &Path, name: &str) -> Option<Workplace> {
        match claim(above, name, 2).unwrap() {
            Claim::Mine(folder) => Some(folder),
            Claim::Taken => None,
        }
    }

    /// Tests beside this one start programs, which have every lock until they begin.
    fn soon(done: impl Fn() -> bool) -> bool {
        (0..5000).any(|_| {
            done() || {
                std::thread::sleep(std::time::Duration::from_millis(1));
                false
            }
        })
    }

    #[test]
    fn a_folder_is_one_process_s_and_few_are() {
        let above = tempfile::tempdir().unwrap();
        let above = above.path().join("deep/er");
        let first = mine(&above, "a").unwrap();
        assert!(first.path.is_dir() && mine(&above, "a").is_none());
        let second = mine(&above, "b").unwrap();
        assert!(mine(&above, "c").is_none(), "two are enough");
        drop(second);
        assert!(soon(|| mine(&above, "c").is_some()));
    }

    #[test]
    fn what_was_left_behind_goes_and_what_is_worked_in_stays() {
        let above = tempfile::tempdir().unwrap();
        let left = mine(above.path(), "left").unwrap();
        fs::write(left.path.join("part"), "").unwrap();
        sweep(above.path());
        assert!(left.path.join("part").exists());
        let path = left.path.clone();
        drop(left);
        assert!(soon(|| mine(above.path(), "next").is_some() && !path.exists()));
        let empty = || fs::read_dir(above.path()).unwrap().count() == 0;
        assert!(soon(|| {
            sweep(above.path());
            empty()
        }));
    }

    #[test]
    fn what_is_no_folder_is_not_waited_for_and_goes() {
        let above = tempfile::tempdir().unwrap();
        let path = |name: &str| above.path().join(name);
        let elsewhere = tempfile::tempdir().unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(pipe.success());
        fs::write(path("file"), "").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), path("link")).unwrap();
        sweep(above.path());
        assert_eq!(fs::read_dir(above.path()).unwrap().count(), 0);
        assert!(elsewhere.path().exists(), "where a link leads is not ours");
    }

    #[test]
    fn a_place_without_folders_is_an_error() {
        let above = tempfile::tempdir().unwrap();
        let file = above.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(claim(&file, "a", 1).is_err());
        sweep(&file);
    }
}
