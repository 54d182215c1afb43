//! Programs in the background, each with a folder that is removed with it, and ended with this process.
//!
//! A forked child of this process has nothing to do with them.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, Once, Weak};
use tempfile::TempDir;

/// A program that was started, until this is dropped.
pub struct Background(Arc<Mutex<Running>>);

struct Running {
    child: Child,
    /// `None` once it was ended.
    folder: Option<TempDir>,
    /// Who started it.
    parent: u32,
}

/// Of programs in the background, from 0 to 19: they take what others leave.
const NICENESS: i32 = 15;

/// All that were started: for the end of the process.
static ALL: Mutex<Vec<Weak<Mutex<Running>>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|held| held.into_inner())
}

impl Background {
    /// What it says is not wanted.
    pub fn start(command: &mut Command, folder: TempDir) -> std::io::Result<Background> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // A group of its own, so that it can be ended with all that it started.
        let child = command.process_group(0).spawn()?;
        // It has time: kernels that run meanwhile do not. If that is refused, it is as urgent as they are.
        // SAFETY: a child of ours that nobody has waited for; the call takes numbers.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, child.id(), NICENESS) };
        let running = Running { child, folder: Some(folder), parent: std::process::id() };
        let running = Arc::new(Mutex::new(running));
        let mut all = lock(&ALL);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(&running));
        drop(all);
        static ONCE: Once = Once::new();
        // SAFETY: a function without arguments. If it is refused, a folder stays behind.
        ONCE.call_once(|| _ = unsafe { libc::atexit(end_all) });
        Ok(Background(running))
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        // An error: somebody else has waited for the child, so it has ended.
        lock(&self.0).child.try_wait().map_or(true, |status| status.is_some())
    }

    pub fn folder(&self) -> Option<PathBuf> {
        lock(&self.0).folder.as_ref().map(|folder| Path::to_path_buf(folder.path()))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        lock(&self.0).end();
    }
}

impl Running {
    fn end(&mut self) {
        let folder = self.folder.take();
        if self.parent != std::process::id() {
            // A forked child: program and folder are the parent's.
            folder.into_iter().for_each(|folder| _ = folder.keep());
            return;
        }
        if matches!(self.child.try_wait(), Ok(None))
            && let Ok(group) = libc::pid_t::try_from(self.child.id())
        {
            // SAFETY: the child's group, which exists until the child has been waited for.
            unsafe { libc::kill(-group, libc::SIGKILL) };
            _ = self.child.wait();
        }
    }
}

extern "C" fn end_all() {
    // A thread that still runs may hold a lock.
    let Ok(all) = ALL.try_lock() else { return };
    for running in all.iter().filter_map(Weak::upgrade) {
        if let Ok(mut running) = running.try_lock() {
            running.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn start(script: &str) -> (Background, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_path_buf();
        let mut command = Command::new("/bin/sh");
        (Background::start(command.args(["-c", script]), folder).unwrap(), path)
    }

    #[test]
    fn folders_go_with_programs_that_are_over_or_not() {
        let (short, folder) = start("true");
        let since = Instant::now();
        while !short.is_over() {
            assert!(since.elapsed() < Duration::from_secs(20));
        }
        assert_eq!(short.folder().as_ref(), Some(&folder));
        drop(short);
        assert!(!folder.exists());
        let (long, folder) = start("sleep 30 & sleep 30");
        assert!(!long.is_over() && folder.exists());
        drop(long);
        assert!(!folder.exists() && since.elapsed() < Duration::from_secs(20));
    }
}
