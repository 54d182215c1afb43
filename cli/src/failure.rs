//! Why the command could not do its work, and the exit status that says so.

use std::process::ExitCode;

/// The meaning of our exit statuses, as `vicinity --help` prints it. 125 to 127 are those of env(1)
/// and of the shells.
pub const EXIT_STATUS: &str = "\
Exit status:
  0    done
  1    bench: a program failed, ran out of time or gave a wrong result; the rest was measured
       translate: the kernel's source is wrong
  2    the command line could not be understood
  3    bench: a compiler or library is missing, or a program does not build
       translate: the same, or the translator itself failed
  125  vicinity itself failed
  126  the program was found and cannot be run on Vicinity
  127  the program was not found
  else what the program started by `vicinity run` returned";

/// One line for the user, and the status.
#[derive(Debug)]
pub struct Failure {
    text: String,
    status: u8,
}

impl Failure {
    /// The command itself could not work.
    pub fn own(text: impl Into<String>) -> Failure {
        Failure { text: text.into(), status: 125 }
    }

    /// The program exists, and Vicinity cannot run it.
    pub fn cannot_execute(text: impl Into<String>) -> Failure {
        Failure { text: text.into(), status: 126 }
    }

    /// There is no such program.
    pub fn not_found(text: impl Into<String>) -> Failure {
        Failure { text: text.into(), status: 127 }
    }

    /// Prints the line; returns the status for `main`.
    pub fn report(&self) -> ExitCode {
        eprintln!("vicinity: {}", self.text);
        ExitCode::from(self.status)
    }
}
