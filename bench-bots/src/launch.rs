//! Runs one process to its end, or to the end of its time.
//!
//! The end is seen as the end of its standard output, which a thread waits for: no polling, so the
//! time of a short process is not rounded up to the next look.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What a process left behind.
#[derive(Debug, Clone)]
pub struct Finished {
    pub stdout: String,
    pub stderr: String,
    /// From before the process was made until its standard output ended.
    pub wall: Duration,
}

/// Runs `command` and collects its output. The error says what went wrong in words that can follow
/// a program's name.
pub fn run(mut command: Command, limit: Duration) -> Result<Finished, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
    let mut stdout = child.stdout.take().expect("stdout is piped");
    let mut stderr = child.stderr.take().expect("stderr is piped");
    let (send, receive) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.read_to_end(&mut bytes);
        // The receiver is gone only when the time ran out; then nobody wants the output.
        let _ = send.send(start.elapsed());
        read.map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let error_reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stderr.read_to_end(&mut bytes);
        read.map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let wall = receive.recv_timeout(limit);
    if wall.is_err() {
        // Failing means that it has just ended by itself; waiting below reaps it either way.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("cannot be waited for: {error}"))?;
    let collect = |thread: thread::JoinHandle<std::io::Result<String>>| match thread.join() {
        Ok(Ok(text)) => text,
        _ => String::new(),
    };
    let (stdout, stderr) = (collect(reader), collect(error_reader));
    let Ok(wall) = wall else {
        return Err(format!("did not end within {} s{}", limit.as_secs(), excerpt(&stderr)));
    };
    if !status.success() {
        return Err(format!("ended with {status}{}", excerpt(&stderr)));
    }
    Ok(Finished { stdout, stderr, wall })
}

/// The end of an error output, indented under the line that reports it.
pub fn excerpt(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    let from = lines.len().saturating_sub(12);
    lines[from..].iter().map(|line| format!("\n    {line}")).collect()
}

/// Processes that keep a processor busy each, until this value is dropped.
#[derive(Debug, Default)]
pub struct Company {
    children: Vec<Child>,
}

impl Company {
    /// Starts `count` processes of `program`.
    pub fn start(program: &std::path::Path, count: usize) -> std::io::Result<Company> {
        let mut company = Company::default();
        for _ in 0..count {
            company.children.push(Command::new(program).stdin(Stdio::null()).spawn()?);
        }
        Ok(company)
    }
}

impl Drop for Company {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Errors mean that it is gone already, which is what is wanted.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    const LIMIT: Duration = Duration::from_secs(20);

    #[test]
    fn output_is_collected() {
        let finished = run(shell("echo out; echo err >&2"), LIMIT).expect("ends well");
        assert_eq!(finished.stdout, "out\n");
        assert_eq!(finished.stderr, "err\n");
    }

    #[test]
    fn a_failing_program_is_quoted() {
        let error = run(shell("echo broken >&2; exit 3"), LIMIT).expect_err("fails");
        assert!(error.contains("exit status: 3") && error.contains("broken"), "{error}");
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let error = run(shell("exec sleep 60"), Duration::from_millis(50)).expect_err("hangs");
        assert!(error.contains("did not end"), "{error}");
    }

    #[test]
    fn a_missing_program_is_an_error() {
        assert!(run(Command::new("/nonexistent/program"), LIMIT).is_err());
    }

    #[test]
    fn company_leaves_with_its_value() {
        let company = Company::start(std::path::Path::new("/bin/cat"), 2).expect("starts");
        assert_eq!(company.children.len(), 2);
        drop(company);
    }
}
