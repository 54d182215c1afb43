//! Why the command could not do its work, and the exit status that says so (`vicinity_output` has those of all programs).

use std::process::ExitCode;

use vicinity_output::{EXIT_FAILED, EXIT_USAGE, Unwritten, tell};

/// The program was found, and cannot be run. This and the next are the shells' own.
const EXIT_CANNOT_RUN: u8 = 126;
const EXIT_NOT_FOUND: u8 = 127;

/// One line for the user, where there is anything to say, and the status.
#[derive(Debug)]
pub struct Failure {
    text: Option<String>,
    status: u8,
}

impl Failure {
    fn new(status: u8, text: impl Into<String>) -> Failure {
        Failure { text: Some(text.into()), status }
    }

    /// The command itself could not work.
    pub fn own(text: impl Into<String>) -> Failure {
        Failure::new(EXIT_FAILED, text)
    }

    /// The command line makes no sense.
    pub fn usage(text: impl Into<String>) -> Failure {
        Failure::new(EXIT_USAGE, text)
    }

    /// The program exists, and Vicinity cannot run it.
    pub fn cannot_execute(text: impl Into<String>) -> Failure {
        Failure::new(EXIT_CANNOT_RUN, text)
    }

    /// There is no such program.
    pub fn not_found(text: impl Into<String>) -> Failure {
        Failure::new(EXIT_NOT_FOUND, text)
    }

    /// Prints the line; returns the status for `main`.
    pub fn report(&self) -> ExitCode {
        if let Some(text) = &self.text {
            tell(format!("vicinity: {text}"));
        }
        ExitCode::from(self.status)
    }
}

impl From<Unwritten> for Failure {
    fn from(unwritten: Unwritten) -> Failure {
        Failure { text: unwritten.text(), status: unwritten.status() }
    }
}

impl From<vicinity_bench::Failure> for Failure {
    fn from(failure: vicinity_bench::Failure) -> Failure {
        Failure { text: failure.text(), status: failure.status() }
    }
}
