//! Programs in the background: nobody waits for them, and they hold nothing of this process but what they are given.
//!
//! Each has a session of its own (no terminal, no signals from one), no files but the standard ones, a folder to be in, and a minute of
//! processor time. A *free* one ends when it likes, also after this process; one that is *tied* to a folder that goes
//! with it is ended with this process, or when its owner does not want it any more.
//!
//! A forked child of this process has nothing to do with them.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, Once};
use tempfile::TempDir;

/// A program that was started.
pub struct Background(Arc<Mutex<Running>>);

struct Running {
    id: libc::pid_t,
    /// Its end was seen.
    over: bool,
    /// Of one that is tied.
    folder: Option<TempDir>,
    /// Who started it.
    parent: u32,
}

/// Of programs in the background, from 0 to 19: while the program that wants it computes on all processors it gets a thirtieth of one.
const NICENESS: i32 = 15;

/// Of processor time: then it is ended.
const MOST_SECONDS: libc::rlim_t = 60;

/// All that were not seen to end: to be ended with the process, or to be asked for their status.
static ALL: Mutex<Vec<Arc<Mutex<Running>>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|held| held.into_inner())
}

impl Background {
    /// `words` begins with the program's file. It works in `place`, gets `input` as its standard input, and is tied to
    /// `folder` if there is one. What it says is not wanted.
    pub fn start(
        words: &[&OsStr],
        place: &Path,
        input: Option<&File>,
        folder: Option<TempDir>,
    ) -> io::Result<Background> {
        let id = spawn(words, place, input)?;
        let limit = |resource, most| {
            let most = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: a child of ours that nobody has waited for; a value, and no place for the one before. If it is refused, there is no limit.
            unsafe { libc::prlimit(id, resource, &raw const most, ptr::null_mut()) };
        };
        limit(libc::RLIMIT_CPU, MOST_SECONDS);
        limit(libc::RLIMIT_CORE, 0);
        let running = Running { id, over: false, folder, parent: std::process::id() };
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
        let id = lock(&self.0).id;
        // SAFETY: a child of ours, if nobody has waited for it; the call takes numbers.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, id.unsigned_abs(), NICENESS) };
        // Where each session has a share of its own, that is what counts.
        _ = std::fs::write(format!("/proc/{id}/autogroup"), NICENESS.to_string());
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        lock(&self.0).is_over()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        lock(&self.0).end();
    }
}

impl Running {
    fn is_over(&mut self) -> bool {
        if !self.over {
            // SAFETY: a number, and no place for the status. An error: somebody else has waited for it, so it has ended.
            self.over = unsafe { libc::waitpid(self.id, ptr::null_mut(), libc::WNOHANG) } != 0;
        }
        self.over
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
            // SAFETY: as in `is_over`.
            unsafe { libc::waitpid(self.id, ptr::null_mut(), 0) };
            self.over = true;
        }
    }
}

extern "C" fn end_all() {
    // A thread that still runs may hold a lock.
    let Ok(all) = ALL.try_lock() else { return };
    for running in all.iter() {
        if let Ok(mut running) = running.try_lock() {
            running.end();
        }
    }
}

unsafe extern "C" {
    static environ: *const *mut libc::c_char;
}

/// Starts a program apart from this one. Not `std::process`: that has no sessions and leaves open what the program, or a library,
/// did not mark to be closed, pipes to those who wait for this process to end among them.
fn spawn(words: &[&OsStr], place: &Path, input: Option<&File>) -> io::Result<libc::pid_t> {
    let text = |word: &OsStr| CString::new(word.as_bytes()).map_err(io::Error::from);
    let words = words.iter().map(|word| text(word)).collect::<io::Result<Vec<CString>>>()?;
    let place = text(place.as_os_str())?;
    let mut pointers: Vec<*mut libc::c_char> =
        words.iter().map(|word| word.as_ptr().cast_mut()).collect();
    pointers.push(ptr::null_mut());
    let program = words.first().ok_or(io::ErrorKind::InvalidInput)?;
    let (actions, attributes) = (Actions::new(&place, input)?, Attributes::new()?);
    let mut id = 0;
    // SAFETY: texts that end with zeros, in a list that ends with a null; initialized actions and attributes.
    checked(unsafe {
        let (actions, attributes) = (actions.0.as_ptr(), attributes.0.as_ptr());
        let words = pointers.as_ptr();
        libc::posix_spawn(&raw mut id, program.as_ptr(), actions, attributes, words, environ)
    })?;
    Ok(id)
}

fn checked(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

/// What is done with files in the new process.
struct Actions(MaybeUninit<libc::posix_spawn_file_actions_t>);

impl Actions {
    fn new(place: &CString, input: Option<&File>) -> io::Result<Actions> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: room for it.
        checked(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        let mut actions = Actions(actions);
        let (this, nothing) = (actions.0.as_mut_ptr(), c"/dev/null".as_ptr());
        // SAFETY: initialized above; texts that end with zeros.
        unsafe {
            checked(match input {
                Some(file) => libc::posix_spawn_file_actions_adddup2(this, file.as_raw_fd(), 0),
                None => libc::posix_spawn_file_actions_addopen(this, 0, nothing, libc::O_RDONLY, 0),
            })?;
            for output in [1, 2] {
                let flags = libc::O_WRONLY;
                checked(libc::posix_spawn_file_actions_addopen(this, output, nothing, flags, 0))?;
            }
            checked(libc::posix_spawn_file_actions_addclosefrom_np(this, 3))?;
            checked(libc::posix_spawn_file_actions_addchdir_np(this, place.as_ptr()))?;
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
        let started = Background::start(&words, place, None, folder).unwrap();
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
