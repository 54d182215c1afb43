//! How other programs end, what they say meanwhile, and threads of ours that listen.

use std::io::{ErrorKind, PipeReader, Read};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exit(i32),
    Signal(i32),
    /// Somebody else took the status.
    Unknown,
    TimeOut,
}

impl End {
    pub fn of(status: ExitStatus) -> End {
        match (status.code(), status.signal()) {
            (Some(code), _) => End::Exit(code),
            (None, Some(signal)) => End::Signal(signal),
            (None, None) => End::Unknown,
        }
    }
}

/// Tells each line, until everybody has closed the other end: when the program and all that it started have ended. False: nothing was
/// said for so long.
pub fn listen(mut pipe: PipeReader, most: Duration, mut tell: impl FnMut(&str)) -> bool {
    let (mut buffer, mut text) = ([0; 4096], Vec::new());
    let mut deadline = Instant::now() + most;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        if !is_readable(&pipe, left) {
            continue;
        }
        match pipe.read(&mut buffer) {
            Ok(0) => return true,
            Ok(bytes) => text.extend_from_slice(&buffer[..bytes]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return true,
        }
        while let Some(end) = text.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            tell(&String::from_utf8_lossy(&line[..end]));
            deadline = Instant::now() + most;
        }
    }
}

/// Waits until there is something to read, or the end; false if there was not in time, or a signal came.
fn is_readable(pipe: &PipeReader, most: Duration) -> bool {
    let mut wanted = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let milliseconds = i32::try_from(most.as_millis()).unwrap_or(i32::MAX).max(1);
    // SAFETY: one entry, which lives during the call.
    unsafe { libc::poll(&raw mut wanted, 1, milliseconds) > 0 }
}

/// Starts a thread that gets none of the program's signals, if one is to be had.
pub fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: room for the sets; the first is initialized before it is used.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    // SAFETY: the mask from above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    started.map(|_| ())
}

/// Has `work` done when the process ends, before what was to be done so far.
pub fn at_exit(work: extern "C" fn()) {
    // SAFETY: a function without arguments. If it is refused, it is not done.
    _ = unsafe { libc::atexit(work) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::background::{Background, Start};
    use std::ffi::OsStr;
    use std::os::fd::AsFd;

    fn shell(script: &str, most: Duration) -> (End, Vec<String>) {
        let (reader, writer) = std::io::pipe().unwrap();
        let words = ["sh", "-c", script].map(OsStr::new);
        let folder = Some(tempfile::tempdir().unwrap());
        let start =
            Start { words: &words, output: Some(writer.as_fd()), folder, ..Start::default() };
        let program = Background::start(start).unwrap();
        drop(writer);
        let mut said = Vec::new();
        let is_in_time = listen(reader, most, |line| said.push(line.to_owned()));
        if !is_in_time {
            program.end();
        }
        (if is_in_time { program.wait() } else { End::TimeOut }, said)
    }

    #[test]
    fn programs_say_lines_and_end_in_different_ways() {
        let long = Duration::from_secs(20);
        let said = ["no", "or yes"].map(str::to_owned).to_vec();
        assert_eq!(shell("echo no; echo or yes; printf half; exit 3", long), (End::Exit(3), said));
        assert_eq!(shell("kill -SEGV $$", long).0, End::Signal(libc::SIGSEGV));
        let start = Instant::now();
        assert_eq!(shell("sleep 30 & sleep 30", Duration::from_millis(50)).0, End::TimeOut);
        assert!(start.elapsed() < Duration::from_secs(5));
        let words = [OsStr::new("/nowhere/x")];
        assert!(Background::start(Start { words: &words, ..Start::default() }).is_err());
    }

    #[test]
    fn threads_of_ours_get_no_signals() {
        let (sender, receiver) = std::sync::mpsc::channel();
        start_thread("vicinity-test", move || {
            let mut mask = MaybeUninit::uninit();
            // SAFETY: no set, room for the one that is; initialized then.
            let is_blocked = unsafe {
                libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), mask.as_mut_ptr());
                libc::sigismember(mask.as_ptr(), libc::SIGALRM) == 1
            };
            sender.send(is_blocked).unwrap();
        })
        .unwrap();
        assert!(receiver.recv().unwrap());
    }
}
