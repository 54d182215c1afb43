//! Programs in the background: they hold nothing of this process but what they are given.
//!
//! Each has a session of its own (no terminal, no signals from one), and no files but the standard ones. A *free* one ends when it likes,
//! also after this process; one that is *tied* to a folder that goes with it is ended with this process, or when its owner does not
//! want it any more.
//!
//! The program's own handling of `SIGCHLD` is left as it is. Where it takes our child's status (by `wait` for any child, or by ignoring
//! the signal), that status is not known to us, and callers judge by what was written.
//!
//! A forked child of this process has nothing to do with them.

use super::process::End;
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, Once};
use tempfile::TempDir;

/// A program that was started.
pub struct Background(Arc<Mutex<Running>>);

/// What is to be started, and with what.
#[derive(Default)]
pub struct Start<'a> {
    /// The first is the program's file, or its name.
    pub words: &'a [&'a OsStr],
    /// Where it works; `None`: where this process does.
    pub place: Option<&'a Path>,
    /// Its standard files; `None`: it reads nothing, or what it says is not wanted.
    pub input: Option<BorrowedFd<'a>>,
    pub output: Option<BorrowedFd<'a>>,
    pub errors: Option<BorrowedFd<'a>>,
    /// What it is tied to.
    pub folder: Option<TempDir>,
    /// Of processor time, after which it is ended.
    pub most_seconds: Option<libc::rlim_t>,
}

struct Running {
    id: libc::pid_t,
    /// Once that was seen.
    end: Option<End>,
    /// Of one that is tied.
    folder: Option<TempDir>,
    /// Who started it.
    parent: u32,
}

/// Of programs in the background, from 0 to 19: while the program that wants it computes on all processors it gets a thirtieth of one.
const NICENESS: i32 = 15;

/// All that were not seen to end: to be ended with the process, or to be asked for their status.
static ALL: Mutex<Vec<Arc<Mutex<Running>>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|held| held.into_inner())
}

impl Background {
    pub fn start(start: Start) -> io::Result<Background> {
        let id = spawn(&start)?;
        let limit = |resource, most| {
            let most = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: a child of ours that nobody has waited for; a value, and no place for the one before. If it is refused, there is no limit.
            unsafe { libc::prlimit(id, resource, &raw const most, ptr::null_mut()) };
        };
        start.most_seconds.into_iter().for_each(|most| limit(libc::RLIMIT_CPU, most));
        limit(libc::RLIMIT_CORE, 0);
        let folder = start.folder;
        let running = Running { id, end: None, folder, parent: std::process::id() };
        let running = Arc::new(Mutex::new(running));
        let mut all = lock(&ALL);
        all.retain(|one| !lock(one).is_over());
        all.push(running.clone());
        drop(all);
        static ONCE: Once = Once::new();
        // SAFETY: a function without arguments. If it is refused, a folder stays behind.
        ONCE.call_once(|| _ = unsafe { libc::atexit(end_all) });
        Ok(Background(running))
    }

    /// It gets what others leave of the processors. If that is refused, it is as urgent as we are.
    pub fn yield_to_others(&self) {
        lock(&self.0).yield_to_others();
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        lock(&self.0).is_over()
    }

    /// Waits for its end.
    pub fn wait(&self) -> End {
        lock(&self.0).wait(0).unwrap_or(End::Unknown)
    }

    /// Ends it, if it is tied and still there; its folder goes.
    pub fn end(&self) {
        lock(&self.0).end();
    }

    /// Whether this process has ended it.
    pub fn is_ended(&self) -> bool {
        lock(&self.0).folder.is_none()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        lock(&self.0).end();
    }
}

impl Running {
    fn is_over(&mut self) -> bool {
        self.wait(libc::WNOHANG).is_some()
    }

    /// How it ended, if it did.
    fn wait(&mut self, how: libc::c_int) -> Option<End> {
        if self.end.is_none() {
            let mut status = 0;
            // SAFETY: a number, and a place for the status.
            self.end = match unsafe { libc::waitpid(self.id, &raw mut status, how) } {
                0 => None,
                id if id == self.id => Some(End::of(ExitStatus::from_raw(status))),
                // Somebody else has waited for it, so it has ended.
                _ => Some(End::Unknown),
            };
        }
        self.end
    }

    fn yield_to_others(&self) {
        let id = self.id;
        // The whole session: a thread keeps the niceness that it began with. SAFETY: a child of ours, if nobody has waited for it; the
        // call takes numbers.
        unsafe { libc::setpriority(libc::PRIO_PGRP, id.unsigned_abs(), NICENESS) };
        // Where each session has a share of its own, that is what counts.
        _ = std::fs::write(format!("/proc/{id}/autogroup"), NICENESS.to_string());
    }

    /// This process ends: what is free goes on, for nobody who waits.
    fn outlive(&mut self) {
        if self.folder.is_none() && self.parent == std::process::id() && !self.is_over() {
            self.yield_to_others();
        }
    }

    /// It is not wanted any more, if it is tied.
    fn end(&mut self) {
        let Some(folder) = self.folder.take() else { return };
        if self.parent != std::process::id() {
            // A forked child: program and folder are the parent's.
            _ = folder.keep();
            return;
        }
        if !self.is_over() {
            // SAFETY: the child's group, which exists until the child has been waited for.
            unsafe { libc::kill(-self.id, libc::SIGKILL) };
            self.wait(0);
        }
    }
}

extern "C" fn end_all() {
    // A thread that still runs may hold a lock.
    let Ok(all) = ALL.try_lock() else { return };
    for running in all.iter() {
        if let Ok(mut running) = running.try_lock() {
            running.outlive();
            running.end();
        }
    }
}

unsafe extern "C" {
    static environ: *const *mut libc::c_char;
}

/// Starts a program apart from this one. Not `std::process`: that has no sessions and leaves open what the program, or a library,
/// did not mark to be closed, pipes to those who wait for this process to end among them.
fn spawn(start: &Start) -> io::Result<libc::pid_t> {
    let text = |word: &OsStr| CString::new(word.as_bytes()).map_err(io::Error::from);
    let words = start.words.iter().map(|word| text(word)).collect::<io::Result<Vec<CString>>>()?;
    let place = start.place.map(|place| text(place.as_os_str())).transpose()?;
    let mut pointers: Vec<*mut libc::c_char> =
        words.iter().map(|word| word.as_ptr().cast_mut()).collect();
    pointers.push(ptr::null_mut());
    let program = words.first().ok_or(io::ErrorKind::InvalidInput)?;
    let files = [start.input, start.output, start.errors];
    let (actions, attributes) = (Actions::new(place.as_deref(), files)?, Attributes::new()?);
    let mut id = 0;
    // SAFETY: texts that end with zeros, in a list that ends with a null; initialized actions and attributes.
    checked(unsafe {
        let (actions, attributes) = (actions.0.as_ptr(), attributes.0.as_ptr());
        let words = pointers.as_ptr();
        libc::posix_spawnp(&raw mut id, program.as_ptr(), actions, attributes, words, environ)
    })?;
    Ok(id)
}

fn checked(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

/// What is done with files in the new process.
struct Actions(MaybeUninit<libc::posix_spawn_file_actions_t>);

impl Actions {
    fn new(place: Option<&CStr>, files: [Option<BorrowedFd>; 3]) -> io::Result<Actions> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: room for it.
        checked(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        let mut actions = Actions(actions);
        let (this, nothing) = (actions.0.as_mut_ptr(), c"/dev/null".as_ptr());
        // SAFETY: initialized above; texts that end with zeros, and files that are open.
        unsafe {
            for (standard, file) in (0..).zip(files) {
                let how = if standard == 0 { libc::O_RDONLY } else { libc::O_WRONLY };
                let add_open = libc::posix_spawn_file_actions_addopen;
                checked(match file.map(|file| file.as_raw_fd()) {
                    Some(file) => libc::posix_spawn_file_actions_adddup2(this, file, standard),
                    None => add_open(this, standard, nothing, how, 0),
                })?;
            }
            checked(libc::posix_spawn_file_actions_addclosefrom_np(this, 3))?;
            if let Some(place) = place {
                checked(libc::posix_spawn_file_actions_addchdir_np(this, place.as_ptr()))?;
            }
        }
        Ok(actions)
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialized by `new`.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

/// A session of its own, and no signals blocked or ignored.
struct Attributes(MaybeUninit<libc::posix_spawnattr_t>);

impl Attributes {
    fn new() -> io::Result<Attributes> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: room for it.
        checked(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        let mut attributes = Attributes(attributes);
        let this = attributes.0.as_mut_ptr();
        let signals = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        let flags = libc::POSIX_SPAWN_SETSID | signals as libc::c_short;
        let (mut none, mut all) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: initialized above, and room for the sets, which are initialized before they are used.
        unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigfillset(all.as_mut_ptr());
            checked(libc::posix_spawnattr_setflags(this, flags))?;
            checked(libc::posix_spawnattr_setsigmask(this, none.as_ptr()))?;
            checked(libc::posix_spawnattr_setsigdefault(this, all.as_ptr()))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialized by `new`.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn start(script: &str, place: &Path, folder: Option<TempDir>) -> Background {
        let words = ["/bin/sh", "-c", script].map(OsStr::new);
        let started = Background::start(Start {
            words: &words,
            place: Some(place),
            folder,
            ..Start::default()
        })
        .unwrap();
        started.yield_to_others();
        started
    }

    fn wait_for(what: impl Fn() -> bool) {
        let since = Instant::now();
        while !what() {
            assert!(since.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn folders_go_with_tied_programs_that_are_over_or_not() {
        let since = Instant::now();
        for script in ["true", "sleep 30 & sleep 30"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().to_path_buf();
            let tied = start(script, &path, Some(folder));
            if script == "true" {
                wait_for(|| tied.is_over());
            }
            assert!(path.exists());
            drop(tied);
            assert!(!path.exists());
        }
        assert!(since.elapsed() < Duration::from_secs(20), "they were ended");
    }

    #[test]
    fn free_programs_go_on_and_have_nothing_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        let mut ends = [0; 2];
        // SAFETY: room for two numbers. Not marked to be closed, as C programs leave theirs.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        let script = "sleep 0.1; { echo /proc/self/fd/*; pwd; cut -d ' ' -f 1,6,7,19 /proc/$$/stat; } > said.new; mv said.new said";
        drop(start(script, &path, None));
        wait_for(|| path.join("said").exists());
        let said = std::fs::read_to_string(path.join("said")).unwrap();
        let said: Vec<&str> = said.lines().collect();
        assert!(!said[0].contains(&format!("/{}", ends[1])), "no pipe of ours: {said:?}");
        assert_eq!(said[1], path.to_str().unwrap());
        let numbers: Vec<&str> = said[2].split(' ').collect();
        assert_eq!(numbers[0], numbers[1], "it leads a session: {said:?}");
        assert_eq!(numbers[2..], ["0", "15"], "without a terminal, not urgent: {said:?}");
    }
}
