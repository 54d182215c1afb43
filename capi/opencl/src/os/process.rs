//! Other programs: run, listened to, and ended when they take too long.
//!
//! The program's own handling of `SIGCHLD` is left as it is. Where it takes our child's status (by `wait` for any
//! child, or by ignoring the signal), that status is not known to us, and callers judge by what was written.

use std::io::{ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Exit(i32),
    Signal(i32),
    /// Somebody else took the status.
    Unknown,
    TimeOut,
}

/// Of what a program writes to standard error.
const MOST_OUTPUT_BYTES: usize = 1 << 20;

/// Runs a program to its end; gives the end, and what it wrote to standard error. The error is the system's, if it
/// cannot be started.
pub fn run(command: &mut Command, most: Duration) -> std::io::Result<(End, String)> {
    let deadline = Instant::now() + most;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // A group of its own, so that it can be ended with all that it started.
    command.process_group(0);
    let mut child = command.spawn()?;
    let mut output = Vec::new();
    let is_in_time = match child.stderr.take() {
        Some(mut stderr) => listen(&mut stderr, &mut output, deadline),
        None => true,
    };
    if !is_in_time {
        end_group(&child);
    }
    let end = match child.wait() {
        _ if !is_in_time => End::TimeOut,
        Ok(status) => ended(status),
        Err(_) => End::Unknown,
    };
    Ok((end, String::from_utf8_lossy(&output).into_owned()))
}

fn ended(status: std::process::ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Unknown,
    }
}

/// Reads until everybody has closed the other end, which is when the program and all that it started have
/// ended. False: that did not happen in time.
fn listen(stderr: &mut ChildStderr, output: &mut Vec<u8>, deadline: Instant) -> bool {
    let mut buffer = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        if !is_readable(stderr, left) {
            continue;
        }
        match stderr.read(&mut buffer) {
            Ok(0) => return true,
            Ok(bytes) => {
                let room = MOST_OUTPUT_BYTES - output.len();
                output.extend_from_slice(&buffer[..bytes.min(room)]);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return true,
        }
    }
}

/// Waits until there is something to read, or the end; false if there was not in time, or a signal came.
fn is_readable(stderr: &ChildStderr, most: Duration) -> bool {
    let mut wanted = libc::pollfd { fd: stderr.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let milliseconds = i32::try_from(most.as_millis()).unwrap_or(i32::MAX).max(1);
    // SAFETY: one entry, which lives during the call.
    unsafe { libc::poll(&raw mut wanted, 1, milliseconds) > 0 }
}

fn end_group(child: &Child) {
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: the child's group, which exists until the child has been waited for.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, most: Duration) -> (End, String) {
        run(Command::new("/bin/sh").args(["-c", script]), most).unwrap()
    }

    #[test]
    fn programs_end_in_different_ways() {
        let long = Duration::from_secs(20);
        assert_eq!(shell("echo no >&2; exit 3", long), (End::Exit(3), "no\n".to_owned()));
        assert_eq!(shell("kill -SEGV $$", long).0, End::Signal(libc::SIGSEGV));
        let start = Instant::now();
        assert_eq!(shell("sleep 30 & sleep 30", Duration::from_millis(50)).0, End::TimeOut);
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(run(&mut Command::new("/nowhere/x"), long).is_err());
    }
}
