//! A program that runs beside this one: what it says on standard error, and how it ends.

use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{self, Command, ExitStatus, Stdio};

use rustix::process::{Pid, WaitOptions, waitpid};

use crate::program::tools;

pub struct Child {
    process: Process,
    said: PipeReader,
}

enum Process {
    Started(process::Child),
    /// A copy of this process, which is the compiler inside it.
    Copy(Pid),
}

impl Child {
    /// Starts it. The compiler that is inside this program needs no start: it goes on in a copy of this process, which saves
    /// the 3 ms until a program of that size has prepared itself.
    pub fn start(command: &mut Command) -> io::Result<Child> {
        let (said, says) = io::pipe()?;
        let copy = tools::compile_in_copy(command, says.as_fd())?;
        let process = match copy {
            Some(copy) => Process::Copy(copy),
            None => {
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(says);
                let child = command.spawn();
                // The command keeps the end of the pipe that it gives to its child.
                command.stderr(Stdio::null());
                Process::Started(child?)
            }
        };
        Ok(Child { process, said })
    }

    pub fn number(&self) -> u32 {
        match &self.process {
            Process::Started(child) => child.id(),
            Process::Copy(copy) => copy.as_raw_nonzero().get().cast_unsigned(),
        }
    }

    /// Waits for its end. Also what it said.
    pub fn wait(mut self) -> io::Result<(ExitStatus, Vec<u8>)> {
        let mut bytes = Vec::new();
        let _ = self.said.read_to_end(&mut bytes);
        let status = match self.process {
            Process::Started(mut child) => child.wait()?,
            Process::Copy(copy) => loop {
                match waitpid(Some(copy), WaitOptions::empty()) {
                    Ok(Some((_, status))) => break ExitStatus::from_raw(status.as_raw()),
                    Ok(None) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            },
        };
        Ok((status, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (ExitStatus, Vec<u8>) {
        let mut command = Command::new("/bin/sh");
        let child = Child::start(command.args(["-c", script])).expect("a shell");
        assert!(child.number() > 1);
        child.wait().expect("its end")
    }

    #[test]
    fn what_it_said_and_how_it_ended() {
        let (status, said) = shell("echo no >&2; exit 3");
        assert_eq!((status.code(), said), (Some(3), b"no\n".to_vec()));
        let (status, said) = shell("kill -9 $$");
        assert_eq!((status.signal(), said), (Some(9), Vec::new()));
        assert!(Child::start(&mut Command::new("/nowhere")).is_err());
    }
}
